// The display panel: colours, what is shown, how long arrows are.
import { scaleGradient, type BodyColour } from "./colours";
import { byId, el, number, pascal } from "./words";

export interface Display {
    colour: BodyColour;
    contactColour: "status" | "impulse" | "residual";
    length: number;
    show: Record<Switch, boolean>;
}
export type Switch = "points" | "arrows" | "cones" | "joints" | "transparent" | "wireframe" | "shadows";

const SWITCHES: [Switch, string, string][] = [
    ["points", "contact points", "C"], ["arrows", "impulses", "A"], ["cones", "friction cones", "K"], ["joints", "joints", "J"],
    ["transparent", "transparent", "T"], ["wireframe", "wireframe", "W"], ["shadows", "shadows", "S"]];

export class Options {
    private readonly boxes = new Map<Switch, HTMLInputElement>();
    private readonly colours: HTMLSelectElement;
    private readonly contactColours: HTMLSelectElement;
    private readonly slider: HTMLInputElement;

    constructor(readonly display: Display, hasJoints: boolean, private readonly stress: number, private readonly changed: () => void) {
        const choice = (values: [string, string][], label: string, set: (v: string) => void): HTMLSelectElement => {
            const select = el("select", { "aria-label": label }, ...values.map(([v, text]) => el("option", { value: v }, text)));
            select.addEventListener("change", () => { set(select.value); changed(); });
            return select;
        };
        this.colours = choice([["body", "body"], ["speed", "speed"], ["island", "island"], ["residual", "residual"], ...(stress > 0 ? [["stress", "von Mises stress"] as [string, string]] : [])], "Colour of bodies",
            v => { display.colour = v as BodyColour; });
        this.contactColours = choice([["status", "stick, slip, crush, open"], ["impulse", "impulse"], ["residual", "residual"]], "Colour of contacts",
            v => { display.contactColour = v as Display["contactColour"]; });
        this.slider = el("input", { type: "range", min: -2, max: 2, step: 0.1, value: 0, "aria-label": "Length of arrows" });
        this.slider.addEventListener("input", () => { display.length = 10 ** Number(this.slider.value); changed(); });
        const checks = el("div", { class: "checks" });
        for (const [key, text, letter] of SWITCHES) {
            if (key === "joints" && !hasJoints) continue;
            const box = el("input", { type: "checkbox", "data-switch": key });
            box.addEventListener("change", () => { display.show[key] = box.checked; changed(); });
            this.boxes.set(key, box);
            checks.append(el("label", { title: `Key ${letter}` }, box, text));
        }
        byId("options").append(
            el("label", { class: "field" }, el("span", {}, "Bodies by"), this.colours),
            el("label", { class: "field" }, el("span", {}, "Contacts by"), this.contactColours),
            el("label", { class: "field" }, el("span", {}, "Arrows"), this.slider), checks);
        this.sync();
    }

    /** The panel as the display says. */
    sync(): void {
        this.colours.value = this.display.colour;
        this.contactColours.value = this.display.contactColour;
        this.slider.value = String(Math.log10(this.display.length));
        for (const [key, box] of this.boxes) box.checked = this.display.show[key];
    }

    toggle(key: Switch): void {
        if (!this.boxes.has(key)) return;
        this.display.show[key] = !this.display.show[key];
        this.sync();
        this.changed();
    }

    nextColour(): void {
        const all: BodyColour[] = ["body", "speed", "island", "residual", ...(this.stress > 0 ? ["stress" as const] : [])];
        this.display.colour = all[(all.indexOf(this.display.colour) + 1) % all.length];
        this.sync();
        this.changed();
    }

    /** What colours mean, over the scene. */
    legend(fastest: number, strongest: number): void {
        const { display } = this, parts: HTMLElement[] = [];
        // square roots of numbers are colours: the middle is a quarter of the end
        const bar = (title: string, most: number, end: string) => el("div", {}, title, el("div", { class: "bar", style: `background:${scaleGradient()}` }),
            el("div", { class: "ticks" }, ...["0", number(most / 4, 2), end].map(x => el("span", {}, x))));
        if (display.colour === "speed") parts.push(bar("speed", fastest, `${number(fastest, 2)} m/s`));
        if (display.colour === "stress") {
            const end = pascal(this.stress, 2);
            parts.push(bar("von Mises stress", parseFloat(end), end));
        }
        if (display.colour === "island") parts.push(el("div", {}, "one colour for each island; grey: alone"));
        const residual = () => el("div", {}, "residual", el("div", { class: "bar", style: `background:${scaleGradient()}` }),
            el("div", { class: "ticks" }, ...["1e-10", "1e-6", "1e-2 m/s"].map(x => el("span", {}, x))));
        const forces = display.show.points || display.show.arrows || display.show.cones;
        if (display.colour === "residual" || forces && display.contactColour === "residual") parts.push(residual());
        if (forces) {
            if (display.contactColour === "impulse") parts.push(bar("impulse", strongest, `${number(strongest, 2)} N s`));
            else if (display.contactColour === "status") parts.push(el("div", {}, ...(["stick", "slip", "crush", "open"] as const).map(name =>
                el("span", { class: "key" }, el("i", { class: "dot", style: `background:var(--${name})` }), name))));
        }
        byId("legend").replaceChildren(...parts);
    }
}
