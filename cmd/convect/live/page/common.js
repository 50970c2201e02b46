// What all pages share.

export const $ = (id) => document.getElementById(id);

// leaveToken takes the token out of the address bar and the history: the cookie lets in from now on.
export function leaveToken() {
  if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname + location.hash);
}

// get fetches JSON; an answer that is an error becomes one with its words.
export async function get(path, options) {
  const r = await fetch(path, options);
  if (!r.ok) throw await failure(r);
  return r.json();
}

// failure returns the error that an answer tells.
export async function failure(r) {
  const text = await r.text();
  let said = text;
  try { said = JSON.parse(text).error || text; } catch { /* plain words */ }
  const e = new Error(said.trim());
  e.status = r.status;
  return e;
}

const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// power writes a power of ten.
export const power = (n) => "10" + [...String(n)].map((c) => raised[c]).join("");

// number writes a number with some digits; what there is none of is a dash.
export function number(v, digits = 5) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e-3 && size < 1e6) return String(Number(v.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = v.toExponential(digits - 1).split("e");
  const m = String(Number(mantissa)).replace("-", "−");
  const p = power(Number(exponent));
  return m === "1" ? p : m === "−1" ? "−" + p : m + "·" + p;
}

// unit writes a unit behind a number or name.
export const unit = (u) => (u === "1" || !u ? "" : " " + u);

// short writes a rate with a letter for thousands.
export function short(v) {
  if (v === null || v === undefined) return "–";
  for (const [size, letter] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) if (v >= size) return Number((v / size).toPrecision(3)) + letter;
  return String(Number(v.toPrecision(3)));
}

// ticks returns round numbers in a range, about so many.
export function ticks(low, high, about) {
  const rough = (high - low) / about;
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const base = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * base).find((s) => s >= rough * 0.999);
  const all = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && all.length < 50; n++) all.push(Number((n * step).toPrecision(12)));
  return all;
}

// style reads a colour of the style sheet, which differs by day and night.
export const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// fit gives a canvas the pixels of its size on the screen and returns its context and size.
export function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
}
