// The page of a run.
import { $, leaveToken, get, number, unit, short, style } from "./common.js";
import { Rows, Chart, groups } from "./plot.js";
import { read, paint, streamlines, Solid, Frame, told, place } from "./field.js";

leaveToken();

const rows = new Rows();
let about, state = {}, frozen = null, over = false;
const tables = new Map(); // rows of other tables, by name

// ---- what has been reached ----

const words = { running: "running", paused: "paused", finished: "finished", steady: "steady", stopped: "stopped", failed: "failed", killed: "killed", waiting: "about to begin" };

function showState() {
  const s = state, chip = $("chip");
  const word = words[s.state] || s.state;
  if (chip.textContent !== word) chip.textContent = word; // which readers of screens speak
  chip.className = "chip " + s.state;
  document.title = (s.part === null ? "" : Math.floor(100 * s.part) + " % ") + (about ? about.title : "convect");
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
  const steers = about && about.steers && !over && !["finished", "steady", "stopped", "failed"].includes(s.state);
  for (const b of $("steer").querySelectorAll("button, input")) b.disabled = !steers;
  $("pause").textContent = s.state === "paused" ? "Go on" : "Pause";
  if (document.activeElement !== $("end") && !$("end").dataset.touched) $("end").value = s.end === null ? "" : String(s.end);
  if (document.activeElement !== $("every") && !$("every").dataset.touched) $("every").value = s.every || "";
}

let logSize = -1, stillsSeen = null;
function take(s) {
  const before = state;
  state = s;
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
  setTimeout(() => { waiting.delete(f); if (!over) f(); }, 100);
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
  if (over || document.hidden) return;
  heard = 0;
  source = new EventSource("events?after=" + encodeURIComponent(cursor));
  const listen = (name, f) => source.addEventListener(name, (e) => { heard = performance.now(); said("live"); f(JSON.parse(e.data)); });
  listen("state", take);
  listen("rows", takeRows);
  listen("over", (end) => {
    over = true;
    disconnect();
    logSize = end.state.log; logText = end.log; showLog();
    stillsSeen = end.state.stills; stills = end.stills || []; takeStills();
    take(end.state);
    said("the run has ended and this page has all of it; convect watch shows it again");
  });
  source.onerror = () => { if (!over && !asking) said("connection lost; trying again", "lost"); };
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
  if (!over && !document.hidden) asking = setTimeout(ask, 1000);
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
  const titles = [...groups(rows).keys(), ...(about ? about.tables : [])];
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
  for (const name of about ? about.tables : []) {
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
setInterval(() => { if (!document.hidden && !over && about && about.tables.some((n) => charts.some((c) => c.wanted === n))) readTables(); }, 2000);

// ---- field ----

const frame = new Frame($("stage"), $("picture"), $("over"));
const palettes = new Map();
let solid = null, shown = null, lines = [], point = null, stills = [], kept = null, loading = null, again = false, lastLook = 0, playing = null;

const isBlock = () => $("look").value === "block";
const atPresent = () => about && about.present.length && Number($("still").value) >= stills.length;

async function palette(name) {
  if (!palettes.has(name)) {
    const r = await fetch("colours/" + name);
    if (!r.ok) throw new Error("no colours");
    palettes.set(name, new Uint8Array(await r.arrayBuffer()));
  }
  return palettes.get(name);
}

// look fetches the field that is asked for, at most twice a second, and shows it.
async function look(now) {
  if (!about || document.hidden || over) return;
  if (loading) { again = true; if (now) loading.abort(); return; }
  if (!now && (!atPresent() || (shown && shown.step === state.step && shown.still === undefined))) return;
  const wait = now ? 0 : Math.max(0, lastLook + 500 - performance.now());
  const query = { name: $("name").value, axis: $("axis").value, index: $("index").value };
  if (!query.name) return;
  loading = new AbortController();
  again = false;
  try {
    if (wait) await new Promise((done) => setTimeout(done, wait));
    if (over) return; // the run has ended meanwhile: nobody answers
    query.name = $("name").value; query.axis = $("axis").value; query.index = $("index").value;
    if (isBlock()) query.block = 1;
    else if ($("flow").checked) query.flow = 1;
    const still = atPresent() ? null : stills[Number($("still").value)];
    if (!still && !about.present.length) return;
    if (still) query.still = still.step;
    const table = await palette($("map").value);
    if (over) return;
    const plane = await read(query, loading.signal);
    if (!plane) return;
    if (still) plane.still = still.step;
    lastLook = performance.now();
    shown = plane;
    lines = plane.arrays.length === 3 ? streamlines(plane) : [];
    draw(table);
    fieldSaid("");
  } catch (e) {
    if (e.name !== "AbortError" && !over) fieldSaid(e.message);
  } finally {
    loading = null;
    if (again) look(true);
  }
}

let fault = "";
function fieldSaid(text) { fault = text; readout(); }

// limits returns the range of the colours.
function limits() {
  let low = shown.low ?? 0, high = shown.high ?? 1;
  const mode = $("range").value;
  if (mode === "auto") kept = null;
  if (mode === "kept" && kept && kept.name === shown.name) ({ low, high } = kept);
  if (mode === "kept") kept = { name: shown.name, low, high };
  if (mode === "given") {
    const l = parseFloat($("low").value), h = parseFloat($("high").value);
    if (Number.isFinite(l) && Number.isFinite(h) && l < h) { low = l; high = h; }
  }
  if (low === high) { low -= 0.5; high += 0.5; }
  return { low, high };
}

function draw(table) {
  if (!shown) return;
  table = table || palettes.get($("map").value);
  const block = shown.axes.length === 3;
  $("picture").hidden = block; $("solid").hidden = !block;
  const { low, high } = limits();
  $("scale-low").textContent = number(low, 4); $("scale-high").textContent = number(high, 4) + unit(shown.unit);
  const bar = $("scale").getContext("2d"), image = bar.createImageData(256, 1);
  for (let i = 0; i < 256; i++) { for (let c = 0; c < 3; c++) image.data[4 * i + c] = table[3 * i + c]; image.data[4 * i + 3] = 255; }
  bar.putImageData(image, 0, 0);
  if (block) drawSolid(table, low, high);
  else {
    frame.lay(shown);
    paint($("picture"), shown, table, low, high);
    frame.draw(lines, point, about.length_unit);
    Object.assign($("picture").dataset, { step: shown.step, axis: shown.axis, low, high });
  }
  readout();
}

function drawSolid(table, low, high) {
  const stage = $("stage"), height = Math.round(Math.min(stage.clientWidth, 520) * 0.8);
  stage.style.height = height + "px";
  for (const c of [$("solid"), $("over")]) Object.assign(c.style, { left: "0", top: "0", width: stage.clientWidth + "px", height: height + "px" });
  solid = solid || new Solid($("solid"));
  if (!solid.gl) { fault = "this browser draws no isosurfaces (there is no WebGL 2)"; return; }
  if (solid.of !== shown) { solid.load(shown); solid.of = shown; }
  const part = Number($("level").value) / 1000, level = shown.low + part * (shown.high - shown.low);
  $("level-at").textContent = number(level, 4) + unit(shown.unit);
  const i = Math.max(0, Math.min(255, Math.floor(((level - low) / (high - low)) * 256)));
  solid.draw(part, [0, 1, 2].map((c) => table[3 * i + c] / 255), $("over"));
}

function readout() {
  let text = fault;
  if (!text && shown && shown.axes.length === 2 && point) text = told(shown, point, about.length_unit);
  else if (!text && shown) text = (shown.every > 1 ? `every ${shown.every}th node; ` : "") + `step ${shown.step}, t = ${number(shown.time)}${unit(about.time_unit)}`;
  $("readout").textContent = text || "\u00a0";
}

function axisChosen() {
  const d = "xyz".indexOf($("axis").value), n = about.nodes[d];
  $("index").max = n - 1;
  $("index").value = n >> 1;
}

function readStillsList() {
  const names = atPresent() ? about.present : about.stills, before = $("name").value;
  if (names.map((n) => n.name).join() === [...$("name").options].map((o) => o.value).join()) return;
  $("name").replaceChildren(...names.map((n) => new Option(n.name.replace(".", " ") + (n.unit === "1" ? "" : " [" + n.unit + "]"), n.name)));
  if (names.some((n) => n.name === before)) $("name").value = before;
}

async function readStills() {
  try { ({ stills } = await get("stills")); } catch { return; }
  stills = stills || [];
  takeStills();
}

function takeStills() {
  const slider = $("still"), most = stills.length - (about && about.present.length ? 0 : 1), follows = !shown || Number(slider.value) >= Number(slider.max);
  slider.max = Math.max(0, most);
  if (follows) slider.value = slider.max;
  slider.disabled = $("play").disabled = most < 1;
  stillChosen(follows);
}

function stillChosen(follows) {
  if (!about) return;
  readStillsList();
  const still = stills[Number($("still").value)];
  $("still-at").textContent = atPresent() ? "now" : still ? `t = ${number(still.time)}${unit(about.time_unit)}` : "no snapshot yet";
  if (over) return;
  if (follows === true && atPresent()) look(); else look(true);
}

$("still").oninput = () => { stop(); stillChosen(); };
function stop() { clearInterval(playing); playing = null; $("play").textContent = "Play"; }
$("play").onclick = () => {
  if (playing) { stop(); return; }
  $("play").textContent = "Stop";
  if (Number($("still").value) >= stills.length - 1) $("still").value = 0;
  playing = setInterval(() => {
    if (loading) return;
    if (Number($("still").value) >= stills.length - 1) { stop(); return; }
    $("still").value = Number($("still").value) + 1;
    stillChosen();
  }, 250);
};

$("name").onchange = () => { kept = null; if ($("range").value === "kept") $("range").value = "auto"; look(true); };
$("map").onchange = async () => { await palette($("map").value); draw(); };
$("flow").onchange = () => look(true);
$("axis").onchange = () => { axisChosen(); point = null; look(true); };
$("index").oninput = () => look(true);
$("look").onchange = () => {
  for (const id of ["axis-label", "index-label"]) $(id).hidden = isBlock() || about.flat;
  $("level-label").hidden = !isBlock();
  $("flow-label").hidden = isBlock();
  look(true);
};
$("level").oninput = () => draw();
$("range").onchange = () => {
  $("given").hidden = $("range").value !== "given";
  if ($("range").value === "given" && shown) { $("low").value = Number(shown.low.toPrecision(4)); $("high").value = Number(shown.high.toPrecision(4)); }
  draw();
};
$("low").oninput = $("high").oninput = () => draw();

const overCanvas = $("over");
let drag = null;
overCanvas.onpointermove = (e) => {
  if (!shown) return;
  if (shown.axes.length === 3) {
    if (drag) { solid.angles = [drag.angles[0] - (e.offsetX - drag.x) / 120, Math.max(-1.5, Math.min(1.5, drag.angles[1] + (e.offsetY - drag.y) / 120))]; draw(); }
    return;
  }
  point = frame.toPlane(e.offsetX, e.offsetY);
  frame.draw(lines, point, about.length_unit);
  readout();
};
overCanvas.onpointerdown = (e) => { if (shown && shown.axes.length === 3) { drag = { x: e.offsetX, y: e.offsetY, angles: solid.angles }; overCanvas.setPointerCapture(e.pointerId); } };
overCanvas.onpointerup = () => { drag = null; };
overCanvas.onpointerleave = () => { if (document.activeElement !== overCanvas) { point = null; if (shown && shown.axes.length === 2) frame.draw(lines, null, about.length_unit); readout(); } };
overCanvas.onkeydown = (e) => {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (!by || !shown) return;
  e.preventDefault();
  if (shown.axes.length === 3) { solid.angles = [solid.angles[0] - 0.1 * by[0], Math.max(-1.5, Math.min(1.5, solid.angles[1] + 0.1 * by[1]))]; draw(); return; }
  const [x, z] = shown.x, at = point || [x[x.length >> 1], z[z.length >> 1]];
  const node = (v, p) => { const [i, part] = place(v, p); return part < 0.5 ? i : i + 1; };
  const clamp = (v, n) => Math.max(0, Math.min(n - 1, v));
  point = [x[clamp(node(x, at[0]) + by[0], x.length)], z[clamp(node(z, at[1]) + by[1], z.length)]];
  frame.draw(lines, point, about.length_unit);
  readout();
};

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
$("pause").onclick = () => order(state.state === "paused" ? "resume" : "pause");
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
  try { about = await get("about"); } catch (e) {
    said(e.message, "lost");
    if (e.status !== 401) setTimeout(begin, 2000);
    return;
  }
  $("title").textContent = about.title;
  $("where").textContent = `${about.dir} — convect ${about.version}`;
  $("steer").hidden = !about.steers;
  $("map").replaceChildren(...about.colours.map((n) => new Option(n, n)));
  $("axis").value = "y";
  for (const id of ["axis-label", "index-label", "look-label"]) $(id).hidden = about.flat;
  axisChosen();
  readStillsList();
  connect();
}
let resizing = null;
new ResizeObserver(() => { clearTimeout(resizing); resizing = setTimeout(() => { draw(); drawCharts(); }, 60); }).observe($("field-panel"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { draw(); drawCharts(); });
begin();
