// Flexible parts: their skins, drawn through the nodes of the frame with smooth normals, and rods along their lines.
import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, Group, Mesh, MeshLambertMaterial, Quaternion, Raycaster, Vector3 } from "three";
import { Swarm } from "./arrows";
import { bodyColour, islandColour, scaleColour, styleColour, type BodyColour } from "./colours";
import { NODE } from "./decode";
import type { Frame, PartMeta, Run } from "./run";

interface Skin { part: PartMeta; mesh: Mesh<BufferGeometry, MeshLambertMaterial> | null; own: Color; }

const Z = new Vector3(0, 0, 1);

export class Parts {
    readonly group = new Group();
    colouring: BodyColour = "body";
    fastest = 1;  // m/s at the end of the scale
    largest = 1;  // Pa
    selected = -1;
    private readonly skins: Skin[];
    private readonly material = new MeshLambertMaterial({ vertexColors: true });
    private readonly rods: Swarm;

    constructor(run: Run) {
        this.rods = new Swarm(new CylinderGeometry(1, 1, 1, 10, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5), new MeshLambertMaterial());
        this.skins = run.meta.parts.map((part, k) => ({ part, own: bodyColour(part.body, k + 1, false, new Color()), mesh: this.makeMesh(part) }));
        for (const { mesh } of this.skins) if (mesh) this.group.add(mesh);
        this.group.add(this.rods.group);
    }

    private makeMesh(part: PartMeta): Skin["mesh"] {
        if (!part.faces.length) return null;
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * part.nodes), 3));
        geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * part.nodes), 3));
        geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * part.nodes), 3));
        geometry.setIndex(part.faces);
        const mesh = new Mesh(geometry, this.material);
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        return mesh;
    }

    get empty(): boolean {
        return this.skins.length === 0;
    }

    private paint(frame: Frame, skin: Skin, node: number, colour: Color): Color {
        const { part } = skin, at = NODE * (part.first + node);
        if (part.body === this.selected) return colour.set(styleColour("accent"));
        if (this.colouring === "speed") return scaleColour(Math.sqrt(frame.nodes[at + 3] / this.fastest), colour);
        if (this.colouring === "stress") return scaleColour(frame.nodes[at + 4] / this.largest, colour);
        if (this.colouring === "island") return islandColour(frame.island[part.body], false, colour);
        return colour.copy(skin.own);
    }

    update(frame: Frame): void {
        const colour = new Color();
        this.rods.begin();
        for (const skin of this.skins) {
            const { part, mesh } = skin, there = frame.present[part.body] > 0;
            if (mesh) mesh.visible = there;
            if (!there) continue;
            if (mesh) {
                const position = mesh.geometry.getAttribute("position") as BufferAttribute, shade = mesh.geometry.getAttribute("color") as BufferAttribute;
                for (let i = 0; i < part.nodes; i++) {
                    for (let k = 0; k < 3; k++) position.array[3 * i + k] = frame.nodes[NODE * (part.first + i) + k];
                    this.paint(frame, skin, i, colour).toArray(shade.array as Float32Array, 3 * i);
                }
                position.needsUpdate = shade.needsUpdate = true;
                mesh.geometry.computeVertexNormals();
                mesh.geometry.boundingSphere = null;
            }
            this.addRods(frame, skin, colour);
        }
        this.rods.end();
    }

    private addRods(frame: Frame, skin: Skin, colour: Color): void {
        const { part } = skin, from = new Vector3(), along = new Vector3(), turn = new Quaternion(), scale = new Vector3();
        for (let i = 0; i < part.radius.length; i++) {
            const [a, b] = [part.lines[2 * i], part.lines[2 * i + 1]];
            from.fromArray(frame.nodes, NODE * (part.first + a));
            along.fromArray(frame.nodes, NODE * (part.first + b)).sub(from);
            const length = along.length();
            turn.setFromUnitVectors(Z, along.divideScalar(length || 1));
            this.rods.add(from, turn, scale.set(part.radius[i], part.radius[i], length), this.paint(frame, skin, a, colour));
        }
    }

    /** What the ray meets first: body, node (of all) and how far; null: nothing. */
    pick(ray: Raycaster): { body: number; node: number; distance: number } | null {
        let best: { body: number; node: number; distance: number } | null = null;
        for (const { part, mesh } of this.skins) {
            if (!mesh || !mesh.visible) continue;
            const hit = ray.intersectObject(mesh)[0], position = mesh.geometry.getAttribute("position");
            if (!hit?.face || best && best.distance <= hit.distance) continue;
            const corners = [hit.face.a, hit.face.b, hit.face.c], away = corners.map(c => new Vector3().fromBufferAttribute(position, c).distanceTo(hit.point));
            best = { body: part.body, node: part.first + corners[away.indexOf(Math.min(...away))], distance: hit.distance };
        }
        return best;
    }

    setLook(transparent: boolean, wireframe: boolean): void {
        this.material.transparent = transparent;
        this.material.opacity = transparent ? 0.3 : 1;
        this.material.depthWrite = !transparent;
        this.material.wireframe = wireframe;
        this.material.needsUpdate = true;
    }
}
