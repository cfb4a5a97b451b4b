// Opens replay pages in headless Chromium.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export function findChromium() {
    return [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(p => p && existsSync(p));
}

export async function launch() {
    return chromium.launch({ executablePath: findChromium(), args: flags, timeout: 90000 });
}

/** A page whose run is on the screen, with a list of everything it complained about. */
export async function open(browser, file, { hash = "", width = 1280, height = 800, scheme = "light", touch = false } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, hasTouch: touch });
    const page = await context.newPage(), complaints = [];
    page.setDefaultTimeout(90000);
    page.on("console", m => { if (m.type() !== "log" && m.type() !== "info" && !/GPU stall|GL Driver Message/.test(m.text())) complaints.push(`${m.type()}: ${m.text()}`); });
    page.on("pageerror", e => complaints.push(`error: ${e.message}`));
    page.on("request", r => { if (!/^(file|data|blob):/.test(r.url())) complaints.push(`network: ${r.url()}`); });
    await page.goto(`file://${file}${hash}`);
    await page.waitForSelector("body[data-ready=yes]");
    return { page, complaints, context };
}

/** The canvas, row by row from the bottom, as the sums of its colours: enough to tell pictures apart. */
export async function pixels(page) {
    await page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
    return page.evaluate(() => {
        const canvas = document.getElementById("canvas"), copy = document.createElement("canvas");
        copy.width = 160;
        copy.height = 100;
        const c = copy.getContext("2d", { willReadFrequently: true });
        c.drawImage(canvas, 0, 0, copy.width, copy.height);
        return [...c.getImageData(0, 0, copy.width, copy.height).data];
    });
}

/** Share of pixels that differ clearly. */
export function difference(a, b) {
    let n = 0;
    for (let i = 0; i < a.length; i += 4)
        if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) n++;
    return 4 * n / a.length;
}
