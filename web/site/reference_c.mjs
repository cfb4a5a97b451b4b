// The C interface, a page a header and a page of all names, from include/cairn/*.h.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readHeader } from "./headers.mjs";
import { escape } from "./text.mjs";

// The headers in the order in which cairn.h includes them, itself first; one that it does not include comes last.
function readAll(root) {
    const folder = join(root, "include/cairn"), all = readFileSync(join(folder, "cairn.h"), "utf8");
    const names = ["cairn", ...[...all.matchAll(/^#include "(\w+)\.h"/gm)].map(hit => hit[1])];
    const others = readdirSync(folder).map(file => file.replace(/\.h$/, "")).filter(name => !names.includes(name)).sort();
    return [...names, ...others].map(name => ({ name, out: `c-${name}.html`, ...readHeader(readFileSync(join(folder, `${name}.h`), "utf8")) }));
}

// {pages: [{out, name, title, html, heads}], symbols: Map name -> address}. cite(text) turns [T21 (47a)] into links.
export function referenceC(root, cite) {
    const headers = readAll(root), symbols = new Map();
    for (const header of headers) {
        for (const { name } of header.constants) symbols.set(name, `${header.out}#${name}`);
        for (const item of header.groups.flatMap(group => group.items)) {
            symbols.set(item.name, `${header.out}#${item.name}`);
            if (item.kind === "enum") for (const { name } of item.members) symbols.set(name, `${header.out}#${name}`);
        }
    }
    const link = html => html.replace(/\b(?:cairn|CAIRN)_\w+/g, word => symbols.has(word) ? `<a href="${symbols.get(word)}">${word}</a>` : word)
        .replace(/\b(\w+)\.h\b/g, (word, name) => headers.some(header => header.name === name) ? `<a href="c-${name}.html">${word}</a>` : word);
    const inline = text => link(cite(escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")));
    const outdent = lines => lines.map(line => line.slice(Math.min(...lines.filter(Boolean).map(each => /^ */.exec(each)[0].length)))).join("\n");
    const sentence = text => text.replace(/^[a-z]/, letter => letter.toUpperCase());
    // A comment: paragraphs; lines that are set in stay as they are.
    const prose = text => text.split(/\n\s*\n/).filter(Boolean).map(part => {
        const lines = part.split("\n"), inset = lines.filter(line => /^ {2}/.test(line)).length;
        if (inset === 0) return `<p>${inline(part.replace(/\n/g, " "))}</p>`;
        const first = lines.findIndex(line => /^ {2}/.test(line));
        return (first > 0 ? `<p>${inline(lines.slice(0, first).join(" "))}</p>` : "") + `<pre>${inline(outdent(lines.slice(first)))}</pre>`;
    }).join("");
    const type = text => `<code>${link(escape(text))}</code>`;
    const table = item => item.kind === "enum"
        ? `<div class="table"><table><thead><tr><th>value</th><th>meaning</th></tr></thead><tbody>${item.members.map(({ name, value, comment }) =>
            `<tr id="${name}"><td><code>${name}${value ? ` = ${escape(value)}` : ""}</code></td><td>${inline(comment)}</td></tr>`).join("\n")}</tbody></table></div>`
        : `<div class="table"><table><thead><tr><th>field</th><th>meaning</th></tr></thead><tbody>${item.members.map(({ text, names, comment }) =>
            `<tr id="${item.name}.${names[0]}"><td>${type(text)}</td><td>${inline(comment)}</td></tr>`).join("\n")}</tbody></table></div>`;
    const kinds = { struct: "struct", enum: "enum", union: "union", handle: "opaque type", type: "type", function: "function" };

    const pages = headers.filter(header => header.name !== "cairn").map(header => {
        const heads = [{ level: 1, id: header.name, text: `${header.name}.h` }];
        let html = `<h1 id="${header.name}">${header.name}.h</h1>\n<div class="code"><pre><code>#include &lt;cairn/${header.name}.h&gt;</code></pre></div>\n${prose(sentence(header.head.replace(/^\w+\.h: /, "")))}`;
        if (header.constants.length) {
            html += `<h2 id="constants">Constants</h2><div class="table"><table><tbody>${header.constants.map(({ name, value, comment }) =>
                `<tr id="${name}"><td><code>${name}</code></td><td><code>${escape(value)}</code></td><td>${inline(comment)}</td></tr>`).join("\n")}</tbody></table></div>`;
            heads.push({ level: 2, id: "constants", text: "Constants" });
        }
        for (const group of header.groups) {
            if (!group.items.length) { // a comment on its own: for all that follows
                html += prose(group.comment);
                continue;
            }
            html += `<section class="group">`;
            for (const item of group.items) {
                html += `<h3 id="${item.name}"><code>${item.name}</code> <span class="kind">${kinds[item.kind]}</span> <a class="here" href="#${item.name}" aria-label="link to this name">#</a></h3>`;
                heads.push({ level: 2, id: item.name, text: item.name });
                if (item.kind === "function" || item.kind === "type" || item.kind === "handle") html += `<div class="code"><pre><code>${link(escape(item.source))}</code></pre></div>`;
                if (item.note) html += `<p>${inline(item.note)}</p>`;
                if (item === group.items[0]) html += prose(group.comment);
                if (item.members) html += table(item);
            }
            html += `</section>\n`;
        }
        return { out: header.out, name: `${header.name}.h`, title: `${header.name}.h`, html, heads, source: `include/cairn/${header.name}.h` };
    });

    const all = headers[0];
    let html = `<h1 id="c-interface">The C interface</h1>\n<p>Made from the comments of the public headers. <code>#include &lt;cairn/cairn.h&gt;</code> brings all of them; read them in this order.</p>` +
        `<div class="table"><table><tbody>${headers.slice(1).map(header => `<tr><td><a href="${header.out}">${header.name}.h</a></td><td>${inline(header.head.split("\n\n")[0].replace(/^\w+\.h: /, "").replace(/\n/g, " "))}</td></tr>`).join("\n")}</tbody></table></div>` +
        prose(all.head.replace(/^[^\n]*\n+/, ""));
    const heads = [{ level: 1, id: "c-interface", text: "The C interface" }];
    for (const [id, title, wanted] of [["functions", "Functions", ["function"]], ["types", "Types", ["struct", "enum", "union", "handle", "type"]]]) {
        const names = headers.flatMap(header => header.groups.flatMap(group => group.items)).filter(item => wanted.includes(item.kind)).map(item => item.name).sort();
        html += `<h2 id="${id}">${title}</h2><p class="names">${names.map(name => `<a href="${symbols.get(name)}"><code>${name}</code></a>`).join(" ")}</p>`;
        heads.push({ level: 2, id, text: title });
    }
    return { pages: [{ out: "c-reference.html", name: "C interface", title: "The C interface", html, heads, source: "include/cairn/cairn.h" }, ...pages], symbols };
}
