// Numbers as people read them, and small pieces of the page.

export function number(x: number, digits = 3): string {
    if (!Number.isFinite(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 1e5 || size < 1e-3) return x.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
    return String(Number(x.toPrecision(digits)));
}

export function withUnit(x: number, unit: string, digits = 3): string {
    return Number.isFinite(x) ? `${number(x, digits)} ${unit}` : "–";
}

/** Pressures and stresses in Pa, kPa, MPa or GPa; of: the number that chooses, if it is another. */
export function pascal(x: number, digits = 3, of = x): string {
    const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(Math.abs(of), 1)) / 3)));
    return withUnit(x / 1000 ** step, ["Pa", "kPa", "MPa", "GPa"][step], digits);
}

export function vector(x: ArrayLike<number>, at: number, digits = 3): string {
    return `(${number(x[at], digits)}, ${number(x[at + 1], digits)}, ${number(x[at + 2], digits)})`;
}

export function seconds(s: number): string {
    if (!Number.isFinite(s)) return "–";
    if (s < 1e-3) return `${(s * 1e6).toFixed(0)} µs`;
    if (s < 1) return `${(s * 1e3).toFixed(s < 0.1 ? 2 : 1)} ms`;
    return `${s.toFixed(2)} s`;
}

type Child = Node | string | null | undefined;

/** An element; attributes that begin with "on" are listeners. */
export function el<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, unknown> = {},
    ...children: Child[]): HTMLElementTagNameMap[K] {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value as EventListener);
        else if (value === true) node.setAttribute(key, "");
        else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, String(value));
    }
    node.append(...children.filter((c): c is Node | string => c !== null && c !== undefined));
    return node;
}

const ICONS: Record<string, string> = {
    first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
    on: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z", theme: "M8 2a6 6 0 1 0 0 12zM8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z"
};

/** A small picture for a button. */
export function icon(name: string): SVGElement {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (!found) throw new Error(`The page has no element ${id}.`);
    return found as T;
}
