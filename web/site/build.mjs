// The documentation as a small static site: node web/site/build.mjs PROGRAM OUT. PROGRAM is the built cairn, which is asked for methods and commands;
// OUT is a folder that can be opened from disk. Ends with 1 when a link, an anchor or a picture leads nowhere.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { check } from "./check.mjs";
import { layout } from "./layout.mjs";
import { render } from "./markdown.mjs";
import { pagesOf } from "./pages.mjs";
import { referenceC } from "./reference_c.mjs";
import { referenceCommands, referenceMethods } from "./reference_program.mjs";
import { referenceScene } from "./reference_scene.mjs";
import { plain } from "./text.mjs";

const here = dirname(fileURLToPath(import.meta.url)), root = resolve(here, "../..");
const [, , programArgument, outArgument] = process.argv;
if (!programArgument || !outArgument) {
    console.error("usage: node web/site/build.mjs PROGRAM OUT");
    process.exit(2);
}
const program = resolve(programArgument), out = resolve(outArgument);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const groups = pagesOf(root), faults = [], pictures = new Map();
const outOf = new Map(groups.flatMap(({ pages }) => pages.map(page => [page.file, page.out])));
const theory = [...readFileSync(join(root, "docs/theory.md"), "utf8").matchAll(/^## (\d+)\. (.*)$/gm)];
const theoryAnchor = new Map(theory.map(([, number, title]) => [number, `${number}-${title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")}`]));
// [T21 (47a)] leads to the list of papers, [theory 6] to its section.
const papers = [...readFileSync(join(root, "docs/references.md"), "utf8").matchAll(/^\| \[(\w+)\] /gm)].map(hit => hit[1]);
const cited = new RegExp(`\\[(${papers.join("|")})\\b( [^\\]\\[]*)?\\]`, "g");
const cite = html => html.replace(cited, (all, key, place = "") => {
    const number = /^ (\d+)/.exec(place)?.[1];
    return `<a class="cite" href="${key === "theory" ? `theory.html${theoryAnchor.has(number) ? `#${theoryAnchor.get(number)}` : ""}` : "references.html"}">${all}</a>`;
});

const c = referenceC(root, cite), scene = referenceScene(root), methods = referenceMethods(program, cite), commands = referenceCommands(program);
const generated = new Map([["*c", c.pages[0]], ["*scene", scene.page], ["*methods", methods.page], ["*commands", commands.page]]);
for (const header of c.pages.slice(1)) outOf.set(header.source, header.out);
outOf.set("scenes/schema.json", scene.page.out);

const site = {
    pageOf: file => outOf.get(file),
    nameOf: file => groups.flatMap(group => group.pages).find(page => page.file === file)?.name,
    exists: file => existsSync(join(root, file)),
    fault: text => faults.push(text),
    symbol(text) {
        const name = text.replace(/\(\)$/, ""), command = /^(?:build\/)?cairn ([a-z]+)$/.exec(text)?.[1];
        if (c.symbols.has(name)) return c.symbols.get(name);
        return commands.commands.some(each => each.name === command) ? `${commands.page.out}#${command}` : undefined;
    },
    picture(file, from) {
        if (!existsSync(join(root, file))) faults.push(`${from}: there is no picture ${file}`);
        pictures.set(`pictures/${basename(file)}`, file);
        return `pictures/${basename(file)}`;
    }
};

const pages = [];
for (const page of groups.flatMap(group => group.pages)) {
    const made = generated.get(page.file);
    if (made) Object.assign(page, made, { name: page.name });
    else Object.assign(page, render(readFileSync(join(root, page.file), "utf8"), page.file, site), { source: page.file });
    pages.push(page);
    if (page.file === "*c") {
        page.children = c.pages.slice(1).map(header => ({ ...header, parent: page.out }));
        pages.push(...page.children);
    }
}

// What the search looks through: [page, anchor, heading, words], a part for each heading.
const index = [];
for (const page of pages) {
    const cuts = page.heads.map(head => ({ head, at: page.html.indexOf(`id="${head.id}"`) })).filter(({ at }) => at >= 0);
    cuts.forEach(({ head, at }, i) => {
        const begin = page.html.indexOf(">", at) + 1, text = plain(`<p>${page.html.slice(begin, cuts[i + 1]?.at ?? page.html.length)}`.replace(/<h\d\s*$|<tr\s*$/, "").replace(/<a class="here"[\s\S]*?<\/a>/g, ""));
        index.push([page.out, head.id, page.title, head.text, text.slice(head.text.length, head.text.length + 1500).trim()]);
    });
}

const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim().replace(/^cairn\s+/i, "").split(/\s/)[0];
for (const page of pages) writeFileSync(join(out, page.out), layout(page, groups, version));
writeFileSync(join(out, "search-index.js"), `const cairnIndex = ${JSON.stringify(index)};\n`);
for (const name of ["style.css", "site.js", "mark.svg"]) copyFileSync(join(here, name), join(out, name));
const font = join(here, "../node_modules/@fontsource/stix-two-math"); // SIL Open Font License
copyFileSync(join(font, "files/stix-two-math-latin-400-normal.woff2"), join(out, "math.woff2"));
copyFileSync(join(font, "LICENSE"), join(out, "math-font-licence.txt"));
mkdirSync(join(out, "pictures"), { recursive: true });
for (const [to, from] of pictures) if (existsSync(join(root, from))) copyFileSync(join(root, from), join(out, to));

faults.push(...check(out, { root, index, c, scene, methods: methods.methods, commands: commands.commands }));
for (const fault of faults) console.error(fault);
console.log(`${pages.length} pages, ${c.symbols.size} names of C, ${scene.keys.length} scene keys, ${methods.methods.length} methods, ${commands.commands.length} commands, ${index.length} sections to search, ${faults.length} faults: ${join(out, "index.html")}`);
process.exit(faults.length ? 1 : 0);
