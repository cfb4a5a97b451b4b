// Flexible parts: their skins, drawn through the nodes of the frame, smooth but for sharp edges, and rods along their lines.
import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Raycaster, SphereGeometry, Vector3 } from "three";
import { Swarm } from "./arrows";
import { bodyColour, islandColour, residualColour, scaleColour, styleColour, worstResiduals, type BodyColour } from "./colours";
import { NODE } from "./decode";
import type { Frame, PartMeta, Run } from "./run";

/** node: of the part, for each vertex of the mesh. */
interface Skin { part: PartMeta; mesh: Mesh<BufferGeometry, MeshLambertMaterial> | null; node: number[]; own: Color; }

const Z = new Vector3(0, 0, 1), SHARP = Math.cos(40 * Math.PI / 180);

/** Corners of faces that meet at a node are one vertex as long as they are joined by edges that are not sharp. Returns the node of each vertex and
 *  the vertex of each corner. */
export function splitCorners(nodes: number, faces: number[], place: (node: number) => Vector3): { node: number[]; corner: number[] } {
    const normals: Vector3[] = [], around: number[][] = Array.from({ length: nodes }, () => []);
    for (let f = 0; 3 * f < faces.length; f++) {
        const [a, b, c] = [0, 1, 2].map(k => place(faces[3 * f + k]));
        normals.push(b.sub(a).cross(c.sub(a)).normalize());
        for (let k = 0; k < 3; k++) around[faces[3 * f + k]].push(f);
    }
    const node: number[] = [], corner = new Array<number>(faces.length).fill(-1);
    const joined = (f: number, g: number) => {
        let shared = 0;
        for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) if (faces[3 * f + i] === faces[3 * g + k]) shared++;
        return shared >= 2 && normals[f].dot(normals[g]) > SHARP;
    };
    around.forEach((list, at) => {
        const left = new Set(list);
        for (const first of list) {
            if (!left.delete(first)) continue;
            const group = [first];
            for (const f of group) for (const g of [...left]) if (joined(f, g)) { left.delete(g); group.push(g); }
            for (const f of group) for (let k = 0; k < 3; k++) if (faces[3 * f + k] === at) corner[3 * f + k] = node.length;
            node.push(at);
        }
    });
    return { node, corner };
}

export class Parts {
    readonly group = new Group();
    colouring: BodyColour = "body";
    fastest = 1;  // m/s at the end of the scale
    largest = 1;  // Pa
    selected = -1;
    selectedNode = -1; // of all nodes
    private readonly skins: Skin[];
    private readonly material = new MeshLambertMaterial({ vertexColors: true });
    private readonly rods: Swarm;
    private readonly rodMaterial = new MeshLambertMaterial();
    private readonly mark = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ depthTest: false, transparent: true }));
    private frame: Frame | null = null;
    private worst: Float32Array | null = null;

    constructor(private readonly run: Run) {
        this.rods = new Swarm(new CylinderGeometry(1, 1, 1, 10, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5), this.rodMaterial);
        this.skins = run.meta.parts.map((part, k) => ({ part, own: bodyColour(part.body, k + 1, false, new Color()), node: [], mesh: null }));
        this.mark.renderOrder = 9;
        this.mark.visible = false;
        this.group.add(this.rods.group, this.mark);
    }

    /** The mesh of a part, from the first frame that shows it: that tells its sharp edges. */
    private makeMesh(skin: Skin, frame: Frame): void {
        const { part } = skin, geometry = new BufferGeometry();
        const { node, corner } = splitCorners(part.nodes, part.faces, i => new Vector3().fromArray(frame.nodes, NODE * (part.first + i)));
        for (const name of ["position", "normal", "color"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * node.length), 3));
        geometry.setIndex(corner);
        skin.node = node;
        skin.mesh = new Mesh(geometry, this.material);
        skin.mesh.castShadow = skin.mesh.receiveShadow = true;
        skin.mesh.frustumCulled = false;
        this.group.add(skin.mesh);
    }

    get empty(): boolean {
        return this.skins.length === 0;
    }

    private paint(frame: Frame, skin: Skin, node: number, colour: Color): Color {
        const { part } = skin, at = NODE * (part.first + node);
        if (this.colouring === "speed") return scaleColour(Math.sqrt(frame.nodes[at + 3] / this.fastest), colour);
        if (this.colouring === "stress") return scaleColour(Math.sqrt(frame.nodes[at + 4] / this.largest), colour);
        if (part.body === this.selected) return colour.set(styleColour("accent"));
        if (this.colouring === "island") return islandColour(frame.island[part.body], false, colour);
        if (this.worst) return residualColour(this.worst[part.body], colour);
        return colour.copy(skin.own);
    }

    update(frame: Frame): void {
        const colour = new Color();
        this.frame = frame;
        this.worst = this.colouring === "residual" && !this.empty ? worstResiduals(frame, this.run.bodies.length) : null;
        this.rods.begin();
        for (const skin of this.skins) {
            const { part } = skin, there = frame.present[part.body] > 0;
            if (there && part.faces.length && !skin.mesh) this.makeMesh(skin, frame);
            const { mesh } = skin;
            if (mesh) mesh.visible = there;
            if (!there) continue;
            if (mesh) {
                const position = mesh.geometry.getAttribute("position") as BufferAttribute, shade = mesh.geometry.getAttribute("color") as BufferAttribute;
                skin.node.forEach((node, i) => {
                    for (let k = 0; k < 3; k++) position.array[3 * i + k] = frame.nodes[NODE * (part.first + node) + k];
                    this.paint(frame, skin, node, colour).toArray(shade.array as Float32Array, 3 * i);
                });
                position.needsUpdate = shade.needsUpdate = true;
                mesh.geometry.computeVertexNormals();
                mesh.geometry.boundingSphere = null;
            }
            this.addRods(frame, skin, colour);
        }
        this.rods.end();
        this.showMark(frame);
    }

    /** A dot at the node that was clicked. */
    private showMark(frame: Frame): void {
        this.mark.visible = this.selected >= 0 && this.selectedNode >= 0 && frame.present[this.selected] > 0;
        if (!this.mark.visible) return;
        this.mark.position.fromArray(frame.nodes, NODE * this.selectedNode);
        this.mark.scale.setScalar(0.03 * this.run.meta.radius[this.selected]);
        this.mark.material.color.set(styleColour("ink"));
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
        for (const skin of this.skins) {
            const { part, mesh } = skin, rod = this.pickRod(ray, part);
            if (rod && !(best && best.distance <= rod.distance)) best = rod;
            if (!mesh || !mesh.visible) continue;
            const hit = ray.intersectObject(mesh)[0], position = mesh.geometry.getAttribute("position");
            if (!hit?.face || best && best.distance <= hit.distance) continue;
            const corners = [hit.face.a, hit.face.b, hit.face.c], away = corners.map(c => new Vector3().fromBufferAttribute(position, c).distanceTo(hit.point));
            best = { body: part.body, node: part.first + skin.node[corners[away.indexOf(Math.min(...away))]], distance: hit.distance };
        }
        return best;
    }

    /** The nearest rod of a part whose axis the ray passes within its radius. */
    private pickRod(ray: Raycaster, part: PartMeta): { body: number; node: number; distance: number } | null {
        const frame = this.frame, a = new Vector3(), b = new Vector3(), onRay = new Vector3(), onRod = new Vector3();
        let best: { body: number; node: number; distance: number } | null = null;
        if (!frame || !frame.present[part.body]) return null;
        for (let i = 0; i < part.radius.length; i++) {
            const ends = [part.first + part.lines[2 * i], part.first + part.lines[2 * i + 1]];
            a.fromArray(frame.nodes, NODE * ends[0]);
            b.fromArray(frame.nodes, NODE * ends[1]);
            if (ray.ray.distanceSqToSegment(a, b, onRay, onRod) > part.radius[i] ** 2) continue;
            const distance = onRay.distanceTo(ray.ray.origin) - part.radius[i];
            if (!best || distance < best.distance) best = { body: part.body, node: ends[onRod.distanceTo(a) <= onRod.distanceTo(b) ? 0 : 1], distance };
        }
        return best;
    }

    setLook(transparent: boolean, wireframe: boolean): void {
        for (const material of [this.material, this.rodMaterial]) {
            material.transparent = transparent;
            material.opacity = transparent ? 0.5 : 1; // more than rigid bodies have: the colours shall be seen
            material.depthWrite = !transparent;
            material.wireframe = wireframe;
            material.needsUpdate = true;
        }
    }
}
