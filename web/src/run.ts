// The recorded run: what the page holds, and its frames, unpacked chunk by chunk when they are looked at.
import { Blocks, noUnits } from "./blocks";
import { contactsOf, JOINT_REALS, MOTION, noContacts, NODE, POSE, type BodyChunk, type ContactChunk, type Contacts, type Units } from "./decode";

export interface Shape {
    kind: string;
    size: [number, number, number];
    points?: number[];
    triangles?: number[];
    children?: { shape: number; pose: number[] }[];
}
export interface Joint { name: string; kind: number; a: number; b: number; frameA: number[]; frameB: number[]; }
export interface PartMeta { body: number; first: number; nodes: number; faces: number[]; lines: number[]; radius: number[]; }
export type Box = [number, number, number, number, number, number] | null;

interface Meta {
    format: string; version: number; title: string; cairn: string; instructions: string; method: string; law: string;
    tolerance: number; tolerance_velocity: number; step: number; live: boolean; frames: number; chunk: number; contacts: number; kept: number;
    quantum: [number, number, number]; pointQuantum: number; leastGap: number; impulseBase: number; start: Box; end: Box; all: Box;
    moving: number[]; pose: number[]; radius: number[]; mu: number[]; outcomes: string[]; notes: string[]; series: string[];
    shapes: Shape[]; bodies: [string, number, number, number, number, number, number][]; joints: Joint[];
    held: boolean; nodes: number; nodeQuantum: [number, number, number]; parts: PartMeta[];
}
export interface Body { name: string; kind: number; shape: number; mass: number; center: [number, number, number]; }

/** What is known of one frame. Arrays are indexed by body or joint. */
export interface Frame {
    index: number;
    position: Float32Array; // 3
    rotation: Float32Array; // 4: w x y z
    velocity: Float32Array; // 3
    spin: Float32Array;     // 3
    island: Int32Array;
    present: Uint8Array;
    joints: Float32Array;   // 9: coordinate, drive, gap, force, torque
    nodes: Float32Array;    // 5 a node of flexible parts: position, speed, stress
    holds: Float32Array;    // 4 a flexible part: force that holds it, largest one at a node; empty: nothing is held
    contacts: Contacts;
    complete: boolean;      // false: the contacts are still being unpacked
}

interface Chunk { bodies: BodyChunk; nodes: Float32Array; joints: Float32Array; holds: Float32Array; contacts: ContactChunk | null; used: number; }

const CACHED = 12; // chunks

export class Run {
    readonly bodies: Body[];
    readonly frames: number;
    readonly time: Float64Array;
    readonly moved: Uint8Array; // bodies whose pose has changed since somebody set it to 0
    private readonly units: Units;
    private readonly table = new Map<string, Float64Array>();
    private readonly chunks = new Map<number, Promise<Chunk>>();
    private readonly ready = new Map<number, Chunk>();
    private readonly now: Frame;
    private clock = 0;
    private listener = () => { };

    private constructor(readonly meta: Meta, readonly blocks: Blocks, series: Uint8Array) {
        this.frames = meta.frames;
        this.bodies = meta.bodies.map(([name, kind, shape, mass, x, y, z]) => ({ name, kind, shape, mass, center: [x, y, z] }));
        const all = new Float64Array(series.slice().buffer), [length, speed, turn] = meta.quantum;
        meta.series.forEach((name, i) => this.table.set(name, all.subarray(i * meta.frames, (i + 1) * meta.frames)));
        this.time = this.series("time");
        this.units = { length, speed, turn, point: meta.pointQuantum, gap: meta.leastGap, impulse: meta.impulseBase };
        this.moved = new Uint8Array(this.bodies.length).fill(1);
        this.now = this.makeStill();
    }

    /** alone: without a worker. */
    static async open(alone: boolean): Promise<Run> {
        const text = document.getElementById("run")?.textContent;
        if (!text) throw new Error("This page holds no run. `cairn view RUN.h5` writes one that does.");
        const meta = JSON.parse(text) as Meta, blocks = new Blocks(alone);
        if (meta.format !== "cairn-replay" || meta.version !== 2) throw new Error("The data of this page are of another version.");
        const series = await blocks.unpack("series", { kind: "bytes", frames: meta.frames, units: noUnits }) as Uint8Array | null;
        if (!series || series.length !== 8 * meta.frames * meta.series.length) throw new Error("The data of this page are not complete.");
        return new Run(meta, blocks, series);
    }

    /** Called when contacts of a chunk have come after its bodies. */
    onContacts(listener: () => void): void {
        this.listener = listener;
    }

    series(name: string): Float64Array {
        const found = this.table.get(name);
        if (!found) throw new Error(`The page has no series ${name}.`);
        return found;
    }

    /** Poses of bodies that never move; the others are filled in for each frame. */
    private makeStill(): Frame {
        const n = this.bodies.length, { moving, pose } = this.meta;
        const frame: Frame = {
            index: -1, position: new Float32Array(3 * n), rotation: new Float32Array(4 * n), velocity: new Float32Array(3 * n),
            spin: new Float32Array(3 * n), island: new Int32Array(n).fill(-1), present: new Uint8Array(n),
            joints: new Float32Array(0), nodes: new Float32Array(0), holds: new Float32Array(0), contacts: noContacts, complete: false
        };
        const moves = new Set(moving);
        let at = 0;
        for (let i = 0; i < n; i++) {
            if (moves.has(i)) continue;
            for (let k = 0; k < 3; k++) frame.position[3 * i + k] = pose[at + k];
            for (let k = 0; k < 4; k++) frame.rotation[4 * i + k] = pose[at + 3 + k];
            frame.present[i] = 1;
            at += 7;
        }
        return frame;
    }

    private load(number: number): Promise<Chunk> {
        let chunk = this.chunks.get(number);
        if (!chunk) {
            chunk = this.unpack(number).then(c => {
                this.ready.set(number, c);
                this.forget();
                return c;
            });
            this.chunks.set(number, chunk);
        }
        return chunk;
    }

    /** Bodies first: they are all that the first picture needs. */
    private async unpack(number: number): Promise<Chunk> {
        const { meta, units, blocks } = this, frames = Math.min(meta.chunk, meta.frames - number * meta.chunk);
        const bodies = await blocks.unpack(`bodies-${number}`, { kind: "bodies", bodies: meta.moving.length, frames, units }) as BodyChunk | null;
        const joints = await blocks.unpack(`joints-${number}`, { kind: "bytes", frames, units }) as Uint8Array | null;
        const holds = meta.held ? await blocks.unpack(`holds-${number}`, { kind: "bytes", frames, units }) as Uint8Array | null : null;
        const nodes = meta.nodes > 0 ? await blocks.unpack(`nodes-${number}`, { kind: "nodes", nodes: meta.nodes, scale: meta.nodeQuantum, frames, units }) as Float32Array | null
            : new Float32Array(0);
        if (!bodies || !nodes) throw new Error("The data of this page are not complete.");
        return { bodies, nodes, joints: joints ? new Float32Array(joints.slice().buffer) : new Float32Array(0),
            holds: holds ? new Float32Array(holds.slice().buffer) : new Float32Array(0), contacts: null, used: ++this.clock };
    }

    /** The contacts of a chunk, once. */
    private async unpackContacts(number: number): Promise<void> {
        const chunk = await this.load(number), { meta, units } = this;
        if (chunk.contacts) return;
        const frames = Math.min(meta.chunk, meta.frames - number * meta.chunk);
        let asked = this.asked.get(number);
        if (!asked) this.asked.set(number, asked = this.blocks.unpack(`contacts-${number}`, { kind: "contacts", frames, units }) as Promise<ContactChunk | null>);
        chunk.contacts = await asked;
        this.asked.delete(number);
        if (!chunk.contacts) throw new Error("The data of this page are not complete.");
        this.listener();
    }
    private readonly asked = new Map<number, Promise<ContactChunk | null>>();

    private forget(): void {
        while (this.ready.size > CACHED) {
            let oldest = -1, least = Infinity;
            for (const [number, chunk] of this.ready)
                if (chunk.used < least) [oldest, least] = [number, chunk.used];
            this.ready.delete(oldest);
            this.chunks.delete(oldest);
        }
    }

    /** The frame if its bodies are unpacked; begins to unpack them if not. */
    frame(index: number): Frame | null {
        const number = Math.floor(index / this.meta.chunk), chunk = this.ready.get(number);
        if (!chunk) {
            this.try(this.load(number));
            return null;
        }
        chunk.used = ++this.clock;
        return this.now.index === index && this.now.complete ? this.now : this.fill(chunk, index);
    }

    /** After a picture: the contacts of this frame, then what comes next. */
    prepare(index: number): void {
        const number = Math.floor(index / this.meta.chunk), next = number + 1;
        if (this.ready.get(number)?.contacts === null) this.try(this.unpackContacts(number));
        else if (next * this.meta.chunk < this.frames && !this.ready.get(next)?.contacts) this.try(this.unpackContacts(next));
    }

    private failed: unknown = null;
    private try(work: Promise<unknown>): void {
        work.catch((error: unknown) => {
            if (!this.failed) this.complain(error);
            this.failed = error;
        });
    }
    complain: (error: unknown) => void = () => { };

    async wait(index: number): Promise<void> {
        await this.unpackContacts(Math.floor(index / this.meta.chunk));
    }

    private fill(chunk: Chunk, index: number): Frame {
        const { moving } = this.meta, { now, moved } = this, n = moving.length, f = index % this.meta.chunk;
        const { pose, motion, island, present } = chunk.bodies, { position, rotation, velocity, spin } = now;
        for (let m = 0, p = f * n * POSE, v = f * n * MOTION; m < n; m++, p += POSE, v += MOTION) {
            const i = moving[m], x = 3 * i, q = 4 * i, here = present[f * n + m];
            if (position[x] !== pose[p] || position[x + 1] !== pose[p + 1] || position[x + 2] !== pose[p + 2] || rotation[q] !== pose[p + 3] ||
                rotation[q + 1] !== pose[p + 4] || rotation[q + 2] !== pose[p + 5] || rotation[q + 3] !== pose[p + 6] || now.present[i] !== here) {
                moved[i] = 1;
                for (let k = 0; k < 3; k++) position[x + k] = pose[p + k];
                for (let k = 0; k < 4; k++) rotation[q + k] = pose[p + 3 + k];
                now.present[i] = here;
            }
            for (let k = 0; k < 3; k++) {
                velocity[x + k] = motion[v + k];
                spin[x + k] = motion[v + 3 + k];
            }
            now.island[i] = island[f * n + m];
        }
        const joints = this.meta.joints.length * JOINT_REALS;
        now.joints = chunk.joints.subarray(f * joints, (f + 1) * joints);
        now.nodes = chunk.nodes.subarray(f * this.meta.nodes * NODE, (f + 1) * this.meta.nodes * NODE);
        now.holds = chunk.holds.subarray(f * this.meta.parts.length * 4, (f + 1) * this.meta.parts.length * 4);
        now.contacts = chunk.contacts ? contactsOf(chunk.contacts, f) : noContacts;
        now.complete = chunk.contacts !== null;
        now.index = index;
        return now;
    }
}
