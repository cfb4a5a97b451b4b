// Bodies: one instanced mesh for each geometry, so that thousands of bodies are a few draw calls.
import { Color, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Raycaster } from "three";
import { bodyColour, islandColour, residualColour, scaleColour, styleColour, type BodyColour } from "./colours";
import type { Frame, Run } from "./run";
import { multiply, rotate, Shapes, type Part } from "./shapes";

interface Batch { mesh: InstancedMesh; body: number[]; part: Part[]; }

export class Bodies {
    readonly group = new Group();
    readonly material: MeshLambertMaterial;
    private readonly glass: MeshLambertMaterial; // of containers, so that one sees what is inside
    private readonly batches: Batch[] = [];
    private readonly own: Color[];
    private readonly colour: Float32Array;
    colouring: BodyColour = "body";
    fastest = 1; // m/s at the end of the scale
    selected = -1;

    constructor(private readonly run: Run) {
        const { shapes } = run.meta, library = new Shapes(shapes, run.bodies.length);
        this.material = new MeshLambertMaterial({ vertexColors: true });
        this.glass = new MeshLambertMaterial({ vertexColors: true, transparent: true, opacity: 0.2, depthWrite: false });
        const family = families(run);
        this.own = run.bodies.map((b, i) => bodyColour(i, family.get(b.shape) ?? 0, b.kind === 1, new Color()));
        this.colour = new Float32Array(3 * run.bodies.length);
        const parts = new Map<string, { body: number[]; part: Part[] }>();
        run.bodies.forEach((b, i) => {
            const clear = isContainer(run, i) ? "glass" : "solid";
            for (const part of library.parts(b.shape)) {
                const key = `${clear}/${part.geometry}`, list = parts.get(key) ?? { body: [], part: [] };
                list.body.push(i);
                list.part.push(part);
                parts.set(key, list);
            }
        });
        for (const [key, { body, part }] of parts) {
            const [clear, geometry] = key.split("/"), solid = clear === "solid";
            const mesh = new InstancedMesh(library.geometry(geometry), solid ? this.material : this.glass, body.length);
            mesh.castShadow = mesh.receiveShadow = solid;
            mesh.renderOrder = solid ? 0 : 2;
            mesh.frustumCulled = false;
            for (let i = 0; i < body.length; i++) mesh.setColorAt(i, this.own[body[i]]);
            this.batches.push({ mesh, body, part });
            this.group.add(mesh);
        }
    }

    update(frame: Frame): void {
        this.paint(frame);
        for (const { mesh, body, part } of this.batches) {
            const m = mesh.instanceMatrix.array as Float32Array, c = mesh.instanceColor!.array as Float32Array;
            for (let i = 0; i < body.length; i++) {
                place(m, 16 * i, frame, body[i], part[i]);
                const b = 3 * body[i];
                c[3 * i] = this.colour[b];
                c[3 * i + 1] = this.colour[b + 1];
                c[3 * i + 2] = this.colour[b + 2];
            }
            mesh.instanceMatrix.needsUpdate = true;
            mesh.instanceColor!.needsUpdate = true;
            mesh.boundingSphere = null;
        }
    }

    private paint(frame: Frame): void {
        const colour = new Color(), sizes = new Map<number, number>();
        const worst = this.colouring === "residual" ? worstResiduals(frame, this.run.bodies.length) : null;
        if (this.colouring === "island") for (const i of frame.island) sizes.set(i, (sizes.get(i) ?? 0) + 1);
        for (let i = 0; i < this.run.bodies.length; i++) {
            const fixed = this.run.bodies[i].kind === 1;
            if (this.colouring === "body" || fixed) colour.copy(this.own[i]);
            else if (this.colouring === "speed") {
                const v = frame.velocity, speed = Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
                scaleColour(Math.sqrt(speed / this.fastest), colour);
            } else if (this.colouring === "island") islandColour(frame.island[i], (sizes.get(frame.island[i]) ?? 0) < 2, colour);
            else if (worst) residualColour(worst[i], colour);
            if (i === this.selected) colour.set(styleColour("accent")).multiplyScalar(1.5);
            colour.toArray(this.colour, 3 * i);
        }
    }

    /** The body under the ray, -1: none. */
    pick(ray: Raycaster): number {
        let best = Infinity, found = -1;
        for (const { mesh, body } of this.batches.filter(b => b.mesh.material !== this.glass))
            for (const hit of ray.intersectObject(mesh))
                if (hit.distance < best && hit.instanceId !== undefined) [best, found] = [hit.distance, body[hit.instanceId]];
        return found;
    }

    setLook(transparent: boolean, wireframe: boolean): void {
        this.material.transparent = transparent;
        this.material.opacity = transparent ? 0.3 : 1;
        this.material.depthWrite = !transparent;
        this.material.wireframe = wireframe;
        this.material.needsUpdate = true;
        this.glass.wireframe = wireframe;
        for (const { mesh } of this.batches) mesh.castShadow = !wireframe && mesh.material === this.material;
    }
}

/** The largest residual of the contacts of each body, m/s. */
function worstResiduals(frame: Frame, bodies: number): Float32Array {
    const worst = new Float32Array(bodies), { count, body, residual } = frame.contacts;
    for (let i = 0; i < count; i++)
        for (const b of [body[2 * i], body[2 * i + 1]]) worst[b] = Math.max(worst[b], residual[i]);
    return worst;
}

/** What nobody pushes and is about as large as all that moves: a shaken box, or a fixed one of several parts. One wants to look into it. */
function isContainer(run: Run, i: number): boolean {
    const { kind, shape } = run.bodies[i], { start, shapes, radius } = run.meta;
    if (kind === 0 || !start || kind === 1 && shapes[shape]?.kind !== "compound") return false;
    return radius[i] > 0.4 * Math.hypot(start[3] - start[0], start[4] - start[1], start[5] - start[2]);
}

/** Shapes in the order of how many bodies have them: the most frequent one gets the first colour. */
function families(run: Run): Map<number, number> {
    const count = new Map<number, number>();
    for (const b of run.bodies) if (b.kind !== 1) count.set(b.shape, (count.get(b.shape) ?? 0) + 1);
    const order = [...count.keys()].sort((a, b) => count.get(b)! - count.get(a)! || a - b);
    return new Map(order.map((shape, i) => [shape, i]));
}

const matrix = new Matrix4();

/** The matrix of a part of a body; zero where the body does not exist. */
function place(to: Float32Array, at: number, frame: Frame, body: number, part: Part): void {
    if (!frame.present[body]) {
        to.fill(0, at, at + 16);
        return;
    }
    const q = multiply(frame.rotation.subarray(4 * body, 4 * body + 4), part.rotation), p = rotate(frame.rotation, 4 * body, part.position);
    const [w, x, y, z] = q, [sx, sy, sz] = part.scale, position = frame.position;
    const e = matrix.elements;
    e[0] = (1 - 2 * (y * y + z * z)) * sx; e[1] = 2 * (x * y + w * z) * sx; e[2] = 2 * (x * z - w * y) * sx;
    e[4] = 2 * (x * y - w * z) * sy; e[5] = (1 - 2 * (x * x + z * z)) * sy; e[6] = 2 * (y * z + w * x) * sy;
    e[8] = 2 * (x * z + w * y) * sz; e[9] = 2 * (y * z - w * x) * sz; e[10] = (1 - 2 * (x * x + y * y)) * sz;
    e[12] = p[0] + position[3 * body]; e[13] = p[1] + position[3 * body + 1]; e[14] = p[2] + position[3 * body + 2];
    matrix.toArray(to, at);
}
