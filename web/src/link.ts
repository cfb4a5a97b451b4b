// The moment in the address: #t=1.2&eye=x,y,z&at=x,y,z&body=3&colour=speed ... A link shows what one sees.

export interface Moment {
    time?: number;
    eye?: number[];
    at?: number[];
    body?: number;
    contact?: number[]; // bodies and place
    follow?: number;
    colour?: string;
    show?: string[];    // what is switched on
    theme?: string;
    bare?: boolean;     // the scene alone: for pictures
    still?: boolean;    // one picture, as an image
    size?: number[];    // of the picture, pixels; without it that of the window
}

function numbers(text: string | null, count: number): number[] | undefined {
    const list = (text ?? "").split(",").map(Number);
    return text && list.length === count && list.every(Number.isFinite) ? list : undefined;
}

export function readMoment(hash: string): Moment {
    const p = new URLSearchParams(hash.replace(/^#/, ""));
    return {
        time: numbers(p.get("t"), 1)?.[0], eye: numbers(p.get("eye"), 3), at: numbers(p.get("at"), 3), body: numbers(p.get("body"), 1)?.[0],
        contact: numbers(p.get("contact"), 3), follow: numbers(p.get("follow"), 1)?.[0], colour: p.get("colour") ?? undefined,
        show: p.has("show") ? (p.get("show") ?? "").split(",").filter(Boolean) : undefined, theme: p.get("theme") ?? undefined, bare: p.has("bare"), still: p.has("still"), size: numbers(p.get("size"), 2)
    };
}

export function writeMoment(m: Moment): string {
    const part: string[] = [], digits = (x: number) => String(Number(x.toPrecision(5)));
    if (m.time !== undefined) part.push(`t=${Number(m.time.toPrecision(9))}`);
    if (m.eye) part.push(`eye=${m.eye.map(digits).join(",")}`);
    if (m.at) part.push(`at=${m.at.map(digits).join(",")}`);
    if (m.body !== undefined) part.push(`body=${m.body}`);
    if (m.contact) part.push(`contact=${m.contact.join(",")}`);
    if (m.follow !== undefined) part.push(`follow=${m.follow}`);
    if (m.colour) part.push(`colour=${m.colour}`);
    if (m.show) part.push(`show=${m.show.join(",")}`);
    if (m.theme) part.push(`theme=${m.theme}`);
    return `#${part.join("&")}`;
}
