// The numbers of a replay page, from blocks of text back to what they mean. docs/viewer.md describes the blocks; src/view writes them.
// Everything here also runs in a worker: no document, no window.

export const TRACKS = 15; // a body and frame: position 3, rotation 4, velocity 3, spin 3, island, present
export const CONTACT_COLUMNS = 16;
export const JOINT_REALS = 9;
export const POSE = 7, MOTION = 6;
export const NODE = 5; // of a flexible part: position 3, speed, stress
const POINT = 2, NORMAL = 5, EXPONENT = 8, IMPULSE = 9, GAP = 12;
const SPECIAL = [0, 13, 60]; // what U+0080, U+0081, U+0082 stand for

/** What the integers of a page mean. */
export interface Units { length: number; speed: number; turn: number; point: number; gap: number; impulse: number; }

/** Bodies that move in the frames of a chunk: body i of frame f at [(f*bodies + i)*width]. */
export interface BodyChunk {
    bodies: number;
    pose: Float32Array;   // 7: position, rotation w x y z
    motion: Float32Array; // 6: velocity, spin
    island: Int32Array;
    present: Uint8Array;
}

/** Contacts, column by column: those of one frame, or of a chunk, where frame f has first[f] to first[f + 1]. */
export interface Contacts {
    count: number;
    body: Int32Array;       // 2 a contact
    point: Float32Array;    // 3
    normal: Float32Array;   // 3, from a to b
    impulse: Float64Array;  // 3, on b, N s
    gap: Float64Array;
    mu: Int32Array;         // place in the list of coefficients
    status: Uint8Array;     // 0 open, 1 stick, 2 slip, 3 crush
    residual: Float32Array; // m/s
}
export interface ContactChunk extends Contacts { first: Int32Array; }

/** count integers from four planes of bytes at `at`; signs are folded into the lowest bit. */
export function planes(bytes: Uint8Array, at: number, count: number): Int32Array {
    const x = new Int32Array(count), b = at + count, c = b + count, d = c + count;
    for (let i = 0; i < count; i++) {
        const folded = bytes[at + i] | bytes[b + i] << 8 | bytes[c + i] << 16 | bytes[d + i] << 24;
        x[i] = folded >>> 1 ^ -(folded & 1);
    }
    return x;
}

/** One track of a body over the frames of a chunk, from its differences, in place. */
function sumUp(x: Int32Array, begin: number, frames: number, second: boolean): void {
    for (let f = 1; f < frames; f++) {
        const i = begin + f;
        x[i] += second && f > 1 ? 2 * x[i - 1] - x[i - 2] : x[i - 1];
    }
}

export function bodyChunk(bytes: Uint8Array, bodies: number, frames: number, units: Units): BodyChunk {
    const n = bodies * frames, { length, speed, turn } = units;
    const all: BodyChunk = { bodies, pose: new Float32Array(POSE * n), motion: new Float32Array(MOTION * n), island: new Int32Array(n), present: new Uint8Array(n) };
    for (let t = 0; t < TRACKS; t++) {
        const x = planes(bytes, 4 * n * t, n);
        const [to, width, at, unit] = t < 3 ? [all.pose, POSE, t, length] as const : t < POSE ? [all.pose, POSE, t, 1] as const
            : t < 10 ? [all.motion, MOTION, t - POSE, speed] as const : t < 13 ? [all.motion, MOTION, t - POSE, turn] as const
                : [t === 13 ? all.island : all.present, 1, 0, 1] as const;
        for (let i = 0; i < bodies; i++) {
            sumUp(x, i * frames, frames, t < POSE);
            for (let f = 0; f < frames; f++) to[(f * bodies + i) * width + at] = x[i * frames + f] * unit;
        }
    }
    for (let i = 3; i < POSE * n; i += POSE) { // rotations are of length 1
        const p = all.pose, norm = Math.sqrt(p[i] ** 2 + p[i + 1] ** 2 + p[i + 2] ** 2 + p[i + 3] ** 2) || 1;
        for (let k = 0; k < 4; k++) p[i + k] /= norm;
    }
    return all;
}

/** Nodes of flexible parts in the frames of a chunk: node i of frame f at [(f*nodes + i)*5]. units: of length, speed, stress. */
export function nodeChunk(bytes: Uint8Array, nodes: number, frames: number, units: number[]): Float32Array {
    const n = nodes * frames, all = new Float32Array(NODE * n);
    for (let t = 0; t < NODE; t++) {
        const x = planes(bytes, 4 * n * t, n), unit = units[Math.max(0, t - 2)];
        for (let i = 0; i < nodes; i++) {
            sumUp(x, i * frames, frames, t < 3);
            for (let f = 0; f < frames; f++) all[(f * nodes + i) * NODE + t] = x[i * frames + f] * unit;
        }
    }
    return all;
}

/** x of sign(x) round(64 log2(1 + |x|/least)). */
export function unquantiseLog(steps: number, least: number): number {
    return Math.sign(steps) * least * (2 ** (Math.abs(steps) / 64) - 1);
}

export function contactChunk(bytes: Uint8Array, frames: number, units: Units): ContactChunk {
    const counts = planes(bytes, 0, frames), first = new Int32Array(frames + 1);
    for (let f = 0; f < frames; f++) first[f + 1] = first[f] + counts[f];
    const total = first[frames], x: Int32Array[] = [];
    for (let k = 0; k < CONTACT_COLUMNS; k++) x.push(planes(bytes, 4 * frames + 4 * total * k, total));
    for (let f = 0; f < frames; f++) undoDifferences(x, first[f], first[f + 1], f > 0 ? first[f - 1] : 0);
    return meaning(x, first, units);
}

/** Adds what each number of a frame is given less: src/view/page/page_contacts.c says what that is. The frame before is [old, begin). */
function undoDifferences(x: Int32Array[], begin: number, end: number, old: number): void {
    const [a, b] = x, exponent = x[EXPONENT];
    let place = old;
    for (let i = begin; i < end; i++) {
        let pair = false;
        if (i > begin) {
            a[i] += a[i - 1];
            if (a[i] === a[i - 1]) b[i] += b[i - 1];
            pair = a[i] === a[i - 1] && b[i] === b[i - 1];
        }
        if (!pair) while (place < begin && (a[place] < a[i] || a[place] === a[i] && b[place] < b[i])) place++;
        const before = place < begin && a[place] === a[i] && b[place] === b[i] ? place++ : -1;
        for (let k = POINT; k < EXPONENT; k++) {
            const from = pair && (k >= NORMAL || before < 0) ? i - 1 : before;
            if (from >= 0) x[k][i] += x[k][from];
        }
        if (before < 0) continue;
        if (exponent[before] === exponent[i]) for (let k = IMPULSE; k < GAP; k++) x[k][i] += x[k][before];
        for (let k = GAP; k < CONTACT_COLUMNS; k++) x[k][i] += x[k][before];
    }
}

function meaning(x: Int32Array[], first: Int32Array, units: Units): ContactChunk {
    const n = first[first.length - 1];
    const c: ContactChunk = {
        first, count: n, body: new Int32Array(2 * n), point: new Float32Array(3 * n), normal: new Float32Array(3 * n),
        impulse: new Float64Array(3 * n), gap: new Float64Array(n), mu: x[GAP + 1], status: new Uint8Array(n), residual: new Float32Array(n)
    };
    for (let i = 0; i < n; i++) {
        const e = x[EXPONENT][i], unit = e === 0 ? 0 : 2 ** (units.impulse + e);
        c.body[2 * i] = x[0][i];
        c.body[2 * i + 1] = x[1][i];
        for (let k = 0; k < 3; k++) {
            c.point[3 * i + k] = x[POINT + k][i] * units.point;
            c.normal[3 * i + k] = x[NORMAL + k][i] / 8191;
            c.impulse[3 * i + k] = x[IMPULSE + k][i] * unit;
        }
        c.gap[i] = unquantiseLog(x[GAP][i], units.gap);
        c.status[i] = x[GAP + 2][i];
        c.residual[i] = unquantiseLog(8 * x[GAP + 3][i], 1e-12);
    }
    return c;
}

/** The contacts of one frame of a chunk, without copying. */
export function contactsOf(c: ContactChunk, frame: number): Contacts {
    const i = c.first[frame], j = c.first[frame + 1];
    return {
        count: j - i, body: c.body.subarray(2 * i, 2 * j), point: c.point.subarray(3 * i, 3 * j), normal: c.normal.subarray(3 * i, 3 * j),
        impulse: c.impulse.subarray(3 * i, 3 * j), gap: c.gap.subarray(i, j), mu: c.mu.subarray(i, j), status: c.status.subarray(i, j),
        residual: c.residual.subarray(i, j)
    };
}

export const noContacts: Contacts = {
    count: 0, body: new Int32Array(0), point: new Float32Array(0), normal: new Float32Array(0), impulse: new Float64Array(0),
    gap: new Float64Array(0), mu: new Int32Array(0), status: new Uint8Array(0), residual: new Float32Array(0)
};

/** Bytes from text of seven bits a character. */
export function fromText(text: string): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.floor(7 * text.length / 8));
    let held = 0, bits = 0, at = 0;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        held |= (code < 128 ? code : SPECIAL[code - 128]) << bits;
        bits += 7;
        if (bits >= 8) {
            bytes[at++] = held;
            held >>>= 8;
            bits -= 8;
        }
    }
    return bytes;
}

/** What zlib packed. */
export async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A block and what to make of it: the work of a worker. */
export type Task = { id: number; text: string; frames: number; units: Units } & ({ kind: "bodies"; bodies: number } | { kind: "contacts" } | { kind: "bytes" } | { kind: "nodes"; nodes: number; scale: number[] });
export type Result = BodyChunk | ContactChunk | Uint8Array | Float32Array;

export async function unpack(task: Task): Promise<{ result: Result; bytes: number }> {
    const bytes = await inflate(fromText(task.text));
    const result = task.kind === "bodies" ? bodyChunk(bytes, task.bodies, task.frames, task.units)
        : task.kind === "contacts" ? contactChunk(bytes, task.frames, task.units)
            : task.kind === "nodes" ? nodeChunk(bytes, task.nodes, task.frames, task.scale) : bytes;
    return { result, bytes: bytes.length };
}
