// One page: navigation, contents, text. Everything works without a script but search, the switch of colours and the copy buttons.
import { escape } from "./text.mjs";

const navigation = (groups, here) => groups.map(({ group, pages }) => `<section><h2>${escape(group)}</h2><ul>${pages.map(page =>
    `<li><a href="${page.out}"${page.out === here.out || page.out === here.parent ? ' aria-current="page"' : ""}>${escape(page.name)}</a>` +
    (page.children && (here.out === page.out || here.parent === page.out) ? `<ul>${page.children.map(child =>
        `<li><a href="${child.out}"${child.out === here.out ? ' aria-current="page"' : ""}>${escape(child.name)}</a></li>`).join("")}</ul>` : "") + "</li>").join("")}</ul></section>`).join("\n");

const contents = heads => {
    const list = heads.filter(head => head.level === 2 || head.level === 3);
    return list.length < 3 ? "" : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${list.map(head =>
        `<li class="level${head.level}"><a href="#${head.id}">${escape(head.text)}</a></li>`).join("")}</ul></nav>`;
};

/** The same list, folded, where there is no room beside the text. */
const small = heads => contents(heads).replace('<nav class="contents" aria-label="On this page"><h2>On this page</h2>', '<details class="small"><summary>On this page</summary>').replace("</nav>", "</details>");

export function layout(page, groups, version) {
    const flat = groups.flatMap(group => group.pages.flatMap(each => [each, ...(each.children ?? [])])), at = flat.findIndex(each => each.out === page.out);
    const step = (each, word, rel) => each ? `<a rel="${rel}" href="${each.out}"><span>${word}</span>${escape(each.name)}</a>` : "<span></span>";
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title === "Cairn" ? "Cairn" : `${page.title} – Cairn`)}</title>
<link rel="icon" href="mark.svg">
<link rel="stylesheet" href="style.css">
<script>try { const theme = localStorage.getItem("cairn-theme"); if (theme) document.documentElement.dataset.theme = theme; } catch (error) { /* no storage: the system decides */ }</script>
<script defer src="search-index.js"></script>
<script defer src="site.js"></script>
</head>
<body>
<a class="skip" href="#text">to the text</a>
<header class="top">
<a class="brand" href="index.html"><img src="mark.svg" alt="" width="28" height="28">Cairn <small>${escape(version)}</small></a>
<div class="search" hidden><input id="search" type="search" placeholder="Search  ( / )" aria-label="Search" autocomplete="off"><ul id="hits" hidden></ul></div>
<button id="theme" type="button" title="dark or light" aria-label="dark or light" hidden>◐</button>
</header>
<div class="frame">
<details class="menu"><summary>Pages</summary><nav aria-label="Pages">
${navigation(groups, page)}
</nav></details>
<main id="text">
${small(page.heads)}${page.html}
<footer class="steps">${step(flat[at - 1], "previous", "prev")}${step(flat[at + 1], "next", "next")}</footer>
<p class="made">Made from <code>${escape(page.source)}</code> by <code>make site</code>.${page.html.includes("<math") ? " Equations in STIX Two Math (<a href=\"math-font-licence.txt\">licence</a>)." : ""}</p>
</main>
${contents(page.heads)}
</div>
</body>
</html>
`;
}
