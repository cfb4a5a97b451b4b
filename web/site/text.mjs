// Small things that all parts of the site share: escapes, anchors, colours of code.
export const escape = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
export const plain = html => html.replace(/<\/(?:td|th|tr|p|li|pre|h\d|div)>/g, " ").replace(/<annotation[\s\S]*?<\/annotation>|<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">")
    .replace(/&quot;/g, "\"").replace(/&#39;/g, "'").replace(/&amp;/g, "&").replace(/\s+/g, " ").trim();

// Options, names with dashes and numbers such as 1e-9 stay on one line; long paths may break after a slash.
export const whole = html => html.replace(/(^|[\s(>\[|])(--?[a-z][\w-]*|[a-z]\w*(?:-\w+)+(?![\w-])|\d[\d.]*e-\d+)/gi, "$1<span class=\"whole\">$2</span>");
export const words = code => whole(code.split("/").map(escape).join(code.length > 30 ? "/<wbr>" : "/"));

// The anchor of a heading, as forges make it: letters, digits, - and _ stay, spaces become -.
export const anchor = heading => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

// Gives every anchor of one page once: name, name-1, name-2.
export function anchors() {
    const used = new Set();
    return heading => {
        const base = anchor(heading) || "section";
        let name = base;
        for (let i = 1; used.has(name); i++) name = `${base}-${i}`;
        used.add(name);
        return name;
    };
}

const rules = {
    sh: [["comment", /(?<=^|\s)#.*/], ["string", /'[^']*'|"[^"]*"/]],
    c: [["comment", /\/\*[\s\S]*?\*\/|\/\/.*/], ["string", /"(?:\\.|[^"\\])*"|<[a-z/.]+\.h>/],
        ["word", /\b(?:int|double|void|char|bool|const|static|return|if|else|for|while|struct|enum|typedef|size_t|uint32_t|NULL|true|false)\b|^\s*#\s*\w+/m]],
    json: [["comment", /\/\*[\s\S]*?\*\/|\/\/.*/], ["word", /"(?:\\.|[^"\\])*"(?=\s*:)|\b(?:true|false|null)\b/], ["string", /"(?:\\.|[^"\\])*"/]],
    cmake: [["comment", /#.*/], ["string", /"[^"]*"/], ["word", /^\s*\w+(?=\()/m]]
};

// Code with its comments, strings and words coloured; other languages as they are.
export function paint(code, language) {
    const known = rules[{ bash: "sh", shell: "sh", h: "c", jsonc: "json" }[language] ?? language];
    if (!known) return escape(code);
    const all = new RegExp(known.map(([, rule]) => `(${rule.source})`).join("|"), "gm");
    let html = "", end = 0;
    for (const hit of code.matchAll(all)) {
        const kind = known[hit.slice(1).findIndex(part => part !== undefined)][0];
        html += `${escape(code.slice(end, hit.index))}<span class="${kind}">${escape(hit[0])}</span>`;
        end = hit.index + hit[0].length;
    }
    return html + escape(code.slice(end));
}
