// The recorded run: what the page holds, and its frames, unpacked chunk by chunk when they are looked at.
import { bodyTracks, contactFrames, fromBase64, inflate, JOINT_REALS, type Contacts } from "./decode";

export interface Shape {
    kind: string;
    size: [number, number, number];
    points?: number[];
    triangles?: number[];
    children?: { shape: number; pose: number[] }[];
}
export interface Joint { name: string; kind: number; a: number; b: number; frameA: number[]; frameB: number[]; }
export type Box = [number, number, number, number, number, number] | null;

interface Meta {
    format: string; version: number; title: string; cairn: string; instructions: string; method: string; law: string;
    tolerance: number; step: number; live: boolean; frames: number; chunk: number; contacts: number; kept: number;
    quantum: [number, number, number]; start: Box; end: Box; all: Box;
    moving: number[]; pose: number[]; radius: number[]; mu: number[]; outcomes: string[]; notes: string[]; series: string[];
    shapes: Shape[]; bodies: [string, number, number, number, number, number, number][]; joints: Joint[];
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
    contacts: Contacts;
}

interface Chunk { count: number; tracks: Int32Array; joints: Float32Array; contacts: Contacts[]; used: number; }

const CACHED = 12; // chunks

async function block(id: string): Promise<Uint8Array | null> {
    const element = document.getElementById(id);
    return element ? inflate(fromBase64(element.textContent ?? "")) : null;
}

export class Run {
    readonly bodies: Body[];
    readonly frames: number;
    readonly time: Float64Array;
    private readonly table = new Map<string, Float64Array>();
    private readonly chunks = new Map<number, Promise<Chunk>>();
    private readonly ready = new Map<number, Chunk>();
    private readonly still: Frame;
    private clock = 0;

    private constructor(readonly meta: Meta, series: Uint8Array) {
        this.frames = meta.frames;
        this.bodies = meta.bodies.map(([name, kind, shape, mass, x, y, z]) => ({ name, kind, shape, mass, center: [x, y, z] }));
        const all = new Float64Array(series.slice().buffer);
        meta.series.forEach((name, i) => this.table.set(name, all.subarray(i * meta.frames, (i + 1) * meta.frames)));
        this.time = this.series("time");
        this.still = this.makeStill();
    }

    static async open(): Promise<Run> {
        const text = document.getElementById("run")?.textContent;
        if (!text) throw new Error("This page holds no run. `cairn view RUN.h5` writes one that does.");
        const meta = JSON.parse(text) as Meta;
        if (meta.format !== "cairn-replay" || meta.version !== 1) throw new Error("The data of this page are of another version.");
        const series = await block("series");
        if (!series || series.length !== 8 * meta.frames * meta.series.length) throw new Error("The data of this page are not complete.");
        return new Run(meta, series);
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
            joints: new Float32Array(0), contacts: {
                count: 0, body: new Int32Array(0), point: new Float32Array(0), normal: new Float32Array(0),
                impulse: new Float64Array(0), gap: new Float64Array(0), mu: new Int32Array(0), status: new Uint8Array(0), residual: new Float32Array(0)
            }
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

    private async unpack(number: number): Promise<Chunk> {
        const { meta } = this, count = Math.min(meta.chunk, meta.frames - number * meta.chunk);
        const [bodies, joints, contacts] = await Promise.all(["bodies", "joints", "contacts"].map(name => block(`${name}-${number}`)));
        if (!bodies || !contacts) throw new Error("The data of this page are not complete.");
        return {
            count, used: ++this.clock,
            tracks: bodyTracks(bodies, meta.moving.length, count),
            joints: joints ? new Float32Array(joints.slice().buffer) : new Float32Array(0),
            contacts: contactFrames(contacts, count, meta.quantum[0])
        };
    }

    private forget(): void {
        while (this.ready.size > CACHED) {
            let oldest = -1, least = Infinity;
            for (const [number, chunk] of this.ready)
                if (chunk.used < least) [oldest, least] = [number, chunk.used];
            this.ready.delete(oldest);
            this.chunks.delete(oldest);
        }
    }

    /** The frame if its chunk is unpacked; begins to unpack it, and the next one, if not. */
    frame(index: number): Frame | null {
        const number = Math.floor(index / this.meta.chunk), next = number + 1;
        if (next * this.meta.chunk < this.frames) void this.load(next);
        const chunk = this.ready.get(number);
        if (!chunk) {
            void this.load(number);
            return null;
        }
        chunk.used = ++this.clock;
        return this.fill(chunk, index);
    }

    async wait(index: number): Promise<void> {
        await this.load(Math.floor(index / this.meta.chunk));
    }

    private fill(chunk: Chunk, index: number): Frame {
        const { moving, quantum: [length, speed, turn] } = this.meta, frame = this.still, n = moving.length;
        const f = index % this.meta.chunk, x = chunk.tracks, stride = n * chunk.count;
        for (let m = 0; m < n; m++) {
            const i = moving[m], at = m * chunk.count + f;
            for (let k = 0; k < 3; k++) {
                frame.position[3 * i + k] = x[at + k * stride] * length;
                frame.velocity[3 * i + k] = x[at + (7 + k) * stride] * speed;
                frame.spin[3 * i + k] = x[at + (10 + k) * stride] * turn;
            }
            let norm = 0;
            for (let k = 0; k < 4; k++) norm += x[at + (3 + k) * stride] ** 2;
            norm = Math.sqrt(norm) || 1;
            for (let k = 0; k < 4; k++) frame.rotation[4 * i + k] = x[at + (3 + k) * stride] / norm;
            frame.island[i] = x[at + 13 * stride];
            frame.present[i] = x[at + 14 * stride];
        }
        const joints = this.meta.joints.length * JOINT_REALS;
        frame.joints = chunk.joints.subarray(f * joints, (f + 1) * joints);
        frame.contacts = chunk.contacts[f];
        frame.index = index;
        return frame;
    }
}
