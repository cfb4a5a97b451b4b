// The documentation in a browser: every page at the width of a desk and of a phone, dark and light, without errors and without anything that sticks out;
// search finds what it should; equations are MathML; the switch of colours works.  node site.mjs FOLDER
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./browser.mjs";

const folder = process.argv[2], browser = await launch();
const names = readdirSync(folder).filter(name => name.endsWith(".html"));
const open = async (width, height, scheme, scripts = true) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: scripts });
    const page = await context.newPage(), complaints = [];
    page.on("console", message => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
    page.on("pageerror", error => complaints.push(error.message));
    page.on("request", request => { if (!/^(file|data):/.test(request.url())) complaints.push(`network: ${request.url()}`); });
    return { page, complaints, go: name => page.goto(`file://${join(folder, name)}`), end: () => context.close() };
};
try {
    for (const [width, height, scheme] of [[1400, 900, "light"], [400, 800, "dark"]]) {
        const { page, complaints, go, end } = await open(width, height, scheme);
        for (const name of names) {
            await go(name);
            const { wide, words, broken } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth - innerWidth, words: document.querySelector("main").innerText.length,
                broken: [...document.images].filter(image => image.loading !== "lazy" && image.complete && image.naturalWidth === 0).map(image => image.src) }));
            assert.ok(wide <= 0, `${name} at ${width} pixels: ${wide} pixels stick out`);
            assert.ok(words > 200, `${name} is nearly empty`);
            assert.deepEqual(broken, [], name);
        }
        assert.deepEqual(complaints, []);
        await end();
    }

    // Names in tables are never broken inside a word; code that scrolls uses all the room there is; every block can be copied.
    for (const [width, height] of [[1280, 900], [400, 800]]) {
        const { page, go, end } = await open(width, height, "light");
        for (const name of names) {
            await go(name);
            const { broken, narrow, copies } = await page.evaluate(() => {
                const lines = (node, from, to) => { const r = document.createRange(); r.setStart(node, from); r.setEnd(node, to); return new Set([...r.getClientRects()].map(b => Math.round(b.top))).size; };
                const broken = [];
                for (const code of document.querySelectorAll("td code, th code")) {
                    const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
                    for (let node = walk.nextNode(); node; node = walk.nextNode())
                        for (const word of node.data.matchAll(/(?<![\w-])--?[a-z][\w-]*|[A-Za-z0-9_]{2,}/g))
                            if (lines(node, word.index, word.index + word[0].length) > 1) broken.push(word[0]);
                }
                const room = document.querySelector("main"), style = getComputedStyle(room), inner = room.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
                const narrow = [...document.querySelectorAll("main > .code > pre")].filter(pre => pre.scrollWidth > pre.clientWidth && pre.clientWidth < inner - 4).length;
                return { broken, narrow, copies: [...document.querySelectorAll(".code")].filter(c => !c.querySelector(".copy") || getComputedStyle(c.querySelector(".copy")).opacity === "0").length };
            });
            assert.deepEqual(broken, [], `${name} at ${width} pixels: names broken in tables`);
            assert.equal(narrow, 0, `${name} at ${width} pixels: code scrolls with room beside it`);
            assert.equal(copies, 0, `${name}: ${copies} blocks of code without a button to copy`);
        }
        await go("gallery.html");
        const widths = await page.$$eval("main td img", all => all.map(image => Math.round(image.getBoundingClientRect().width)));
        assert.ok(widths.length > 1 && Math.max(...widths) - Math.min(...widths) <= 1, `gallery.html at ${width} pixels: pictures of widths ${[...new Set(widths)]}`);
        await go("scenes.html");
        assert.ok(await page.locator("details.small summary").isVisible() , "no list of what is on the page");
        assert.match(await page.textContent(".steps"), /previous/);
        await end();
    }

    const { page, go, end } = await open(1400, 900, "light");
    await go("index.html");
    const look = async (text, expected) => {
        await page.fill("#search", text);
        const found = await page.$$eval("#hits a", links => links.map(link => link.getAttribute("href")));
        assert.ok(found.slice(0, 3).includes(expected), `searching '${text}' gives ${found.slice(0, 5)}, expected ${expected} among the first three`);
    };
    await look("cairn_solver_load", "c-solver.html#cairn_solver_load");
    await look("splitmetric", "methods-reference.html#splitmetric");
    await look("cairn snapshot", "commands-reference.html#snapshot");
    await page.fill("#search", "no such word anywhere");
    assert.equal(await page.textContent("#hits"), "nothing found");
    await page.fill("#search", "cairn_solver_load");
    await page.press("#search", "Enter");
    await page.waitForURL(/c-solver\.html#cairn_solver_load$/);

    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click("#theme");
    const dark = await paper();
    assert.notEqual(light, dark, "the switch of colours does nothing");
    await go("theory.html");
    assert.equal(await paper(), dark, "the colours are forgotten on the next page");
    assert.ok(await page.locator("math").count() >= 4, "the theory has no equations");
    await end();

    // Without scripts the text and the list of pages are there.
    const plain = await open(400, 800, "light", false);
    await plain.go("theory.html");
    assert.ok(await plain.page.locator("math").first().isVisible());
    await plain.page.click(".menu summary");
    assert.ok(await plain.page.locator(".menu a[href='concepts.html'], .menu a[href='certificate.html']").first().isVisible());
    await plain.end();
    console.log(`${names.length} pages opened at two sizes`);
} finally {
    await browser.close();
}
