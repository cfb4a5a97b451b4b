// Bodies: one instanced mesh for each geometry, so that thousands of bodies are a few draw calls.
import { Color, Group, InstancedMesh, MeshLambertMaterial, Raycaster } from "three";
import { bodyColour, islandColour, plainColour, residualColour, scaleColour, styleColour, worstResiduals, type BodyColour } from "./colours";
import type { Frame, Run } from "./run";
import { fineness, Shapes, type Part } from "./shapes";

/** Instances of one geometry; part: 10 numbers each: rotation w x y z, position, scale on the body. */
interface Batch { mesh: InstancedMesh; body: Int32Array; part: Float32Array; ball: number; /* typical radius, 0: no balls */ }

const PART = 10;

export class Bodies {
    readonly group = new Group();
    readonly material: MeshLambertMaterial;
    private readonly glass: MeshLambertMaterial; // of containers, so that one sees what is inside
    private readonly batches: Batch[] = [];
    private readonly own: Color[];
    private readonly library: Shapes;
    private readonly colour: Float32Array;
    colouring: BodyColour = "body";
    fastest = 1; // m/s at the end of the scale
    selected = -1;

    constructor(private readonly run: Run) {
        const library = this.library = new Shapes(run.meta.shapes, run.bodies.length);
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
            const radii = part.map(p => Math.max(...p.scale)).sort((a, b) => a - b), ball = geometry === "sphere" ? radii[radii.length >> 1] : 0;
            this.batches.push({ mesh, body: Int32Array.from(body), part: Float32Array.from(part.flatMap(p => [...p.rotation, ...p.position, ...p.scale])), ball });
            this.group.add(mesh);
        }
    }

    /** Writes what has changed: the matrices of bodies that moved, and colours. True: something moved, so shadows did too. */
    update(frame: Frame): boolean {
        const { moved } = this.run, painted = this.paint(frame);
        let any = false;
        this.written = 0;
        for (const { mesh, body, part } of this.batches) {
            const m = mesh.instanceMatrix.array as Float32Array, c = mesh.instanceColor!.array as Float32Array;
            let here = 0;
            for (let i = 0; i < body.length; i++) {
                if (!moved[body[i]]) continue;
                place(m, 16 * i, frame, body[i], part, PART * i);
                here++;
            }
            for (let i = 0; painted && i < body.length; i++)
                for (let k = 0; k < 3; k++) c[3 * i + k] = this.colour[3 * body[i] + k];
            this.written += here;
            any = any || here > 0;
            if (here) {
                mesh.instanceMatrix.needsUpdate = true;
                mesh.boundingSphere = null;
            }
            if (painted) mesh.instanceColor!.needsUpdate = true;
        }
        moved.fill(0);
        return any;
    }
    written = 0;             // matrices of the last update
    private painting = "";   // what colours depend on besides the frame

    /** Balls as fine as they are large in the picture; pixels: of a metre. */
    refine(pixels: number): void {
        for (const { mesh, body, ball } of this.batches)
            if (ball > 0) mesh.geometry = this.library.geometry(`sphere ${fineness(ball * pixels, body.length)}`);
    }

    /** Colours of all bodies; false: they are as before. */
    private paint(frame: Frame): boolean {
        const painting = `${this.colouring} ${this.selected} ${styleColour("accent")} ${this.fastest}`;
        if (this.colouring === "body" && painting === this.painting) return false;
        this.painting = painting;
        const accent = new Color(styleColour("accent")).multiplyScalar(1.5);
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
            else colour.set(plainColour); // stress: a rigid body has none
            (i === this.selected ? accent : colour).toArray(this.colour, 3 * i);
        }
        return true;
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
        if (this.material.wireframe === wireframe && this.material.transparent === transparent) return;
        this.material.transparent = transparent;
        this.material.opacity = transparent ? 0.6 : 1;
        this.material.depthWrite = !transparent;
        this.material.wireframe = wireframe;
        this.material.needsUpdate = true;
        this.glass.wireframe = wireframe;
        for (const { mesh } of this.batches) mesh.castShadow = !wireframe && mesh.material === this.material;
    }
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

/** The matrix of a part of a body to `to`, from `at` on; zero where the body does not exist. */
function place(to: Float32Array, at: number, frame: Frame, body: number, part: Float32Array, of: number): void {
    if (!frame.present[body]) {
        to.fill(0, at, at + 16);
        return;
    }
    const { position, rotation } = frame, r = 4 * body;
    const aw = rotation[r], ax = rotation[r + 1], ay = rotation[r + 2], az = rotation[r + 3];
    const bw = part[of], bx = part[of + 1], by = part[of + 2], bz = part[of + 3], px = part[of + 4], py = part[of + 5], pz = part[of + 6];
    const sx = part[of + 7], sy = part[of + 8], sz = part[of + 9];
    const w = aw * bw - ax * bx - ay * by - az * bz, x = aw * bx + ax * bw + ay * bz - az * by;
    const y = aw * by - ax * bz + ay * bw + az * bx, z = aw * bz + ax * by - ay * bx + az * bw;
    const tx = 2 * (ay * pz - az * py), ty = 2 * (az * px - ax * pz), tz = 2 * (ax * py - ay * px); // the part's place, turned
    to[at] = (1 - 2 * (y * y + z * z)) * sx; to[at + 1] = 2 * (x * y + w * z) * sx; to[at + 2] = 2 * (x * z - w * y) * sx; to[at + 3] = 0;
    to[at + 4] = 2 * (x * y - w * z) * sy; to[at + 5] = (1 - 2 * (x * x + z * z)) * sy; to[at + 6] = 2 * (y * z + w * x) * sy; to[at + 7] = 0;
    to[at + 8] = 2 * (x * z + w * y) * sz; to[at + 9] = 2 * (y * z - w * x) * sz; to[at + 10] = (1 - 2 * (x * x + y * y)) * sz; to[at + 11] = 0;
    to[at + 12] = position[3 * body] + px + aw * tx + ay * tz - az * ty;
    to[at + 13] = position[3 * body + 1] + py + aw * ty + az * tx - ax * tz;
    to[at + 14] = position[3 * body + 2] + pz + aw * tz + ax * ty - ay * tx;
    to[at + 15] = 1;
}
