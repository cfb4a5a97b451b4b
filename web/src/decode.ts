// The numbers of a replay page, from blocks of bytes back to what they mean. docs/viewer.md describes the blocks; src/view writes them.

export const TRACKS = 15; // a body and frame: position 3, rotation 4, velocity 3, spin 3, island, present
export const CONTACT_COLUMNS = 16;
export const JOINT_REALS = 9;
const POINT = 2, EXPONENT = 8, IMPULSE = 9, GAP = 12, NO_IMPULSE = -128;

/** count integers from four planes of bytes at `at`; signs are folded into the lowest bit. */
export function planes(bytes: Uint8Array, at: number, count: number): Int32Array {
    const x = new Int32Array(count);
    for (let i = 0; i < count; i++) {
        const p = at + i;
        const folded = bytes[p] | bytes[p + count] << 8 | bytes[p + 2 * count] << 16 | bytes[p + 3 * count] << 24;
        x[i] = folded >>> 1 ^ -(folded & 1);
    }
    return x;
}

/** The tracks of a chunk: value of body i in frame f of track t at [(t*bodies + i)*frames + f]. */
export function bodyTracks(bytes: Uint8Array, bodies: number, frames: number): Int32Array {
    const n = bodies * frames, all = new Int32Array(TRACKS * n);
    for (let t = 0; t < TRACKS; t++) {
        const x = planes(bytes, 4 * n * t, n), second = t < 7;
        for (let i = 0; i < bodies; i++) {
            const b = i * frames;
            for (let f = 1; f < frames; f++)
                x[b + f] = second && f > 1 ? x[b + f] + 2 * x[b + f - 1] - x[b + f - 2] : x[b + f] + x[b + f - 1];
        }
        all.set(x, t * n);
    }
    return all;
}

/** Contacts of one frame, column by column. */
export interface Contacts {
    count: number;
    body: Int32Array;      // 2 a contact
    point: Float32Array;   // 3
    normal: Float32Array;  // 3, from a to b
    impulse: Float64Array; // 3, on b, N s
    gap: Float64Array;
    mu: Int32Array;        // place in the list of coefficients
    status: Uint8Array;    // 0 open, 1 stick, 2 slip
    residual: Float32Array; // m/s
}

/** x of sign(x) round(64 log2(1 + |x|/1e-12)). */
export function unquantiseLog(steps: number): number {
    return Math.sign(steps) * 1e-12 * (2 ** (Math.abs(steps) / 64) - 1);
}

/** All frames of a chunk of contacts; quantum: of positions. */
export function contactFrames(bytes: Uint8Array, frames: number, quantum: number): Contacts[] {
    const counts = planes(bytes, 0, frames);
    const total = counts.reduce((sum, n) => sum + n, 0);
    const x: Int32Array[] = [];
    for (let k = 0; k < CONTACT_COLUMNS; k++) x.push(planes(bytes, 4 * frames + 4 * total * k, total));
    let begin = 0, oldBegin = 0, oldEnd = 0;
    const list: Contacts[] = [];
    for (let f = 0; f < frames; f++) {
        const end = begin + counts[f];
        undoDifferences(x, begin, end, oldBegin, oldEnd);
        list.push(takeFrame(x, begin, end, quantum));
        oldBegin = begin;
        oldEnd = begin = end;
    }
    return list;
}

function undoDifferences(x: Int32Array[], begin: number, end: number, oldBegin: number, oldEnd: number): void {
    const [a, b] = x;
    let place = oldBegin;
    for (let i = begin; i < end; i++) {
        if (i === begin || a[i - 1] !== a[i] || b[i - 1] !== b[i])
            while (place < oldEnd && (a[place] < a[i] || a[place] === a[i] && b[place] < b[i])) place++;
        if (place >= oldEnd || a[place] !== a[i] || b[place] !== b[i]) continue;
        const old = place++;
        for (let k = POINT; k < CONTACT_COLUMNS; k++)
            if (k < IMPULSE || k >= GAP || x[EXPONENT][i] === x[EXPONENT][old]) x[k][i] += x[k][old];
    }
}

function takeFrame(x: Int32Array[], begin: number, end: number, quantum: number): Contacts {
    const n = end - begin;
    const c: Contacts = {
        count: n, body: new Int32Array(2 * n), point: new Float32Array(3 * n), normal: new Float32Array(3 * n),
        impulse: new Float64Array(3 * n), gap: new Float64Array(n), mu: new Int32Array(n), status: new Uint8Array(n), residual: new Float32Array(n)
    };
    for (let i = 0; i < n; i++) {
        const r = begin + i, e = x[EXPONENT][r];
        c.body[2 * i] = x[0][r];
        c.body[2 * i + 1] = x[1][r];
        const unit = e === NO_IMPULSE ? 0 : 2 ** (e - 12);
        for (let k = 0; k < 3; k++) {
            c.point[3 * i + k] = x[POINT + k][r] * quantum;
            c.normal[3 * i + k] = x[POINT + 3 + k][r] / 32767;
            c.impulse[3 * i + k] = x[IMPULSE + k][r] * unit;
        }
        c.gap[i] = unquantiseLog(x[GAP][r]);
        c.mu[i] = x[GAP + 1][r];
        c.status[i] = x[GAP + 2][r];
        c.residual[i] = unquantiseLog(8 * x[GAP + 3][r]);
    }
    return c;
}

/** Bytes from base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** What zlib packed. */
export async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}
