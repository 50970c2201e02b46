// The field on the page of a run: which one is shown, of what moment and how.
import { $, get, number, unit } from "./common.js";
import { read, paint, streamlines, Solid, Frame, told, place } from "./field.js";

// run is what the page knows of its run; run.js fills it in.
export const run = { about: null, state: {}, over: false };

const frame = new Frame($("stage"), $("picture"), $("over"));
const palettes = new Map();
let solid = null, shown = null, lines = [], point = null, stills = [], kept = null, loading = null, again = false, lastLook = 0, playing = null;

const isBlock = () => $("look").value === "block";
const atPresent = () => run.about && run.about.present.length && Number($("still").value) >= stills.length;

async function palette(name) {
  if (!palettes.has(name)) {
    const r = await fetch("colours/" + name);
    if (!r.ok) throw new Error("no colours");
    palettes.set(name, new Uint8Array(await r.arrayBuffer()));
  }
  return palettes.get(name);
}

// look fetches the field that is asked for, at most twice a second, and shows it.
export async function look(now) {
  if (!run.about || document.hidden || run.over) return;
  if (loading) { again = true; if (now) loading.abort(); return; }
  if (!now && (!atPresent() || (shown && shown.step === run.state.step && shown.still === undefined))) return;
  const wait = now ? 0 : Math.max(0, lastLook + 500 - performance.now());
  const query = { name: $("name").value, axis: $("axis").value, index: $("index").value };
  if (!query.name) return;
  loading = new AbortController();
  again = false;
  try {
    if (wait) await new Promise((done) => setTimeout(done, wait));
    if (run.over) return; // the run has ended meanwhile: nobody answers
    query.name = $("name").value; query.axis = $("axis").value; query.index = $("index").value;
    if (isBlock()) query.block = 1;
    else if ($("flow").checked) query.flow = 1;
    const still = atPresent() ? null : stills[Number($("still").value)];
    if (!still && !run.about.present.length) return;
    if (still) query.still = still.step;
    const table = await palette($("map").value);
    if (run.over) return;
    const plane = await read(query, loading.signal);
    if (!plane) return;
    if (still) plane.still = still.step;
    lastLook = performance.now();
    shown = plane;
    lines = plane.arrays.length === 3 ? streamlines(plane) : [];
    draw(table);
    fieldSaid("");
  } catch (e) {
    if (e.name !== "AbortError" && !run.over) fieldSaid(e.message);
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

// draw shows what was fetched last.
export function draw(table) {
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
    frame.draw(lines, point, run.about.length_unit);
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
  if (!text && shown && shown.axes.length === 2 && point) text = told(shown, point, run.about.length_unit);
  else if (!text && shown) text = (shown.every > 1 ? `every ${shown.every}th node; ` : "") + `step ${shown.step}, t = ${number(shown.time)}${unit(run.about.time_unit)}`;
  $("readout").textContent = text || "\u00a0";
}

export function axisChosen() {
  const d = "xyz".indexOf($("axis").value), n = run.about.nodes[d];
  $("index").max = n - 1;
  $("index").value = n >> 1;
}

export function readNames() {
  const names = atPresent() ? run.about.present : run.about.stills, before = $("name").value;
  if (names.map((n) => n.name).join() === [...$("name").options].map((o) => o.value).join()) return;
  $("name").replaceChildren(...names.map((n) => new Option(n.name.replace(".", " ") + (n.unit === "1" ? "" : " [" + n.unit + "]"), n.name)));
  if (names.some((n) => n.name === before)) $("name").value = before;
}

export async function readStills() {
  let answer;
  try { answer = await get("stills"); } catch { return; }
  takeStills(answer.stills);
}

// takeStills takes the list of the snapshots.
export function takeStills(list) {
  stills = list || [];
  const slider = $("still"), most = stills.length - (run.about && run.about.present.length ? 0 : 1), follows = !shown || Number(slider.value) >= Number(slider.max);
  slider.max = Math.max(0, most);
  if (follows) slider.value = slider.max;
  slider.disabled = $("play").disabled = most < 1;
  stillChosen(follows);
}

function stillChosen(follows) {
  if (!run.about) return;
  readNames();
  const still = stills[Number($("still").value)];
  $("still-at").textContent = atPresent() ? "now" : still ? `t = ${number(still.time)}${unit(run.about.time_unit)}` : "no snapshot yet";
  if (run.over) return;
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
  for (const id of ["axis-label", "index-label"]) $(id).hidden = isBlock() || run.about.flat;
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
  frame.draw(lines, point, run.about.length_unit);
  readout();
};
overCanvas.onpointerdown = (e) => { if (shown && shown.axes.length === 3) { drag = { x: e.offsetX, y: e.offsetY, angles: solid.angles }; overCanvas.setPointerCapture(e.pointerId); } };
overCanvas.onpointerup = () => { drag = null; };
overCanvas.onpointerleave = () => { if (document.activeElement !== overCanvas) { point = null; if (shown && shown.axes.length === 2) frame.draw(lines, null, run.about.length_unit); readout(); } };
overCanvas.onkeydown = (e) => {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (!by || !shown) return;
  e.preventDefault();
  if (shown.axes.length === 3) { solid.angles = [solid.angles[0] - 0.1 * by[0], Math.max(-1.5, Math.min(1.5, solid.angles[1] + 0.1 * by[1]))]; draw(); return; }
  const [x, z] = shown.x, at = point || [x[x.length >> 1], z[z.length >> 1]];
  const node = (v, p) => { const [i, part] = place(v, p); return part < 0.5 ? i : i + 1; };
  const clamp = (v, n) => Math.max(0, Math.min(n - 1, v));
  point = [x[clamp(node(x, at[0]) + by[0], x.length)], z[clamp(node(z, at[1]) + by[1], z.length)]];
  frame.draw(lines, point, run.about.length_unit);
  readout();
};
