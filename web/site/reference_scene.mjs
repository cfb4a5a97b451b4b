// Every key of a scene file, from scenes/schema.json: type, unit, default, meaning, example.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchors, escape, paint } from "./text.mjs";

export function referenceScene(root) {
    const schema = JSON.parse(readFileSync(join(root, "scenes/schema.json"), "utf8")), name = anchors();
    const heads = [], sections = [], keys = [];
    // What follows a reference, with the annotations of the place that refers.
    const follow = node => node.$ref ? { ...follow(node.$ref.split("/").slice(1).reduce((at, part) => at[part], schema)), ...node } : node;
    const named = { number: "number", positive: "number", not_negative: "number", share: "number", tolerance: "number", parts: "number", count: "number", cells: "number", vector: "[x, y, z]", size: "[x, y, z]", counts: "[x, y, z]", cells_vector: "[x, y, z]", keyframes: "keyframes", rotation: "rotation", shape: "shape", repeats: "repeat", repeat: "repeat", points: "list of [x, y, z]", file: "file name", mesh: "mesh", elastic: "elastic" };
    const places = { rotation: "rotation", shape: "shapes", repeats: "repeat", repeat: "repeat", number: "numbers", positive: "numbers", not_negative: "numbers", share: "numbers", tolerance: "numbers", parts: "numbers", count: "numbers", cells: "numbers", mesh: "meshes", elastic: "elastic" };
    const type = node => {
        const reference = node.$ref?.split("/").at(-1);
        if (reference && named[reference]) return places[reference] ? `<a href="#${places[reference]}">${named[reference]}</a>` : named[reference];
        if (node.enum) return node.enum.map(word => `<code>${escape(String(word))}</code>`).join(", ");
        if (node.oneOf) return [...new Set(node.oneOf.map(type))].join(" or ");
        if (node.type === "array") return node.items ? `list of ${type(node.items)}` : `list${node.minItems === node.maxItems && node.minItems ? ` of ${node.minItems}` : ""}`;
        if (node.type === "string") return "text";
        if (node.type === "boolean") return "true or false";
        return node.type ?? "anything";
    };
    const value = given => `<code>${escape(JSON.stringify(given).replace(/,/g, ", ").replace(/":/g, "\": "))}</code>`;

    function section(title, id, node, intro) {
        const lines = [], later = [];
        heads.push({ level: sections.length ? 2 : 1, id: name(id), text: title });
        const required = new Set(node.required ?? []);
        for (const [key, raw] of Object.entries(node.properties ?? {})) {
            const full = follow(raw), path = id === "scene-keys" ? key : `${id}.${key}`;
            const inner = raw.$ref ? null : full.type === "object" && (full.properties || full.additionalProperties?.properties) ? full
                : full.type === "array" && full.items?.properties ? full.items : null;
            keys.push({ path, full });
            const body = inner?.properties ? inner : inner?.additionalProperties;
            if (body) later.push([path, body, raw.description]);
            lines.push(`<tr id="${name(`key ${path}`)}"><td><code>${escape(key)}</code>${required.has(key) ? " <span class=\"kind\">needed</span>" : ""}</td>` +
                `<td data-label="type">${body ? `<a href="#${path.replace(/\./g, "")}">${full.type === "array" ? "list" : "object"}</a>` : type(raw)}</td>` +
                `<td data-label="unit">${escape(full.unit ?? "")}</td><td data-label="default">${full.default === undefined ? "" : value(full.default)}</td>` +
                `<td>${escape(full.description ?? "")}</td><td data-label="example">${full.examples ? value(full.examples[0]) : ""}</td></tr>`);
        }
        sections.push(`<h${sections.length ? 2 : 1} id="${heads.at(-1).id}">${escape(title)}</h${sections.length ? 2 : 1}>${intro ? `<p>${intro}</p>` : ""}` + (lines.length ?
            `<div class="table"><table class="keys"><thead><tr><th>key</th><th>type</th><th>unit</th><th>default</th><th>meaning</th><th>example</th></tr></thead><tbody>${lines.join("\n")}</tbody></table></div>` : ""));
        for (const [path, body, description] of later) section(path, path, body, description ? escape(description) : "");
    }
    section("Scene keys", "scene-keys", schema, `Made from <code>scenes/schema.json</code>, which also lets an editor complete and check a scene. ${escape(schema.description)} <a href="scenes.html">Scene files</a> tells how the parts fit together.`);
    section("Numbers", "numbers", {}, `Wherever a number stands there may be an expression in quotes after <code>=</code>: <code>"=2*pi*i/n"</code>. <a href="scenes.html#numbers">What it may contain</a>.`);
    const { shape, rotation, repeat, mesh, elastic } = schema.$defs;
    section("Rotation", "rotation", rotation.oneOf[1], `A quaternion <code>[w, x, y, z]</code>, or an object:`);
    section("Shapes", "shapes", shape.oneOf[1], `The name of a shape in <code>shapes</code>, or an object with one key:`);
    section("Repeat", "repeat", repeat, `One of these, or a list of them, outermost first:`);
    section("Meshes", "meshes", mesh, `Of flexible parts: an object with one key:`);
    section("Elastic", "elastic", elastic, `What a flexible part is made of:`);
    const example = readFileSync(join(root, "scenes/dominoes.json"), "utf8");
    heads.push({ level: 2, id: name("an example"), text: "An example" });
    sections.push(`<h2 id="an-example">An example</h2><p><code>cairn scenes dominoes</code> prints it; <code>cairn run dominoes</code> runs it.</p><div class="code"><pre><code>${paint(example.trim(), "json")}</code></pre></div>`);
    return { page: { out: "scene-reference.html", name: "Scene keys", title: "Scene keys", html: sections.join("\n"), heads, source: "scenes/schema.json" }, keys };
}
