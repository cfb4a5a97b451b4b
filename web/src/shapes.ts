// Shapes as parts to draw: a geometry that many bodies share, and where it sits on its body.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Float32BufferAttribute
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Shape } from "./run";

export interface Part {
    geometry: string;          // key of the geometry
    position: [number, number, number];
    rotation: [number, number, number, number]; // w x y z
    scale: [number, number, number];
}

/** How much darker the marks are by which one sees a ball or a cylinder turn: enough to see, not a pattern of its own. */
const MARK = 0.88;

const identity: [number, number, number, number] = [1, 0, 0, 0];

/** Product of two rotations. */
export function multiply(a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number, number] {
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
}

/** v turned by q, which begins at `at` in its array. */
export function rotate(q: ArrayLike<number>, at: number, v: ArrayLike<number>): [number, number, number] {
    const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

/** A ball of radius 1 of eight octants, every second one darker, so that one sees it turn; f: triangles along an octant's edge. */
function octants(f: number): BufferGeometry {
    const xyz: number[] = [], colour: number[] = [], index: number[] = [];
    for (let o = 0; o < 8; o++) {
        const sx = o & 1 ? -1 : 1, sy = o & 2 ? -1 : 1, sz = o & 4 ? -1 : 1, flip = sx * sy * sz < 0, first = xyz.length / 3;
        const at = (i: number, j: number) => first + i * (2 * f + 3 - i) / 2 + j; // row i of f + 1 - i corners
        for (let i = 0; i <= f; i++)
            for (let j = 0; j <= f - i; j++) {
                // along great circles: corners are as far apart near the edges as in the middle
                const up = i / f * Math.PI / 2, around = i === f ? 0 : j / (f - i) * Math.PI / 2;
                xyz.push(sx * Math.cos(up) * Math.cos(around), sy * Math.cos(up) * Math.sin(around), sz * Math.sin(up));
                colour.push(...Array<number>(3).fill(flip ? MARK : 1));
                if (j === f - i) continue;
                const add = (a: number, b: number, c: number) => index.push(a, flip ? c : b, flip ? b : c);
                add(at(i, j), at(i, j + 1), at(i + 1, j));
                if (j + 1 < f - i) add(at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
            }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(xyz, 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(xyz, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(colour, 3));
    geometry.setIndex(index);
    return geometry;
}

/** Darker lunes, so that one sees a cylinder turn. */
function stripe(geometry: BufferGeometry): BufferGeometry {
    const flat = geometry.toNonIndexed(), position = flat.getAttribute("position"), colour = new Float32Array(3 * position.count);
    for (let i = 0; i < position.count; i += 3) {
        let x = 0, y = 0, z = 0;
        for (let k = 0; k < 3; k++) {
            x += position.getX(i + k);
            y += position.getY(i + k);
            z += position.getZ(i + k);
        }
        const dark = (x > 0) !== (y > 0) !== (z > 0);
        colour.fill(dark ? MARK : 1, 3 * i, 3 * i + 9);
    }
    flat.setAttribute("color", new BufferAttribute(colour, 3));
    return flat;
}

function plain(geometry: BufferGeometry): BufferGeometry {
    const n = geometry.getAttribute("position").count;
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * n).fill(1), 3));
    return geometry;
}

/** Triangles with a normal each. */
function facets(shape: Shape): BufferGeometry {
    const points = shape.points ?? [], corners = shape.triangles ?? [], xyz = new Float32Array(3 * corners.length);
    corners.forEach((c, i) => xyz.set(points.slice(3 * c, 3 * c + 3), 3 * i));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(xyz, 3));
    geometry.computeVertexNormals();
    return plain(geometry);
}

/** Triangles along an octant's edge of a ball that is so many pixels in radius; with many balls fewer, so that they stay below 300 000 triangles. */
export function fineness(pixels: number, balls: number): number {
    const wanted = pixels < 3 ? 2 : pixels < 6 ? 3 : pixels < 10 ? 4 : pixels < 28 ? 6 : pixels < 60 ? 8 : pixels < 120 ? 12 : 20, most = Math.sqrt(3e5 / (8 * Math.max(1, balls)));
    return Math.max(2, Math.min(wanted, Math.floor(most)));
}

export class Shapes {
    private readonly made = new Map<string, BufferGeometry>();
    private readonly boxes: number;

    constructor(private readonly shapes: Shape[], private readonly bodies: number) {
        this.boxes = shapes.filter(s => s.kind === "box").length;
    }

    /** Parts of a shape; planes have none. */
    parts(index: number): Part[] {
        const shape = this.shapes[index];
        if (!shape) return [];
        const [a, b, c] = shape.size, at: [number, number, number] = [0, 0, 0];
        const one = (geometry: string, scale: [number, number, number], position = at): Part =>
            ({ geometry, position, rotation: identity, scale });
        switch (shape.kind) {
            case "sphere": return [one("sphere", [a, a, a])];
            case "ellipsoid": return [one("sphere", [a, b, c])];
            case "box": return this.boxes <= 64 && this.bodies <= 1500 ? [one(`box ${index}`, [1, 1, 1])] : [one("box", [a, b, c])];
            case "capsule":
                return [one("tube", [a, a, b]), one("sphere", [a, a, a], [0, 0, b]), one("sphere", [a, a, a], [0, 0, -b])];
            case "cylinder": return [one("cylinder", [a, a, b])];
            case "cone": return [one("cone", [a, a, b])];
            case "hull": case "mesh": return [one(`facets ${index}`, [1, 1, 1])];
            case "compound": return (shape.children ?? []).flatMap(child => this.parts(child.shape).map(part => {
                const p = rotate(child.pose, 3, part.position);
                return {
                    ...part, rotation: multiply(child.pose.slice(3), part.rotation),
                    position: [p[0] + child.pose[0], p[1] + child.pose[1], p[2] + child.pose[2]] as [number, number, number]
                };
            }));
            default: return [];
        }
    }

    geometry(key: string): BufferGeometry {
        let geometry = this.made.get(key);
        if (!geometry) this.made.set(key, geometry = this.make(key));
        return geometry;
    }

    private make(key: string): BufferGeometry {
        const [kind, index] = key.split(" "), shape = this.shapes[Number(index)];
        const fine = this.bodies <= 300 ? 2 : this.bodies <= 1500 ? 1 : 0;
        const around = [14, 22, 36][fine];
        switch (kind) {
            case "sphere": return octants(Number(index ?? 6));
            case "tube": return plain(new CylinderGeometry(1, 1, 2, around, 1, true).rotateX(Math.PI / 2));
            case "cylinder": return stripe(new CylinderGeometry(1, 1, 2, around + (4 - around % 4) % 4, 2).rotateX(Math.PI / 2));
            case "cone": return plain(new ConeGeometry(1, 1, around).rotateX(Math.PI / 2).translate(0, 0, 0.25));
            case "facets": return facets(shape);
            case "box": {
                if (!shape) return plain(new BoxGeometry(2, 2, 2));
                const [x, y, z] = shape.size, bevel = 0.09 * Math.min(x, y, z);
                return plain(new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, 1, bevel));
            }
            default: throw new Error(`No geometry ${key}.`);
        }
    }
}
