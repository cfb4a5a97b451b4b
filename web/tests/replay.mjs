// Replay pages in a real browser: node replay.mjs FOLDER. FOLDER holds NAME.html and tables/NAME/contacts.csv, poses.csv, frames.csv for each
// run (tests/web/web_replay.sh makes them). What the page says is held against the tables, which have all digits of the recording.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
    const strongest = Math.max(0, ...recorded.flatMap(c => [c.px, c.py, c.pz].map(x => Math.abs(Number(x)))));
    const key = c => c.join(",");
    const rest = new Map();
    for (const c of recorded) rest.set(key([c.a, c.b]), [...rest.get(key([c.a, c.b])) ?? [], [c.px, c.py, c.pz].map(Number)]);
    for (const c of shown) {
        const p = rest.get(key(c.body))?.shift(), size = p && Math.hypot(...p);
        check(p && c.impulse.every((x, k) => near(x, p[k], 2.5e-4 * size + 6e-8 * strongest)), `${run}: impulse ${c.impulse} of ${c.body}, recorded is ${p}`);
    }
    const poses = table(run, "poses").filter(p => p.step === step);
    const places = await page.evaluate(list => list.map(i => window.cairnReplay.bodyAt(i).position), poses.map(p => Number(p.body)));
    poses.forEach((row, i) => check([row.x, row.y, row.z].every((x, k) => near(places[i][k], Number(x), 2e-3)), `${run}: body ${row.body} at ${places[i]}`));
}

/** Clicks a contact that can be seen; the panel must show the impulse that the recording holds. */
async function clickContact(page, run, frame) {
    await call(page, "go", frame);
    for (const name of ["points", "arrows", "transparent"]) await page.setChecked(`input[data-switch=${name}]`, true);
    await page.evaluate(() => scrollTo(0, 0)); // on a phone the switches are far below the scene
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
    check(await page.locator(".plot .uplot canvas").count() === (contacts ? 5 : 4), `${run}: five plots, without contacts four`);
    await page.waitForFunction(() => /t=/.test(location.hash));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    check(wide, `${run}: wider than the window`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
    console.log(`${run}: ${frames} frames, ${clicked}`);
}

/** Opens alive, says nothing of a certificate before the first step, and keeps still while it plays: no height changes, nothing scrolls. */
async function testFirstLook(browser, run, width, height) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width, height });
    const start = await call(page, "state");
    check(start.playing, `${run}: the page opens without moving`);
    const sizes = new Set();
    for (let i = 0; i < 12; i++) {
        sizes.add(await page.evaluate(() => [document.getElementById("canvas").clientHeight, document.documentElement.scrollHeight, document.querySelector("header").clientHeight].join(" ")));
        await page.waitForTimeout(120);
    }
    check(sizes.size === 1, `${run} at ${width} x ${height}: the page jumps while it plays: ${[...sizes].join("; ")}`);
    const tall = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    check(tall <= 0, `${run} at ${width} x ${height}: ${tall} pixels below the window`);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".plot")].filter(p => p.querySelector(".uplot").getBoundingClientRect().bottom > p.getBoundingClientRect().bottom).length);
    check(cut === 0, `${run}: axes of ${cut} plots are cut off`);
    await call(page, "go", 0);
    const words = await page.locator("#inspect").textContent();
    check(/The state before the first step/.test(words) && !/certified|solved$|outcome/.test(words), `${run}: frame 0 says ${words}`);
    const above = await page.evaluate(() => {
        const title = [...document.querySelectorAll(".plot h2")].find(h => /Certificate/.test(h.textContent));
        return title ? title.textContent : "";
    });
    check(/shares of/.test(above), `${run}: the certificate is not in shares of its limit: ${above}`);
    await context.close();
}

/** The picture of the PNG button is twice as fine as the page and has the legend. */
async function testPicture(browser, run) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620, hash: "#t=0.2&show=arrows,points,shadows" });
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#tools button", { hasText: "PNG" }).click()]);
    const bytes = readFileSync(await download.path()), width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20);
    const shown = await page.locator("#canvas").evaluate(c => [c.clientWidth, c.clientHeight]);
    check(width === 2 * shown[0] && height === 2 * shown[1], `${run}: the picture has ${width} x ${height} pixels, the scene ${shown}`);
    const ink = await page.evaluate(async data => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob()), c = new OffscreenCanvas(400, 60).getContext("2d");
        c.drawImage(image, 0, 0);
        const list = c.getImageData(0, 0, 400, 60).data, seen = new Set();
        for (let i = 0; i < list.length; i += 4) seen.add((list[i] >> 4) << 8 | (list[i + 1] >> 4) << 4 | list[i + 2] >> 4);
        return seen.size;
    }, bytes.toString("base64"));
    check(ink > 20, `${run}: the legend is not in the picture (${ink} colours where it should be)`);
    await context.close();
    console.log(`${run}: a picture of ${width} x ${height} with its legend`);
}

/** At the size of a phone, dark: drawn, scrubbed, a contact tapped, nothing wider than the screen. */
async function testPhone(browser, run) {
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 400, height: 800, scheme: "dark", touch: true });
    const { frames } = await page.evaluate(() => ({ frames: window.cairnReplay.frames }));
    await call(page, "go", 0);
    const first = await pixels(page), background = first.slice(0, 4);
    check(difference(first, first.map((_, i) => background[i % 4])) > 0.03, `${run}: the canvas is empty on a phone`);
    await page.locator("#scrub").fill(String(frames - 1));
    await call(page, "go", frames - 1);
    check(difference(first, await pixels(page)) > 0.001, `${run}: scrubbing moves nothing on a phone`);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${run}: wider than a phone`);
    check(await page.evaluate(() => document.documentElement.dataset.theme) === "dark", `${run}: not dark`);
    for (const id of ["play", "scrub"]) check(await page.locator(`#${id}`).isVisible(), `${run}: no ${id} on a phone`);
    if (table(run, "contacts").length > 0) await clickContact(page, run, frames - 1);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
}

/** Everything by keys alone: controls can be reached, named and used. */
async function testKeys(browser, run) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620 });
    const seen = [];
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const one = await page.evaluate(() => {
            const e = document.activeElement;
            if (!e || e === document.body) return null;
            const name = e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.title;
            return { what: `${e.tagName} ${e.id || name}`, name, ring: getComputedStyle(e).outlineStyle !== "none" };
        });
        if (!one) break;
        check(one.name, `${run}: ${one.what} has no name`);
        check(one.ring, `${run}: one does not see that ${one.what} has the focus`);
        seen.push(one.what);
    }
    for (const what of ["CANVAS canvas", "BUTTON play", "INPUT scrub", "SUMMARY Display"]) check(seen.includes(what), `${run}: Tab does not reach ${what}: ${seen}`);
    await page.locator("#canvas").focus();
    const before = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press("d");
    check(await page.evaluate(() => document.documentElement.dataset.theme) !== before, `${run}: D does not change the theme`);
    await page.keyboard.press("b");
    check((await call(page, "state")).moment.colour === "speed", `${run}: B does not change the colours`);
    await page.keyboard.press("h");
    check(await page.locator("#help").isVisible(), `${run}: H shows no help`);
    await page.keyboard.press("Escape");
    check(!await page.locator("#help").isVisible(), `${run}: Escape does not close the help`);
    await context.close();
}

/** The first picture needs figures and one chunk of bodies, however long the run. */
async function testOpening(browser, run) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width: 400, height: 300 });
    const { opened, meta, data } = await page.evaluate(() => ({ opened: window.cairnReplay.opened(), meta: JSON.parse(document.getElementById("run").textContent),
        data: [...document.querySelectorAll("script[type='text/plain']")].map(e => e.id) }));
    const most = 8 * meta.frames * meta.series.length + 4 * 15 * meta.moving.length * meta.chunk + 4 * 9 * meta.joints.length * meta.chunk;
    const joints = meta.joints.length > 0 ? 1 : 0;
    check(data.length >= 5 + 2 * joints, `${run}: too few blocks (${data}) to tell`);
    check(opened.blocks === 2 + joints && opened.bytes <= most, `${run}: the first picture needed ${opened.blocks} blocks, ${opened.bytes} bytes; expected ${2 + joints}, ${most}`);
    await context.close();
    console.log(`${run}: the first picture needed ${opened.blocks} of ${data.length} blocks, ${opened.bytes} bytes`);
}

/** Thousands of bodies: how much is drawn and written for a picture, and how long the scripts take against a loop over as many bodies. */
async function testMany(browser, run) {
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 400, height: 300 });
    await call(page, "go", 1);
    const { bodies, many, again, empty, loop } = await page.evaluate(() => {
        const replay = window.cairnReplay, n = JSON.parse(document.getElementById("run").textContent).bodies.length;
        const many = replay.measure(4, false), again = replay.measure(1, false), empty = replay.measure(2, true);
        const q = new Float32Array(4 * n).fill(0.5), to = new Float32Array(16 * n);
        let loop = Infinity;
        for (let k = 0; k < 20; k++) {
            const begin = performance.now();
            for (let i = 0; i < n; i++) {
                const w = q[4 * i], x = q[4 * i + 1], y = q[4 * i + 2], z = q[4 * i + 3];
                const m = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0, 2 * (x * y - w * z), 1 - 2 * (x * x + z * z),
                    2 * (y * z + w * x), 0, 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, 0, 0, 0, 1];
                to.set(m, 16 * i);
            }
            loop = Math.min(loop, performance.now() - begin);
        }
        return { bodies: n, many, again, empty, loop: Math.max(loop, 0.05) };
    });
    check(many.calls <= empty.calls + 2, `${run}: ${many.calls} draw calls for ${bodies} bodies of one shape, ${empty.calls} for none`);
    check(many.triangles <= 40 * bodies, `${run}: ${many.triangles} triangles for ${bodies} small balls`);
    check(many.matrices <= 4 * bodies && many.matrices >= 3 * (bodies - 1), `${run}: ${many.matrices} matrices for 4 pictures in which all move`);
    check(again.matrices === 0, `${run}: ${again.matrices} matrices for a picture in which nothing moved`);
    check(many.script < 80 * loop, `${run}: scripts take ${many.script} ms for a picture, a loop over the bodies ${loop} ms`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
    console.log(`${run}: ${bodies} bodies, ${many.calls} draw calls, ${many.triangles} triangles; scripts ${many.script.toFixed(1)} ms (a loop over the bodies ${loop.toFixed(2)} ms), `
        + `a picture ${(many.all / empty.all).toFixed(1)} times as long as that of the empty scene`);
}

/** Bodies that a step leaves in each other: the panel says how deep, how deep they may be, and that no motion was found. */
async function testPressed(browser, run) {
    const rows = readFileSync(`${folder}/tables/${run}/frames.csv`, "utf8").trim().split("\n").slice(1), last = rows.length - 1;
    const [depth, tolerance, apart, fallbacks] = rows[last].split(",").slice(-5, -1).map(Number); // behind the note, which has commas
    check(depth > tolerance && apart === 0 && fallbacks === 1, `${run}: this run should leave bodies in each other`);
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620 });
    const cell = name => page.locator(`#inspect td[data-name='${name}']`);
    const shows = async frame => { await call(page, "go", frame); await page.waitForFunction(k => window.cairnReplay.state().shown === k, frame); };
    await shows(last);
    const [said, limit] = (await cell("depth left").textContent()).split(", at most ").map(parseFloat);
    check(near(said, depth, 5e-3 * depth) && near(limit, tolerance, 5e-3 * tolerance), `${run}: depth left ${said} of ${limit}, recorded are ${depth} and ${tolerance}`);
    check(await cell("fall-back").textContent() === "1 island", `${run}: the panel does not tell the fall-back`);
    await shows(1);
    check(await cell("depth left").textContent() === "0 m" && await cell("fall-back").count() === 0, `${run}: the first step leaves nothing`);
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

/** Flexible parts: nodes where the recording has them, skins that move and are coloured by stress, figures of a node that was clicked. */
async function testFlexible(browser, run) {
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620 });
    const { frames } = await page.evaluate(() => ({ frames: window.cairnReplay.frames })), last = frames - 1;
    await call(page, "go", last);
    const step = table(run, "frames")[last].step, recorded = table(run, "nodes").filter(n => n.step === step), shown = await call(page, "nodes");
    check(recorded.length > 0 && shown.length === 5 * recorded.length, `${run}: ${shown.length} numbers of nodes, recorded are ${recorded.length} nodes`);
    const size = Math.max(...recorded.map(n => Math.hypot(Number(n.x), Number(n.y), Number(n.z))));
    recorded.forEach((n, i) => check([n.x, n.y, n.z].every((x, k) => near(shown[5 * i + k], Number(x), 1e-3 * size)), `${run}: node ${i} at ${shown.slice(5 * i, 5 * i + 3)}`));
    const colour = "select[aria-label='Colour of bodies']", looks = [];
    check(await page.locator(colour).inputValue() === "stress", `${run}: a run with stresses does not begin with them`);
    check(!await page.locator("input[data-switch=joints]").isChecked(), `${run}: the joints of glued nodes hide the parts`);
    for (const by of ["stress", "body", "speed", "island", "residual"]) {
        await page.selectOption(colour, by);
        looks.push(await pixels(page));
    }
    for (const other of looks.slice(1)) check(difference(looks[0], other) > 0.005, `${run}: some colours look like those by stress`);
    await page.selectOption(colour, "stress");
    check(/von Mises stress.*0.*Pa/.test(await page.locator("#legend").textContent()), `${run}: the legend does not name the stress`);
    const place = await page.evaluate(() => {
        const r = document.getElementById("canvas").getBoundingClientRect();
        for (let y = 0.2; y < 0.9; y += 0.05) for (let x = 0.2; x < 0.8; x += 0.03) {
            const found = window.cairnReplay.partAt(x * r.width, y * r.height);
            if (found) return [r.left + x * r.width, r.top + y * r.height];
        }
        return null;
    });
    check(place, `${run}: no skin under the pointer anywhere`);
    await page.mouse.click(...place);
    await page.waitForSelector("#inspect td[data-name='· von Mises stress']");
    // the part's figures are those of the table: its largest stress, and the stress of a node that it has
    const units = { Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9 }, pascal = async name => {
        const [x, unit] = (await page.locator(`#inspect td[data-name='${name}']`).textContent()).split(" ");
        return Number(x) * units[unit];
    };
    const body = (await call(page, "state")).moment.body, meta = await page.evaluate(() => JSON.parse(document.getElementById("run").textContent));
    const part = meta.parts.find(q => q.body === body), own = recorded.filter(n => Number(n.node) >= part.first && Number(n.node) < part.first + part.nodes).map(n => Number(n.mises));
    const largest = Math.max(...own), clicked = await pascal("· von Mises stress");
    check(near(await pascal("largest stress"), largest, 0.01 * largest), `${run}: the largest stress is ${largest} Pa`);
    check(own.some(x => near(clicked, x, 0.02 * largest)), `${run}: no node has a stress of ${clicked} Pa`);
    // followed, it stays where it is in the picture; Fit ends that and shows everything
    await page.locator("#follow").click();
    const seen = [];
    for (const k of [last, 0]) {
        await call(page, "go", k);
        seen.push((await page.evaluate(b => window.cairnReplay.bodyAt(b), body)).screen);
    }
    check(Math.hypot(seen[0][0] - seen[1][0], seen[0][1] - seen[1][1]) < 2, `${run}: the followed part moves from ${seen[0]} to ${seen[1]}`);
    await page.keyboard.press("f");
    const box = await page.locator("#canvas").boundingBox();
    for (const q of meta.parts) {
        const at = (await page.evaluate(b => window.cairnReplay.bodyAt(b), q.body)).screen;
        check(at[0] > 0 && at[1] > 0 && at[0] < box.width && at[1] < box.height, `${run}: part ${q.body} is outside of the picture at ${at}`);
    }
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
    console.log(`${run}: ${recorded.length} nodes as recorded`);
}

/** What a page costs: characters for a body and frame, and for a contact. A page of the whole wall has 0.6 million of the first and 7 million of the second to
 *  put below 25 MB. */
async function testSize(browser, run, most) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width: 400, height: 300 });
    const { meta, size } = await page.evaluate(() => {
        const size = {};
        for (const e of document.querySelectorAll("script[type='text/plain']")) size[e.id.replace(/-.*/, "")] = (size[e.id.replace(/-.*/, "")] ?? 0) + new Blob([e.textContent]).size;
        return { meta: JSON.parse(document.getElementById("run").textContent), size };
    });
    const body = size.bodies / (meta.moving.length * meta.frames), contact = size.contacts / meta.kept, node = meta.nodes ? (size.nodes ?? 0) / (meta.nodes * meta.frames) : 0;
    check(meta.kept === meta.contacts && body < most.body && contact < most.contact && node <= (most.node ?? 0),
        `${run}: ${body} bytes a body and frame, ${contact} a contact, ${node} a node and frame; at most ${JSON.stringify(most)}`);
    await context.close();
    console.log(`${run}: ${body.toFixed(1)} bytes a body and frame, ${contact.toFixed(1)} a contact, ${node.toFixed(1)} a node and frame`);
}

/** A contact that sinks at its cap is called crushed. */
async function testCrushed(browser, run) {
    const { page, complaints, context } = await open(browser, `${folder}/${run}.html`, { width: 800, height: 620 });
    await clickContact(page, run, table(run, "frames").length - 1);
    check(await page.locator("#inspect td[data-name=status]").textContent() === "crushed", `${run}: the panel does not call the contact crushed`);
    check(complaints.length === 0, `${run}: ${complaints.join("; ")}`);
    await context.close();
}

/** Of stones that stand the plot of energies does not show the noise of their potential energy. */
async function testStanding(browser, run) {
    const { page, context } = await open(browser, `${folder}/${run}.html`, { width: 1280, height: 720 });
    const most = Math.max(...table(run, "frames").map(row => Math.abs(Number(row.potential)))), [low, high] = (await call(page, "ranges")).Energy;
    check(low >= -1e-7 * most && high >= 1e-6 * most && high <= 2e-6 * most, `${run}: energies of ${most} J are drawn from ${low} to ${high} J`);
    await context.close();
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
    for (const run of ["wall", "granular", "robot", "chain"]) await testRun(browser, run);
    for (const [run, width, height] of [["robot", 1280, 720], ["wall", 1280, 900], ["egg", 1366, 768]]) await testFirstLook(browser, run, width, height);
    for (const run of ["wall", "granular", "robot", "egg"]) await testPhone(browser, run);
    await testSize(browser, "wall", { body: 12, contact: 8 });
    await testSize(browser, "egg", { body: 4, contact: 11, node: 0.7 });
    await testKeys(browser, "failed");
    await testOpening(browser, "granular");
    await testMany(browser, "many");
    await testFlexible(browser, "egg");
    await testFailed(browser, "failed");
    await testPressed(browser, "pressed");
    await testCrushed(browser, "crushed");
    await testStanding(browser, "arch");
    await testLink(browser, "wall");
    await testPicture(browser, "wall");
    console.log(`${checks} checks in Chromium passed`);
} finally {
    await browser.close();
}
