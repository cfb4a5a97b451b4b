// Reads the public headers: groups of declarations with the comment above them, fields and values with theirs. The headers are formatted by
// clang-format and written in one style, so this needs no compiler: declarations end with ; (or with the body of an inline function), and a comment
// that begins on the line where something ends belongs to that, any other one to what follows.

// Cuts text into {comment} and {code} pieces with the lines where they begin.
function* pieces(text) {
    const pattern = /\/\*([\s\S]*?)\*\/|[^/]+|\//g;
    let line = 1;
    for (const [all, comment] of text.matchAll(pattern)) {
        yield comment === undefined ? { code: all, line } : { comment: all, line };
        line += all.split("\n").length - 1;
    }
}

// The words of a comment without stars; paragraphs and indented lines stay.
export const words = comment => comment.replace(/^\/\*+\s?|\s*\*+\/$/g, "").split("\n").map(line => line.replace(/^\s*\* ?/, ""))
    .map((line, i, all) => i > 0 && !/^\s*\*/.test(comment.split("\n")[i]) ? line.trim() : line.replace(/\s+$/, "")).join("\n").trim();

// Splits the inside of a struct or enum at its separators; [{text, comment}].
function members(body, separator) {
    const list = [];
    let text = "", before = "", ended = -1, depth = 0;
    const add = line => {
        if (text.trim()) list.push({ text: text.replace(/\s+/g, " ").trim(), comment: before });
        text = before = "";
        ended = line;
    };
    let at = 1;
    for (const piece of pieces(body)) {
        at = piece.line;
        if (piece.comment !== undefined) {
            if (separator === "," && text.trim()) add(piece.line); // the last enumerator has no comma
            if (list.length && ended === piece.line) list.at(-1).comment = [list.at(-1).comment, words(piece.comment)].filter(Boolean).join(" ");
            else before = words(piece.comment);
            continue;
        }
        for (const letter of piece.code) {
            if (letter === "\n") at++;
            if ("([{".includes(letter)) depth++;
            if (")]}".includes(letter)) depth--;
            if (letter === separator && depth === 0) add(at);
            else text += letter;
        }
    }
    add(at);
    return list;
}

function declaration(code) {
    const source = code.trim(), flat = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ").trim();
    let hit = /^typedef (struct|enum|union) (\w+) \{/.exec(flat);
    if (hit) {
        const body = source.slice(source.indexOf("{") + 1, source.lastIndexOf("}"));
        const kind = hit[1];
        const list = members(body, kind === "enum" ? "," : ";").map(({ text, comment }) => {
            if (kind === "enum") {
                const [name, value] = text.split("=").map(part => part.trim());
                return { name, value, comment };
            }
            const pointer = /\(\*(\w+)\)/.exec(text), names = pointer ? [pointer[1]] : [...text.matchAll(/(\w+)(?:\[[^\]]*\])*\s*(?=,|$)/g)].map(found => found[1]);
            return { name: names.join(", "), names, text, comment };
        });
        return { kind, name: hit[2], members: list, source };
    }
    hit = /^typedef (?:struct|enum|union) \w+ (\w+);?$/.exec(flat);
    if (hit) return { kind: "handle", name: hit[1], source: flat };
    hit = /^typedef .*\(\*(\w+)\)\(/.exec(flat) ?? /^typedef .*?(\w+);?$/.exec(flat);
    if (hit) return { kind: "type", name: hit[1], source: flat };
    hit = /^(?:CAIRN_API |static inline )[^({]*?(\w+)\(/.exec(flat);
    if (hit) return { kind: "function", name: hit[1], source: source.replace(/^CAIRN_API |^static inline /, "").replace(/\s*\{[\s\S]*$/, ";") };
    throw new Error(`headers.mjs does not understand: ${flat}`);
}

// {head: text, groups: [{comment, items: [declaration with note]}], constants: [{name, value, comment}]} of one header.
export function readHeader(text) {
    const constants = [...text.matchAll(/^#define (CAIRN_\w+)[ \t]+([^\s/][^\n/]*?)[ \t]*(?:\/\*([\s\S]*?)\*\/)?$/gm)]
        .filter(([, name]) => name !== "CAIRN_API" && !/_H$/.test(name)).map(([, name, value, comment]) => ({ name, value: value.trim(), comment: comment ? words(`/*${comment}*/`) : "" }));
    const head = words(/\/\*[\s\S]*?\*\//.exec(text)[0]);
    // Directives go, with the comments and continuations that stand on their lines, and so does the wrapping for C++.
    const body = text.slice(text.indexOf("*/") + 2).replace(/^#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif$/gm, "")
        .replace(/^#(?:.*\\\n)*.*?(?:\/\*[\s\S]*?\*\/[^\n]*)?$/gm, "");

    const groups = [];
    let group = null, code = "", depth = 0, ended = -1, blank = true;
    const open = comment => groups.push(group = { comment, items: [] });
    const close = line => {
        if (!group || (blank && group.items.length)) open("");
        group.items.push(declaration(code));
        code = "";
        ended = line;
        blank = false;
    };
    for (const piece of pieces(body)) {
        if (piece.comment !== undefined) {
            if (code.trim()) code += piece.comment; // inside a struct: members() reads it
            else if (ended === piece.line) group.items.at(-1).note = words(piece.comment);
            else {
                open(words(piece.comment));
                blank = false;
            }
            continue;
        }
        let line = piece.line;
        for (const letter of piece.code) {
            if (letter === "\n") {
                if (!code.trim() && line > ended && /\n\s*$/.test(code)) blank = true;
                line++;
            }
            code += letter;
            if (letter === "{") depth++;
            if (letter === "}" && --depth === 0 && /^\s*static inline/.test(code)) close(line);
            if (letter === ";" && depth === 0) close(line);
        }
    }
    return { head, groups: groups.filter(({ items, comment }) => items.length || comment), constants };
}
