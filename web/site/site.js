// Search, the switch between dark and light, copy buttons. Without this script the pages read the same.
(() => {
    const root = document.documentElement, byId = name => document.getElementById(name);
    const theme = byId("theme");
    theme.hidden = false;
    theme.addEventListener("click", () => {
        const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
        try { localStorage.setItem("cairn-theme", root.dataset.theme); } catch (error) { /* it stays for this page */ }
    });

    for (const block of document.querySelectorAll(".code")) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "copy";
        button.textContent = "copy";
        button.addEventListener("click", async () => {
            await navigator.clipboard.writeText(block.querySelector("pre").innerText);
            button.textContent = "copied";
            setTimeout(() => { button.textContent = "copy"; }, 1200);
        });
        if (navigator.clipboard) block.append(button);
    }

    const field = byId("search"), hits = byId("hits");
    field.parentElement.hidden = false;
    const folded = text => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
    let ready = null;
    const entries = () => ready ??= cairnIndex.map(([page, id, title, heading, words]) => ({ page, id, title, heading, words, top: folded(`${title} ${heading}`), name: folded(heading), text: folded(words) }));
    const score = (entry, words) => {
        let sum = 0;
        for (const word of words) {
            const exact = entry.name === word ? 60 : entry.name.startsWith(word) ? 25 : 0;
            const part = exact + (entry.top.includes(word) ? 10 : 0) + (entry.text.includes(word) ? 1 + Math.min(4, entry.text.split(word).length - 1) : 0);
            if (part === 0) return 0;
            sum += part;
        }
        return sum;
    };
    const excerpt = (entry, word) => {
        const at = Math.max(0, entry.text.indexOf(word) - 40);
        return (at > 0 ? "…" : "") + entry.words.slice(at, at + 130);
    };
    let chosen = -1;
    const choose = i => {
        const items = [...hits.children];
        chosen = items.length ? (i + items.length) % items.length : -1;
        items.forEach((item, j) => item.classList.toggle("chosen", j === chosen));
        items[chosen]?.scrollIntoView({ block: "nearest" });
    };
    const look = () => {
        const words = folded(field.value).split(/\s+/).filter(Boolean);
        hits.replaceChildren();
        hits.hidden = words.length === 0;
        if (!words.length) return;
        const found = entries().map((entry, i) => ({ entry, i, value: score(entry, words) })).filter(({ value }) => value > 0)
            .sort((a, b) => b.value - a.value || a.i - b.i).slice(0, 12);
        for (const { entry } of found) {
            const item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("small"), text = document.createElement("p");
            link.href = `${entry.page}#${entry.id}`;
            link.textContent = entry.heading;
            where.textContent = entry.heading === entry.title ? "" : entry.title;
            text.textContent = excerpt(entry, words[0]);
            link.append(where, text);
            item.append(link);
            hits.append(item);
        }
        if (!found.length) {
            const item = document.createElement("li");
            item.textContent = "nothing found";
            hits.append(item);
        }
        choose(0);
    };
    field.addEventListener("input", look);
    field.addEventListener("focus", look);
    field.addEventListener("keydown", event => {
        if (event.key === "ArrowDown") choose(chosen + 1);
        else if (event.key === "ArrowUp") choose(chosen - 1);
        else if (event.key === "Enter") hits.children[chosen]?.querySelector("a")?.click();
        else if (event.key === "Escape") { field.value = ""; look(); field.blur(); }
        else return;
        event.preventDefault();
    });
    hits.addEventListener("click", () => { hits.hidden = true; });
    document.addEventListener("click", event => { if (!field.parentElement.contains(event.target)) hits.hidden = true; });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { field.focus(); event.preventDefault(); }
    });
    // On wide screens the list of pages is always open.
    const menu = document.querySelector(".menu"), wide = matchMedia("(min-width: 60rem)");
    const fit = () => { menu.open = wide.matches; };
    wide.addEventListener("change", fit);
    fit();
    document.querySelector('.menu a[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
    if (!location.hash) scrollTo(0, 0);
})();
