// Many small things of one geometry: arrows, points, cones.
import {
    BufferGeometry, Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Material, Matrix4, MeshBasicMaterial, MeshLambertMaterial,
    Quaternion, Vector3
} from "three";

const Z = new Vector3(0, 0, 1);

/** An instanced mesh that grows when more is added than it holds. */
export class Swarm {
    readonly group = new Group();
    private mesh: InstancedMesh;
    private count = 0;
    private readonly matrix = new Matrix4();

    constructor(private readonly geometry: BufferGeometry, readonly material: Material, private capacity = 256) {
        this.mesh = this.make();
    }

    private make(): InstancedMesh {
        const mesh = new InstancedMesh(this.geometry, this.material, this.capacity);
        mesh.frustumCulled = false;
        mesh.setColorAt(0, new Color());
        this.group.add(mesh);
        return mesh;
    }

    begin(): void {
        this.count = 0;
    }

    add(position: Vector3, rotation: Quaternion, scale: Vector3, colour: Color): void {
        if (this.count === this.capacity) {
            const old = this.mesh;
            this.capacity *= 2;
            this.mesh = this.make();
            (this.mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array);
            (this.mesh.instanceColor!.array as Float32Array).set(old.instanceColor!.array);
            this.group.remove(old);
            old.dispose();
        }
        this.matrix.compose(position, rotation, scale).toArray(this.mesh.instanceMatrix.array as Float32Array, 16 * this.count);
        colour.toArray(this.mesh.instanceColor!.array as Float32Array, 3 * this.count++);
    }

    end(): void {
        this.mesh.visible = this.count > 0;
        if (!this.count) return;
        this.mesh.count = this.count;
        this.mesh.renderOrder = this.group.renderOrder;
        this.mesh.instanceMatrix.needsUpdate = true;
        this.mesh.instanceColor!.needsUpdate = true;
    }
}

/** Arrows along vectors; the head keeps its form. */
export class Arrows {
    readonly group = new Group();
    private readonly shafts: Swarm;
    private readonly heads: Swarm;
    private readonly rotation = new Quaternion();
    private readonly place = new Vector3();
    private readonly direction = new Vector3();
    private readonly scale = new Vector3();

    constructor(readonly material: MeshBasicMaterial | MeshLambertMaterial) {
        this.shafts = new Swarm(new CylinderGeometry(1, 1, 1, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
        this.heads = new Swarm(new ConeGeometry(1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
        this.group.add(this.shafts.group, this.heads.group);
    }

    begin(): void {
        this.shafts.begin();
        this.heads.begin();
    }

    /** From `from` along `along`, whose length is that of the arrow; thick: radius of the shaft. */
    add(from: Vector3, along: Vector3, thick: number, colour: Color): void {
        const length = along.length();
        if (!(length > 1e-9)) return;
        const head = Math.min(0.45 * length, 6.5 * thick), width = Math.min(thick, 0.12 * length);
        this.direction.copy(along).divideScalar(length);
        this.rotation.setFromUnitVectors(Z, this.direction);
        this.shafts.add(from, this.rotation, this.scale.set(width, width, length - head), colour);
        this.place.copy(from).addScaledVector(this.direction, length - head);
        this.heads.add(this.place, this.rotation, this.scale.set(2.6 * width, 2.6 * width, head), colour);
    }

    end(): void {
        this.shafts.end();
        this.heads.end();
    }
}
