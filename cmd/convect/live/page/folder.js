// The page of a folder of runs.
import { $, leaveToken, get, number, short } from "./common.js";

leaveToken();

const columns = [["name", "run"], ["state", "state"], ["part", "done"], ["step", "step"], ["time", "t"], ["value", "Nu or Sh"], ["rate", "steps/s"], ["left", "time left"]];
let by = "name", down = false, table = null;

$("heads").replaceChildren(...columns.map(([key, label]) => {
  const th = document.createElement("th"), b = document.createElement("button");
  b.type = "button"; b.textContent = label;
  b.onclick = () => { down = by === key && !down; by = key; show(); };
  th.scope = "col"; th.dataset.key = key;
  th.append(b);
  return th;
}));

function cell(name, ...content) {
  const td = document.createElement("td");
  td.dataset.name = name;
  const box = document.createElement("div");
  box.append(...content);
  td.append(box);
  return td;
}

function show() {
  if (!table) return;
  const order = (a, b) => { const x = a[by], y = b[by]; if (x === null) return 1; if (y === null) return -1; return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1); };
  for (const th of $("heads").children) th.ariaSort = th.dataset.key === by ? (down ? "descending" : "ascending") : "none";
  $("runs").replaceChildren(...[...table.runs].sort(order).map((r) => {
    const tr = document.createElement("tr"), a = document.createElement("a"), title = document.createElement("div"), chip = document.createElement("span"), said = document.createElement("div");
    a.href = "r/" + r.name.split("/").map(encodeURIComponent).join("/") + "/"; a.textContent = r.name;
    title.className = said.className = "quiet"; title.textContent = r.title;
    chip.className = "chip " + r.state; chip.textContent = r.state;
    said.textContent = r.said;
    tr.append(cell("run", a, title), cell("state", chip, said), cell("done", r.part === null ? "–" : (100 * r.part).toFixed(0) + " %"), cell("step", String(r.step)), cell("t", r.time_text || "–"),
      cell(r.number === "sherwood" ? "Sh" : "Nu", number(r.value)), cell("steps/s", short(r.rate)), cell("left", r.left || "–"));
    return tr;
  }));
  const running = table.runs.filter((r) => r.state === "running").length;
  $("count").textContent = `${table.runs.length} runs, ${running} running`;
  $("none").hidden = table.runs.length > 0;
  $("where").textContent = `${table.dir} — convect ${table.version}`;
}

async function read() {
  if (!document.hidden) {
    try { table = await get("runs"); show(); } catch (e) { $("count").textContent = e.status === 401 ? e.message : "connection lost; trying again"; }
  }
  setTimeout(read, 2000);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) get("runs").then((t) => { table = t; show(); }, () => {}); });
read();
