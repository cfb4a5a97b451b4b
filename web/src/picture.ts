// The picture of the PNG button: the scene twice as fine as on the screen, with its legend, title and time.
import { scaleGradient, styleColour } from "./colours";

const SCALE = 2; // pixels of the picture for one of the page, on screens that are no finer

export function pictureScale(): number {
    return Math.max(SCALE, window.devicePixelRatio || 1);
}

/** The legend of the page drawn at a place; lengths in pixels of the page. */
function drawLegend(c: CanvasRenderingContext2D, legend: HTMLElement, x: number, y: number): void {
    let at = y;
    for (const part of Array.from(legend.children) as HTMLElement[]) {
        const bar = part.querySelector<HTMLElement>(".bar"), keys = Array.from(part.querySelectorAll<HTMLElement>(".key"));
        c.fillStyle = styleColour("ink");
        if (bar) {
            c.fillText(part.firstChild?.textContent ?? "", x, at);
            const stops = [...scaleGradient().matchAll(/#[0-9a-f]{6}/g)].map(m => m[0]), gradient = c.createLinearGradient(x, 0, x + 180, 0);
            stops.forEach((stop, i) => gradient.addColorStop(i / (stops.length - 1), stop));
            c.fillStyle = gradient;
            c.fillRect(x, at + 6, 180, 9);
            c.fillStyle = styleColour("ink");
            const ticks = Array.from(part.querySelectorAll(".ticks span")).map(t => t.textContent ?? "");
            ticks.forEach((text, i) => {
                c.textAlign = i === 0 ? "left" : i === ticks.length - 1 ? "right" : "center";
                c.fillText(text, x + 180 * i / Math.max(1, ticks.length - 1), at + 28);
            });
            c.textAlign = "left";
            at += 46;
        } else if (keys.length) {
            let left = x;
            for (const key of keys) {
                const dot = key.querySelector<HTMLElement>(".dot");
                c.fillStyle = dot ? getComputedStyle(dot).backgroundColor : styleColour("ink");
                c.beginPath();
                c.arc(left + 4.5, at - 4, 4.5, 0, 2 * Math.PI);
                c.fill();
                c.fillStyle = styleColour("ink");
                c.fillText(key.textContent ?? "", left + 14, at);
                left += 26 + c.measureText(key.textContent ?? "").width;
            }
            at += 18;
        } else {
            c.fillText(part.textContent ?? "", x, at);
            at += 18;
        }
    }
}

/** canvas: as it was rendered at `scale`; title and time go below the scene, the legend to the upper left. */
export function makePicture(canvas: HTMLCanvasElement, scale: number, title: string, time: number): HTMLCanvasElement {
    const made = document.createElement("canvas"), c = made.getContext("2d")!;
    made.width = canvas.width;
    made.height = canvas.height;
    c.drawImage(canvas, 0, 0);
    c.scale(scale, scale);
    c.font = "13px system-ui, sans-serif";
    drawLegend(c, document.getElementById("legend")!, 14, 24);
    c.fillStyle = styleColour("soft");
    c.fillText(`${title} · ${time.toFixed(3)} s`, 14, canvas.height / scale - 14);
    return made;
}
