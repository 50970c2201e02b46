// Curves: rows of tables, and charts of their columns.
import { $, number, power, ticks, style, fit, unit } from "./common.js";

// Rows holds the columns of a table as they arrive.
export class Rows {
  constructor() { this.clear([]); }

  clear(header) {
    this.names = header.length ? header[0].split(",") : [];
    this.units = header.length ? header[1].replace(/^#/, "").split(",") : [];
    this.columns = this.names.map(() => []);
    this.stride = 1;
  }

  // take adds a batch: rows come in order, and none twice; the last one gives way where it is not of the steps that are kept.
  take(batch) {
    if (batch.reset) this.clear(batch.header || []);
    if (!this.columns.length) return;
    const step = this.columns[0];
    const drop = (keep) => {
      for (let c = 0; c < this.columns.length; c++) this.columns[c] = this.columns[c].filter((_, i) => keep[i]);
    };
    if (batch.stride !== this.stride) {
      this.stride = batch.stride;
      drop(step.map((s) => s % this.stride === 0));
    }
    for (const line of batch.rows) {
      const own = this.columns[0], last = own.length - 1;
      const words = line.split(",");
      if (words.length !== this.columns.length || (last >= 0 && Number(words[0]) <= own[last])) continue;
      if (last >= 0 && own[last] % this.stride !== 0) for (const c of this.columns) c.pop();
      words.forEach((w, c) => this.columns[c].push(w === "" ? NaN : Number(w)));
    }
  }

  column(name) { return this.columns[this.names.indexOf(name)] || []; }
  unit(name) { return this.units[this.names.indexOf(name)]; }
  get length() { return this.columns.length ? this.columns[0].length : 0; }
}

const byDay = ["#0072b2", "#d55e00", "#009e73", "#b14a8a", "#b37700", "#2e8fc4", "#7a55a5", "#777777"];
const byNight = ["#4ea8e0", "#f0834a", "#3ccf9e", "#e59bc6", "#f2b632", "#9bd3f5", "#b79be0", "#aaaaaa"];

// groups sorts the columns of series.csv into what is looked at together.
export function groups(rows) {
  const all = new Map();
  const put = (group, name) => { if (!all.has(group)) all.set(group, []); all.get(group).push(name); };
  for (const name of rows.names) {
    const found = name.match(/^(nusselt|sherwood)/);
    if (name === "step" || name === "time") continue;
    if (found) put(found[1] === "nusselt" ? "Nusselt numbers" : "Sherwood numbers", name);
    else if (name.startsWith("speed_")) put("Speeds", name);
    else if (name === "dt") put("Time step", name);
    else if (name.startsWith("cycles_")) put("Cycles of the solvers", name);
    else if (name.startsWith("streamfunction")) put("Streamfunction", name);
    else if (name.startsWith("divergence")) put("Divergence", name);
    else if (name === "wall_seconds") put("Seconds", name);
    else if (/_(in|gain)$/.test(name) && !name.startsWith("well_")) put("Balance of " + name.replace(/_(in|gain)$/, ""), name);
    else if (name.endsWith("_mean")) put("Means", name);
    else if (name.startsWith("well_")) put("Well " + name.split("_")[1], name);
    else put("Walls and patches: " + name.split("_").slice(1).join(" "), name);
  }
  return all;
}

// Chart draws some columns over time or steps.
export class Chart {
  // source returns {rows, names} of a choice; choices lists them.
  constructor(parent, title, source) {
    this.source = source;
    this.cursor = null;
    this.figure = document.createElement("figure");
    this.figure.className = "chart";
    this.figure.innerHTML = '<div class="controls"><select></select><label><input type="checkbox"> log</label></div><canvas tabindex="0" role="img"></canvas><div class="legend"></div>';
    [this.select, this.log, this.canvas, this.legend] = ["select", "input", "canvas", ".legend"].map((q) => this.figure.querySelector(q));
    this.select.setAttribute("aria-label", "what the chart shows");
    this.wanted = title;
    parent.append(this.figure);
    this.select.onchange = () => { this.wanted = this.select.value; this.onchange(); this.draw(); };
    this.log.onchange = () => this.draw();
    this.canvas.onpointermove = (e) => { this.cursor = e.offsetX; this.draw(); };
    this.canvas.onpointerleave = () => { this.cursor = null; this.draw(); };
    this.canvas.onkeydown = (e) => {
      const by = { ArrowLeft: -4, ArrowRight: 4 }[e.key];
      if (!by) return;
      e.preventDefault();
      this.cursor = (this.cursor ?? this.canvas.clientWidth / 2) + by;
      this.draw();
    };
    this.onchange = () => {};
  }

  // offer lists what can be chosen.
  offer(titles) {
    if (titles.join("|") === this.offered) return;
    this.offered = titles.join("|");
    this.select.replaceChildren(...titles.map((t) => new Option(t, t)));
    if (!titles.includes(this.wanted)) this.wanted = titles[0];
    this.select.value = this.wanted;
  }

  draw() {
    const { rows, names, abscissa, part } = this.source(this.wanted);
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width) return;
    const c = fit(this.canvas, width, height);
    c.clearRect(0, 0, width, height);
    const colours = matchMedia("(prefers-color-scheme: dark)").matches ? byNight : byDay;
    const x = rows.column(abscissa), n = x.length;
    this.canvas.setAttribute("aria-label", `curves: ${names.join(", ")}`);
    if (!n || !names.length) { this.legend.textContent = "no rows yet"; return; }
    const box = { left: 58, right: width - 8, top: 6, bottom: height - 20 };
    let from = 0;
    const begin = x[n - 1] - part * (x[n - 1] - x[0]);
    while (from < n - 1 && x[from] < begin) from++;
    const log = this.log.checked;
    let low = Infinity, high = -Infinity, hidden = 0;
    for (const name of names) {
      const y = rows.column(name);
      for (let i = from; i < n; i++) {
        if (!Number.isFinite(y[i])) continue;
        if (log && y[i] <= 0) { hidden++; continue; }
        low = Math.min(low, y[i]); high = Math.max(high, y[i]);
      }
    }
    const shown = low <= high;
    if (!shown) { low = log ? 0.1 : 0; high = 1; }
    if (low === high) { const pad = Math.abs(low) * 0.05 || 0.5; [low, high] = log ? [low / 1.2, high * 1.2] : [low - pad, high + pad]; }
    const f = log ? Math.log10 : (v) => v;
    const pad = (f(high) - f(low)) * 0.04;
    const y0 = f(low) - pad, y1 = f(high) + pad, x0 = x[from], x1 = x[n - 1] > x[from] ? x[n - 1] : x[from] + 1;
    const px = (v) => box.left + ((v - x0) / (x1 - x0)) * (box.right - box.left);
    const py = (v) => box.bottom - ((f(v) - y0) / (y1 - y0)) * (box.bottom - box.top);
    this.axes(c, box, { px, py, x0, x1, y0, y1, log });
    names.forEach((name, k) => {
      const y = rows.column(name);
      c.strokeStyle = colours[k % colours.length];
      c.lineWidth = 1.5;
      if (k >= colours.length) c.setLineDash([5, 3]); else c.setLineDash([]);
      c.beginPath();
      let down = false;
      for (let i = from; i < n; i++) {
        const ok = Number.isFinite(y[i]) && !(log && y[i] <= 0);
        if (ok) { if (down) c.lineTo(px(x[i]), py(y[i])); else c.moveTo(px(x[i]), py(y[i])); }
        down = ok;
      }
      c.stroke();
    });
    c.setLineDash([]);
    let at = n - 1;
    if (this.cursor !== null) {
      this.cursor = Math.min(Math.max(this.cursor, box.left), box.right);
      const want = x0 + ((this.cursor - box.left) / (box.right - box.left)) * (x1 - x0);
      let a = from, b = n - 1;
      while (b - a > 1) { const m = (a + b) >> 1; if (x[m] < want) a = m; else b = m; }
      at = want - x[a] < x[b] - want ? a : b;
      c.strokeStyle = style("--quiet");
      c.lineWidth = 1;
      c.beginPath(); c.moveTo(px(x[at]), box.top); c.lineTo(px(x[at]), box.bottom); c.stroke();
    }
    const words = names.map((name, k) => {
      const span = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = colours[k % colours.length];
      span.append(mark, `${name} ${number(rows.column(name)[at])}${unit(rows.unit(name))}`);
      return span;
    });
    if (this.cursor !== null) { const s = document.createElement("span"); s.textContent = `${abscissa} ${number(x[at])}${unit(rows.unit(abscissa))}`; words.unshift(s); }
    if (hidden) { const s = document.createElement("span"); s.textContent = `${hidden} values of 0 and below are not shown`; words.push(s); }
    if (!shown && !hidden) { const s = document.createElement("span"); s.textContent = "not defined here"; words.push(s); }
    this.legend.replaceChildren(...words);
  }

  axes(c, box, { px, py, x0, x1, y0, y1, log }) {
    c.font = "11px system-ui, 'Liberation Sans', sans-serif";
    c.lineWidth = 1;
    c.textAlign = "right"; c.textBaseline = "middle";
    let marks;
    if (log && y1 - y0 > 1) {
      const step = Math.max(1, Math.ceil((y1 - y0) / 6));
      marks = [];
      for (let e = Math.ceil(y0); e <= y1; e += step) marks.push([10 ** e, power(e)]);
    } else {
      const [a, b] = log ? [10 ** y0, 10 ** y1] : [y0, y1];
      marks = ticks(a, b, 4).map((v) => [v, number(v, 6)]);
    }
    for (const [v, text] of marks) {
      const y = py(v);
      c.strokeStyle = style("--grid"); c.beginPath(); c.moveTo(box.left, y); c.lineTo(box.right, y); c.stroke();
      c.fillStyle = style("--quiet"); c.fillText(text, box.left - 5, y, box.left - 7);
    }
    c.textAlign = "center"; c.textBaseline = "top";
    for (const v of ticks(x0, x1, Math.max(2, (box.right - box.left) / 90))) {
      const x = px(v);
      c.strokeStyle = style("--grid"); c.beginPath(); c.moveTo(x, box.top); c.lineTo(x, box.bottom); c.stroke();
      c.fillStyle = style("--quiet"); c.fillText(number(v, 6), Math.min(Math.max(x, box.left + 8), box.right - 14), box.bottom + 4);
    }
    c.strokeStyle = style("--line"); c.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  }
}
