// Markdown to HTML: anchors, equations as MathML (```math and $`...`$), tables that scroll, links between pages.
import { Marked } from "marked";
import temmlModule from "temml";
import { posix } from "node:path";
import { anchors, escape, paint, plain, whole, words } from "./text.mjs";
const temml = temmlModule.default ?? temmlModule;

export const equation = (source, display) => temml.renderToString(source, { displayMode: display, throwOnError: true });

// site: {pageOf(file) -> out or undefined, symbol(name) -> address or undefined, picture(file) -> address}. Returns {html, title, heads}:
// heads is [{level, id, text}]. Faults (links that lead nowhere) go to site.fault.
export function render(source, file, site) {
    const heads = [], name = anchors();
    const folder = posix.dirname(file);
    const resolve = link => posix.normalize(posix.join(folder, link));
    const marked = new Marked({ gfm: true });
    marked.use({
        extensions: [{
            name: "inlineMath", level: "inline", start: text => text.indexOf("$`"),
            tokenizer(text) {
                const hit = /^\$`([^`]+)`\$/.exec(text);
                return hit ? { type: "inlineMath", raw: hit[0], source: hit[1] } : undefined;
            },
            renderer: token => equation(token.source, false)
        }],
        renderer: {
            heading({ tokens, depth }) {
                const html = this.parser.parseInline(tokens), text = plain(html), id = name(text);
                heads.push({ level: depth, id, text });
                return `<h${depth} id="${id}">${html}${depth > 1 ? ` <a class="here" href="#${id}" aria-label="link to this section">#</a>` : ""}</h${depth}>\n`;
            },
            code({ text, lang }) {
                const [language, ...words] = (lang ?? "").split(/\s+/);
                if (language === "math") {
                    const number = /\\tag\{([^}]+)\}/.exec(text)?.[1], html = equation(text.replace(/\\tag\{[^}]+\}/, ""), true);
                    return `<div class="equation"${number ? ` id="equation-${number}"` : ""}><div>${html}</div>${number ? `<a href="#equation-${number}">(${number})</a>` : ""}</div>\n`;
                }
                const runs = words[0] === "run" ? `<span class="runs" title="this block is run by the tests">${escape(words[1] ?? "runs")}</span>` : "";
                const html = paint(text, language), linked = language !== "c" ? html
                    : html.replace(/\b(?:cairn|CAIRN)_\w+/g, word => site.symbol(word) ? `<a href="${site.symbol(word)}">${word}</a>` : word);
                return `<div class="code">${runs}<pre><code>${linked}</code></pre></div>\n`;
            },
            codespan({ text }) {
                const address = site.symbol(text);
                return address ? `<a href="${address}"><code>${escape(text)}</code></a>` : `<code>${words(text)}</code>`;
            },
            html: ({ text }) => text.replace(/<!--[\s\S]*?-->/g, ""), // marks of measured figures are no part of the page
            table(token) {
                const row = (cells, tag) => `<tr>${cells.map(cell => `<${tag}${cell.align ? ` class="${cell.align}"` : ""}>${whole(this.parser.parseInline(cell.tokens))}</${tag}>`).join("")}</tr>`;
                const head = token.header.some(cell => cell.text) ? `<thead>${row(token.header, "th")}</thead>` : "";
                return `<div class="table"><table>${head}<tbody>${token.rows.map(cells => row(cells, "td")).join("\n")}</tbody></table></div>\n`;
            },
            link({ href, tokens }) {
                const html = this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, "");
                if (/^[a-z]+:/.test(href)) return `<a href="${escape(href)}">${html}</a>`;
                const [path, fragment] = href.split("#");
                if (path === "") return `<a href="#${fragment}">${html}</a>`;
                const target = resolve(path), out = site.pageOf(target);
                // The name of a file is for readers of the repository; here the page has a name.
                const shown = /^[\w-]+\.md$/.test(plain(html)) && out ? site.nameOf(target) ?? html : html;
                if (out) return `<a href="${out}${fragment ? `#${fragment}` : ""}">${shown}</a>`;
                if (!site.exists(target)) site.fault(`${file}: ${href} leads nowhere`);
                return `<span class="file" title="${escape(target)} in the repository">${html}</span>`;
            },
            image({ href, text }) {
                return `<img src="${site.picture(resolve(href), file)}" alt="${escape(text)}" loading="lazy">`;
            }
        }
    });
    const html = marked.parse(source);
    return { html, heads, title: heads[0]?.text ?? file };
}
