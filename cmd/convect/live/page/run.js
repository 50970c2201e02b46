// The page of a run.
import { $, leaveToken, get, number, unit, short } from "./common.js";
import { Rows, Chart, groups } from "./plot.js";
import { run, look, draw, axisChosen, readNames, readStills, takeStills } from "./view.js";

leaveToken();

const rows = new Rows();
let frozen = null;
const tables = new Map(); // rows of other tables, by name

// ---- what has been reached ----

const words = { running: "running", paused: "paused", finished: "finished", steady: "steady", stopped: "stopped", failed: "failed", killed: "killed", waiting: "about to begin" };

function showState() {
  const s = run.state, chip = $("chip");
  const word = words[s.state] || s.state;
  if (chip.textContent !== word) chip.textContent = word; // which readers of screens speak
  chip.className = "chip " + s.state;
  document.title = (s.part === null ? "" : Math.floor(100 * s.part) + " % ") + (run.about ? run.about.title : "convect");
  $("part").value = s.part ?? 0;
  $("percent").textContent = s.part === null ? "" : (100 * s.part).toFixed(s.part < 0.1 ? 1 : 0) + " %";
  $("left").textContent = s.state === "running" ? s.left || "time left unknown" : "";
  $("said").hidden = !s.said && !s.page;
  $("said").replaceChildren(s.said || "");
  if (s.page) { const a = document.createElement("a"); a.href = s.page; a.textContent = "its own page, on which it can be steered"; $("said").append(" — ", a); }
  const last = (name) => rows.length ? rows.column(name)[rows.length - 1] : undefined;
  const list = [["step", s.step, "step"], ["t", s.time_text], ["end", s.end_text], ["Δt", number(last("dt"), 3) + unit(rows.unit("dt"))], ["steps/s", short(s.rate)], ["nodes/s", short(s.points)]];
  for (const [name, label] of [["nusselt_hot", "Nu hot"], ["nusselt_cold", "Nu cold"], ["sherwood_in", "Sh in"], ["speed_max", "speed max"], ["cycles_pressure", "cycles"]]) {
    const v = last(name);
    if (v !== undefined && !Number.isNaN(v)) list.push([label, number(v) + unit(rows.unit(name))]);
  }
  $("numbers").replaceChildren(...list.map(([name, value, id]) => {
    const d = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name; dd.textContent = value ?? "–"; if (id) dd.id = id;
    d.append(dt, dd);
    return d;
  }));
  const steers = run.about && run.about.steers && !run.over && !["finished", "steady", "stopped", "failed"].includes(s.state);
  for (const b of $("steer").querySelectorAll("button, input")) b.disabled = !steers;
  $("pause").textContent = s.state === "paused" ? "Go on" : "Pause";
  if (document.activeElement !== $("end") && !$("end").dataset.touched) $("end").value = s.end === null ? "" : String(s.end);
  if (document.activeElement !== $("every") && !$("every").dataset.touched) $("every").value = s.every || "";
}

let logSize = -1, stillsSeen = null;
function take(s) {
  const before = run.state;
  run.state = s;
  showState();
  if (s.log !== logSize) { logSize = s.log; soon(readLog); }
  if (s.stills !== stillsSeen) { stillsSeen = s.stills; soon(readStills); }
  if (s.step !== before.step || s.state !== before.state) look();
}

// soon calls a function once for all reasons of a moment, and not once the run has told its end.
const waiting = new Set();
function soon(f) {
  if (waiting.has(f)) return;
  waiting.add(f);
  setTimeout(() => { waiting.delete(f); if (!run.over) f(); }, 100);
}

function takeRows(b) {
  rows.take(b);
  $("stride").textContent = rows.stride > 1 ? `every ${rows.stride}th step is shown` : "";
  drawCharts();
  showState();
  document.documentElement.dataset.rows = rows.length;
  document.documentElement.dataset.step = rows.length ? rows.column("step")[rows.length - 1] : "";
  cursor = b.cursor;
}

// ---- connection: events, or where a proxy holds them back, questions ----

let source = null, cursor = "", heard = 0, asking = null, watchdog = null;
function connect() {
  disconnect();
  if (run.over || document.hidden) return;
  heard = 0;
  source = new EventSource("events?after=" + encodeURIComponent(cursor));
  const listen = (name, f) => source.addEventListener(name, (e) => { heard = performance.now(); said("live"); f(JSON.parse(e.data)); });
  listen("state", take);
  listen("rows", takeRows);
  listen("over", (end) => {
    run.over = true;
    disconnect();
    logSize = end.state.log; logText = end.log; showLog();
    stillsSeen = end.state.stills; takeStills(end.stills);
    take(end.state);
    said("the run has ended and this page has all of it; convect watch shows it again");
  });
  source.onerror = () => { if (!run.over && !asking) said("connection lost; trying again", "lost"); };
  watchdog = setTimeout(() => { if (!heard) ask(); }, 3000);
}

function disconnect() {
  if (source) source.close();
  source = null;
  clearTimeout(watchdog);
  clearTimeout(asking);
  asking = null;
}

// ask fetches what is new each second.
async function ask() {
  if (source) source.close();
  source = null;
  try {
    const [s, b] = await Promise.all([get("state"), get("rows?after=" + encodeURIComponent(cursor))]);
    takeRows(b);
    take(s);
    said("live, by asking each second");
  } catch (e) {
    said(e.status === 401 ? e.message : "connection lost; trying again", "lost");
  }
  if (!run.over && !document.hidden) asking = setTimeout(ask, 1000);
}

function said(text, kind) {
  if ($("link").textContent !== text) $("link").textContent = text;
  $("link").className = "quiet " + (kind || "");
}

document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));

// ---- log ----

let logText = "";
async function readLog() {
  try { const r = await fetch("log"); if (r.ok) logText = await r.text(); } catch { return; }
  showLog();
}
function showLog() {
  const box = $("lines"), atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
  const lines = logText.split("\n").filter(Boolean);
  const kind = (l) => (l.match(/ (WRN|ERR) /) || [])[1];
  const warnings = lines.filter(kind).length;
  $("warned").hidden = !warnings;
  $("warned").textContent = warnings === 1 ? "1 warning" : warnings + " warnings";
  box.replaceChildren(...lines.filter((l) => !$("only").checked || kind(l)).map((l) => { const s = document.createElement("span"); s.className = kind(l) || ""; s.textContent = l + "\n"; return s; }));
  if (atEnd) box.scrollTop = box.scrollHeight;
}
$("only").onchange = showLog;

// ---- curves ----

const charts = [];
function sourceOf(title) {
  const part = Number($("window").value), abscissa = $("abscissa").value, from = frozen || { rows, tables };
  if (from.tables.has(title)) { const r = from.tables.get(title); return { rows: r, names: r.names.slice(2), abscissa, part }; }
  return { rows: from.rows, names: groups(from.rows).get(title) || [], abscissa, part };
}
function drawCharts() {
  const titles = [...groups(rows).keys(), ...(run.about ? run.about.tables : [])];
  if (!rows.length) return;
  for (const c of charts) { c.offer(titles); c.draw(); }
}
for (const title of ["Nusselt numbers", "Speeds", "Time step", "Cycles of the solvers"]) {
  const c = new Chart($("charts"), title, sourceOf);
  c.onchange = readTables;
  charts.push(c);
}
$("window").onchange = $("abscissa").onchange = drawCharts;
$("freeze").onclick = () => {
  const copy = (r) => Object.assign(new Rows(), { names: r.names, units: r.units, columns: r.columns.map((c) => c.slice()), stride: r.stride });
  frozen = frozen ? null : { rows: copy(rows), tables: new Map([...tables].map(([n, r]) => [n, copy(r)])) };
  $("freeze").setAttribute("aria-pressed", String(!!frozen));
  $("freeze").textContent = frozen ? "Follow again" : "Freeze";
  drawCharts();
};

// readTables fetches the other tables that a chart shows.
const cursors = new Map();
async function readTables() {
  for (const name of run.about ? run.about.tables : []) {
    if (!charts.some((c) => c.wanted === name)) continue;
    if (!tables.has(name)) tables.set(name, new Rows());
    try {
      const b = await get("rows?" + new URLSearchParams({ table: name, after: cursors.get(name) || "" }));
      tables.get(name).take(b);
      cursors.set(name, b.cursor);
    } catch { /* it may come later */ }
  }
  drawCharts();
}
setInterval(() => { if (!document.hidden && !run.over && run.about && run.about.tables.some((n) => charts.some((c) => c.wanted === n))) readTables(); }, 2000);

// ---- steering ----

async function order(action, value) {
  const out = $("answer");
  out.textContent = "asked for, after the step under way …";
  try {
    const { said } = await get("do", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ action, value }) });
    out.textContent = said;
  } catch (e) {
    out.textContent = "Not done: " + e.message;
    return false;
  }
  get("state").then(take, () => {});
  return true;
}
$("pause").onclick = () => order(run.state.state === "paused" ? "resume" : "pause");
$("snapshot").onclick = () => order("snapshot");
$("checkpoint").onclick = () => order("checkpoint");
const sure = (asking) => { $("stop").hidden = asking; $("stop-yes").hidden = $("stop-no").hidden = !asking; (asking ? $("stop-no") : $("stop")).focus(); };
$("stop").onclick = () => sure(true);
$("stop-no").onclick = () => sure(false);
$("stop-yes").onclick = () => { sure(false); order("stop"); };
for (const [form, input, action] of [["end-form", "end", "end"], ["every-form", "every", "every"]]) {
  $(input).oninput = () => { $(input).dataset.touched = "1"; };
  $(form).onsubmit = async (e) => { e.preventDefault(); if (await order(action, $(input).value)) delete $(input).dataset.touched; };
}
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select, textarea")) return;
  const button = { p: "pause", s: "snapshot", c: "checkpoint", f: "freeze" }[e.key];
  if (button && !$(button).disabled && !(button !== "freeze" && $("steer").hidden)) { e.preventDefault(); $(button).click(); }
});

// ---- begin ----

async function begin() {
  try { run.about = await get("about"); } catch (e) {
    said(e.message, "lost");
    if (e.status !== 401) setTimeout(begin, 2000);
    return;
  }
  $("title").textContent = run.about.title;
  $("where").textContent = `${run.about.dir} — convect ${run.about.version}`;
  $("steer").hidden = !run.about.steers;
  $("map").replaceChildren(...run.about.colours.map((n) => new Option(n, n)));
  $("axis").value = "y";
  for (const id of ["axis-label", "index-label", "look-label"]) $(id).hidden = run.about.flat;
  axisChosen();
  readNames();
  connect();
}
let resizing = null;
new ResizeObserver(() => { clearTimeout(resizing); resizing = setTimeout(() => { draw(); drawCharts(); }, 60); }).observe($("field-panel"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); drawCharts(); });
begin();
