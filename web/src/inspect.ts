// Figures of what was clicked: a body, a contact, a joint; of the whole step when nothing was.
import { JOINT_REALS, NODE } from "./decode";
import type { Frame, PartMeta, Run } from "./run";
import { CERTIFICATE_HINT } from "./plots";
import { byId, el, number, pascal, seconds, vector, withUnit } from "./words";

/** A contact is known by its bodies and its place among their contacts: so it can be found in other frames. */
export type Selection = { kind: "body"; body: number; node?: number } | { kind: "contact"; a: number; b: number; place: number } | null;

const KINDS = ["dynamic", "fixed", "kinematic"];
const JOINTS = ["fixed", "spherical", "revolute", "prismatic", "cylindrical", "universal", "distance", "point on line", "point on plane", "free", "gear"];
const STATUS = ["open", "sticking", "sliding", "crushed"], STATUS_COLOUR = ["open", "stick", "slip", "crush"];

/** Its number in the frame, -1: the contact is not there now. */
export function findContact(frame: Frame, a: number, b: number, place: number): number {
    const { count, body } = frame.contacts;
    for (let i = 0; i < count; i++)
        if (body[2 * i] === a && body[2 * i + 1] === b && place-- === 0) return i;
    return -1;
}

export function contactSelection(frame: Frame, index: number): Selection {
    const { body } = frame.contacts, a = body[2 * index], b = body[2 * index + 1];
    let place = 0;
    for (let i = 0; i < index; i++) if (body[2 * i] === a && body[2 * i + 1] === b) place++;
    return { kind: "contact", a, b, place };
}

type Row = [string, string];

export class Inspector {
    private readonly place = byId("inspect");
    private shown = "";              // what the panel holds, but for the values
    private cells: HTMLElement[] = [];

    constructor(private readonly run: Run, private readonly follow: (body: number) => void, private readonly clear: () => void) { }

    /** A head and a table with something below. While playing only values change: the panel is made anew only when `shape` is another. */
    private fill(shape: string, head: HTMLElement, rows: Row[], below: () => Node[]): void {
        const form = `${shape}|${rows.map(r => r[0]).join("|")}`;
        if (form !== this.shown) {
            this.shown = form;
            this.cells = rows.map(([name]) => el("td", { "data-name": name }));
            const table = el("table", {}, el("tbody", {}, ...rows.map(([name], i) => el("tr", {}, el("td", {}, name), this.cells[i]))));
            this.place.replaceChildren(head, ...(rows.length ? [table] : []), ...below());
        }
        rows.forEach(([, value], i) => { if (this.cells[i].textContent !== value) this.cells[i].textContent = value; });
    }

    show(frame: Frame, selection: Selection, followed: number): void {
        if (selection?.kind === "body") this.showBody(frame, selection.body, followed, selection.node);
        else if (selection?.kind === "contact") this.showContact(frame, selection);
        else this.showStep(frame.index);
    }

    private buttons(body: number, followed: number): HTMLElement {
        return el("div", { class: "row" },
            el("button", { type: "button", id: "follow", "aria-pressed": String(followed === body),
                onclick: () => this.follow(followed === body ? -1 : body) }, "Follow"),
            el("button", { type: "button", onclick: this.clear }, "Clear"));
    }

    private showBody(frame: Frame, i: number, followed: number, node?: number): void {
        const b = this.run.bodies[i], shape = this.run.meta.shapes[b.shape], v = frame.velocity, { body } = frame.contacts;
        let touching = 0;
        for (let k = 0; k < frame.contacts.count; k++) if (body[2 * k] === i || body[2 * k + 1] === i) touching++;
        const rows: Row[] = [["kind", `${KINDS[b.kind]}${shape ? `, ${shape.kind}` : this.run.meta.parts.some(p => p.body === i) ? ", flexible" : ""}`], ["mass", b.mass > 0 ? withUnit(b.mass, "kg", 4) : "not pushed"],
            ["position", `${vector(frame.position, 3 * i, 4)} m`],
            ["speed", withUnit(Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]), "m/s")],
            ["velocity", vector(v, 3 * i)], ["spin", `${vector(frame.spin, 3 * i)} rad/s`],
            ["contacts", String(touching)]];
        const part = this.run.meta.parts.find(p => p.body === i);
        if (part) rows.push(...this.partRows(frame, part, node));
        rows.push(...this.jointRows(frame, i));
        if (!frame.present[i]) rows.push(["now", "not there"]);
        this.fill(`body ${i} ${followed === i}`, el("h3", {}, b.name), rows, () => [this.buttons(i, followed)]);
    }

    /** A flexible part: its worst places; the node that was clicked. */
    private partRows(frame: Frame, part: PartMeta, node?: number): Row[] {
        const x = frame.nodes, stress = this.run.meta.nodeQuantum[2] > 0, rows: Row[] = [["nodes", String(part.nodes)]];
        let fastest = 0, most = 0;
        for (let k = part.first; k < part.first + part.nodes; k++) {
            fastest = Math.max(fastest, x[NODE * k + 3]);
            most = Math.max(most, x[NODE * k + 4]);
        }
        rows.push(["fastest node", withUnit(fastest, "m/s")]);
        if (stress) rows.push(["largest stress", pascal(most)]);
        const hold = 4 * this.run.meta.parts.indexOf(part), h = frame.holds;
        if (h.length > 0 && h[hold + 3] > 0) rows.push(["held by", `${vector(h, hold)} N`], ["· at a node, most", withUnit(h[hold + 3], "N")]);
        if (node === undefined) return rows;
        const at = NODE * node;
        rows.push(["node", String(node - part.first)], ["· position", `${vector(x, at, 4)} m`], ["· speed", withUnit(x[at + 3], "m/s")]);
        if (stress) rows.push(["· von Mises stress", pascal(x[at + 4])]);
        return rows;
    }

    /** Joints one by one; when there are many, as where nodes are glued, how many and the largest. */
    private jointRows(frame: Frame, body: number): Row[] {
        const { joints } = this.run.meta, own = joints.flatMap((j, k) => j.a === body || j.b === body ? [k] : []), x = frame.joints;
        const force = (k: number) => Math.hypot(x[JOINT_REALS * k + 3], x[JOINT_REALS * k + 4], x[JOINT_REALS * k + 5]);
        if (own.length > 8) {
            const worst = own.reduce((a, b) => force(b) > force(a) ? b : a);
            return [["joints", String(own.length)], ["· largest reaction", withUnit(force(worst), "N")], ["· at", joints[worst].name]];
        }
        return own.flatMap((k): Row[] => {
            const at = JOINT_REALS * k;
            return [[joints[k].name, JOINTS[joints[k].kind]], ["· reaction", withUnit(force(k), "N")],
                ["· torque", withUnit(Math.hypot(x[at + 6], x[at + 7], x[at + 8]), "N m")], ["· coordinate", number(x[at])], ["· gap", number(x[at + 2], 2)]];
        });
    }

    private showContact(frame: Frame, s: { a: number; b: number; place: number }): void {
        const i = findContact(frame, s.a, s.b, s.place), { bodies, meta } = this.run;
        const head = el("h3", {}, `${bodies[s.a].name} – ${bodies[s.b].name}`);
        const clear = () => el("div", { class: "row" }, el("button", { type: "button", onclick: this.clear }, "Clear"));
        if (i < 0) {
            const text = frame.complete ? "These two do not touch here in this frame, or the contact is among those left out." : "Unpacking …";
            this.fill(`${text} ${s.a} ${s.b}`, head, [], () => [el("p", { class: "soft" }, text), clear()]);
            return;
        }
        const c = frame.contacts, p = [0, 1, 2].map(k => c.impulse[3 * i + k]), n = [0, 1, 2].map(k => c.normal[3 * i + k]);
        const normal = p[0] * n[0] + p[1] * n[1] + p[2] * n[2], total = Math.hypot(p[0], p[1], p[2]);
        const tangent = Math.sqrt(Math.max(0, total * total - normal * normal)), mu = meta.mu[c.mu[i]], used = normal > 0 && mu > 0 ? tangent / (mu * normal) : 0;
        const rows: Row[] = [["status", STATUS[c.status[i]]], ["gap", withUnit(c.gap[i], "m", 2)], ["impulse", withUnit(total, "N s", 4)],
            ["normal part", withUnit(normal, "N s", 4)], ["friction part", withUnit(tangent, "N s", 4)], ["friction μ", number(mu)],
            ["residual", withUnit(c.residual[i], "m/s", 2)], ["mean force", withUnit(total / meta.step, "N")], ["used of the cone", total > 0 && mu > 0 ? `${(100 * used).toFixed(1)} %` : "–"]];
        this.fill(`contact ${s.a} ${s.b}`, head, rows, () => [el("div", { class: "meter", role: "img" }, el("i")), clear()]);
        const meter = this.place.querySelector<HTMLElement>(".meter")!;
        meter.setAttribute("aria-label", `${(100 * used).toFixed(0)} % of the cone used`);
        (meter.firstChild as HTMLElement).style.cssText = `width:${Math.min(100, 100 * used)}%;background:var(--${STATUS_COLOUR[c.status[i]]})`;
    }

    /** Before the first step there is nothing to certify. */
    private showStart(): void {
        const { bodies, meta } = this.run;
        const rows: Row[] = [["bodies", String(bodies.length)], ...(meta.joints.length ? [["joints", String(meta.joints.length)] as Row] : []), ["step", withUnit(meta.step, "s")]];
        this.fill("start", el("h3", {}, "The state before the first step"), rows, () => [el("p", { class: "soft" }, "Nothing was solved yet. Press play or Space."),
            el("p", { class: "soft" }, "Click a body or a contact for its figures.")]);
    }

    private showStep(k: number): void {
        if (k === 0 && this.run.series("step")[0] === 0) return this.showStart();
        const s = (name: string) => this.run.series(name)[k], { meta } = this.run;
        const certified = s("uncertified") === 0, note = meta.notes[s("note")] ?? "";
        const rows: Row[] = [["certified", certified ? "yes" : s("uncertified") > 1 ? `no (${s("uncertified")} steps)` : "no"],
            ["outcome", meta.outcomes[s("outcome")] ?? "–"], ["exact within", withUnit(s("error"), "m/s")],
            ...(s("error_angular") > 0 ? [["· turning", withUnit(s("error_angular"), "rad/s")] as Row] : []),
            ["mean error", withUnit(s("error_rms"), "m/s")], ["worst contact", withUnit(s("residual"), "m/s")], ["contacts", `${s("contacts")}, ${s("slip")} sliding`],
            ["rows", String(s("rows"))], ["solves", String(s("solves"))], ["iterations", String(s("iterations"))],
            ["factorisations", s("partial_factorizations") > 0 ? `${s("factorizations")}, ${s("partial_factorizations")} partial` : String(s("factorizations"))], ["deepest overlap", withUnit(s("deepest"), "m")],
            ["depth left", s("depth") > 0 ? `${withUnit(s("depth"), "m")}, at most ${withUnit(s("depth_tolerance"), "m")}` : withUnit(s("depth"), "m")],
            ...(s("fallbacks") > 0 ? [["fall-back", `${s("fallbacks")} island${s("fallbacks") > 1 ? "s" : ""}`] as Row] : []),
            ...(s("inverted") > 0 ? [["inside out", `${s("inverted")} element${s("inverted") > 1 ? "s" : ""}`] as Row] : []),
            ["time", seconds(s("total"))]];
        const head = el("h3", { class: certified ? "" : "bad" }, `Step ${s("step")}`);
        const below = () => [...(note ? [el("p", { class: "soft" }, note)] : []), el("p", { class: "soft" }, CERTIFICATE_HINT),
            el("p", { class: "soft" }, "Click a body or a contact for its figures.")];
        this.fill(`step ${certified} ${note}`, head, rows, below);
        const title = this.place.querySelector("h3")!;
        if (title.textContent !== head.textContent) title.textContent = head.textContent;
    }
}
