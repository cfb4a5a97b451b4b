// Looks at the finished pages, not at how they were made: every link, anchor and picture leads somewhere, no anchor stands twice, nothing is fetched from a
// network, and the references are complete, counted another way than they were built.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export function check(out, { root, index, scene, methods, commands }) {
    const faults = [], names = readdirSync(out).filter(name => name.endsWith(".html"));
    const text = new Map(names.map(name => [name, readFileSync(join(out, name), "utf8")])), ids = new Map();
    for (const [name, html] of text) {
        if (html.includes("<!--")) faults.push(`${name}: holds a comment, which the search would show`);
        const all = [...html.matchAll(/\sid="([^"]*)"/g)].map(hit => hit[1]);
        ids.set(name, new Set(all));
        for (const id of new Set(all.filter((each, i) => all.indexOf(each) !== i))) faults.push(`${name}: the anchor ${id} stands twice`);
    }
    const leads = (from, address) => {
        const [file, fragment] = address.split("#"), target = file || from;
        if (!existsSync(join(out, target))) faults.push(`${from}: ${address} leads nowhere`);
        else if (fragment && !ids.get(target)?.has(decodeURIComponent(fragment))) faults.push(`${from}: ${address}: there is no such place`);
    };
    for (const [name, html] of text) {
        for (const [, attribute, address] of html.matchAll(/\s(href|src)="([^"]*)"/g)) {
            if (!/^[a-z]+:/.test(address)) leads(name, address.replace(/&amp;/g, "&"));
            else if (attribute === "src") faults.push(`${name}: ${address} comes from a network`);
        }
    }
    for (const file of ["style.css", "site.js"]) if (/https?:|@import/.test(readFileSync(join(out, file), "utf8"))) faults.push(`${file}: something comes from a network`);
    for (const [page, id] of index) leads(page, `${page}#${id}`);

    // Completeness, from the sources' text alone.
    const headers = readdirSync(join(root, "include/cairn")).filter(name => name.endsWith(".h"));
    for (const name of headers) {
        const source = readFileSync(join(root, "include/cairn", name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
        const wanted = [...source.matchAll(/^(?:CAIRN_API|static inline)[^;{]*?\b(cairn_\w+)\(/gm), ...source.matchAll(/^\} (cairn_\w+);/gm), ...source.matchAll(/^ +(CAIRN_\w+)(?: = [^,]*)?,?$/gm)].map(hit => hit[1]);
        const page = name === "cairn.h" ? "c-reference.html" : `c-${name.replace(/\.h$/, ".html")}`;
        for (const each of wanted) if (!ids.get(page)?.has(each)) faults.push(`${page}: ${each} of include/cairn/${name} is missing`);
    }
    const keys = new Set();
    const collect = node => {
        if (Array.isArray(node)) node.forEach(collect);
        else if (node && typeof node === "object") for (const [key, value] of Object.entries(node)) {
            if (key === "properties") Object.keys(value).forEach(each => keys.add(each));
            collect(value);
        }
    };
    collect(JSON.parse(readFileSync(join(root, "scenes/schema.json"), "utf8")));
    for (const key of keys) if (!text.get("scene-reference.html").includes(`<td><code>${key}</code>`)) faults.push(`scene-reference.html: the key ${key} is missing`);
    for (const { path, full } of scene.keys) if (!full.description) faults.push(`scenes/schema.json: ${path} has no description`);
    for (const method of methods) if (!ids.get("methods-reference.html").has(method.name)) faults.push(`methods-reference.html: ${method.name} is missing`);
    for (const command of commands) if (!command.examples.length || !command.options.some(option => option.name === "--help")) faults.push(`commands-reference.html: cairn ${command.name} has no examples or options`);
    return faults;
}
