// Time: which frame is shown, and how it runs on.
import type { Run } from "./run";

export class Player {
    frame = 0;
    playing = false;
    speed = 1;
    loop = true;
    private clock = 0; // simulated time while playing
    private last = 0;  // wall clock, ms
    private readonly listeners: (() => void)[] = [];

    constructor(private readonly run: Run) {
        this.clock = run.time[0];
    }

    get time(): number {
        return this.run.time[this.frame];
    }

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    private tell(): void {
        for (const listener of this.listeners) listener();
    }

    go(frame: number): void {
        const next = Math.min(this.run.frames - 1, Math.max(0, Math.round(frame)));
        this.clock = this.run.time[next];
        this.frame = next;
        this.tell();
    }

    /** The last frame that is not later than a time. */
    at(time: number): number {
        const { time: t } = this.run;
        let low = 0, high = t.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (t[middle] <= time + 1e-9 * Math.abs(time)) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** The frame nearest to a time. */
    nearest(time: number): number {
        const k = this.at(time), { time: t } = this.run;
        return k + 1 < t.length && t[k + 1] - time < time - t[k] ? k + 1 : k;
    }

    toggle(): void {
        this.playing = !this.playing;
        if (this.playing && this.frame >= this.run.frames - 1) this.go(0);
        this.last = performance.now();
        this.tell();
    }

    stop(): void {
        if (this.playing) this.toggle();
    }

    /** Goes on with the wall clock. A long pause of the page is not caught up. */
    tick(now: number): void {
        if (!this.playing) return;
        const spent = Math.min(0.1, (now - this.last) / 1000);
        this.last = now;
        this.clock += spent * this.speed;
        const end = this.run.time[this.run.frames - 1], begin = this.run.time[0];
        if (this.clock > end) {
            if (this.loop && end > begin) this.clock = begin + (this.clock - end) % (end - begin);
            else {
                this.clock = end;
                this.playing = false;
            }
        }
        const next = this.at(this.clock);
        if (next !== this.frame || !this.playing) {
            this.frame = next;
            this.tell();
        }
    }
}
