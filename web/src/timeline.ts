// The bar below the scene: buttons, slider, clock, and the steps that were not certified.
import type { Player } from "./player";
import type { Run } from "./run";
import { byId, el, icon, number } from "./words";

export class Timeline {
    readonly failed: number[] = [];
    private readonly scrub = byId<HTMLInputElement>("scrub");
    private readonly play: HTMLButtonElement;
    private readonly speed: HTMLSelectElement;

    constructor(private readonly run: Run, private readonly player: Player) {
        run.series("uncertified").forEach((n, k) => { if (n > 0) this.failed.push(k); });
        const button = (label: string, picture: string, action: () => void) =>
            el("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: action }, icon(picture));
        this.play = button("Play or pause (Space)", "play", () => player.toggle());
        this.play.id = "play";
        this.speed = el("select", { "aria-label": "Speed", title: "Speed", onchange: () => { player.speed = Number(this.speed.value); } },
            ...[0.05, 0.1, 0.25, 0.5, 1, 2, 4].map(s => el("option", { value: s, selected: s === 1 }, `${s}×`)));
        const loop = el("button", { type: "button", "aria-pressed": "true", title: "Begin again at the end (L)", id: "loop" }, "Loop");
        loop.addEventListener("click", () => this.toggleLoop());
        byId("transport").append(
            button("First frame (Home)", "first", () => player.go(0)),
            button("One frame back (←)", "back", () => this.step(-1)), this.play,
            button("One frame on (→)", "on", () => this.step(1)),
            button("Last frame (End)", "last", () => player.go(run.frames - 1)), this.speed, loop);
        if (this.failed.length) {
            const jump = el("button", { type: "button", id: "fails", title: "Next step that was not certified (N; P: the one before)",
                onclick: () => this.jump(1) }, `${this.failed.length} not certified ›`);
            byId("transport").append(jump);
        }
        this.scrub.max = String(run.frames - 1);
        this.scrub.addEventListener("input", () => player.go(Number(this.scrub.value)));
        this.mark();
        player.onChange(() => this.show());
        this.show();
    }

    step(by: number): void {
        this.player.stop();
        this.player.go(this.player.frame + by);
    }

    faster(by: 1 | -1): void {
        const { options } = this.speed, next = Math.min(options.length - 1, Math.max(0, this.speed.selectedIndex + by));
        this.speed.selectedIndex = next;
        this.player.speed = Number(this.speed.value);
    }

    toggleLoop(): void {
        this.player.loop = !this.player.loop;
        byId("loop").setAttribute("aria-pressed", String(this.player.loop));
    }

    /** To the next or the previous frame with a step that was not certified. */
    jump(by: 1 | -1): void {
        const { frame } = this.player, { failed } = this;
        if (!failed.length) return;
        this.player.stop();
        const next = by > 0 ? failed.find(k => k > frame) ?? failed[0] : failed.findLast(k => k < frame) ?? failed[failed.length - 1];
        this.player.go(next);
    }

    /** Red marks; neighbours are one mark. */
    private mark(): void {
        const last = Math.max(1, this.run.frames - 1), marks = byId("marks");
        for (let i = 0; i < this.failed.length;) {
            let j = i;
            while (j + 1 < this.failed.length && this.failed[j + 1] === this.failed[j] + 1) j++;
            const left = 100 * this.failed[i] / last, width = 100 * (this.failed[j] - this.failed[i]) / last;
            marks.append(el("i", { style: `left:${left}%;width:${width}%` }));
            i = j + 1;
        }
    }

    private show(): void {
        const { player, run } = this, k = player.frame, failed = run.series("uncertified")[k] > 0;
        this.scrub.value = String(k);
        const text = `${number(player.time, 4)} s, frame ${k} of ${run.frames - 1}${failed ? ", not certified" : ""}`;
        this.scrub.setAttribute("aria-valuetext", text);
        if (this.play.getAttribute("aria-pressed") !== String(player.playing)) {
            this.play.replaceChildren(icon(player.playing ? "pause" : "play"));
            this.play.setAttribute("aria-pressed", String(player.playing));
        }
        const clock = byId("clock");
        clock.replaceChildren(el("b", {}, player.time.toFixed(3)), ` s · step ${run.series("step")[k]} · frame ${k}/${run.frames - 1}`);
        if (failed) clock.append(el("span", { class: "bad" }, " · not certified"));
    }
}
