// Methods with their settings, from `cairn methods --json`; commands with their options and examples, from `cairn COMMAND --help`.
import { execFileSync } from "node:child_process";
import { escape, paint, words } from "./text.mjs";

const ask = (program, ...words) => execFileSync(program, words, { encoding: "utf8" });

export function referenceMethods(program, cite) {
    const methods = ask(program, "methods", "--json").trim().split("\n").map(line => JSON.parse(line));
    const heads = [{ level: 1, id: "method-settings", text: "Method settings" }];
    const first = methods[0].settings.filter(setting => methods.every(method => method.settings.some(other =>
        ["key", "type", "default", "range", "help"].every(part => other[part] === setting[part]))));
    const common = new Set(first.map(setting => setting.key));
    const table = settings => `<div class="table"><table><thead><tr><th>setting</th><th>type</th><th>default</th><th>range</th><th>meaning</th></tr></thead><tbody>${settings.map(setting =>
        `<tr><td><code>${setting.key}</code></td><td>${setting.type}</td><td><code>${escape(setting.default)}</code></td><td><code>${escape(setting.range).replace(/\|/g, "|<wbr>")}</code></td><td>${cite(escape(setting.help))}</td></tr>`).join("\n")}</tbody></table></div>`;
    let html = `<h1 id="method-settings">Method settings</h1><p>Made from <code>cairn methods --json</code>. A setting is given as <code>--opt KEY=VALUE</code>, in a scene under <code>options</code>, in C by <a href="c-solver.html#cairn_settings_set"><code>cairn_settings_set</code></a>. <a href="methods.html">Methods</a> explains them, <a href="which-method.html">Which method when</a> says which to take.</p>`;
    html += `<div class="table"><table><tbody>${methods.map(method => `<tr><td><a href="#${method.name}"><code>${method.name}</code></a></td><td>${escape(method.summary)}</td><td>${cite(escape(method.paper))}</td></tr>`).join("\n")}</tbody></table></div>`;
    html += `<h2 id="settings-of-all-methods">Settings of all methods</h2>${table(first)}`;
    heads.push({ level: 2, id: "settings-of-all-methods", text: "Settings of all methods" });
    for (const method of methods) {
        heads.push({ level: 2, id: method.name, text: method.name });
        html += `<h2 id="${method.name}"><code>${method.name}</code> <a class="here" href="#${method.name}" aria-label="link to this method">#</a></h2><p>${escape(method.summary)}. From: ${cite(escape(method.paper))}. Takes: ${escape(method.accepts)}.</p>`;
        const own = method.settings.filter(setting => !common.has(setting.key));
        html += own.length ? table(own) : "<p>No settings of its own.</p>";
    }
    return { page: { out: "methods-reference.html", name: "Method settings", title: "Method settings", html, heads, source: "cairn methods --json" }, methods };
}

// {usage, about, options: [{name, help}], examples} of one command.
export function readHelp(text) {
    const [head, rest] = text.split(/^options:$/m), [optionText, exampleText = ""] = (rest ?? "").split(/^examples:$/m);
    const options = [];
    for (const line of optionText.split("\n")) {
        const begins = /^ {2}(--?[a-zA-Z].*)$/.exec(line);
        if (begins) {
            const cut = /^(\S+(?: \S+)?)(?:\s{2,}|\s+(?=[a-z]))?(.*)$/.exec(begins[1]);
            const wide = begins[1].length > 25 && begins[1][24] === " " ? [begins[1].slice(0, 24).trim(), begins[1].slice(25).trim()] : null;
            options.push({ name: wide ? wide[0] : cut[1] + (cut[2] && begins[1].length <= 25 ? ` ${cut[2]}` : begins[1].length > 25 && !wide ? ` ${cut[2]}` : ""), help: wide ? wide[1] : "" });
            options.at(-1).name = options.at(-1).name.trim();
        } else if (line.trim() && options.length) options.at(-1).help = `${options.at(-1).help} ${line.trim()}`.trim();
    }
    const [usage, ...about] = head.trim().split(/\n\s*\n/);
    return { usage: usage.replace(/^usage: /, ""), about: about.map(part => part.replace(/\n/g, " ")), options, examples: exampleText.split("\n").map(line => line.trim()).filter(Boolean) };
}

export function referenceCommands(program) {
    const overview = ask(program, "--help");
    const names = [...overview.split(/^commands:$/m)[1].split(/\n\s*\n/)[0].matchAll(/^ {2}([a-z]+) +(.*)$/gm)].map(hit => ({ name: hit[1], summary: hit[2] }));
    const heads = [{ level: 1, id: "commands", text: "Commands" }], commands = [];
    let html = `<h1 id="commands">Commands</h1><p>Made from <code>cairn COMMAND --help</code>. <a href="cli.html">The program</a> tells more: JSON fields, exit codes, what figures mean.</p>` +
        `<div class="table"><table><tbody>${names.map(({ name, summary }) => `<tr><td><a href="#${name}"><code>cairn ${name}</code></a></td><td>${escape(summary)}</td></tr>`).join("\n")}</tbody></table></div>`;
    for (const { name } of names) {
        const help = readHelp(ask(program, name, "--help"));
        commands.push({ name, ...help });
        heads.push({ level: 2, id: name, text: `cairn ${name}` });
        html += `<h2 id="${name}"><code>cairn ${name}</code> <a class="here" href="#${name}" aria-label="link to this command">#</a></h2><div class="code"><pre><code>${escape(help.usage)}</code></pre></div>${help.about.map(part => `<p>${escape(part)}</p>`).join("")}` +
            `<div class="table"><table><thead><tr><th>option</th><th>meaning</th></tr></thead><tbody>${help.options.map(option =>
                `<tr><td><code>${words(option.name)}</code></td><td>${escape(option.help)}</td></tr>`).join("\n")}</tbody></table></div>` +
            `<div class="code"><pre><code>${paint(help.examples.join("\n"), "sh")}</code></pre></div>`;
    }
    return { page: { out: "commands-reference.html", name: "Commands", title: "Commands", html, heads, source: "cairn COMMAND --help" }, commands };
}
