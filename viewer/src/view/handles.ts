// Handles in the picture that shift, turn and scale what is selected. They are drawn over the picture; while one is dragged
// the body is shown where it will be, and the program is asked when it is let go.
import { Matrix4, Plane, Quaternion, Ray, Vector3 } from 'three';
import type { Modeler } from '../modeler.ts';
import type { Session } from '../session.ts';
import type { Stage } from './stage.ts';

export type HandleName = 'shift' | 'turn' | 'scale';
interface Place { x: number; y: number }            // of the picture, -1 to 1

export const HANDLES: { name: HandleName; icon: string; key: string; title: string; hint: string }[] = [
  { name: 'shift', icon: 'shift', key: 'M', title: 'Shift', hint: 'drag an arrow along its axis, the dot in the plane of the picture' },
  { name: 'turn', icon: 'turn', key: 'Q', title: 'Turn', hint: 'drag a ring about its axis' },
  { name: 'scale', icon: 'scale', key: 'K', title: 'Scale', hint: 'drag a cube along its axis, the dot in all directions' },
];
const LENGTH = 78, REACH = 11;                      // pixels: of an arrow, within which one is hit
const COLOURS = ['#d8434e', '#3a9d4f', '#3f78e0'];
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

export class Handles {
  current: HandleName | null = null;
  part = -1;                                        // that is dragged: 0 to 2 an axis, 3 the middle
  private pivot = new Vector3();
  private body = '';
  private start: Place = { x: 0, y: 0 };
  private by = { translate: new Vector3(), turn: new Quaternion(), scale: new Vector3(1, 1, 1) };
  private session: Session; private stage: Stage; private modeler: Modeler;

  constructor(session: Session, stage: Stage, modeler: Modeler) {
    this.session = session; this.stage = stage; this.modeler = modeler;
    stage.extras.push(() => this.draw());
    session.on(['selection', 'scene'], () => { if (this.current) stage.redraw(false); });
  }

  take(name: HandleName | null) {
    this.cancel();
    this.current = name === this.current ? null : name;
    if (this.current && !this.bodyOf(this.session.selection)) this.session.say('Select a body first', 'Click on it in the picture.');
    this.stage.redraw(false);
    this.session.notify('touch');
  }

  // A skin moves with its body: the node below the root, or the nearest one above that something simulates.
  bodyOf(path: string): string {
    if (!path || path === '/') return '';
    let node = this.modeler.nodeOf(path);
    while (node.lastIndexOf('/') > 0 && this.session.nodes.get(node)?.objects.some((o) => o.role === 'mapping')) node = this.modeler.nodeOf(node.replace(/\/[^/]*$/, '') || '/');
    return node === '/' ? '' : node;
  }

  private middle(): Vector3 | null {
    const body = this.bodyOf(this.session.selection), box = body ? this.stage.boxOf(body) : null;
    return box && !box.isEmpty() ? box.getCenter(new Vector3()) : null;
  }

  // Metres of a handle's length at the pivot.
  private size(at: Vector3): number {
    const p = this.stage.camera.pixel(this.stage.overlay.height), eye = new Vector3().setFromMatrixPosition(this.stage.camera.camera.matrixWorld);
    return LENGTH * p.size * (p.perspective ? at.distanceTo(eye) : 1);
  }

  private pixel(p: Vector3) { const q = this.stage.project(p.toArray()); return [q.x, q.y] as const; }

  private ring(k: number, at: Vector3, size: number): (readonly [number, number])[] {
    const u = AXES[(k + 1) % 3], v = AXES[(k + 2) % 3];
    return Array.from({ length: 49 }, (_, i) => this.pixel(at.clone().addScaledVector(u, size * Math.cos((i * Math.PI) / 24)).addScaledVector(v, size * Math.sin((i * Math.PI) / 24))));
  }

  // --- dragging ---

  private hit(at: Place, pivot: Vector3): number {
    const x = (at.x * 0.5 + 0.5) * this.stage.overlay.width, y = (0.5 - at.y * 0.5) * this.stage.overlay.height, size = this.size(pivot);
    const far = ([px, py]: readonly [number, number]) => Math.hypot(px - x, py - y);
    const middle = this.pixel(pivot);
    if (this.current !== 'turn' && far(middle) < REACH) return 3;
    let best = -1, least = REACH;
    for (let k = 0; k < 3; k++) {
      let d = Infinity;
      if (this.current === 'turn') for (const p of this.ring(k, pivot, size)) d = Math.min(d, far(p));
      else for (let i = 2; i <= 10; i++) d = Math.min(d, far(this.pixel(pivot.clone().addScaledVector(AXES[k], (size * i) / 10))));
      if (d < least) { least = d; best = k; }
    }
    return best;
  }

  // True when a handle was taken.
  begin(at: Place): boolean {
    const pivot = this.current && this.modeler.possible ? this.middle() : null;
    if (!pivot) return false;
    const part = this.hit(at, pivot);
    if (part < 0) return false;
    this.part = part;
    this.pivot.copy(pivot);
    this.body = this.bodyOf(this.session.selection);
    this.start = at;
    this.by = { translate: new Vector3(), turn: new Quaternion(), scale: new Vector3(1, 1, 1) };
    return true;
  }

  // How far along an axis the ray comes nearest to it.
  private along(ray: Ray, axis: Vector3): number {
    const w = this.pivot.clone().sub(ray.origin), b = axis.dot(ray.direction), d = axis.dot(w), e = ray.direction.dot(w), slope = 1 - b * b;
    return Math.abs(slope) < 1e-9 ? 0 : (b * e - d) / slope;
  }

  private angle(at: Place, axis: Vector3, k: number): number {
    const ray = this.stage.camera.ray(at.x, at.y), hit = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(axis, this.pivot), new Vector3());
    if (!hit) return NaN;
    hit.sub(this.pivot);
    return Math.atan2(hit.dot(AXES[(k + 2) % 3]), hit.dot(AXES[(k + 1) % 3]));
  }

  move(at: Place) {
    if (this.part < 0) return;
    const camera = this.stage.camera, from = camera.ray(this.start.x, this.start.y), to = camera.ray(at.x, at.y), axis = AXES[this.part];
    if (this.current === 'shift') {
      if (this.part === 3) this.by.translate = camera.onPlane(to, this.pivot).sub(camera.onPlane(from, this.pivot));
      else this.by.translate = axis.clone().multiplyScalar(this.along(to, axis) - this.along(from, axis));
    } else if (this.current === 'turn') {
      const turned = this.angle(at, axis, this.part) - this.angle(this.start, axis, this.part);
      if (Number.isFinite(turned)) this.by.turn.setFromAxisAngle(axis, turned);
    } else {
      const size = this.size(this.pivot);
      const factor = this.part === 3 ? Math.exp((at.x - this.start.x + at.y - this.start.y) * 1.5) : 1 + (this.along(to, axis) - this.along(from, axis)) / size;
      const f = Math.max(0.02, factor);
      this.by.scale.set(this.part === 0 || this.part === 3 ? f : 1, this.part === 1 || this.part === 3 ? f : 1, this.part === 2 || this.part === 3 ? f : 1);
    }
    this.preview();
  }

  async end(at: Place | null) {
    if (this.part < 0) return;
    if (at) this.move(at);
    this.part = -1;
    const { translate, turn, scale } = this.by, still = translate.length() < 1e-9 && Math.abs(turn.w) > 1 - 1e-12 && scale.distanceTo(new Vector3(1, 1, 1)) < 1e-9;
    if (at && !still) await this.modeler.place(this.body, { translate: translate.toArray(), turn: turn.toArray(), scale: scale.toArray(), pivot: this.pivot.toArray() });
    this.clear();
  }

  cancel() { this.part = -1; this.clear(); }

  // By numbers: metres, degrees about x, y, z, factors.
  async placeBy(path: string, by: { translate: number[]; angles: number[]; scale: number[] }): Promise<boolean> {
    const body = this.bodyOf(path), box = body ? this.stage.boxOf(body) : null;
    if (!body || !box || box.isEmpty()) { this.session.say('Select a body', '', 'warning'); return false; }
    const turn = new Quaternion();
    by.angles.forEach((a, k) => turn.premultiply(new Quaternion().setFromAxisAngle(AXES[k], (a * Math.PI) / 180)));
    return this.modeler.place(body, { translate: by.translate, turn: turn.toArray(), scale: by.scale, pivot: box.getCenter(new Vector3()).toArray() });
  }

  // --- drawing ---

  private matrix(): Matrix4 {
    const { translate, turn, scale } = this.by, to = new Matrix4().makeTranslation(this.pivot.x, this.pivot.y, this.pivot.z), back = new Matrix4().makeTranslation(-this.pivot.x, -this.pivot.y, -this.pivot.z);
    return new Matrix4().makeTranslation(translate.x, translate.y, translate.z).multiply(to).multiply(new Matrix4().compose(new Vector3(), turn, scale)).multiply(back);
  }

  private preview() {
    const m = this.matrix();
    for (const s of this.stage.shapes) if (s.info.path === this.body || s.info.path.startsWith(this.body + '/')) { s.object.matrixAutoUpdate = false; s.object.matrix.copy(m); s.object.matrixWorldNeedsUpdate = true; }
    this.stage.redraw(false);
  }

  private clear() {
    for (const s of this.stage.shapes) if (!s.object.matrixAutoUpdate) { s.object.matrix.identity(); s.object.matrixAutoUpdate = true; s.object.matrixWorldNeedsUpdate = true; }
    this.by.translate.set(0, 0, 0);
    this.stage.redraw(true);
  }

  private draw() {
    if (!this.current || !this.modeler.possible) return;
    const pivot = this.part >= 0 ? this.pivot.clone().add(this.by.translate) : this.middle();
    if (!pivot) return;
    const c = this.stage.overlay.context, size = this.size(pivot), [mx, my] = this.pixel(pivot);
    c.lineWidth = 3;
    c.lineCap = 'round';
    for (let k = 0; k < 3; k++) {
      c.strokeStyle = c.fillStyle = COLOURS[k];
      c.globalAlpha = this.part >= 0 && this.part !== k ? 0.35 : 1;
      c.beginPath();
      if (this.current === 'turn') { this.ring(k, pivot, size).forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y))); c.stroke(); continue; }
      const [x, y] = this.pixel(pivot.clone().addScaledVector(AXES[k], size)), length = Math.hypot(x - mx, y - my) || 1, ux = (x - mx) / length, uy = (y - my) / length;
      c.moveTo(mx, my); c.lineTo(x, y); c.stroke();
      c.beginPath();
      if (this.current === 'scale') c.rect(x - 5, y - 5, 10, 10);
      else { c.moveTo(x + 9 * ux, y + 9 * uy); c.lineTo(x - 5 * uy, y + 5 * ux); c.lineTo(x + 5 * uy, y - 5 * ux); c.closePath(); }
      c.fill();
      c.font = '11px ui-sans-serif, system-ui, sans-serif';
      c.fillText('xyz'[k], x + 14 * ux - 3, y + 14 * uy);          // not by colour alone
    }
    c.globalAlpha = 1;
    if (this.current !== 'turn') { c.fillStyle = this.stage.overlay.colours.text; c.beginPath(); c.arc(mx, my, 5.5, 0, 7); c.fill(); }
  }

  // Where a handle is, for tests and for the keyboard: pixels of the picture.
  handleAt(k: number): { x: number; y: number } | null {
    const pivot = this.middle();
    if (!pivot) return null;
    const [x, y] = k === 3 ? this.pixel(pivot) : this.current === 'turn' ? this.ring(k, pivot, this.size(pivot))[3] : this.pixel(pivot.clone().addScaledVector(AXES[k], this.size(pivot)));
    return { x, y };
  }
}
