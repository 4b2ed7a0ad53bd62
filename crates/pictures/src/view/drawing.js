"use strict";
// Drawing of points: by WebGL, or on a canvas of two dimensions.

// Colours of points: blue, violet, rose, amber, as steps from 0 to 1.
const STOPS = [[0.30, 0.55, 1.00], [0.62, 0.45, 0.95], [1.00, 0.42, 0.55], [1.00, 0.78, 0.35]];

function colourOf(tint) {
  const place = tint * (STOPS.length - 1);
  const k = Math.min(Math.floor(place), STOPS.length - 2);
  return [0, 1, 2].map((c) => STOPS[k][c] + (place - k) * (STOPS[k + 1][c] - STOPS[k][c]));
}

const VERTEX = `
attribute vec3 before, after;
attribute float tint;
uniform mat3 turn;
uniform vec2 aspect;
uniform vec2 shift;
uniform float mixing, zoom, size;
uniform vec3 stops[4];
varying vec3 colour;
void main() {
  vec3 p = turn * (mix(before, after, mixing) * 2.0 - 1.0) * zoom;
  float w = 2.0 - 0.35 * p.z;
  gl_Position = vec4((p.xy + shift * w * 0.5) * aspect * 2.0, 0.0, w);
  gl_PointSize = max(size * 2.0 / max(w, 0.2), 1.5);
  float place = tint * 3.0;
  colour = mix(stops[0], stops[1], clamp(place, 0.0, 1.0));
  colour = mix(colour, stops[2], clamp(place - 1.0, 0.0, 1.0));
  colour = mix(colour, stops[3], clamp(place - 2.0, 0.0, 1.0));
}`;

const FRAGMENT = `
precision mediump float;
uniform float glow;
varying vec3 colour;
void main() {
  vec2 d = gl_PointCoord - 0.5;
  float light = max(1.0 - 4.0 * dot(d, d), 0.0);
  gl_FragColor = vec4(colour * glow * light * light, 1.0);
}`;

// Draws by WebGL; null where there is none.
function webgl(canvas, frames) {
  const gl = canvas.getContext("webgl", { antialias: false, alpha: false });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const buffers = frames.map((frame) => [frame.points, frame.tints].map((array) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    return buffer;
  }));
  const place = (name) => gl.getUniformLocation(program, name);
  const attribute = (name, buffer, count, kind) => {
    const index = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, count, kind, true, 0, 0);
  };
  gl.uniform3fv(place("stops"), STOPS.flat());
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  gl.clearColor(0.024, 0.024, 0.047, 1);
  return (state) => {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const frame = frames[state.before];
    attribute("before", buffers[state.before][0], 3, gl.UNSIGNED_SHORT);
    attribute("after", buffers[state.after][0], 3, gl.UNSIGNED_SHORT);
    attribute("tint", buffers[state.before][1], 1, gl.UNSIGNED_BYTE);
    const least = Math.min(canvas.width, canvas.height);
    gl.uniformMatrix3fv(place("turn"), false, state.turn);
    gl.uniform2f(place("aspect"), least / canvas.width, least / canvas.height);
    gl.uniform2f(place("shift"), ...state.shift);
    gl.uniform1f(place("mixing"), state.mixing);
    gl.uniform1f(place("zoom"), state.zoom);
    gl.uniform1f(place("size"), state.size);
    gl.uniform1f(place("glow"), state.glow);
    gl.drawArrays(gl.POINTS, 0, frame.count);
  };
}

// Draws on a canvas of two dimensions, point by point.
function plain(canvas, frames) {
  const context = canvas.getContext("2d");
  const colours = Array.from({ length: 256 }, (_, k) => colourOf(k / 255).map((c) => 255 * c));
  return (state) => {
    const { width, height } = canvas;
    const least = Math.min(width, height) / 2;
    const image = context.createImageData(width, height);
    new Uint32Array(image.data.buffer).fill(0xff0c0606);
    const bytes = image.data;
    const before = frames[state.before], after = frames[state.after].points, m = state.turn;
    // A point is one pixel here, and several by WebGL.
    const unit = 2 / 65535, glow = 2 * state.glow;
    for (let i = 0; i < before.count; i++) {
      const p = [0, 1, 2].map((k) => {
        const start = before.points[3 * i + k];
        return ((start + state.mixing * (after[3 * i + k] - start)) * unit - 1) * state.zoom;
      });
      const [x, y, z] = [0, 1, 2].map((k) => m[k] * p[0] + m[3 + k] * p[1] + m[6 + k] * p[2]);
      const w = 2 - 0.35 * z;
      if (w <= 0) continue;
      const column = Math.floor(width / 2 + (2 * x / w + state.shift[0]) * least);
      const row = Math.floor(height / 2 - (2 * y / w + state.shift[1]) * least);
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      const colour = colours[before.tints[i]], at = 4 * (row * width + column);
      for (let c = 0; c < 3; c++) bytes[at + c] += colour[c] * glow;
    }
    context.putImageData(image, 0, 0);
  };
}
