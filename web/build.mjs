// Bundles the page into one HTML file and that, deflated, into a C file: node build.mjs OUT.c [OUT.html]
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const bundle = async (entry, define = {}) => {
    const result = await build({
        entryPoints: [entry], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
        legalComments: "none", define, logLevel: "error"
    });
    return result.outputFiles[0].text;
};

const licence = name => readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
const script = await bundle("src/main.ts", { WORKER: JSON.stringify(await bundle("src/worker.ts")) });
const style = await bundle("src/style.css");
if (/<\/script|<!--/i.test(script)) throw new Error("the bundle would end its script element");
const page = readFileSync("src/page.html", "utf8")
    .replace("/*LICENCES*/", () => `three.js\n${licence("three")}\n\nuPlot\n${licence("uplot")}`)
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script);

const [, , source, html] = process.argv;
if (html) writeFileSync(html, page);
if (source) {
    const bytes = Buffer.from(page, "utf8"), packed = deflateSync(bytes, { level: 9 });
    const rows = [];
    for (let i = 0; i < packed.length; i += 24) rows.push([...packed.subarray(i, i + 24)].join(","));
    writeFileSync(source, "/* Made by web/build.mjs: the replay page, deflated. */\n#include <stddef.h>\n" +
        "extern const unsigned char view_page[];\nextern const size_t view_page_size, view_page_length;\n" +
        "extern const char view_page_missing[];\n" +
        `const size_t view_page_size = ${packed.length}, view_page_length = ${bytes.length};\n` +
        `const char view_page_missing[] = "";\nconst unsigned char view_page[] = {\n${rows.join(",\n")}};\n`);
    console.log(`replay page: ${bytes.length} bytes, ${packed.length} in the program`);
}
