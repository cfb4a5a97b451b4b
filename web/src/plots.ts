// Plots over time, linked to the time cursor and to each other.
import uPlot from "uplot";
import { styleColour } from "./colours";
import type { Run } from "./run";
import { byId, el, number } from "./words";

interface Line { name: string; colour: string; values: (number | null)[]; dash?: number[]; }
interface Chart { title: string; unit: string; hint?: string; log?: boolean; limit?: number; least?: number; lines: Line[]; }

const HEIGHT = 154;
const NOISE = 1e-6; // of the largest potential energy: smaller changes are not drawn large; a velocity error moves what stands by as much
export const CERTIFICATE_HINT = "The step is exact for free velocities that differ from the true ones by at most the error. Shown: the worst group of connected bodies. Below the dashed line "
    + "all is certified.";

function list(x: Float64Array, scale = 1): number[] {
    return Array.from(x, v => v * scale);
}

/** For a log axis: nothing where the figure is 0 or not finite. */
function positive(x: Float64Array): (number | null)[] {
    return Array.from(x, v => v > 0 && Number.isFinite(v) ? v : null);
}

function charts(run: Run): Chart[] {
    const s = (name: string) => run.series(name), potential = s("potential"), kinetic = s("kinetic");
    const friction = s("friction"), impact = s("impact"), base = potential.reduce((a, b) => Math.min(a, b), Infinity);
    const touches = s("contacts").some(n => n > 0), most = potential.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    return [
        {
            title: "Energy", unit: "J; lost to friction, in impacts", least: NOISE * most, lines: [
                { name: "kinetic", colour: "c0", values: list(kinetic) },
                { name: "potential", colour: "c2", values: Array.from(potential, v => v - base) },
                ...(s("elastic").some(v => v > 0) ? [{ name: "elastic", colour: "c5", values: list(s("elastic")) }] : []),
                { name: "friction", colour: "c1", values: list(friction) },
                { name: "impacts", colour: "c3", values: list(impact) }]
        },
        ...(touches ? [{
            title: "Contacts", unit: "", lines: [
                { name: "all", colour: "c4", values: list(s("contacts")) },
                { name: "sticking", colour: "stick", values: list(s("stick")) },
                { name: "sliding", colour: "slip", values: list(s("slip")) }]
        }] : []),
        {
            title: "Work of the solver", unit: "", lines: [
                { name: "iterations", colour: "c0", values: list(s("iterations")) },
                { name: "factorisations", colour: "c1", values: list(s("factorizations")) }]
        },
        {
            title: "Time of a step", unit: "ms", lines: [
                { name: "total", colour: "c4", values: list(s("total"), 1e3) },
                { name: "contacts", colour: "c2", values: list(s("collide"), 1e3) },
                { name: "assembly", colour: "c3", values: list(s("assemble"), 1e3) },
                { name: "solver", colour: "c0", values: list(s("solve"), 1e3) }]
        },
        certificate(run)];
}

/** Each figure over its own limit: what lies below 1 is certified. Metres and radians a second have limits of their own. Before there were limits in m/s: the figures themselves. */
function certificate(run: Run): Chart {
    const s = (name: string) => run.series(name), limit = run.meta.tolerance_velocity, share = limit > 0;
    const of = (name: string) => positive(s(name)).map(v => v === null || !share ? v : v / limit);
    return {
        title: "Certificate", unit: share ? `shares of ${number(limit)} m/s` : "m/s", log: true, hint: CERTIFICATE_HINT, limit: share ? 1 : undefined, lines: [
            { name: "error", colour: "c0", values: of("error") },
            { name: "mean", colour: "c2", values: of("error_rms") },
            ...(s("error_angular").some(v => v > 0) ? [{ name: "turning", colour: "c1", values: of("error_angular") }] : [])]
    };
}

export class Plots {
    private readonly plots: { plot: uPlot; host: HTMLElement; chart: Chart; names: HTMLElement[]; cursor: HTMLElement }[] = [];
    private readonly charts: Chart[];
    private time = 0;
    private frame = 0;

    constructor(private readonly run: Run, private readonly go: (time: number) => void) {
        this.charts = charts(run);
        this.build();
        const resize = new ResizeObserver(() => this.resize());
        resize.observe(byId("plots"));
    }

    /** Anew: colours are those of the present theme. */
    build(): void {
        const place = byId("plots");
        this.plots.forEach(p => p.plot.destroy());
        this.plots.length = 0;
        place.replaceChildren();
        for (const chart of this.charts) {
            const host = el("div"), names = chart.lines.map(() => el("span"));
            const legend = el("div", { class: "names" }, ...chart.lines.map((line, i) =>
                el("span", {}, el("i", { style: `background:${styleColour(line.colour)}` }), el("b", {}, line.name), names[i])));
            const title = el("h2", chart.hint ? { title: chart.hint } : {}, chart.title, el("span", {},
                chart.unit));
            place.append(el("div", { class: "plot", role: "figure", "aria-label": `${chart.title} over time` }, title, legend, host));
            const plot = this.make(chart, host), cursor = el("div", { class: "now" });
            plot.over.append(cursor);
            this.plots.push({ plot, host, chart, names, cursor });
        }
        this.say();
    }

    private make(chart: Chart, host: HTMLElement): uPlot {
        const axis = { stroke: styleColour("soft"), grid: { stroke: styleColour("line"), width: 1 }, ticks: { show: false },
            font: "11px system-ui, sans-serif" };
        const options: uPlot.Options = {
            width: host.clientWidth || 260, height: HEIGHT, legend: { show: false }, padding: [6, 14, 0, 0],
            cursor: { sync: { key: "cairn" }, drag: { x: true, y: false }, points: { size: 5 } },
            scales: { x: { time: false }, y: chart.log ? { distr: 3, log: 10, range: (_, low, high) => logRange(low, high, chart.limit) } : { range: (_, low, high) => linearRange(low, high, chart.least ?? 0) } },
            axes: [
                { ...axis, size: 26, gap: 3, values: (_, ticks) => ticks.map(t => number(t)) },
                { ...axis, size: 50, gap: 3, ...(chart.log ? { splits: decades } : {}), values: (_, ticks) => ticks.map(t => t === null ? "" : shortNumber(t, chart.log)) }],
            series: [{}, ...chart.lines.map(line => ({
                label: line.name, stroke: styleColour(line.colour), width: 1.4, points: { show: this.run.frames < 3 }, spanGaps: false
            }))],
            hooks: {
                draw: [plot => this.drawLimit(plot, chart), () => this.moveCursors()],
                ready: [plot => this.listen(plot)],
                setScale: [(plot, key) => { if (key === "x") this.linkZoom(plot); }]
            }
        };
        return new uPlot(options, [list(this.run.time), ...chart.lines.map(l => l.values)] as uPlot.AlignedData, host);
    }

    /** A click goes to its time; dragging zooms all plots. */
    private listen(plot: uPlot): void {
        let down = 0;
        plot.over.addEventListener("mousedown", e => { down = e.clientX; });
        plot.over.addEventListener("click", e => {
            if (Math.abs(e.clientX - down) > 3) return;
            this.go(plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x"));
        });
    }

    private linking = false;
    private linkZoom(from: uPlot): void {
        if (this.linking) return;
        this.linking = true;
        const { min, max } = from.scales.x;
        if (min !== undefined && max !== undefined && min !== null && max !== null)
            for (const { plot } of this.plots)
                if (plot !== from && (plot.scales.x.min !== min || plot.scales.x.max !== max)) plot.setScale("x", { min, max });
        this.linking = false;
    }

    private drawLimit(plot: uPlot, chart: Chart): void {
        if (!chart.limit) return;
        const { ctx, bbox } = plot, ratio = devicePixelRatio || 1, y = plot.valToPos(chart.limit, "y", true);
        ctx.save();
        ctx.strokeStyle = styleColour("bad");
        ctx.lineWidth = ratio;
        ctx.setLineDash([5 * ratio, 4 * ratio]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        ctx.restore();
    }

    /** The line of the present time lies over the plots, so that they need not be drawn anew for every frame. */
    private moveCursors(): void {
        for (const { plot, cursor } of this.plots) {
            const x = plot.valToPos(this.time, "x");
            cursor.hidden = !(x >= -1 && x <= plot.over.clientWidth + 1);
            cursor.style.transform = `translateX(${x}px)`;
        }
    }

    private say(): void {
        for (const { chart, names } of this.plots)
            chart.lines.forEach((line, i) => {
                const v = line.values[this.frame];
                const text = v === null || v === undefined ? "–" : number(v);
                if (names[i].textContent !== text) names[i].textContent = text;
            });
    }

    setTime(frame: number, time: number): void {
        this.time = time;
        this.frame = frame;
        this.say();
        this.moveCursors();
    }

    /** What the axis of each plot shows. */
    ranges(): Record<string, (number | undefined)[]> {
        return Object.fromEntries(this.plots.map(({ plot, chart }) => [chart.title, [plot.scales.y.min, plot.scales.y.max]]));
    }

    private resize(): void {
        for (const { plot, host } of this.plots)
            if (host.clientWidth > 0 && host.clientWidth !== plot.width) plot.setSize({ width: host.clientWidth, height: HEIGHT });
    }
}

/** Around the figures, and never so narrow that rounding fills the picture. */
function linearRange(low: number | null, high: number | null, least: number): [number, number] {
    let [a, b] = [low ?? 0, high ?? 1];
    const span = Math.max(b - a, least, 1e-300);
    if (b - a < span) [a, b] = a >= -0.05 * span ? [Math.min(a, 0), span] : [0.5 * (a + b - span), 0.5 * (a + b + span)];
    return a === b ? [a - 1, b + 1] : [a >= 0 && a < 0.5 * span ? Math.max(0, a - 0.05 * span) : a - 0.05 * span, b + 0.05 * span];
}

/** Whole decades around the figures and the limit; not more than 18. */
function logRange(low: number | null, high: number | null, limit?: number): [number, number] {
    const some = [low, high, limit].filter((v): v is number => typeof v === "number" && v > 0);
    if (!some.length) return [1e-12, 1];
    const top = Math.ceil(Math.log10(Math.max(...some)) + 0.1), bottom = Math.floor(Math.log10(Math.min(...some)) - 0.1);
    return [10 ** Math.max(bottom, top - 18), 10 ** top];
}

/** Ticks at powers of ten, not more than six. */
function decades(_: uPlot, __: number, low: number, high: number): number[] {
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((to - from) / 5));
    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_v, i) => 10 ** (from + i * step));
}

function shortNumber(x: number, log?: boolean): string {
    const power = Math.log10(x);
    if (log) return Math.abs(power - Math.round(power)) < 1e-6 ? `1e${Math.round(power)}` : "";
    const size = Math.abs(x);
    if (size > 0 && size < 1e-3) return number(x, 2);
    for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const)
        if (size >= unit) return `${Number((x / unit).toPrecision(3))}${letter}`;
    return String(Number(x.toPrecision(3)));
}
