// The replay page: puts the parts together and draws when something has changed.
import { Vector3 } from "three";
import { Bodies } from "./bodies";
import { Forces } from "./forces";
import { contactSelection, findContact, Inspector, type Selection } from "./inspect";
import { readMoment, writeMoment, type Moment } from "./link";
import { Options, type Display, type Switch } from "./options";
import { Parts } from "./parts";
import { Player } from "./player";
import { makePicture, pictureScale } from "./picture";
import { Plots } from "./plots";
import { Run, type Frame } from "./run";
import { Stage } from "./stage";
import { Timeline } from "./timeline";
import { byId, el, icon, number } from "./words";

const KEYS: [string, string][] = [["Space", "play or pause"], ["← →", "one frame; with Shift ten"], ["Home End", "first, last frame"],
    ["+ −", "faster, slower"], ["N P", "next, previous step that was not certified"], ["F", "fit everything into the picture"],
    ["G", "follow the selected body"], ["B", "colour of bodies"], ["C A K J", "contact points, impulses, cones, joints"],
    ["T W S", "transparent, wireframe, shadows"], ["L", "loop"], ["D", "dark or light"], ["I", "save the picture (PNG)"],
    ["Esc", "clear the selection"], ["H ?", "this list"]];

class Page {
    private readonly player: Player;
    private readonly timeline: Timeline;
    private readonly stage: Stage;
    private readonly bodies: Bodies;
    private readonly forces: Forces;
    private readonly parts: Parts;
    private readonly plots: Plots;
    private readonly options: Options;
    private readonly inspector: Inspector;
    private readonly canvas = byId<HTMLCanvasElement>("canvas");
    private selection: Selection = null;
    private followed = -1;
    private dirty = true;     // the picture
    private fresh = false;    // a picture that nobody has told of
    private stale = true;     // bodies and forces
    private shown = -1;       // frame of the picture
    private linkTimer = 0;
    private still = false;    // keep one picture

    constructor(private readonly run: Run) {
        const moment = readMoment(location.hash);
        this.setTheme(moment.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
        document.body.classList.toggle("bare", moment.bare === true);
        this.still = moment.still === true;
        if (moment.size) for (const id of ["stage", "view"]) byId(id).style.cssText = `width:${moment.size[0]}px;height:${moment.size[1]}px;flex:none`;
        this.player = new Player(run);
        this.stage = new Stage(run, this.canvas, moment.bare === true);
        const size = this.stage.bounds.getSize(new Vector3()).length();
        this.bodies = new Bodies(run);
        this.bodies.fastest = Math.max(1e-9, 65536 * run.meta.quantum[1]);
        this.forces = new Forces(run, size);
        this.parts = new Parts(run);
        this.parts.fastest = this.bodies.fastest = Math.max(this.bodies.fastest, 4096 * run.meta.nodeQuantum[1]);
        this.parts.largest = 4096 * run.meta.nodeQuantum[2] || 1;
        this.stage.scene.add(this.bodies.group, this.forces.group, this.parts.group);
        this.options = new Options(firstDisplay(run), run.meta.joints.length > 0, 4096 * run.meta.nodeQuantum[2], () => this.applyDisplay());
        this.inspector = new Inspector(run, body => this.follow(body), () => this.select(null));
        this.timeline = new Timeline(run, this.player);
        this.plots = new Plots(run, time => { this.player.stop(); this.player.go(this.player.nearest(time)); });
        this.player.onChange(() => { this.stale = true; this.plots.setTime(this.player.frame, this.player.time); this.keepLink(); });
        this.describe();
        this.listen();
        this.stage.resize();
        this.stage.fit();
        this.theme();
        this.apply(moment);
        if (moment.time === undefined && !this.still && moment.bare !== true && run.frames > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches)
            void this.ready.then(() => { if (!this.player.playing && this.player.frame === 0) this.player.toggle(); });
        run.onContacts(() => { this.stale = true; });
        run.complain = error => fail(error instanceof Error ? error.message : String(error));
        requestAnimationFrame(now => this.draw(now));
    }

    /** Everything is there and drawn: for scripts and tests. */
    private done = () => { };
    readonly ready = new Promise<void>(resolve => { this.done = resolve; });

    private describe(): void {
        const { meta } = this.run, count = (n: number, one: string) => `${n} ${one}${n === 1 ? "" : one === "body" ? "" : "s"}`;
        const title = meta.title || "Cairn replay";
        document.title = title;
        byId("title").textContent = title;
        byId("title").title = title;
        const bodies = meta.bodies.length === 1 ? "1 body" : `${meta.bodies.length} bodies`;
        byId("lead").textContent = [bodies, ...(meta.joints.length ? [count(meta.joints.length, "joint")] : []), `method ${meta.method}`,
            `${meta.law} law`, meta.tolerance_velocity > 0 ? `certified within ${number(meta.tolerance_velocity)} m/s` : `tolerance ${number(meta.tolerance)}`, `step ${number(meta.step)} s`].join(" · ");
        byId("scale").textContent = `grid ${number(this.stage.cell)} m, strong lines ${number(10 * this.stage.cell)} m`;
        const notes: string[] = [];
        if (meta.kept < meta.contacts)
            notes.push(`Contacts are thinned out: each frame shows the ${(100 * meta.kept / meta.contacts).toFixed(0)} % with the largest impulses.`);
        if (meta.live) notes.push("The run was still going on when this page was written.");
        byId("notice").textContent = notes.join(" ");
        byId("notice").hidden = notes.length === 0;
        byId("keys").append(...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]));
        byId("about").textContent = `Written by Cairn ${meta.cairn} (${meta.instructions}). Positions are rounded to ${number(meta.quantum[0], 2)} m, `
            + "impulses to 0.03 %, gaps to 1 %. Arrows grow with the impulse up to ten times the size of a typical body. Islands: bodies that hang "
            + "together by contacts or joints.";
        const tool = (text: string | Node, title: string, action: () => void) => el("button", { type: "button", title, onclick: action }, text);
        byId("tools").append(tool("Fit", "Everything into the picture (F)", () => this.fit()), tool("Link", "Copy a link to this moment", () => void this.copyLink()),
            tool("PNG", "Save the picture (I)", () => this.savePicture()), tool(icon("theme"), "Dark or light (D)", () => this.toggleTheme()),
            tool("?", "Keys (H)", () => byId<HTMLDialogElement>("help").showModal()));
    }

    private listen(): void {
        const { canvas, stage } = this;
        let x = 0, y = 0;
        stage.controls.addEventListener("change", () => { this.dirty = true; this.keepLink(); });
        canvas.addEventListener("pointerdown", e => { x = e.offsetX; y = e.offsetY; });
        canvas.addEventListener("pointerup", e => { if (Math.hypot(e.offsetX - x, e.offsetY - y) < 4) this.pick(e.offsetX, e.offsetY); });
        document.addEventListener("keydown", e => this.key(e));
        new ResizeObserver(() => {
            if (!stage.resize()) return;
            if (this.still && !readMoment(location.hash).eye) stage.fit();
            this.dirty = true;
        }).observe(byId("view"));
        window.addEventListener("hashchange", () => this.apply(readMoment(location.hash)));
        canvas.addEventListener("webglcontextlost", () => fail("The graphics of this browser gave up; reload the page."));
    }

    private key(e: KeyboardEvent): void {
        const target = e.target as HTMLElement;
        if (e.ctrlKey || e.metaKey || e.altKey || byId<HTMLDialogElement>("help").open) return;
        const typing = target.tagName === "SELECT", slider = target.tagName === "INPUT" && target.id !== "scrub", pressed = target.tagName === "BUTTON";
        if (typing || slider && e.key !== " " && /^(Arrow|Home|End)/.test(e.key) || pressed && (e.key === " " || e.key === "Enter")) return;
        if (slider && e.key === " ") return;
        const toggles: Record<string, Switch> = { c: "points", a: "arrows", k: "cones", j: "joints", t: "transparent", w: "wireframe", s: "shadows" };
        const actions: Record<string, () => void> = {
            " ": () => this.player.toggle(), ArrowLeft: () => this.timeline.step(e.shiftKey ? -10 : -1), ArrowRight: () => this.timeline.step(e.shiftKey ? 10 : 1),
            Home: () => this.player.go(0), End: () => this.player.go(this.run.frames - 1), n: () => this.timeline.jump(1), p: () => this.timeline.jump(-1),
            f: () => this.fit(), g: () => this.toggleFollow(), b: () => this.options.nextColour(), l: () => this.timeline.toggleLoop(),
            d: () => this.toggleTheme(), i: () => this.savePicture(), Escape: () => this.select(null), h: () => byId<HTMLDialogElement>("help").showModal(),
            "?": () => byId<HTMLDialogElement>("help").showModal(), "+": () => this.timeline.faster(1), "-": () => this.timeline.faster(-1)
        };
        const name = e.key.length === 1 ? e.key.toLowerCase() : e.key, action = toggles[name] ? () => this.options.toggle(toggles[name]) : actions[name];
        if (!action) return;
        e.preventDefault();
        action();
    }

    private get frame(): Frame | null {
        return this.run.frame(this.player.frame);
    }

    /** Contacts are small: the nearest one within a few pixels wins over the body behind it. */
    private pick(x: number, y: number): void {
        const frame = this.frame, { show } = this.options.display;
        if (!frame) return;
        const body = this.bodies.pick(this.stage.ray(x, y)), part = this.parts.pick(this.stage.ray(x, y));
        if (show.points || show.arrows) {
            let best = 12, found = -1;
            const seen = Math.min(body < 0 ? Infinity : this.depth(x, y), part?.distance ?? Infinity);
            const depth = show.transparent ? Infinity : seen + 0.3 * this.forces.unit; // a little behind the surface under the pointer
            for (let i = 0; i < frame.contacts.count; i++) {
                const p = frame.contacts.point.subarray(3 * i, 3 * i + 3), at = this.stage.project(p[0], p[1], p[2]);
                if (!at) continue;
                const away = Math.hypot(at[0] - x, at[1] - y), far = this.stage.camera.position.distanceTo(new Vector3(p[0], p[1], p[2]));
                if (away < best && far < depth) [best, found] = [away, i];
            }
            if (found >= 0) return this.select(contactSelection(frame, found));
        }
        if (part && part.distance < this.depth(x, y)) return this.select({ kind: "body", body: part.body, node: part.node });
        this.select(body >= 0 ? { kind: "body", body } : null);
    }

    /** How far away the rigid body under the pointer is. */
    private depth(x: number, y: number): number {
        return this.stage.ray(x, y).intersectObject(this.bodies.group, true)[0]?.distance ?? Infinity;
    }

    select(selection: Selection): void {
        this.selection = selection;
        if (!selection || selection.kind !== "body") this.followed = selection ? this.followed : -1;
        this.stale = true;
        this.keepLink();
    }

    private follow(body: number): void {
        this.followed = body;
        this.stage.follow(null);
        this.stale = true;
        this.keepLink();
    }

    private toggleFollow(): void {
        if (this.followed >= 0) this.follow(-1);
        else if (this.selection?.kind === "body") this.follow(this.selection.body);
    }

    private fit(): void {
        this.follow(-1);
        this.stage.fit(undefined, true);
        this.dirty = true;
        this.keepLink();
    }

    private applyDisplay(): void {
        const { display } = this.options, { show } = display;
        this.bodies.colouring = display.colour;
        this.bodies.setLook(show.transparent, show.wireframe);
        this.parts.colouring = display.colour;
        this.parts.setLook(show.transparent, show.wireframe);
        Object.assign(this.forces.look, { points: show.points, arrows: show.arrows, cones: show.cones, joints: show.joints,
            colour: display.contactColour, length: display.length });
        this.forces.setOnTop(show.transparent || show.wireframe);
        this.stage.setShadows(show.shadows);
        this.options.legend(this.bodies.fastest, 4 * this.forces.reference);
        this.stale = true;
        this.keepLink();
    }

    private setTheme(name: string): void {
        document.documentElement.dataset.theme = name === "dark" ? "dark" : "light";
    }

    private theme(): void {
        this.stage.setTheme(document.documentElement.dataset.theme === "dark");
        this.forces.setTheme();
        this.applyDisplay();
    }

    private toggleTheme(): void {
        this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
        this.theme();
        this.plots.build();
        this.plots.setTime(this.player.frame, this.player.time);
    }

    private apply(m: Moment): void {
        const { display } = this.options;
        if (m.colour === "body" || m.colour === "speed" || m.colour === "island" || m.colour === "residual" || m.colour === "stress" && this.run.meta.nodeQuantum[2] > 0) display.colour = m.colour;
        if (m.show) for (const key of Object.keys(display.show) as Switch[]) display.show[key] = m.show.includes(key);
        this.options.sync();
        this.applyDisplay();
        if (m.eye && m.at) {
            this.stage.camera.position.set(m.eye[0], m.eye[1], m.eye[2]);
            this.stage.controls.target.set(m.at[0], m.at[1], m.at[2]);
            this.stage.controls.update();
        }
        const known = (i: number | undefined): i is number => i !== undefined && i >= 0 && i < this.run.bodies.length;
        if (known(m.body)) this.selection = { kind: "body", body: m.body };
        else if (m.contact && known(m.contact[0]) && known(m.contact[1]))
            this.selection = { kind: "contact", a: m.contact[0], b: m.contact[1], place: m.contact[2] };
        if (known(m.follow)) this.followed = m.follow;
        this.player.go(m.time === undefined ? this.player.frame : this.player.nearest(m.time));
    }

    private moment(): Moment {
        const { camera, controls } = this.stage, { display } = this.options, s = this.selection;
        return {
            time: this.player.time, eye: camera.position.toArray(), at: controls.target.toArray(),
            body: s?.kind === "body" ? s.body : undefined, contact: s?.kind === "contact" ? [s.a, s.b, s.place] : undefined,
            follow: this.followed >= 0 ? this.followed : undefined, colour: display.colour,
            show: (Object.keys(display.show) as Switch[]).filter(key => display.show[key])
        };
    }

    /** The address follows what one sees, but not while it plays. */
    private keepLink(): void {
        clearTimeout(this.linkTimer);
        if (!this.player.playing && !this.still) this.linkTimer = window.setTimeout(() => history.replaceState(null, "", writeMoment(this.moment())), 300);
    }

    private async copyLink(): Promise<void> {
        const url = location.href.replace(/#.*/, "") + writeMoment(this.moment());
        history.replaceState(null, "", url);
        try {
            await navigator.clipboard.writeText(url);
            this.say("The link is in the clipboard.");
        } catch {
            this.say("The link is in the address bar.");
        }
    }

    private say(text: string): void {
        const notice = byId("notice"), old = notice.textContent, hidden = notice.hidden;
        notice.textContent = text;
        notice.hidden = false;
        setTimeout(() => { notice.textContent = old; notice.hidden = hidden; }, 2500);
    }

    private savePicture(): void {
        const scale = pictureScale(), title = this.run.meta.title || "Cairn";
        this.stage.resize(scale);
        this.render();
        const picture = makePicture(this.canvas, scale, title, this.player.time);
        this.stage.resize();
        this.dirty = true;
        picture.toBlob(blob => {
            if (!blob) return;
            const url = URL.createObjectURL(blob), name = (this.run.meta.title || "cairn").replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
            el("a", { href: url, download: `${name}-${this.player.time.toFixed(3)}s.png` }).click();
            setTimeout(() => URL.revokeObjectURL(url), 10000);
        });
    }

    private draw(now: number): void {
        this.player.tick(now);
        if (this.stale || this.shown !== this.player.frame) {
            const frame = this.frame;
            if (frame) this.update(frame);
        }
        if (this.dirty && this.shown >= 0) {
            this.dirty = false;
            this.render();
            byId("loading").hidden = true;
            this.fresh = true;
            if (!this.opened) this.opened = { ms: performance.now(), ...this.run.blocks.done };
        }
        if (this.shown >= 0 && !this.dirty && !this.stale) this.settle();
        requestAnimationFrame(next => this.draw(next));
    }

    private opened: { ms: number; blocks: number; bytes: number } | null = null; // when the first picture was there, and what had been unpacked for it

    /** After a picture: contacts of this frame and what comes next are unpacked; with its contacts the picture is complete. */
    private settle(): void {
        if (!this.player.playing || this.frame?.complete) this.run.prepare(this.player.frame);
        if (!this.frame?.complete || !this.fresh) return;
        this.fresh = false;
        if (this.still) this.freeze();
        document.body.dataset.ready = "yes";
        this.done();
    }

    private render(): void {
        this.bodies.refine(this.stage.pixels());
        this.stage.render();
    }

    /** The picture as an image over the canvas: for programs that photograph pages. Again whenever it is drawn. */
    private freeze(): void {
        document.getElementById("frozen")?.remove();
        byId("view").prepend(el("img", { id: "frozen", src: this.canvas.toDataURL(), alt: "", style: "position:absolute;inset:0;width:100%;height:100%" }));
        this.canvas.style.visibility = "hidden";
    }

    private update(frame: Frame): void {
        const s = this.selection;
        this.bodies.selected = s?.kind === "body" ? s.body : -1;
        this.forces.selected = s?.kind === "contact" ? findContact(frame, s.a, s.b, s.place) : -1;
        if (this.followed >= 0 && frame.present[this.followed]) this.stage.follow(new Vector3().fromArray(frame.position, 3 * this.followed));
        if (this.bodies.update(frame) || !this.parts.empty) this.stage.moved();
        this.parts.selected = this.bodies.selected;
        this.parts.selectedNode = s?.kind === "body" ? s.node ?? -1 : -1;
        document.body.classList.toggle("picked", s !== null);
        this.parts.update(frame);
        this.forces.update(frame);
        this.inspector.show(frame, s, this.followed);
        this.shown = frame.index;
        this.stale = false;
        this.dirty = true;
    }

    /** For scripts: what is shown, and where things are on the canvas. */
    script(): Record<string, unknown> {
        return {
            ready: this.ready, frames: this.run.frames,
            go: async (frame: number) => {
                this.player.stop();
                await this.run.wait(frame);
                this.player.go(frame);
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
            },
            state: () => ({ frame: this.player.frame, shown: this.shown, time: this.player.time, playing: this.player.playing,
                failed: this.timeline.failed, moment: this.moment() }),
            contacts: () => {
                const c = this.frame?.contacts;
                return c ? Array.from({ length: c.count }, (_, i) => ({
                    body: [...c.body.subarray(2 * i, 2 * i + 2)], impulse: [...c.impulse.subarray(3 * i, 3 * i + 3)],
                    screen: this.stage.project(c.point[3 * i], c.point[3 * i + 1], c.point[3 * i + 2])
                })) : [];
            },
            bodyAt: (i: number) => {
                const p = this.frame?.position;
                return p ? { position: [...p.subarray(3 * i, 3 * i + 3)], screen: this.stage.project(p[3 * i], p[3 * i + 1], p[3 * i + 2]) } : null;
            },
            nodes: () => [...this.frame?.nodes ?? []], // of flexible parts: position, speed, stress
            partAt: (x: number, y: number) => this.parts.pick(this.stage.ray(x, y)),
            opened: () => this.opened,
            ranges: () => this.plots.ranges(),
            /** Times of a picture in ms, over some frames from the present one on: the least of the scripts alone, the mean until the graphics are done;
             *  matrices written in all, and what was drawn last. */
            measure: (pictures: number, empty: boolean) => {
                const gl = this.stage.renderer.getContext(), pixel = new Uint8Array(4), { info } = this.stage.renderer;
                this.bodies.group.visible = this.forces.group.visible = this.parts.group.visible = !empty;
                let script = Infinity, matrices = 0;
                const begin = performance.now(), start = this.player.frame;
                for (let i = 0; i < pictures; i++) {
                    const from = performance.now();
                    if (!empty) this.player.go(start + i);
                    const frame = empty ? null : this.frame;
                    if (frame) this.update(frame);
                    this.render();
                    script = Math.min(script, performance.now() - from);
                    matrices += frame ? this.bodies.written : 0;
                    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
                }
                const all = performance.now() - begin;
                this.bodies.group.visible = this.forces.group.visible = this.parts.group.visible = true;
                return { script, all: all / pictures, matrices, calls: info.render.calls, triangles: info.render.triangles };
            }
        };
    }
}

/** Stresses when they were recorded; joints, unless there are so many that they hide the rest, as where nodes are glued. */
function firstDisplay(run: Run): Display {
    const { joints, bodies, nodeQuantum } = run.meta;
    return {
        colour: nodeQuantum[2] > 0 ? "stress" : "body", contactColour: "status", length: 1,
        show: { points: false, arrows: false, cones: false, joints: joints.length > 0 && joints.length <= 4 * bodies.length, transparent: false, wireframe: false, shadows: true }
    };
}

function fail(message: string): void {
    const place = byId("loading");
    place.hidden = false;
    place.className = "failed";
    place.textContent = message;
}

const still = readMoment(location.hash).still === true;
Run.open(still).then(async run => {
    if (still) await run.wait(0); // one picture, with its contacts
    (window as unknown as { cairnReplay: unknown }).cairnReplay = new Page(run).script();
}).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
