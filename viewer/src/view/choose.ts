// Choosing points or elements of a body by an area of the picture: a box, a lasso, or a brush that is dragged over it.
import { Matrix4, Vector3 } from 'three';
import type { Chosen, Modeler } from '../modeler.ts';
import type { Session } from '../session.ts';
import type { Stage } from './stage.ts';

export type AreaName = 'box' | 'lasso' | 'paint';
interface Place { x: number; y: number }             // of the picture, -1 to 1

export const AREAS: { name: AreaName; key: string; title: string; hint: string }[] = [
  { name: 'box', key: 'A', title: 'Box', hint: 'drag a box over a body' },
  { name: 'lasso', key: 'A', title: 'Lasso', hint: 'draw around points of a body' },
  { name: 'paint', key: 'A', title: 'Paint', hint: 'drag a brush over a body' },
];

export class Area {
  current: AreaName | null = null;
  elements = false;
  through = false;
  how: 'new' | 'more' | 'less' = 'new';              // what a drag without Shift and Alt does: fingers have no keys
  drawing = false;
  private points: Place[] = [];
  private adds = false;
  private takes = false;
  private base: number[] = [];                       // chosen before this drag
  private asking = Promise.resolve();
  private waiting = 0;
  private session: Session; private stage: Stage; private modeler: Modeler;

  constructor(session: Session, stage: Stage, modeler: Modeler) {
    this.session = session; this.stage = stage; this.modeler = modeler;
    stage.extras.push(() => this.draw());
    session.on(['build'], () => stage.redraw(false));
  }

  get info() { return AREAS.find((a) => a.name === this.current) ?? null; }

  take(name: AreaName | null) {
    this.cancel();
    this.current = name === this.current ? null : name;
    this.stage.brush = null;
    this.stage.redraw(false);
    this.session.notify('touch');
    this.session.notify('build');
  }

  // box, lasso, paint, none
  next() { const i = AREAS.findIndex((a) => a.name === this.current); this.take(i + 1 < AREAS.length ? AREAS[i + 1].name : this.current); }

  begin(at: Place, e: { shiftKey: boolean; altKey: boolean } = { shiftKey: false, altKey: false }) {
    this.drawing = true;
    this.points = [at];
    this.adds = e.shiftKey || (this.how === 'more' && !e.altKey);
    this.takes = e.altKey || (this.how === 'less' && !e.shiftKey);
    this.base = this.adds || this.takes ? this.modeler.chosen?.points ?? [] : [];
    if (this.current === 'paint') this.ask(this.circle(at), false);
    this.show(at);
  }

  move(at: Place) {
    if (this.drawing) {
      const last = this.points[this.points.length - 1];
      if (this.current === 'lasso' ? Math.hypot((at.x - last.x) * this.stage.overlay.width, (at.y - last.y) * this.stage.overlay.height) > 6 && this.points.length < 900 : true) {
        if (this.current === 'lasso') this.points.push(at); else this.points[1] = at;
      }
      if (this.current === 'paint' && !this.waiting) this.ask(this.circle(at), true);
    }
    this.show(at);
  }

  end(at: Place | null) {
    if (!this.drawing) return;
    this.drawing = false;
    if (at && this.current !== 'paint') {
      const [a] = this.points;
      if (this.current === 'box') this.ask([a.x, a.y, at.x, a.y, at.x, at.y, a.x, at.y], false);
      else { this.points.push(at); if (this.points.length > 2) this.ask(this.points.flatMap((p) => [p.x, p.y]), false); }
    } else if (at) this.ask(this.circle(at), true);
    this.points = [];
    this.show(at);
  }

  cancel() { this.drawing = false; this.points = []; this.stage.brush = null; this.stage.stroke = null; this.stage.redraw(false); }

  private show(at: Place | null) {
    this.stage.brush = at && this.current === 'paint' ? { ...at, radius: this.session.settings.circle } : null;
    this.stage.redraw(false);
  }

  private circle(at: Place): number[] {
    const { circle } = this.session.settings, rx = (2 * circle) / this.stage.overlay.width, ry = (2 * circle) / this.stage.overlay.height;
    return Array.from({ length: 16 }, (_, i) => [at.x + rx * Math.cos((i * Math.PI) / 8), at.y + ry * Math.sin((i * Math.PI) / 8)]).flat();
  }

  // The body: what is chosen already, what is selected, or what is under the area.
  private body(polygon: number[]): string {
    if ((this.adds || this.takes) && this.modeler.chosen) return this.modeler.chosen.path;
    const s = this.session.selection;
    if (s && s !== '/') return s;
    let x = 0, y = 0;
    for (let i = 0; i < polygon.length; i += 2) { x += (2 * polygon[i]) / polygon.length; y += (2 * polygon[i + 1]) / polygon.length; }
    return this.stage.pick(x, y)?.shape.info.path ?? this.stage.shapes.find((shape) => shape.object.visible)?.info.path ?? '';
  }

  // `grows`: what the same drag has chosen stays.
  private ask(polygon: number[], grows: boolean) {
    const base = this.base, takes = this.takes;
    this.waiting++;
    this.asking = this.asking.then(() => this.select(polygon, grows ? null : base, takes)).finally(() => { this.waiting--; });
  }

  private async select(polygon: number[], base: number[] | null, takes: boolean) {
    const camera = this.stage.camera.camera, matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse), ortho = this.stage.camera.ortho;
    const eye = ortho ? new Vector3(0, 0, -1).transformDirection(camera.matrixWorld) : new Vector3().setFromMatrixPosition(camera.matrixWorld);
    const path = this.body(polygon);
    if (!path) { this.session.say('There is no body here', 'Select one first.', 'warning'); return; }
    try {
      const found = await this.session.connection.request<{ path: string; points: number[]; elements: number[]; kind: string | null }>('select',
        { path, polygon, matrix: matrix.elements, eye: eye.toArray(), parallel: ortho, through: this.through, elements: this.elements });
      const before = this.modeler.chosen, set = new Set(base ?? (before?.path === found.path ? before.points : []));
      for (const p of found.points) if (takes) set.delete(p); else set.add(p);
      const points = [...set].sort((a, b) => a - b);
      const { positions } = points.length ? await this.session.connection.request<{ positions: number[] }>('where', { path: found.path, points }) : { positions: [] };
      const chosen: Chosen = { path: found.path, points, elements: found.elements.length, kind: found.kind, positions };
      this.modeler.choose(chosen);
      if (!points.length && !takes) this.session.say('No point is there');
    } catch (error) { this.session.fail(error); }
  }

  private draw() {
    const c = this.stage.overlay.context, w = this.stage.overlay.width, h = this.stage.overlay.height;
    const px = (p: Place) => [(p.x * 0.5 + 0.5) * w, (0.5 - p.y * 0.5) * h] as const;
    if (this.drawing && this.current !== 'paint' && this.points.length > 1) {
      c.strokeStyle = this.stage.overlay.colours.accent;
      c.lineWidth = 1.5;
      c.setLineDash([5, 4]);
      c.beginPath();
      if (this.current === 'box') { const [ax, ay] = px(this.points[0]), [bx, by] = px(this.points[1]); c.rect(ax, ay, bx - ax, by - ay); }
      else this.points.forEach((p, i) => { const [x, y] = px(p); if (i) c.lineTo(x, y); else c.moveTo(x, y); });
      c.stroke();
      c.setLineDash([]);
    }
    const chosen = this.modeler.chosen;
    if (!chosen) return;
    c.fillStyle = '#ffb000';
    c.strokeStyle = '#3a2a00';
    c.lineWidth = 1;
    for (let i = 0; i + 2 < chosen.positions.length && i < 30000; i += 3) {
      const { x, y } = this.stage.project(chosen.positions.slice(i, i + 3));
      c.beginPath(); c.rect(x - 3, y - 3, 6, 6); c.fill(); c.stroke();
    }
  }
}
