// What stands over the picture in pixels: axes in the corner, numbers at points, the pulling spring, the cursor of the keyboard.
import { Camera, Vector3 } from 'three';
import type { Label } from '../protocol.ts';

export interface OverlayColours { text: string; muted: string; accent: string; halo: string }
export interface SpringLine { from: Vector3; to: Vector3 }

const MOST_LABELS = 500;

function newtons(force: number): string {
  const [value, unit] = force >= 1e6 ? [force / 1e6, 'MN'] : force >= 1e3 ? [force / 1e3, 'kN'] : force >= 1 || force === 0 ? [force, 'N'] : force >= 1e-3 ? [force * 1e3, 'mN'] : [force * 1e6, 'µN'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

export class Overlay {
  width = 1; height = 1; ratio = 1;
  colours: OverlayColours = { text: '#222', muted: '#777', accent: '#3a6ea5', halo: '#fff' };
  private canvas: HTMLCanvasElement;
  private c: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement) { this.canvas = canvas; this.c = canvas.getContext('2d')!; }

  resize(width: number, height: number, ratio: number) {
    this.width = width; this.height = height; this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  begin() {
    this.c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.c.clearRect(0, 0, this.width, this.height);
    this.c.font = '11px ui-sans-serif, system-ui, sans-serif';
    this.c.textBaseline = 'middle';
  }

  get context() { return this.c; }
  get element() { return this.canvas; }

  private place(p: Vector3, camera: Camera): [number, number, number] {
    const v = p.clone().project(camera);
    return [(v.x * 0.5 + 0.5) * this.width, (0.5 - v.y * 0.5) * this.height, v.z];
  }

  private text(s: string, x: number, y: number, colour: string) {
    this.c.lineWidth = 3;
    this.c.lineJoin = 'round';
    this.c.strokeStyle = this.colours.halo;
    this.c.strokeText(s, x, y);
    this.c.fillStyle = colour;
    this.c.fillText(s, x, y);
  }

  axes(camera: Camera) {
    const size = 26, ox = 40, oy = this.height - 40;
    const axes = [['x', 1, 0, 0, '#d8434e'], ['y', 0, 1, 0, '#3a9d4f'], ['z', 0, 0, 1, '#3f78e0']] as const;
    const drawn = axes.map(([name, x, y, z, colour]) => ({ name, colour, v: new Vector3(x, y, z).transformDirection(camera.matrixWorldInverse) }));
    drawn.sort((a, b) => a.v.z - b.v.z);
    this.c.lineCap = 'round';
    for (const { name, colour, v } of drawn) {
      this.c.globalAlpha = v.z < -0.3 ? 0.45 : 1;
      this.c.lineWidth = 2;
      this.c.strokeStyle = colour;
      this.c.beginPath();
      this.c.moveTo(ox, oy);
      this.c.lineTo(ox + v.x * size, oy - v.y * size);
      this.c.stroke();
      this.c.textAlign = 'center';
      this.c.font = '600 11px ui-sans-serif, system-ui, sans-serif';
      this.text(name, ox + v.x * (size + 9), oy - v.y * (size + 9), colour);
    }
    this.c.globalAlpha = 1;
    this.c.font = '11px ui-sans-serif, system-ui, sans-serif';
  }

  // Scales of numbers that are shown as colours, on a picture that is taken: from the lower left corner upwards, as src/render/picture.c has them.
  scales(c: CanvasRenderingContext2D, width: number, height: number, left: number, list: { label: string; low: number; high: number; stops: string[] }[]) {
    const wide = Math.min(160, width / 4);
    c.font = '11px ui-sans-serif, system-ui, sans-serif';
    c.textBaseline = 'top';
    c.fillStyle = this.colours.text;
    list.forEach((s, row) => {
      const top = height - 22 - 44 * row;
      if (top < 40) return;
      const ramp = c.createLinearGradient(left, 0, left + wide, 0);
      s.stops.forEach((colour, i) => ramp.addColorStop(i / (s.stops.length - 1), colour));
      c.textAlign = 'left';
      c.fillText(s.label, left, top - 26);
      c.fillText(String(Number(s.low.toPrecision(3))), left, top + 4);
      c.textAlign = 'right';
      c.fillText(String(Number(s.high.toPrecision(3))), left + wide, top + 4);
      c.fillStyle = ramp;
      c.fillRect(left, top - 10, wide, 10);
      c.fillStyle = this.colours.text;
    });
  }

  note(s: string) {
    this.c.textAlign = 'left';
    this.text(s, 76, this.height - 18, this.colours.muted);
  }

  // The nearest points get their numbers.
  labels(positions: Float32Array, camera: Camera) {
    const near: { x: number; y: number; z: number; i: number }[] = [];
    const v = new Vector3();
    for (let i = 0; 3 * i < positions.length; i++) {
      v.set(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]).project(camera);
      if (v.z > 1 || v.z < -1 || Math.abs(v.x) > 1 || Math.abs(v.y) > 1) continue;
      near.push({ x: (v.x * 0.5 + 0.5) * this.width, y: (0.5 - v.y * 0.5) * this.height, z: v.z, i });
    }
    near.sort((a, b) => a.z - b.z);
    this.c.textAlign = 'left';
    for (const { x, y, i } of near.slice(0, MOST_LABELS)) this.text(String(i), x + 5, y - 6, this.colours.text);
    return near.length;
  }

  // Of the scene, from the left and from the top.
  label({ x, y, size, color, contrast }: Label, text: string) {
    if (!text) return;
    this.c.font = `${Math.min(60, Math.max(8, size))}px ui-sans-serif, system-ui, sans-serif`;
    this.c.textAlign = 'left';
    const shade = contrast ? this.colours.text : `rgb(${color.map((v) => Math.round(255 * v)).join(',')})`;
    text.split('\n').forEach((line, i) => this.text(line, x, y + size * (0.6 + 1.2 * i), shade));
    this.c.font = '11px ui-sans-serif, system-ui, sans-serif';
  }

  // At a place of the scene; the height of a line is 1.4 times the scale.
  sceneText(t: { text: string; position: number[]; scale: number; color: number[] }, camera: Camera) {
    const at = new Vector3().fromArray(t.position), up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), [x, y] = this.place(at, camera), [, top] = this.place(at.clone().addScaledVector(up, 1.4 * t.scale), camera), size = y - top;
    if (!t.text || at.clone().project(camera).z > 1 || !(size > 3) || size > 400) return;
    this.c.font = `${size.toFixed(1)}px ui-sans-serif, system-ui, sans-serif`;
    this.c.textAlign = 'left';
    this.text(t.text, x, y - 0.35 * size, `rgb(${t.color.map((v) => Math.round(255 * v)).join(',')})`);
    this.c.font = '11px ui-sans-serif, system-ui, sans-serif';
  }

  spring({ from, to }: SpringLine, camera: Camera, force?: number) {
    const [ax, ay] = this.place(from, camera), [bx, by] = this.place(to, camera);
    const length = Math.hypot(bx - ax, by - ay), turns = 9, wide = Math.min(6, length / 12);
    const nx = length ? -(by - ay) / length : 0, ny = length ? (bx - ax) / length : 0;
    const path = () => {
      this.c.beginPath();
      this.c.moveTo(ax, ay);
      for (let i = 1; i < 2 * turns; i++) {
        const t = 0.08 + (0.84 * i) / (2 * turns), side = i % 2 ? wide : -wide;
        this.c.lineTo(ax + (bx - ax) * t + nx * side, ay + (by - ay) * t + ny * side);
      }
      this.c.lineTo(bx, by);
      this.c.stroke();
    };
    this.c.lineJoin = 'round';
    this.c.strokeStyle = this.colours.halo; this.c.lineWidth = 4; path();
    this.c.strokeStyle = this.colours.accent; this.c.lineWidth = 2; path();
    this.dot(ax, ay, 4.5, this.colours.accent);
    this.dot(bx, by, 3.5, this.colours.text);
    if (force === undefined) return;
    this.c.font = '600 12px ui-sans-serif, system-ui, sans-serif';
    this.c.textAlign = 'left';
    this.text(newtons(force), bx + 10, by - 10, this.colours.accent);
    this.c.font = '11px ui-sans-serif, system-ui, sans-serif';
  }

  private dot(x: number, y: number, r: number, colour: string) {
    this.c.beginPath();
    this.c.arc(x, y, r, 0, 2 * Math.PI);
    this.c.fillStyle = colour;
    this.c.fill();
    this.c.lineWidth = 1.5;
    this.c.strokeStyle = this.colours.halo;
    this.c.stroke();
  }

  pin(p: Vector3, camera: Camera) {
    const [x, y, z] = this.place(p, camera);
    if (z < 1) { this.dot(x, y, 5, '#e0486a'); this.dot(x, y, 1.8, this.colours.halo); }
  }

  // Where somebody shall go: a ring, or an arrow at the edge of the picture that it lies beyond; nothing when it is behind the camera.
  mark(p: Vector3, camera: Camera) {
    const [x, y, z] = this.place(p, camera);
    if (z >= 1) return;
    const nearX = Math.min(this.width - 14, Math.max(14, x)), nearY = Math.min(this.height - 14, Math.max(14, y));
    if (Math.hypot(x - nearX, y - nearY) > 4) { this.arrow(nearX, nearY, Math.atan2(y - nearY, x - nearX)); return; }
    for (const [colour, wide] of [['#3a2b00', 4.5], ['#ffd21f', 2.5]] as const) {
      this.c.strokeStyle = colour;
      this.c.lineWidth = wide;
      this.c.beginPath();
      this.c.arc(x, y, 10, 0, 2 * Math.PI);
      this.c.stroke();
    }
    this.dot(x, y, 3, '#ffd21f');
  }

  private arrow(x: number, y: number, turn: number) {
    this.c.save();
    this.c.translate(x, y);
    this.c.rotate(turn);
    this.c.beginPath();
    for (const [u, v] of [[12, 0], [-8, 10], [-8, -10]]) this.c.lineTo(u, v);
    this.c.closePath();
    this.c.fillStyle = '#ffd21f';
    this.c.strokeStyle = '#3a2b00';
    this.c.lineWidth = 2;
    this.c.fill();
    this.c.stroke();
    this.c.restore();
  }

  private pixel({ x, y }: { x: number; y: number }): [number, number] { return [(x * 0.5 + 0.5) * this.width, (0.5 - y * 0.5) * this.height]; }

  // The line along which a tool is drawn.
  stroke(points: { x: number; y: number }[]) {
    this.c.lineJoin = this.c.lineCap = 'round';
    for (const [colour, wide] of [[this.colours.halo, 5], ['#d8434e', 2.2]] as const) {
      this.c.strokeStyle = colour;
      this.c.lineWidth = wide;
      this.c.beginPath();
      points.forEach((p, i) => { if (i) this.c.lineTo(...this.pixel(p)); else this.c.moveTo(...this.pixel(p)); });
      this.c.stroke();
    }
    if (points.length) this.dot(...this.pixel(points[0]), 3.5, '#d8434e');
  }

  ring(x: number, y: number, radius: number) {
    for (const [colour, wide] of [[this.colours.halo, 4], ['#d8434e', 1.8]] as const) {
      this.c.strokeStyle = colour;
      this.c.lineWidth = wide;
      this.c.beginPath();
      this.c.arc(...this.pixel({ x, y }), radius, 0, 2 * Math.PI);
      this.c.stroke();
    }
  }

  // A line around a second picture.
  frame(x: number, y: number, w: number, h: number) {
    this.c.strokeStyle = '#8a8a8a';
    this.c.lineWidth = 1;
    this.c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  }

  cross(x: number, y: number) {
    const px = (x * 0.5 + 0.5) * this.width, py = (0.5 - y * 0.5) * this.height;
    for (const [colour, wide] of [[this.colours.halo, 4], [this.colours.accent, 1.8]] as const) {
      this.c.strokeStyle = colour;
      this.c.lineWidth = wide;
      this.c.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) { this.c.moveTo(px + 5 * dx, py + 5 * dy); this.c.lineTo(px + 14 * dx, py + 14 * dy); }
      this.c.stroke();
    }
  }
}
