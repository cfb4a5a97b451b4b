// How long replay pages take: node speed.mjs opening PAGE.html [TIMES] | pictures PAGE.html
// opening: ms from the beginning of the page to its first picture. pictures: ms of a picture with all bodies and of the empty scene, and of the scripts alone.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const [, , what, file, times = "7"] = process.argv, path = resolve(file), browser = await launch();
const middle = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
try {
    if (what === "opening") {
        const taken = [];
        let meta;
        for (let i = 0; i < Number(times); i++) {
            const { page, context } = await open(browser, path);
            taken.push((await page.evaluate(() => window.cairnReplay.opened())).ms);
            meta ??= await page.evaluate(() => { const { bodies, frames, contacts, kept } = JSON.parse(document.getElementById("run").textContent); return { bodies: bodies.length, frames, contacts, kept }; });
            await context.close();
        }
        const size = statSync(path).size;
        console.log(`${file}: ${meta.bodies} bodies, ${meta.frames} frames, ${(size / 1e6).toFixed(1)} MB, ${(100 * meta.kept / Math.max(1, meta.contacts)).toFixed(0)} % of ${meta.contacts} contacts`);
        console.log(`first picture after ${(Math.min(...taken) / 1000).toFixed(2)} s, median ${(middle(taken) / 1000).toFixed(2)} s of ${taken.length}`);
        if (size > 25e6) throw new Error("the page is larger than 25 MB");
    } else {
        const { page, context } = await open(browser, path);
        const n = await page.evaluate(() => JSON.parse(document.getElementById("run").textContent).bodies.length);
        const all = [], empty = [];
        let last;
        for (let i = 0; i < 5; i++) {
            await page.evaluate(() => window.cairnReplay.go(0));
            all.push(last = await page.evaluate(() => window.cairnReplay.measure(4, false)));
            empty.push(await page.evaluate(() => window.cairnReplay.measure(4, true)));
        }
        const time = middle(all.map(x => x.all)), bare = middle(empty.map(x => x.all));
        console.log(`${file}: ${n} bodies, ${last.calls} draw calls, ${last.triangles} triangles`);
        console.log(`a picture ${time.toFixed(0)} ms, of the empty scene ${bare.toFixed(0)} ms: ratio ${(time / bare).toFixed(1)}; scripts ${Math.min(...all.map(x => x.script)).toFixed(1)} ms`);
        await context.close();
    }
} finally {
    await browser.close();
}
