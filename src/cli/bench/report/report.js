"use strict";
// The page of `cairn bench`: reads the results in #data and draws them. No library, nothing from the network.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  // Places in a run; see bench_html.c.
  const P = 0, S = 1, OK = 2, SEC = 3, LOAD = 4, SOLVE = 5, CERT = 6, IT = 7, FACT = 8, BACK = 9, MAP = 10, PLAIN = 11, OLD = 12,
    VEL = 13, OUTCOME = 14, NOTE = 15, CURVE = 16;
  const DASH = ["", "8 4", "2.5 3", "10 3 2.5 3", "14 4"];
  const state = { table: 0, cost: "time", judge: "certificate", hidden: new Set(), zoom: null, sort: null, chosen: null, x: "iteration",
    filter: "" };

  // ---- theme: that of the system until somebody chooses ----
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const setTheme = name => { document.documentElement.dataset.theme = name; };
  const follow = () => setTheme(dark.matches ? "dark" : "light");
  follow();
  dark.addEventListener("change", follow);
  document.getElementById("theme").addEventListener("click", () => {
    dark.removeEventListener("change", follow);
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });

  // ---- small tools ----
  const $ = id => document.getElementById(id);
  function el(name, attributes, ...children) {
    const svg = ["svg", "path", "line", "text", "rect", "circle", "g", "tspan"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    node.append(...children.filter(c => c !== null && c !== undefined));
    return node;
  }
  const colour = s => `var(--c${s % 8})`;
  const dash = s => DASH[s % DASH.length];
  const finite = x => typeof x === "number" && isFinite(x);
  function seconds(s) {
    if (!finite(s)) return "–";
    if (s < 1e-3) return (s * 1e6).toFixed(0) + " µs";
    if (s < 1) return (s * 1e3).toFixed(s < 0.1 ? 2 : 1) + " ms";
    return s.toFixed(s < 100 ? 2 : 0) + " s";
  }
  const short = x => !finite(x) ? "–" : x === 0 ? "0" : x.toExponential(1);
  const tol = x => x >= 0.1 ? String(x) : x.toExponential().replace("e-0", "e-");
  const count = x => finite(x) ? String(Math.round(x)) : "–";
  const percent = x => (100 * x).toFixed(x > 0.9995 || x === 0 ? 0 : 1) + " %";
  function median(list) {
    if (!list.length) return NaN;
    const x = list.slice().sort((a, b) => a - b), h = x.length >> 1;
    return x.length % 2 ? x[h] : (x[h - 1] + x[h]) / 2;
  }
  function bytes(x) { return finite(x) && x > 0 ? (x / 2 ** 30).toFixed(1) + " GiB" : "unknown"; }
  function showTip(event, title, lines) {
    const tip = $("tip");
    tip.replaceChildren(el("b", {}, title), ...lines);
    tip.hidden = false;
    const w = tip.offsetWidth, h = tip.offsetHeight, x = event.clientX, y = event.clientY;
    tip.style.left = Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16) + "px";
    tip.style.top = Math.max(4, Math.min(innerHeight - h - 4, y + 12)) + "px";
  }
  const hideTip = () => { $("tip").hidden = true; };

  // ---- results ----
  const table = () => data.tables[state.table];
  const tolerance = () => table().tolerance;
  // Success is the certificate's word; "plain" asks the formula of other programs instead.
  const success = run => state.judge === "certificate" ? run[OK] === 1
    : finite(run[SEC]) && finite(run[PLAIN]) && run[PLAIN] <= tolerance();
  const cost = run => state.cost === "time" ? run[SEC] : run[IT];
  const costText = x => state.cost === "time" ? seconds(x) : count(x);
  function methodsOf(t) { return [...new Set(t.runs.map(r => r[S]))].sort((a, b) => a - b); }
  function problemsOf(t) { return [...new Set(t.runs.map(r => r[P]))]; }

  // Sorted finite ratios of each method: rho(tau) = how many are <= tau, over the number of problems.
  function profile() {
    const t = table(), best = new Map(), problems = problemsOf(t);
    for (const run of t.runs)
      if (success(run) && finite(cost(run))) best.set(run[P], Math.min(cost(run), best.has(run[P]) ? best.get(run[P]) : Infinity));
    const ratios = new Map(methodsOf(t).map(s => [s, []]));
    for (const run of t.runs)
      if (success(run) && finite(cost(run))) {
        const b = best.get(run[P]);
        ratios.get(run[S]).push(cost(run) <= b ? 1 : cost(run) / b);
      }
    for (const list of ratios.values()) list.sort((a, b) => a - b);
    return { problems: problems.length, ratios };
  }
  function share(list, tau, problems) {
    let n = 0;
    while (n < list.length && list[n] <= tau) n++;
    return problems ? n / problems : 0;
  }

  // ---- controls ----
  function group(label, items, chosen, choose) {
    const node = el("div", { class: "group", role: "group", "aria-label": label }, el("span", {}, label));
    for (const [value, text] of items)
      node.append(el("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value) }, text));
    return node;
  }
  function drawControls() {
    const tables = data.tables.map((t, i) => [i, `${t.law} ${tol(t.tolerance)}`]);
    $("controls").replaceChildren(
      group("law, tolerance", tables, state.table, v => { state.table = v; state.zoom = null; update(); }),
      group("cost", [["time", "time"], ["iterations", "iterations"]], state.cost, v => { state.cost = v; state.zoom = null; update(); }),
      group("judged by", [["certificate", "certificate"], ["plain", "plain formula"]], state.judge,
        v => { state.judge = v; state.zoom = null; update(); }));
  }

  // ---- charts ----
  // A frame with a logarithmic x axis [x0, x1] (or linear) and a y axis; returns the svg and the two maps.
  function frame(box, options) {
    const w = Math.max(320, box.clientWidth || 900), narrow = w < 560;
    const h = narrow ? 300 : 420, left = 62, right = 14, top = 10, bottom = 44;
    const svg = el("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": options.label });
    const fx = options.logx ? Math.log2 : v => v, fy = options.logy ? Math.log10 : v => v;
    const x = v => left + (w - left - right) * (fx(v) - fx(options.x[0])) / (fx(options.x[1]) - fx(options.x[0]));
    const y = v => top + (h - top - bottom) * (1 - (fy(v) - fy(options.y[0])) / (fy(options.y[1]) - fy(options.y[0])));
    const unx = px => {
      const a = fx(options.x[0]) + (px - left) / (w - left - right) * (fx(options.x[1]) - fx(options.x[0]));
      return options.logx ? 2 ** a : a;
    };
    for (const [v, text] of options.yticks)
      svg.append(el("line", { class: "grid", x1: left, x2: w - right, y1: y(v), y2: y(v) }),
        el("text", { x: left - 7, y: y(v) + 4, "text-anchor": "end" }, text));
    for (const [v, text] of options.xticks)
      svg.append(el("line", { class: "grid", y1: top, y2: h - bottom, x1: x(v), x2: x(v) }),
        el("text", { x: x(v), y: h - bottom + 17, "text-anchor": "middle" }, text));
    svg.append(el("line", { class: "axis", x1: left, x2: w - right, y1: h - bottom, y2: h - bottom }),
      el("line", { class: "axis", x1: left, x2: left, y1: top, y2: h - bottom }),
      el("text", { class: "soft", x: left + (w - left - right) / 2, y: h - 8, "text-anchor": "middle" }, options.xlabel),
      el("text", { class: "soft", transform: `translate(12 ${top + (h - top - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, options.ylabel));
    box.replaceChildren(svg);
    return { svg, x, y, unx, w, h, left, right, top, bottom };
  }
  function line(s, d, extra) {
    return el("path", Object.assign({ d, fill: "none", style: `stroke:${colour(s)}`, "stroke-width": 2, "stroke-dasharray": dash(s),
      "stroke-linejoin": "round" }, extra || {}));
  }
  function swatch(s) {
    return el("svg", { viewBox: "0 0 34 12", "aria-hidden": "true" }, line(s, "M0 6H34", {}));
  }
  // Where the pointer is, in the units of the drawing.
  function place(f, event) {
    const r = f.svg.getBoundingClientRect();
    return [(event.clientX - r.left) * f.w / r.width, (event.clientY - r.top) * f.h / r.height];
  }
  // 2^k ticks of [a, b], about eight; powers in between when the range is short.
  function logTicks(a, b) {
    const octaves = Math.log2(b / a), step = octaves > 8 ? Math.ceil(octaves / 8) : octaves < 0.5 ? 0.1 : octaves < 1.5 ? 0.25 : octaves < 3 ? 0.5 : 1;
    const ticks = [];
    for (let k = Math.ceil(Math.log2(a) / step - 1e-9); k * step <= Math.log2(b) + 1e-9; k++) {
      const v = 2 ** (k * step);
      ticks.push([v, v >= 1e5 ? v.toExponential(0) : v >= 100 || step >= 1 ? String(Math.round(v)) : v.toPrecision(3)]);
    }
    return ticks;
  }
  function drawProfile() {
    const p = profile(), shown = [...p.ratios.keys()].filter(s => !state.hidden.has(s));
    let most = 2;
    for (const s of shown) most = Math.max(most, ...p.ratios.get(s));
    const full = [1, 2 ** Math.ceil(Math.log2(most) + 0.01)], range = state.zoom || full;
    const f = frame($("profile-chart"), { label: "performance profile", logx: true, x: range, y: [0, 1.02],
      ylabel: "share of problems solved", xlabel: `τ: ${state.cost} over the best on the same problem`, xticks: logTicks(range[0], range[1]),
      yticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map(v => [v, v.toFixed(1)]) });
    for (const s of shown) {
      const list = p.ratios.get(s);
      let n = 0, d = "";
      while (n < list.length && list[n] <= range[0]) n++;
      d = `M${f.x(range[0]).toFixed(1)} ${f.y(n / p.problems).toFixed(1)}`;
      while (n < list.length && list[n] <= range[1]) {
        const at = f.x(list[n]);
        n++;
        d += `H${at.toFixed(1)}V${f.y(n / p.problems).toFixed(1)}`;
      }
      f.svg.append(line(s, d + `H${f.x(range[1]).toFixed(1)}`, { "data-method": data.methods[s].name }));
    }
    profilePointer(f, p, shown, range);
    drawLegend($("profile-legend"), [...p.ratios.keys()], () => { drawProfile(); });
    f.svg.dataset.check = checkShares(p) ? "agrees" : "differs";
  }
  // The figures of the page against those the program computed for time and certificate.
  function checkShares(p) {
    if (state.cost !== "time" || state.judge !== "certificate") return true;
    return table().shares.every(([name, ...rho]) => {
      const s = data.methods.findIndex(m => m.name === name), list = p.ratios.get(s) || [];
      return [1, 2, 10, Infinity].every((tau, k) => Math.abs(share(list, tau, p.problems) - rho[k]) < 0.5 / p.problems);
    });
  }
  function profilePointer(f, p, shown, range) {
    const rule = el("line", { class: "rule", y1: f.top, y2: f.h - f.bottom, visibility: "hidden" });
    const select = el("rect", { class: "select", y: f.top, height: f.h - f.top - f.bottom, visibility: "hidden" });
    f.svg.append(rule, select);
    let from = null;
    const inside = px => Math.min(f.w - f.right, Math.max(f.left, px));
    f.svg.addEventListener("pointerdown", e => { from = inside(place(f, e)[0]); try { f.svg.setPointerCapture(e.pointerId); } catch (_) { /* a made-up pointer */ } });
    f.svg.addEventListener("pointermove", e => {
      const px = inside(place(f, e)[0]), tau = f.unx(px);
      rule.setAttribute("x1", px); rule.setAttribute("x2", px); rule.setAttribute("visibility", "visible");
      if (from !== null) {
        select.setAttribute("x", Math.min(from, px)); select.setAttribute("width", Math.abs(px - from));
        select.setAttribute("visibility", "visible");
      }
      const rows = shown.map(s => [s, share(p.ratios.get(s), tau, p.problems)]).sort((a, b) => b[1] - a[1]);
      showTip(e, `τ = ${tau < 10 ? tau.toFixed(2) : tau.toFixed(0)}`, rows.map(([s, r]) => el("div", {},
        el("span", { class: "swatch", style: `background:${colour(s)}` }), `${data.methods[s].name}: ${percent(r)}`)));
    });
    const end = e => {
      if (from === null) return;
      const px = inside(place(f, e)[0]), a = Math.min(from, px), b = Math.max(from, px);
      from = null;
      if (b - a > 8) { state.zoom = [f.unx(a), f.unx(b)]; hideTip(); drawProfile(); }
    };
    f.svg.addEventListener("pointerup", end);
    f.svg.addEventListener("pointercancel", () => { from = null; });
    f.svg.addEventListener("pointerleave", () => { rule.setAttribute("visibility", "hidden"); hideTip(); });
    f.svg.addEventListener("dblclick", () => { state.zoom = null; drawProfile(); });
    if (state.zoom) {
      const back = el("button", { type: "button", style: "position:absolute;right:18px;bottom:60px",
        onclick: () => { state.zoom = null; drawProfile(); } }, "whole range");
      f.svg.parentNode.append(back);
    }
  }
  function drawLegend(box, list, redraw) {
    box.replaceChildren(...list.map(s => el("button", { type: "button", "aria-pressed": String(!state.hidden.has(s)),
      onclick: () => { if (!state.hidden.delete(s)) state.hidden.add(s); redraw(); } }, swatch(s), data.methods[s].name)));
  }

  // ---- tables ----
  // columns: [title, value(row) for sorting, cell(row) text or node, class]
  function drawTable(node, rows, columns, options) {
    const sort = state.sort && state.sort.table === node.id ? state.sort : null;
    let list = rows;
    if (sort) {
      const value = columns[sort.column][1];
      list = rows.slice().sort((a, b) => {
        const x = value(a), y = value(b);
        if (typeof x === "string") return sort.down * x.localeCompare(y);
        return sort.down * ((finite(x) ? x : Infinity) - (finite(y) ? y : Infinity) || 0);
      });
    }
    const head = el("tr", {}, ...columns.map((c, i) => {
      const choose = () => {
        state.sort = sort && sort.column === i ? { table: node.id, column: i, down: -sort.down } : { table: node.id, column: i, down: 1 };
        drawTable(node, rows, columns, options);
      };
      return el("th", { scope: "col", class: c[3], "data-sort": true, tabindex: 0, onclick: choose,
        "aria-sort": sort && sort.column === i ? (sort.down > 0 ? "ascending" : "descending") : null,
        onkeydown: e => { if (e.key === "Enter") choose(); } }, c[0]);
    }));
    node.replaceChildren(el("thead", {}, head), el("tbody", {}, ...list.map(row => el("tr", {}, ...columns.map(c => {
      const cell = c[2](row);
      return cell instanceof Element && cell.tagName === "TD" ? cell : el("td", { class: c[3] }, cell);
    })))));
  }
  const named = s => el("span", { title: data.methods[s].spec }, el("span", { class: "swatch", style: `background:${colour(s)}` }),
    data.methods[s].name + (data.methods[s].program === "cairn" || data.methods[s].name.toLowerCase().startsWith(data.methods[s].program.toLowerCase())
      ? "" : ` (${data.methods[s].program})`));
  function drawSummary() {
    const t = table(), p = profile();
    const rows = methodsOf(t).map(s => {
      const runs = t.runs.filter(r => r[S] === s), good = runs.filter(success);
      const maps = runs.map(r => r[MAP]).filter(finite);
      return { s, runs: runs.length, good: good.length, wrong: runs.filter(r => r[OUTCOME] === "solved" && !success(r)).length,
        one: share(p.ratios.get(s), 1, p.problems), two: share(p.ratios.get(s), 2, p.problems), ten: share(p.ratios.get(s), 10, p.problems),
        median: median(good.map(r => r[SEC])), total: good.reduce((a, r) => a + r[SEC], 0),
        spent: runs.reduce((a, r) => a + (finite(r[SEC]) ? r[SEC] : 0), 0),
        load: median(good.map(r => r[LOAD]).filter(finite)), cert: median(good.map(r => r[CERT]).filter(finite)),
        iterations: median(good.map(r => r[IT]).filter(finite)), worst: maps.length ? Math.max(...maps) : NaN };
    });
    drawTable($("summary-table"), rows, [
      ["method", r => data.methods[r.s].name, r => named(r.s), "left"],
      ["solved", r => -r.good, r => el("span", { class: r.good === p.problems ? "good" : "bad" }, `${r.good} of ${p.problems}`)],
      ["ρ(1)", r => -r.one, r => r.one.toFixed(2)],
      ["ρ(2)", r => -r.two, r => r.two.toFixed(2)],
      ["ρ(10)", r => -r.ten, r => r.ten.toFixed(2)],
      ["median", r => r.median, r => seconds(r.median)],
      ["total", r => r.total, r => seconds(r.total)],
      ["with failures", r => r.spent, r => seconds(r.spent)],
      ["load", r => r.load, r => seconds(r.load)],
      ["certificate", r => r.cert, r => seconds(r.cert)],
      ["iterations", r => r.iterations, r => count(r.iterations)],
      ["worst error", r => -r.worst, r => short(r.worst)],
      ["wrong “solved”", r => -r.wrong, r => r.wrong ? el("span", { class: "bad" }, String(r.wrong)) : "0"],
    ]);
    const missing = methodsOf(t).length * p.problems - t.runs.length;
    $("summary-hint").textContent = "Median and total of load and solve, best of the repeats, over the problems that the method solved; “with failures” "
      + "adds what was spent on the others. Load, certificate and iterations are medians; the certificate's time is in no other figure. "
      + "“Wrong solved”: the method says so and the certificate does not." + (missing ? ` ${missing} runs are not there: they count as not solved.` : "");
  }
  function drawMatrix() {
    const t = table(), methods = methodsOf(t), byCell = new Map(t.runs.map(r => [r[P] + "," + r[S], r]));
    const rows = problemsOf(t).filter(p => data.problems[p].name.toLowerCase().includes(state.filter.toLowerCase())).map(p => {
      const runs = methods.map(s => byCell.get(p + "," + s)), good = runs.filter(r => r && success(r));
      return { p, runs, best: Math.min(...good.map(cost)) };
    });
    const cell = (row, k) => {
      const r = row.runs[k];
      if (!r) return el("td", { class: "soft" }, "");
      const ok = success(r), text = finite(cost(r)) ? costText(cost(r)) : r[OUTCOME];
      const chosen = state.chosen && state.chosen[0] === row.p && state.chosen[1] === methods[k];
      const open = () => { state.chosen = [row.p, methods[k]]; drawMatrix(); drawConvergence(); $("convergence").scrollIntoView({ block: "nearest" }); };
      return el("td", { class: `open${ok ? "" : " no"}${ok && cost(r) === row.best ? " best" : ""}${chosen ? " chosen" : ""}`, tabindex: 0,
        title: `${r[OUTCOME]}; relative error ${short(r[MAP])}${r[NOTE] ? "; " + r[NOTE] : ""}`, onclick: open,
        onkeydown: e => { if (e.key === "Enter") open(); } }, text);
    };
    drawTable($("matrix-table"), rows, [
      ["problem", r => data.problems[r.p].name, r => el("span", { title: data.problems[r.p].name }, data.problems[r.p].name)],
      ["contacts", r => data.problems[r.p].contacts, r => count(data.problems[r.p].contacts)],
      ...methods.map((s, k) => [data.methods[s].name, r => r.runs[k] && success(r.runs[k]) ? cost(r.runs[k]) : Infinity, r => cell(r, k)]),
    ]);
  }
  function drawConvergence() {
    const box = $("convergence");
    box.hidden = !state.chosen;
    if (!state.chosen) return;
    const [p, s] = state.chosen, t = table(), runs = t.runs.filter(r => r[P] === p && r[CURVE] && !state.hidden.has(r[S]));
    const chosen = t.runs.find(r => r[P] === p && r[S] === s);
    $("convergence-hint").textContent = `${data.problems[p].name}, ${t.law} law, tolerance ${tol(t.tolerance)}; ${data.methods[s].name} is drawn thick. `
      + "The natural map is what methods look at before they ask the judge. Points are those at which it was worked out; the last one is the answer's. It does not decide.";
    $("convergence-controls").replaceChildren(group("along", [["iteration", "iterations"], ["seconds", "seconds"]], state.x,
      v => { state.x = v; drawConvergence(); }));
    const points = runs.map(r => ({ s: r[S], x: r[CURVE][state.x], y: r[CURVE].natural_map }));
    drawCurves(points, s);
    drawLegend($("convergence-legend"), [...new Set(t.runs.filter(r => r[P] === p && r[CURVE]).map(r => r[S]))].sort((a, b) => a - b),
      () => { drawProfile(); drawConvergence(); });
    drawRun(chosen);
  }
  function drawCurves(points, chosen) {
    const xs = points.flatMap(c => c.x).filter(v => v > 0), ys = points.flatMap(c => c.y).filter(v => v > 0);
    if (!xs.length || !ys.length) {
      $("convergence-chart").replaceChildren(el("p", { class: "hint" }, "No curve was kept of this problem."));
      return;
    }
    let x0 = Math.min(...xs), x1 = Math.max(...xs), lo = Math.floor(Math.log10(Math.min(...ys, tolerance()))), hi = Math.ceil(Math.log10(Math.max(...ys)));
    if (x1 <= x0 * 1.2) { x0 /= 1.5; x1 *= 1.5; }
    lo = Math.max(lo, hi - 18);
    if (hi <= lo) hi = lo + 1;
    const yticks = [];
    for (let k = lo, step = Math.ceil((hi - lo) / 8); k <= hi; k += step) yticks.push([10 ** k, `1e${k}`]);
    const xticks = state.x === "iteration" ? logTicks(x0, x1) : decadeTicks(x0, x1);
    const f = frame($("convergence-chart"), { label: "convergence", logx: true, logy: true, x: [x0, x1], y: [10 ** lo, 10 ** hi], xticks, yticks,
      ylabel: "natural map", xlabel: state.x === "iteration" ? "iteration" : "time of the solve" });
    f.svg.append(el("line", { class: "rule", x1: f.left, x2: f.w - f.right, y1: f.y(tolerance()), y2: f.y(tolerance()) }));
    for (const c of points) {
      let d = "";
      const last = c.x.length - 1;
      c.x.forEach((v, i) => {
        d += `${d ? "L" : "M"}${f.x(Math.max(v, x0)).toFixed(1)} ${f.y(Math.max(c.y[i], 10 ** lo)).toFixed(1)}`;
      });
      f.svg.append(line(c.s, d, { "stroke-width": c.s === chosen ? 3.6 : 1.6, "data-method": data.methods[c.s].name }),
        el("circle", { cx: f.x(Math.max(c.x[last], x0)), cy: f.y(Math.max(c.y[last], 10 ** lo)), r: c.s === chosen ? 5 : 3.5, style: `fill:${colour(c.s)}` }));
    }
    f.svg.addEventListener("pointermove", e => {
      const [px, py] = place(f, e);
      let near = null;
      for (const c of points) c.x.forEach((v, i) => {
        const far = Math.hypot(f.x(Math.max(v, x0)) - px, f.y(Math.max(c.y[i], 10 ** lo)) - py);
        if (!near || far < near.far) near = { far, c, i };
      });
      if (near.far > 40) { hideTip(); return; }
      const { c, i } = near;
      showTip(e, data.methods[c.s].name, [el("div", {}, state.x === "iteration" ? `iteration ${c.x[i]}` : seconds(c.x[i])),
        el("div", {}, `natural map ${c.y[i].toExponential(2)}`)]);
    });
    f.svg.addEventListener("pointerleave", hideTip);
  }
  function decadeTicks(a, b) {
    const ticks = [];
    for (let k = Math.floor(Math.log10(a)); k <= Math.ceil(Math.log10(b)); k++)
      for (const m of b / a > 30 ? [1] : [1, 2, 5]) {
        const v = m * 10 ** k;
        if (v >= a * 0.999 && v <= b * 1.001) ticks.push([v, seconds(v).replace(/\.0+ /, " ")]);
      }
    return ticks;
  }
  function drawRun(r) {
    const rows = [["outcome, as the method says", r[OUTCOME] + (r[NOTE] ? ": " + r[NOTE] : "")], ["certificate", r[OK] ? "accepted" : "not accepted"],
      ["exact for free velocities within", finite(r[VEL]) ? short(r[VEL]) + " m/s" : "–"], ["relative to the largest free velocity", short(r[MAP])],
      ["plain formula", short(r[PLAIN])], ["natural map", short(r[OLD])],
      ["load, solve, certificate", [r[LOAD], r[SOLVE], r[CERT]].map(seconds).join(", ")],
      ["iterations, factorisations, solves", [r[IT], r[FACT], r[BACK]].map(count).join(", ")]];
    $("run-table").replaceChildren(el("tbody", {}, ...rows.map(([a, b]) => el("tr", {}, el("td", {}, a), el("td", { class: "left wrap" }, b)))));
  }
  function drawWorst() {
    const rows = table().runs.filter(r => !success(r) && r[OUTCOME] !== "refused").sort((a, b) => {
      const wrong = (b[OUTCOME] === "solved") - (a[OUTCOME] === "solved");
      return wrong || (finite(b[MAP]) ? b[MAP] : Infinity) - (finite(a[MAP]) ? a[MAP] : Infinity) || 0;
    }).slice(0, 12);
    if (!rows.length) {
      $("worst-table").replaceChildren(el("tbody", {}, el("tr", {}, el("td", { class: "good" }, "Every answer is certified."))));
      return;
    }
    drawTable($("worst-table"), rows, [
      ["problem", r => data.problems[r[P]].name, r => data.problems[r[P]].name, "left"],
      ["method", r => data.methods[r[S]].name, r => named(r[S]), "left"],
      ["it says", r => r[OUTCOME], r => el("span", { class: r[OUTCOME] === "solved" ? "bad" : "" }, r[OUTCOME]), "left"],
      ["relative error", r => r[MAP], r => short(r[MAP])],
      ["error, m/s", r => r[VEL], r => short(r[VEL])],
      ["plain formula", r => r[PLAIN], r => short(r[PLAIN])],
      ["time", r => r[SEC], r => seconds(r[SEC])],
      ["note", r => r[NOTE], r => r[NOTE], "left wrap"],
    ]);
  }
  function drawSlowest() {
    const t = table(), methods = methodsOf(t).length;
    const rows = problemsOf(t).map(p => {
      const good = t.runs.filter(r => r[P] === p && success(r)).sort((a, b) => a[SEC] - b[SEC]);
      return { p, good, best: good.length ? good[0][SEC] : Infinity };
    }).sort((a, b) => b.best - a.best || a.p - b.p).slice(0, 12);
    drawTable($("slowest-table"), rows, [
      ["problem", r => data.problems[r.p].name, r => data.problems[r.p].name, "left"],
      ["contacts", r => data.problems[r.p].contacts, r => count(data.problems[r.p].contacts)],
      ["rows m", r => data.problems[r.p].m, r => count(data.problems[r.p].m)],
      ["best method", r => r.good.length ? data.methods[r.good[0][S]].name : "", r => r.good.length ? named(r.good[0][S]) : "nobody", "left"],
      ["its time", r => r.best, r => r.good.length ? seconds(r.best) : "–"],
      ["next best", r => r.good.length > 1 ? r.good[1][SEC] : Infinity, r => r.good.length > 1 ? seconds(r.good[1][SEC]) : "–"],
      ["solved by", r => -r.good.length, r => `${r.good.length} of ${methods}`],
    ]);
  }

  // ---- what does not change ----
  function drawStatic() {
    const runs = data.tables.reduce((a, t) => a + t.runs.length, 0), head = data.heads[data.heads.length - 1] || {}, m = head.machine || {};
    $("lead").textContent = `${data.problems.length} problems, ${data.methods.length} methods, ${runs} runs` + (m.cpu ? ` on ${m.cpu}` : "")
      + ". A run counts as solved when its certificate says so: its answer is exact for free velocities that differ by no more than the tolerance, relative to the largest of them, judged by code that shares nothing with "
      + "the solvers.";
    document.title = `Cairn bench: ${data.methods.length} methods, ${data.problems.length} problems`;
    const facts = [["Cairn", head.version || data.version], ["processor", m.cpu], ["cores", m.cores], ["memory", bytes(m.memory)], ["system", m.system],
      ["compiler", m.compiler && `${m.compiler}, ${m.build}`], ["friction cone", head.cone], ["threads", head.threads], ["time limit", finite(head.time_limit) ? (head.time_limit ? head.time_limit + " s a solve" : "none") : null],
      ["repeats", head.repeat && `best of ${head.repeat}; none once a run has taken ${head.enough} s`]];
    const peers = [...new Set(data.methods.filter(x => x.program !== "cairn").map(x => `${x.program} ${x.version}`.trim()))];
    if (peers.length) facts.push(["other programs", peers.join(", ")]);
    $("machine-list").replaceChildren(...facts.filter(f => f[1]).flatMap(([a, b]) => [el("dt", {}, a), el("dd", {}, String(b))]));
    const commands = [...new Set(data.heads.map(h => h.command).filter(Boolean))];
    $("commands").replaceChildren(...commands.map(c => el("pre", {}, c)));
    $("refused").hidden = !data.refusals.length;
    $("refused-list").replaceChildren(...data.refusals.map(r => el("li", {}, r)));
  }
  function update() {
    if (state.chosen && !table().runs.some(r => r[P] === state.chosen[0] && r[S] === state.chosen[1])) state.chosen = null;
    drawControls();
    drawProfile();
    drawSummary();
    drawMatrix();
    drawConvergence();
    drawWorst();
    drawSlowest();
  }
  drawStatic();
  if (data.tables.length) {
    $("filter").addEventListener("input", e => { state.filter = e.target.value; drawMatrix(); });
    let width = innerWidth;
    addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; drawProfile(); drawConvergence(); } });
    update();
  } else {
    for (const id of ["profile", "summary", "matrix", "worst", "slowest"]) $(id).hidden = true;
  }
})();
