// Fields: what the server sends of them, planes painted on a canvas, streamlines, and isosurfaces.
import { number, ticks, style, fit, unit, failure } from "./common.js";

// read fetches a plane or block: a header, and arrays of numbers [slower][faster]; null where the run has just ended.
export async function read(query, signal) {
  const r = await fetch("field?" + new URLSearchParams(query), { signal });
  if (!r.ok) throw await failure(r);
  if (r.status === 204) return null;
  const bytes = await r.arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const size = head.x.reduce((n, x) => n * x.length, 1);
  head.arrays = Array.from({ length: head.arrays }, (_, k) => new Float32Array(bytes, 4 + length + 4 * size * k, size));
  return head;
}

// place returns the cell of an axis that holds a point, and how far in it lies.
export function place(x, at) {
  let a = 0, b = x.length - 1;
  if (b < 1) return [0, 0];
  while (b - a > 1) { const m = (a + b) >> 1; if (x[m] < at) a = m; else b = m; }
  return [a, Math.min(Math.max((at - x[a]) / (x[a + 1] - x[a]), 0), 1)];
}

// mix interpolates between four nodes.
export function mix(values, n, [i, p], [k, q]) {
  const at = i + n * k;
  return (1 - q) * ((1 - p) * values[at] + p * values[at + 1]) + q * ((1 - p) * values[at + n] + p * values[at + n + 1]);
}

// index returns the place of a value in a colour table.
export const index = (v, low, high) => Math.max(0, Math.min(255, Math.floor(((v - low) / (high - low)) * 256)));

// paint fills a canvas with a plane: the colour of a pixel is table[value at its centre].
export function paint(canvas, plane, table, low, high) {
  const c = canvas.getContext("2d", { willReadFrequently: true }); // it is filled from memory
  const w = canvas.width, h = canvas.height;
  const image = c.createImageData(w, h);
  const out = new Uint32Array(image.data.buffer);
  const colours = new Uint32Array(256);
  for (let i = 0; i < 256; i++) colours[i] = (255 << 24) | (table[3 * i + 2] << 16) | (table[3 * i + 1] << 8) | table[3 * i];
  const [x, z] = plane.x, values = plane.arrays[0], n = x.length;
  const width = x[n - 1] - x[0], height = z[z.length - 1] - z[0];
  const columns = Array.from({ length: w }, (_, i) => place(x, x[0] + (width * (i + 0.5)) / w));
  for (let j = 0; j < h; j++) {
    const row = place(z, z[0] + height * (1 - (j + 0.5) / h));
    for (let i = 0; i < w; i++) {
      const v = mix(values, n, columns[i], row);
      out[j * w + i] = Number.isNaN(v) ? 0 : colours[index(v, low, high)];
    }
  }
  c.putImageData(image, 0, 0);
}

// streamlines returns lines along the flow in a plane, evenly spaced: each starts at a point of a lattice and ends at the walls or where it comes
// close to another.
export function streamlines(plane) {
  const [x, z] = plane.x, [, u, w] = plane.arrays, n = x.length;
  const x0 = x[0], z0 = z[0], x1 = x[n - 1], z1 = z[z.length - 1];
  const strip = Math.max(x1 - x0, z1 - z0) / 22, cell = strip / 3, step = 0.12 * strip;
  const nx = Math.floor((x1 - x0) / cell) + 1, nz = Math.floor((z1 - z0) / cell) + 1;
  const taken = new Int32Array(nx * nz);
  let fastest = 0;
  for (let i = 0; i < u.length; i++) fastest = Math.max(fastest, Math.hypot(u[i], w[i]));
  if (!(fastest > 0)) return [];
  const square = ([a, b]) => (a < x0 || a > x1 || b < z0 || b > z1 ? -1 : Math.min(Math.floor((a - x0) / cell), nx - 1) + nx * Math.min(Math.floor((b - z0) / cell), nz - 1));
  const free = (p) => {
    const s = square(p);
    if (s < 0) return false;
    const i = s % nx, k = (s - i) / nx;
    for (let b = Math.max(k - 2, 0); b < Math.min(k + 3, nz); b++) for (let a = Math.max(i - 2, 0); a < Math.min(i + 3, nx); a++) if (taken[a + nx * b]) return false;
    return true;
  };
  const move = (p, at, by) => {
    const i = place(x, at[0]), k = place(z, at[1]);
    const a = mix(u, n, i, k), b = mix(w, n, i, k), speed = Math.hypot(a, b);
    return speed > 1e-3 * fastest ? [p[0] + (by * a) / speed, p[1] + (by * b) / speed] : null;
  };
  const follow = (p, by, id) => {
    const line = [], when = new Map();
    let again = 0;
    for (let s = 0; s < 4000; s++) {
      const half = move(p, p, by / 2);
      const next = half && move(p, half, by);
      const at = next ? square(next) : -1;
      if (at < 0 || (taken[at] && taken[at] !== id)) break;
      if (line.length > 20 && Math.hypot(next[0] - line[0][0], next[1] - line[0][1]) < 0.75 * step) { line.push(line[0]); break; }
      if (!when.has(at)) when.set(at, line.length);
      else if (line.length - when.get(at) > 16 && ++again > 8) break;
      taken[at] = id;
      line.push(next);
      p = next;
    }
    return line;
  };
  const lines = [];
  for (let k = 1; k < nz; k += 3) for (let i = 1; i < nx; i += 3) {
    const seed = [x0 + (i + 0.5) * cell, z0 + (k + 0.5) * cell];
    if (!free(seed)) continue;
    const id = lines.length + 1;
    const line = [...follow(seed, -step, id).reverse(), seed, ...follow(seed, step, id)];
    if (line.length * 0.12 >= 4) lines.push(line);
    else for (let s = 0; s < taken.length; s++) if (taken[s] === id) taken[s] = 0;
  }
  return lines;
}

const vertex = `#version 300 es
in vec2 at; out vec2 p; void main() { p = at; gl_Position = vec4(at, 0.0, 1.0); }`;

// A ray goes through the box until the field crosses the level; there the slope of the field gives the shade.
const fragment = `#version 300 es
precision highp float; precision highp sampler3D;
in vec2 p; out vec4 colour;
uniform sampler3D field; uniform mat3 turn; uniform vec3 size; uniform vec2 view; uniform float level; uniform vec3 tint; uniform vec3 nodes;
float at(vec3 q) { return texture(field, (q / size + 0.5) * (nodes - 1.0) / nodes + 0.5 / nodes).r; }
void main() {
  vec3 from = turn * vec3(p * view, -3.0), along = turn * vec3(0.0, 0.0, 1.0);
  vec3 a = (-0.5 * size - from) / along, b = (0.5 * size - from) / along;
  float near = max(max(min(a.x, b.x), min(a.y, b.y)), min(a.z, b.z)), far = min(min(max(a.x, b.x), max(a.y, b.y)), max(a.z, b.z));
  colour = vec4(0.0);
  if (near >= far) return;
  const int steps = 180;
  float by = (far - near) / float(steps), before = at(from + along * near) - level;
  for (int i = 1; i <= steps; i++) {
    float t = near + by * float(i), now = at(from + along * t) - level;
    if ((now > 0.0) != (before > 0.0)) {
      t -= by * now / (now - before);
      vec3 q = from + along * t, e = size / nodes;
      vec3 slope = vec3(at(q + vec3(e.x, 0, 0)) - at(q - vec3(e.x, 0, 0)), at(q + vec3(0, e.y, 0)) - at(q - vec3(0, e.y, 0)), at(q + vec3(0, 0, e.z)) - at(q - vec3(0, 0, e.z))) / e;
      float light = abs(dot(normalize(slope + 1e-12), normalize(along + 0.5 * (turn * vec3(-0.6, 0.8, 0.0)))));
      colour = vec4(tint * (0.35 + 0.65 * light), 1.0);
      return;
    }
    before = now;
  }
}`;

// Solid draws isosurfaces of a block on a canvas.
export class Solid {
  constructor(canvas) {
    this.canvas = canvas;
    this.angles = [0.6, 0.35];
    const gl = (this.gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true, premultipliedAlpha: false }));
    if (!gl) return;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, text); gl.compileShader(s); gl.attachShader(program, s);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) { this.gl = null; return; }
    gl.useProgram(program);
    this.at = (name) => gl.getUniformLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    const where = gl.getAttribLocation(program, "at");
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, 2, gl.FLOAT, false, 0, 0);
    gl.bindTexture(gl.TEXTURE_3D, gl.createTexture());
    for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_R, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_3D, k, v);
  }

  // load takes a block; on a graded grid its nodes are put at even distances first.
  load(block) {
    const gl = this.gl, [nx, ny, nz] = block.x.map((x) => x.length);
    const spans = block.x.map((x) => x[x.length - 1] - x[0]), most = Math.max(...spans);
    this.size = spans.map((s) => s / most);
    this.nodes = [nx, ny, nz];
    const even = block.x.map((x) => x.map((_, i) => place(x, x[0] + ((x[x.length - 1] - x[0]) * i) / Math.max(1, x.length - 1))));
    const scale = 1 / (block.high - block.low || 1), from = block.arrays[0];
    const out = new Float32Array(nx * ny * nz);
    for (let k = 0; k < nz; k++) for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) {
      const [a, p] = even[0][i], [b, q] = even[1][j], [c, r] = even[2][k];
      const plane = (m) => mix(from.subarray(m * nx * ny, (m + 1) * nx * ny), nx, [a, p], [b, q]);
      out[i + nx * (j + ny * k)] = ((1 - r) * plane(c) + (r ? r * plane(c + 1) : 0) - block.low) * scale;
    }
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    gl.texImage3D(gl.TEXTURE_3D, 0, gl.R16F, nx, ny, nz, 0, gl.RED, gl.FLOAT, out);
  }

  // turn returns the rotation from the screen into the box, by columns.
  turn() {
    const [a, b] = this.angles, [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    return [ca, sa, 0, -sa * sb, ca * sb, cb, -sa * cb, ca * cb, -sb];
  }

  // draw shows the surface on which the field has a part of its range, and the edges of the box over it.
  draw(part, tint, over) {
    const gl = this.gl, ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = Math.round(width * ratio); this.canvas.height = Math.round(height * ratio);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT);
    const turn = this.turn(), half = 0.54 * Math.hypot(...this.size);
    const view = width > height ? [(half * width) / height, half] : [half, (half * height) / width];
    gl.uniformMatrix3fv(this.at("turn"), false, turn);
    gl.uniform3fv(this.at("size"), this.size); gl.uniform3fv(this.at("nodes"), this.nodes);
    gl.uniform2fv(this.at("view"), view); gl.uniform1f(this.at("level"), part); gl.uniform3fv(this.at("tint"), tint);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    const c = fit(over, width, height);
    c.clearRect(0, 0, width, height);
    const dot = (v, k) => v[0] * turn[3 * k] + v[1] * turn[3 * k + 1] + v[2] * turn[3 * k + 2];
    const screen = (v) => [width / 2 + (dot(v, 0) / view[0]) * (width / 2), height / 2 - (dot(v, 1) / view[1]) * (height / 2)];
    const corner = (n) => [0, 1, 2].map((d) => ((n >> d) & 1 ? 0.5 : -0.5) * this.size[d]);
    c.strokeStyle = style("--quiet"); c.fillStyle = style("--quiet"); c.lineWidth = 1; c.globalAlpha = 0.6;
    c.beginPath();
    for (let n = 0; n < 8; n++) for (let d = 0; d < 3; d++) if (!((n >> d) & 1)) { c.moveTo(...screen(corner(n))); c.lineTo(...screen(corner(n | (1 << d)))); }
    c.stroke();
    c.globalAlpha = 1; c.font = "12px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, d) => { const v = corner(0); v[d] = 0.58 * this.size[d]; c.fillText(name, ...screen(v)); });
  }
}

// Frame lays a plane out on the page: the picture with its true proportions where they are not extreme, and axes around it.
export class Frame {
  constructor(stage, picture, over) { Object.assign(this, { stage, picture, over }); }

  lay(plane) {
    const margin = { left: 46, right: 10, top: 6, bottom: 34 };
    const [x, z] = plane.x, span = (v) => v[v.length - 1] - v[0] || 1;
    const width = this.stage.clientWidth - margin.left - margin.right;
    const ratio = Math.min(Math.max(span(z) / span(x), 0.2), 4);
    let w = width, h = w * ratio;
    const most = Math.max(260, Math.min(window.innerHeight * 0.62, 620));
    if (h > most) { h = most; w = Math.max(h / ratio, Math.min(width, 120)); }
    Object.assign(this, { plane, margin, w: Math.round(w), h: Math.round(h) });
    this.full = [this.w + margin.left + margin.right, this.h + margin.top + margin.bottom];
    this.stage.style.height = this.full[1] + "px";
    const pixels = window.devicePixelRatio || 1;
    this.picture.width = Math.round(this.w * pixels); this.picture.height = Math.round(this.h * pixels);
    Object.assign(this.picture.style, { left: margin.left + "px", top: margin.top + "px", width: this.w + "px", height: this.h + "px" });
    Object.assign(this.over.style, { left: "0", top: "0", width: this.full[0] + "px", height: this.full[1] + "px" });
  }

  // toScreen and toPlane go between coordinates and points of the frame.
  toScreen(a, b) {
    const [x, z] = this.plane.x;
    return [this.margin.left + ((a - x[0]) / (x[x.length - 1] - x[0])) * this.w, this.margin.top + (1 - (b - z[0]) / (z[z.length - 1] - z[0])) * this.h];
  }

  toPlane(left, top) {
    const [x, z] = this.plane.x, clamp = (v) => Math.min(Math.max(v, 0), 1);
    return [x[0] + clamp((left - this.margin.left) / this.w) * (x[x.length - 1] - x[0]), z[0] + clamp(1 - (top - this.margin.top) / this.h) * (z[z.length - 1] - z[0])];
  }

  // draw puts axes, streamlines and the point looked at over the picture.
  draw(lines, point, length) {
    const c = fit(this.over, ...this.full), { left, top } = this.margin, [x, z] = this.plane.x;
    c.clearRect(0, 0, ...this.full);
    c.font = "11px system-ui, 'Liberation Sans', sans-serif";
    c.fillStyle = style("--quiet"); c.strokeStyle = style("--quiet"); c.lineWidth = 1;
    c.strokeRect(left - 0.5, top - 0.5, this.w + 1, this.h + 1);
    c.textAlign = "center"; c.textBaseline = "top";
    for (const v of ticks(x[0], x[x.length - 1], Math.max(2, this.w / 80))) {
      const [a] = this.toScreen(v, z[0]);
      c.beginPath(); c.moveTo(a, top + this.h); c.lineTo(a, top + this.h + 4); c.stroke();
      c.fillText(number(v, 6), a, top + this.h + 6);
    }
    c.textAlign = "right"; c.textBaseline = "middle";
    for (const v of ticks(z[0], z[z.length - 1], Math.max(2, this.h / 50))) {
      const [, b] = this.toScreen(x[0], v);
      c.beginPath(); c.moveTo(left - 4, b); c.lineTo(left, b); c.stroke();
      c.fillText(number(v, 6), left - 6, Math.max(b, 6), left - 18);
    }
    const named = (name) => (length === "1" ? name : `${name} [${length}]`);
    c.textAlign = "center"; c.textBaseline = "bottom"; c.fillText(named(this.plane.axes[0]), left + this.w / 2, this.full[1]);
    c.save(); c.translate(9, top + this.h / 2); c.rotate(-Math.PI / 2); c.textBaseline = "middle"; c.fillText(named(this.plane.axes[1]), 0, 0); c.restore();
    c.save();
    c.beginPath(); c.rect(left, top, this.w, this.h); c.clip();
    for (const line of lines) {
      const points = line.map(([a, b]) => this.toScreen(a, b));
      for (const [colour, wide] of [["rgba(255,255,255,0.55)", 2.2], ["rgba(0,0,0,0.75)", 1]]) {
        c.strokeStyle = colour; c.lineWidth = wide;
        c.beginPath(); points.forEach((p, i) => (i ? c.lineTo(...p) : c.moveTo(...p))); c.stroke();
      }
      const m = points.length >> 1, tip = points[m], tail = points[Math.max(m - 2, 0)], turn = Math.atan2(tip[1] - tail[1], tip[0] - tail[0]);
      c.fillStyle = "rgba(0,0,0,0.85)";
      c.beginPath(); c.moveTo(...tip);
      for (const d of [0.45, -0.45]) c.lineTo(tip[0] - 8 * Math.cos(turn + d), tip[1] - 8 * Math.sin(turn + d));
      c.fill();
    }
    if (point) {
      const [a, b] = this.toScreen(...point);
      for (const [colour, wide] of [["#fff", 3], ["#000", 1]]) { c.strokeStyle = colour; c.lineWidth = wide; c.beginPath(); c.moveTo(a - 8, b); c.lineTo(a + 8, b); c.moveTo(a, b - 8); c.lineTo(a, b + 8); c.stroke(); }
    }
    c.restore();
  }
}

// told writes the value at a point.
export function told(plane, point, length) {
  const i = place(plane.x[0], point[0]), k = place(plane.x[1], point[1]);
  const v = mix(plane.arrays[0], plane.x[0].length, i, k), u = unit(length);
  return `${plane.axes[0]} = ${number(point[0], 4)}${u}, ${plane.axes[1]} = ${number(point[1], 4)}${u}: ${plane.name} = ${number(v)}${unit(plane.unit)}`;
}
