// The page: frames from the data, controls, and the loop that draws.

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const canvas = element("canvas"), slider = element("slider"), play = element("play");

// Coordinates of 16 bits and colours of 8 from the text of a frame.
const frames = data.frames.map(({ time, count, data: text }) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return { time, count, points: new Uint16Array(bytes.buffer, 0, 3 * count), tints: bytes.subarray(6 * count) };
});

const start = { yaw: 0.6, pitch: -1.0, zoom: 0.8 * data.half / data.radius, shift: [0, 0] };
const view = { ...start, shift: [0, 0], moment: 0, playing: false, glow: 0, changed: true };

// Rotation about z by the yaw, then about the horizontal by the pitch, column by column.
function turn() {
  const [c, s, d, t] = [Math.cos(view.yaw), Math.sin(view.yaw), Math.cos(view.pitch), Math.sin(view.pitch)];
  return [c, d * s, t * s, -s, d * c, t * c, 0, -t, d];
}

const force = location.hash === "#2d";
const drawing = (!force && webgl(canvas, frames)) || plain(canvas, frames);
document.documentElement.dataset.drawing = !force && canvas.getContext("webgl") ? "webgl" : "canvas";

// Length of the bar: 1, 2 or 5 times a power of ten.
function roundLength(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((digit) => digit * power).find((length) => length <= most) ?? power;
}

function label() {
  const { before, mixing, after } = moments();
  const time = frames[before].time + mixing * (frames[after].time - frames[before].time);
  element("time").textContent = `t = ${Number(time.toPrecision(4))} ${data.timeUnit}`;
  // Pixels of a unit of length in the middle of the view.
  const pixels = view.zoom * Math.min(innerWidth, innerHeight) / (2 * data.half);
  const length = roundLength(innerWidth / 4 / pixels);
  element("length").textContent = `${Number(length.toPrecision(3))} ${data.lengthUnit}`;
  element("ruler").style.width = `${length * pixels}px`;
}

// Frames before and after the moment; between them only where they show the same particles.
function moments() {
  const last = frames.length - 1;
  const before = Math.min(Math.floor(view.moment), last);
  if (!data.same) return { before, after: before, mixing: 0 };
  return { before, after: Math.min(before + 1, last), mixing: view.moment - before };
}

function resize() {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(innerWidth * ratio);
  canvas.height = Math.round(innerHeight * ratio);
  view.changed = true;
}

let earlier = 0;
function loop(now) {
  if (view.playing) {
    const seconds = Math.max(6, Math.min(20, frames.length / 12));
    view.moment += (now - earlier) / 1000 * (frames.length - 1) / seconds;
    if (view.moment >= frames.length - 1) view.moment = 0;
    slider.value = view.moment;
    view.changed = true;
  }
  earlier = now;
  if (view.changed) {
    view.changed = false;
    const shown = frames[moments().before].count;
    const glow = 0.35 * (2e4 / Math.max(shown, 1)) ** 0.75 * 2 ** view.glow;
    const size = 3.5 * (devicePixelRatio || 1);
    drawing({ ...moments(), turn: turn(), zoom: view.zoom, shift: view.shift, size, glow: Math.min(glow, 1) });
    label();
  }
  requestAnimationFrame(loop);
}

// One pointer turns, or moves with the shift key; two zoom and move.
const pointers = new Map();
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
for (const name of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
}
canvas.addEventListener("pointermove", (event) => {
  const old = pointers.get(event.pointerId);
  if (!old) return;
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  const [dx, dy] = [event.clientX - old[0], event.clientY - old[1]];
  const wide = pointers.size === 2 ? spread() : 0;
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
  const least = Math.min(innerWidth, innerHeight);
  if (pointers.size === 2 || event.shiftKey) {
    const share = pointers.size === 2 ? 1 : 2;
    view.shift = [view.shift[0] + share * dx / least, view.shift[1] - share * dy / least];
    if (wide > 0) zoom(spread() / wide);
  } else {
    view.yaw += 0.008 * dx;
    view.pitch = Math.max(-Math.PI, Math.min(0, view.pitch + 0.008 * dy));
  }
  view.changed = true;
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-0.0015 * event.deltaY));
}, { passive: false });
canvas.addEventListener("dblclick", () => Object.assign(view, start, { shift: [0, 0], changed: true }));

function zoom(factor) {
  view.zoom = Math.max(0.05, Math.min(500 * start.zoom, view.zoom * factor));
  view.changed = true;
}

function toggle() {
  view.playing = !view.playing && frames.length > 1;
  play.textContent = view.playing ? "Pause" : "Play";
}
play.addEventListener("click", toggle);
slider.addEventListener("input", () => Object.assign(view, { moment: Number(slider.value), changed: true }));
element("glow").addEventListener("input", (event) => Object.assign(view, { glow: Number(event.target.value), changed: true }));
addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === " " && event.target !== play) {
    event.preventDefault();
    toggle();
  } else if (step && event.target !== slider) {
    view.moment = Math.max(0, Math.min(frames.length - 1, Math.round(view.moment) + step));
    slider.value = view.moment;
    view.changed = true;
  }
});
addEventListener("resize", resize);

const grouped = (number) => number.toLocaleString("en");
const every = data.shown < data.total ? ` of ${grouped(data.total)}` : "";
const far = data.outside ? `, ${grouped(data.outside)} far outside left out` : "";
element("note").textContent = `${grouped(data.shown)}${every} points shown in ${frames.length} frame${frames.length > 1 ? "s" : ""}${far}. Drag turns, wheel or pinch zooms, shift-drag moves.`;
slider.max = frames.length - 1;
if (frames.length === 1) document.body.classList.add("single");
resize();
loop(performance.now());
