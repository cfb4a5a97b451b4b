// Replay pages in a real browser: node replay.mjs FOLDER. FOLDER holds NAME.html and tables/NAME/contacts.csv, poses.csv, frames.csv for each
// run (tests/web_replay.sh makes them). What the page says is held against the tables, which have all digits of the recording.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { difference, launch, open, pixels } from "./browser.mjs";

const folder = process.argv[2];
let checks = 0;
const check = (good, text) => { checks++; assert.ok(good, text); };

function table(run, name) {
    const [head, ...rows] = readFileSync(`${folder}/tables/${run}/${name}.csv`, "utf8").trim().split("\n");
    const names = head.split(",");
    return rows.map(row => Object.fromEntries(row.split(",").map((v, i) => [names[i], v])));
}

const call = (page, name, ...rest) => page.evaluate(([n, r]) => window.cairnReplay[n](...r), [name, rest]);
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

/** Position of bodies and impulses of contacts of a frame are those of the recording. */
async function holdAgainstTables(page, run, frame) {
    await call(page, "go", frame);
    const step = table(run, "frames")[frame].step;
    const recorded = table(run, "contacts").filter(c => c.step === step), shown = await call(page, "contacts");
    check(shown.length === recorded.length, `${run}: ${shown.length} contacts in frame ${frame}, recorded are ${recorded.length}`);
    const key = c => c.join(",");
    const rest = new Map();
    for (const c of recorded) rest.set(key([c.a, c.b]), [...rest.get(key([c.a, c.b])) ?? [], [c.px, c.py, c.pz].map(Number)]);
    for (const c of shown) {
        const p = rest.get(key(c.body))?.shift(), size = p && Math.hypot(...p);
        check(p && c.impulse.every((x, k) => near(x, p[k], 2.5e-4 * size + 1e-25)), `${run}: impulse ${c.impulse} of ${c.body}, recorded is ${p}`);
    }
    const poses = table(run, "poses").filter(p => p.step === step);
    const places = await page.evaluate(list => list.map(i => window.cairnReplay.bodyAt(i).position), poses.map(p => Number(p.body)));
    poses.forEach((row, i) => check([row.x, row.y, row.z].every((x, k) => near(places[i][k], Number(x), 2e-3)), `${run}: body ${row.body} at ${places[i]}`));
}

/** Clicks a contact that can be seen; the panel must show the impulse that the recording holds. */
async function clickContact(page, run, frame) {
    await call(page, "go", frame);
    for (const name of ["points", "arrows", "transparent"]) await page.setChecked(`input[data-switch=${name}]`, true);
    const step = table(run, "frames")[frame].step, list = await call(page, "contacts"), box = await page.locator("#canvas").boundingBox();
    const alone = list.filter(c => c.screen && c.screen[0] > 5 && c.screen[1] > 60 && c.screen[0] < box.width - 5 && c.screen[1] < box.height - 50 &&
        list.every(d => d === c || !d.screen || Math.hypot(c.screen[0] - d.screen[0], c.screen[1] - d.screen[1]) > 3) && Math.hypot(...c.impulse) > 0);
    check(alone.length > 0, `${run}: no contact that can be clicked`);
    const c = alone.sort((a, b) => Math.hypot(...b.impulse) - Math.hypot(...a.impulse))[0];
    await page.mouse.click(box.x + c.screen[0], box.y + c.screen[1]);
    await page.waitForSelector("#inspect td[data-name=impulse]");
    const said = parseFloat(await page.locator("#inspect td[data-name=impulse]").textContent());
    const recorded = table(run, "contacts").filter(r => r.step === step && Number(r.a) === c.body[0] && Number(r.b) === c.body[1])
        .map(r => Math.hypot(Number(r.px), Number(r.py), Number(r.pz)));
    check(recorded.some(p => near(said, p, 1e-3 * p)), `${run}: the page says ${said} N s, recorded are ${recorded}`);
    return `clicked a contact of ${said} N s`;
}

/** Drawn at all, changes with time, by the slider and by keys. */
async function moves(page, run, frames) {
    await call(page, "go", 0);
    const first = await pixels(page), background = first.slice(0, 4), empty = first.map((_, i) => background[i % 4]);
    check(difference(first, empty) > 0.03, `${run}: the canvas is empty`);
    await page.locator("#scrub").fill(String(frames - 1));
    await call(page, "go", frames - 1);
    const last = await pixels(page);
    check(difference(first, last) > 0.001, `${run}: scrubbing moves nothing`);
    await page.locator("#canvas").focus();
    await page.keyboard.press("Home");
    check((await call(page, "state")).frame === 0, `${run}: Home does not go to the first frame`);
    await page.keyboard.press("ArrowRight");
    check((await call(page, "state")).frame === 1, `${run}: the arrow key does not step`);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.cairnReplay.state().frame > 2);
    await page.keyboard.press("Space");
    check(!(await call(page, "state")).playing, `${run}: Space does not pause`);
    return [first, last];
}

async function testRun(browser, run) {
    const size = run === "wall" ? {} : { width: 800, height: 620 }; // smaller pictures are sooner drawn without a graphics card
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, size);
    const { frames } = await page.evaluate(() => ({ frames: window.cairnReplay.frames }));
    await moves(page, run, frames);
    for (const frame of [Math.floor(frames / 2), frames - 1]) await holdAgainstTables(page, run, frame);
    const contacts = table(run, "contacts").length > 0;
    const clicked = contacts ? await clickContact(page, run, frames - 1) : "without contacts";
    check(await page.locator(".plot .uplot canvas").count() === 5, `${run}: five plots`);
    await page.waitForFunction(() => /t=/.test(location.hash));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    check(wide, `${run}: wider than the window`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
    console.log(`${run}: ${frames} frames, ${clicked}`);
}

/** At the size of a phone, dark. */
async function testPhone(browser, run) {
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 400, height: 800, scheme: "dark", touch: true });
    const picture = await pixels(page), background = picture.slice(0, 4);
    check(difference(picture, picture.map((_, i) => background[i % 4])) > 0.03, `${run}: the canvas is empty on a phone`);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${run}: wider than a phone`);
    check(await page.evaluate(() => document.documentElement.dataset.theme) === "dark", `${run}: not dark`);
    for (const id of ["play", "scrub"]) check(await page.locator(`#${id}`).isVisible(), `${run}: no ${id} on a phone`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
}

/** Steps that were not certified: marked, and N goes there. */
async function testFailed(browser, run) {
    const failed = table(run, "frames").flatMap((f, k) => Number(f.uncertified) > 0 ? [k] : []);
    check(failed.length > 0, `${run}: this run should hold steps that were not certified`);
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620 });
    check(await page.locator("#marks i").count() > 0, `${run}: no red marks`);
    assert.deepEqual((await call(page, "state")).failed, failed);
    await call(page, "go", 0);
    await page.locator("#fails").click();
    const next = failed.find(k => k > 0);
    await page.waitForFunction(k => window.cairnReplay.state().shown === k, next);
    check(/not certified/.test(await page.locator("#clock").textContent()), `${run}: the clock does not say so`);
    check(/no/.test(await page.locator("#inspect td[data-name=certified]").textContent()), `${run}: the panel does not say so`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
    console.log(`${run}: ${failed.length} frames that were not certified, the first is ${failed[0]}`);
}

/** A link brings back time, camera and display. */
async function testLink(browser, run) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { hash: "#t=0.1&colour=speed&show=arrows&eye=3,-20,9&at=1,2,3" });
    const { moment } = await call(page, "state");
    check(near(moment.time, 0.1, 0.02) && moment.colour === "speed" && moment.show.join() === "arrows", `link: ${JSON.stringify(moment)}`);
    check(moment.eye.every((x, k) => near(x, [3, -20, 9][k], 1e-3)) && moment.at.every((x, k) => near(x, [1, 2, 3][k], 1e-3)), "link: camera");
    await context.close();
}

const browser = await launch();
try {
    for (const run of ["wall", "granular", "robot", "chain"]) if (existsSync(`${folder}/${run}.html`)) await testRun(browser, run);
    await testPhone(browser, "wall");
    await testFailed(browser, "failed");
    await testLink(browser, "wall");
    console.log(`${checks} checks in Chromium passed`);
} finally {
    await browser.close();
}
