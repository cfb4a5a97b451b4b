// Colours: of bodies, of contacts, and the scale for speeds and residuals.
import { Color } from "three";
import type { Frame } from "./run";

export type BodyColour = "body" | "speed" | "island" | "residual" | "stress";

// Stone, brick, slate, moss, ochre, plum, teal, rose: told apart also by people who see few hues.
const families = ["#bb8f5c", "#5f86ad", "#b8604a", "#8ba468", "#d8b45a", "#8f7399", "#5aa39c", "#c98f97"];
export const plainColour = "#98a0a9"; // nothing to tell
const fixedColour = new Color("#9aa3ad");

/** A number in [0, 1) that depends on i alone. */
function shuffle(i: number): number {
    let x = Math.imul(i + 1, 0x9e3779b1);
    x ^= x >>> 15;
    x = Math.imul(x, 0x85ebca6b);
    x ^= x >>> 13;
    return (x >>> 0) / 4294967296;
}

/** The colour of a body: its shape's family, a little lighter or darker than its neighbours. */
export function bodyColour(index: number, shape: number, fixed: boolean, to: Color): Color {
    if (fixed) return to.copy(fixedColour);
    to.set(families[shape % families.length]);
    return to.offsetHSL(0.035 * (shuffle(index) - 0.5), 0.1 * (shuffle(index + 7919) - 0.5), 0.14 * (shuffle(index + 104729) - 0.5));
}

export function islandColour(island: number, alone: boolean, to: Color): Color {
    if (island < 0 || alone) return to.set(plainColour);
    return to.setHSL((island * 0.61803398875) % 1, 0.55, 0.5 + 0.14 * (shuffle(island) - 0.5));
}

const stops = ["#8593b5", "#3f8ec9", "#57b894", "#ecc94b", "#e2542c"].map(c => new Color(c));

/** The scale: x in [0, 1], slate over blue and green to yellow and red. */
export function scaleColour(x: number, to: Color): Color {
    const at = Math.min(1, Math.max(0, x)) * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at));
    return to.copy(stops[i]).lerp(stops[i + 1], at - i);
}

/** Residuals on a log scale: 1e-10 m/s and less to 1e-2 m/s. */
export function residualColour(residual: number, to: Color): Color {
    return scaleColour((Math.log10(Math.max(residual, 1e-12)) + 10) / 8, to);
}

/** The largest residual of the contacts of each body, m/s. */
export function worstResiduals(frame: Frame, bodies: number): Float32Array {
    const worst = new Float32Array(bodies), { count, body, residual } = frame.contacts;
    for (let i = 0; i < count; i++)
        for (const b of [body[2 * i], body[2 * i + 1]]) worst[b] = Math.max(worst[b], residual[i]);
    return worst;
}

export function scaleGradient(): string {
    return `linear-gradient(to right, ${stops.map(c => `#${c.getHexString()}`).join(", ")})`;
}

/** A colour of the page's style. */
export function styleColour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
