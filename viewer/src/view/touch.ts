// Mouse, fingers and keys on the picture: turn, shift, zoom; select; pull on a point; fix a point; use a tool.
import { Vector3 } from 'three';
import type { Modeler } from '../modeler.ts';
import type { Session } from '../session.ts';
import { Area } from './choose.ts';
import { Handles } from './handles.ts';
import type { Stage } from './stage.ts';
import { Tools } from './tools.ts';

// the codes by which SOFA's controllers know keys without a letter
const SPECIAL: Record<string, number> = {
  Home: 16, End: 17, ArrowLeft: 18, ArrowUp: 19, ArrowRight: 20, ArrowDown: 21, PageUp: 22, PageDown: 23, Escape: 27, Enter: 13, ' ': 32, Tab: 9,
};
const CLICK = 4;                   // pixels within which a press is a click

export class Touch {
  touching = false;                // plain drags pull
  keyboard = false;                // the keyboard's cursor is on the picture
  grabbed = false;
  readonly tools: Tools;
  readonly handles: Handles;       // that move bodies
  readonly area: Area;             // that chooses points
  private pointers = new Map<number, { x: number; y: number }>();
  private mode: '' | 'turn' | 'pan' | 'pull' | 'pinch' | 'control' | 'tool' | 'handle' | 'area' = '';
  private button = '';             // that a controller was told of
  private control = false;         // the Ctrl key is held: a pinch on a touch pad sends wheels that only claim so
  private start = { x: 0, y: 0, moved: false };
  private last = { x: 0, y: 0 };
  private depth = new Vector3();
  private wantRelease = false;
  private fingers: { apart: number; angle: number; x: number; y: number } | null = null;      // two of them, as they were last
  private mouse = { x: 0, y: 0 };  // -1 to 1
  private session: Session;
  private stage: Stage;
  private element: HTMLElement;

  private press = 0;               // a finger that stays where it is asks for the menu
  private modeler: Modeler;

  constructor(session: Session, stage: Stage, element: HTMLElement, modeler: Modeler) {
    this.modeler = modeler;
    this.session = session;
    this.stage = stage;
    this.element = element;
    this.tools = new Tools(session, stage);
    this.handles = new Handles(session, stage, modeler);
    this.area = new Area(session, stage, modeler);
    element.addEventListener('pointerdown', (e) => this.down(e));
    element.addEventListener('pointermove', (e) => this.move(e));
    element.addEventListener('pointerup', (e) => this.up(e, false));
    element.addEventListener('pointercancel', (e) => this.up(e, true));
    element.addEventListener('pointerleave', () => { if (this.tools.current && !this.tools.drawing) this.tools.show(null); });
    element.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    element.addEventListener('contextmenu', (e) => e.preventDefault());
    element.addEventListener('dblclick', () => { if (!this.tools.current) this.stage.fit(true); });
    element.addEventListener('keydown', (e) => this.key(e));
    element.addEventListener('keyup', (e) => { if (e.ctrlKey || e.key === 'Control') this.controller(e, false); });
    for (const kind of ['keydown', 'keyup', 'blur'] as const) window.addEventListener(kind, (e) => { if (e.target === window || (e as KeyboardEvent).key === 'Control') this.control = kind === 'keydown'; }, true);
    element.addEventListener('blur', () => { if (this.keyboard) this.leave(); });
  }

  private place(e: { clientX: number; clientY: number }) {
    const r = this.element.getBoundingClientRect();
    return { x: (2 * (e.clientX - r.left)) / r.width - 1, y: 1 - (2 * (e.clientY - r.top)) / r.height };
  }

  private down(e: PointerEvent) {
    this.element.focus({ preventScroll: true });
    if (this.keyboard) this.leave();
    this.element.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.start = { x: e.clientX, y: e.clientY, moved: false };
    this.last = { x: e.clientX, y: e.clientY };
    clearTimeout(this.press);
    if (this.pointers.size === 2) { this.endPull(); this.tools.cancel(); this.handles.cancel(); this.area.cancel(); this.mode = 'pinch'; this.fingers = this.twoFingers(); return; }
    if (this.pointers.size > 2) return;
    const at = this.place(e);
    if (e.button === 0 && this.area.current && !e.ctrlKey) { this.mode = 'area'; this.area.begin(at, e); return; }
    if (e.button === 0 && !e.ctrlKey && !e.shiftKey && !e.altKey && this.handles.begin(at)) { this.mode = 'handle'; return; }
    if (e.pointerType === 'touch' && !this.tools.current) this.press = window.setTimeout(() => { if (this.mode === 'turn' && !this.start.moved) { this.mode = ''; this.askMenu(e); } }, 600);
    if (e.ctrlKey) { this.mode = 'control'; this.button = ['left', 'middle', 'right'][e.button] ?? 'left'; this.toController(this.button, true, e); return; }
    if (e.shiftKey && e.button === 2) { this.mode = ''; this.fix(at); return; }
    if (e.button === 0 && e.altKey) { this.mode = ''; this.plot(at); return; }
    if (e.button === 0 && (e.shiftKey || (this.touching && !this.tools.current))) { this.mode = 'pull'; this.grab(at); return; }
    if (e.button === 0 && this.tools.current) { this.mode = 'tool'; this.tools.begin(at); return; }
    this.mode = e.button === 0 || (e.button === 1 && (this.tools.current || this.area.current)) ? 'turn' : 'pan';
  }

  private move(e: PointerEvent) {
    this.mouse = this.place(e);
    const pointer = this.pointers.get(e.pointerId);
    if (this.tools.current && (!pointer || this.mode === 'tool')) this.tools.move(this.mouse);
    if (this.area.current && (!pointer || this.mode === 'area')) this.area.move(this.mouse);
    if (!pointer) return;
    if (this.mode === 'handle') { this.handles.move(this.mouse); return; }
    if (Math.hypot(e.clientX - this.start.x, e.clientY - this.start.y) > CLICK) this.start.moved = true;
    if (this.mode === 'pinch') { this.pinchMove(e, pointer); return; }
    const height = this.element.clientHeight, dx = (e.clientX - this.last.x) / height, dy = (e.clientY - this.last.y) / height;
    this.last = { x: e.clientX, y: e.clientY };
    if (this.mode === 'turn' && this.start.moved) this.stage.camera.turn(dx * Math.PI * 1.2, dy * Math.PI * 1.2);
    else if (this.mode === 'pan') this.stage.camera.pan(dx, dy);
    else if (this.mode === 'pull') { this.pullTo(this.place(e)); return; }
    else if (this.mode === 'control') { this.toController('move', false, e); return; }
    else return;
    this.stage.redraw(false);
  }

  // Controllers know the mouse in pixels of the picture.
  private toController(button: string, down: boolean, e: MouseEvent, wheel = 0) {
    const r = this.element.getBoundingClientRect();
    this.session.mouseEvent(button, down, e.clientX - r.left, e.clientY - r.top, wheel);
  }

  private twoFingers() {
    const [a, b] = [...this.pointers.values()];
    return b ? { apart: Math.hypot(a.x - b.x, a.y - b.y), angle: Math.atan2(b.y - a.y, b.x - a.x), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : null;
  }

  // Two fingers: what is between them stays there. Apart and together zooms, twisting turns about the upright axis.
  private pinchMove(e: PointerEvent, pointer: { x: number; y: number }) {
    pointer.x = e.clientX; pointer.y = e.clientY;
    const height = this.element.clientHeight, camera = this.stage.camera, before = this.fingers, now = this.twoFingers();
    this.fingers = now;
    if (!before || !now) return;
    const middle = this.place({ clientX: now.x, clientY: now.y });
    camera.pan((now.x - before.x) / height, (now.y - before.y) / height);
    if (before.apart > 0 && now.apart > 0) camera.zoom(before.apart / now.apart, middle.x, middle.y);
    const twist = Math.atan2(Math.sin(now.angle - before.angle), Math.cos(now.angle - before.angle));
    if (now.apart > 40) camera.turn(camera.elevation < 0 ? twist : -twist, 0);      // fingers that touch each other have no angle
    this.stage.redraw(false);
  }

  private up(e: PointerEvent, cancelled: boolean) {
    this.pointers.delete(e.pointerId);
    clearTimeout(this.press);
    if (this.mode === 'pan' && e.button === 2 && !this.start.moved && !cancelled) this.askMenu(e);
    if (this.mode === 'pull') this.endPull();
    else if (this.mode === 'tool') this.tools.end(cancelled ? null : this.place(e));
    else if (this.mode === 'handle') this.handles.end(cancelled ? null : this.place(e));
    else if (this.mode === 'area') this.area.end(cancelled ? null : this.place(e));
    else if (this.mode === 'control') this.toController(this.button, false, e);
    else if (this.mode === 'turn' && !this.start.moved && !cancelled) this.select(this.place(e));
    if (this.pointers.size === 0) this.mode = '';
    else if (this.mode === 'pinch' && this.pointers.size === 1) {            // the finger that stays turns
      const [left] = this.pointers.values();
      this.mode = 'turn';
      this.last = { x: left.x, y: left.y };
      this.start = { ...this.last, moved: true };
    } else this.fingers = null;
  }

  private wheel(e: WheelEvent) {
    e.preventDefault();
    const { x, y } = this.place(e);
    const pixels = e.deltaY * (e.deltaMode === 1 ? 30 : 1);
    if (e.ctrlKey && this.control) {           // a notch is 100 pixels here and 120 there, away from the user is up
      if (pixels) this.toController('wheel', false, e, -Math.sign(pixels) * Math.max(1, Math.round(1.2 * Math.abs(pixels))));
      return;
    }
    this.stage.camera.zoom(Math.exp(Math.max(-200, Math.min(200, pixels)) * 0.0015), x, y);
    this.stage.redraw(false);
  }

  private select({ x, y }: { x: number; y: number }) {
    const picked = this.stage.pick(x, y);
    if (this.modeler.linking) { if (picked) this.element.dispatchEvent(new CustomEvent('pointed', { detail: picked.shape.info.path, bubbles: true, composed: true })); return; }
    this.session.select(picked?.shape.info.path ?? '');
    if (picked && this.session.settings.tab !== 'build') this.session.set({ tab: 'graph' });
  }

  // What can be done with what is under the mouse; the page shows it.
  private async askMenu(e: { clientX: number; clientY: number }) {
    const at = this.place(e), picked = this.stage.pick(at.x, at.y);
    if (!picked) return;
    const ray = this.stage.camera.ray(at.x, at.y);
    const answer = await this.session.probe(ray.origin.toArray(), ray.direction.toArray()).catch(() => null);
    this.element.dispatchEvent(new CustomEvent('picked', { detail: { path: picked.shape.info.path, hit: answer?.hit ?? null, x: e.clientX, y: e.clientY, fix: () => this.fix(at) }, bubbles: true, composed: true }));
  }

  private async plot({ x, y }: { x: number; y: number }) {
    const ray = this.stage.camera.ray(x, y);
    const answer = await this.session.probe(ray.origin.toArray(), ray.direction.toArray()).catch(() => null);
    if (answer?.hit) this.session.plotPoint(answer.hit);
    else this.session.say('Nothing that moves is here');
  }

  // --- pulling ---

  private async grab(at: { x: number; y: number }) {
    this.wantRelease = false;
    const ray = this.stage.camera.ray(at.x, at.y);
    const answer = await this.session.grab(ray.origin.toArray(), ray.direction.toArray());
    if (!answer?.hit) return;
    this.grabbed = true;
    const point = new Vector3().fromArray(answer.hit.point);
    this.depth.copy(point);
    this.stage.hold(point, answer.hit.model);
    this.stage.spring = { from: point.clone(), to: point.clone() };
    this.stage.redraw(false);
    this.session.notify('touch');
    if (this.wantRelease) this.endPull();
    else this.pullTo(this.keyboard ? at : this.mouse);
  }

  private pullTo(at: { x: number; y: number }) {
    if (!this.grabbed || !this.stage.spring) return;
    const to = this.stage.camera.onPlane(this.stage.camera.ray(at.x, at.y), this.depth);
    this.stage.spring.to.copy(to);
    this.session.pull(to.toArray());
    this.stage.redraw(false);
  }

  private endPull() {
    this.wantRelease = true;
    if (!this.grabbed) return;
    this.grabbed = false;
    this.stage.spring = null;
    this.stage.follow = null;
    this.session.release();
    this.stage.redraw(false);
    this.session.notify('touch');
  }

  private async fix(at: { x: number; y: number }) {
    const ray = this.stage.camera.ray(at.x, at.y);
    const answer = await this.session.fix(ray.origin.toArray(), ray.direction.toArray());
    if (!answer) return;
    if (answer.fixed === null || answer.fixed === undefined) { this.session.say('Nothing to fix here'); return; }
    const point = answer.point ? new Vector3().fromArray(answer.point) : this.stage.pick(at.x, at.y)?.point ?? null;
    if (point) {
      const near = this.stage.pins.findIndex((p) => p.distanceTo(point) < 0.03 * this.stage.camera.distance);
      if (answer.fixed) this.stage.pins.push(point);
      else if (near >= 0) this.stage.pins.splice(near, 1);
    }
    this.session.say(answer.fixed ? 'Point fixed' : 'Point freed');
    this.stage.redraw(false);
  }

  // --- keys ---

  private controller(e: KeyboardEvent, down: boolean) {
    const code = SPECIAL[e.key] ?? (e.key.length === 1 ? e.key.toUpperCase().codePointAt(0) : undefined);
    if (code !== undefined) this.session.keyEvent(code, down);
  }

  enter() {
    this.keyboard = true;
    this.stage.cursor = { x: 0, y: 0 };
    this.element.focus();
    this.stage.redraw(false);
    this.session.notify('touch');
  }

  leave() {
    this.endPull();
    this.keyboard = false;
    this.stage.cursor = null;
    this.stage.redraw(false);
    this.session.notify('touch');
  }

  private key(e: KeyboardEvent) {
    if (e.ctrlKey && !e.metaKey && !e.altKey && /^[zysZYS]$/.test(e.key)) return;      // undo, redo, save are the page's
    if (e.ctrlKey && e.key !== 'Control' && !e.metaKey && !e.altKey) { e.preventDefault(); e.stopPropagation(); if (!e.repeat) this.controller(e, true); return; }
    if (e.altKey || e.metaKey) return;
    if (this.cursorKey(e) || this.cameraKey(e)) { e.preventDefault(); e.stopPropagation(); }
  }

  private menuAtCursor(cursor: { x: number; y: number }) {
    const r = this.element.getBoundingClientRect();
    this.askMenu({ clientX: r.left + (cursor.x * 0.5 + 0.5) * r.width, clientY: r.top + (0.5 - cursor.y * 0.5) * r.height });
  }

  private cursorKey(e: KeyboardEvent): boolean {
    if ((e.key === 'f' || e.key === 'F') && !this.keyboard) { this.fix(this.mouse); return true; }
    if (e.key === 't' || e.key === 'T') { if (this.keyboard) this.leave(); else this.enter(); return true; }
    const cursor = this.stage.cursor;
    if (!this.keyboard || !cursor) return false;
    const by = e.shiftKey ? 0.01 : 0.04;
    switch (e.key) {
      case 'ArrowLeft': cursor.x -= by / this.stage.aspect; break;
      case 'ArrowRight': cursor.x += by / this.stage.aspect; break;
      case 'ArrowUp': cursor.y += by; break;
      case 'ArrowDown': cursor.y -= by; break;
      case 'Enter': if (this.area.current) { if (this.area.drawing) this.area.end({ ...cursor }); else this.area.begin({ ...cursor }, e); } else if (this.tools.current) { if (this.tools.drawing) this.tools.end({ ...cursor }); else { this.tools.begin({ ...cursor }); if (!['cut', 'incise', 'carve'].includes(this.tools.current)) this.tools.end({ ...cursor }); } } else if (this.grabbed) this.endPull(); else this.grab({ ...cursor }); return true;
      case 's': case 'S': this.select(cursor); return true;
      case 'p': case 'P': this.plot({ ...cursor }); return true;
      case 'ContextMenu': this.menuAtCursor(cursor); return true;
      case 'F10': if (!e.shiftKey) return false; this.menuAtCursor(cursor); return true;
      case 'f': case 'F': this.fix({ ...cursor }); return true;
      case 'Escape': if (this.tools.drawing) this.tools.cancel(); else if (this.area.drawing) this.area.cancel(); else this.leave(); return true;
      default: return false;
    }
    cursor.x = Math.min(1, Math.max(-1, cursor.x));
    cursor.y = Math.min(1, Math.max(-1, cursor.y));
    if (this.grabbed) this.pullTo(cursor);
    if (this.tools.current) this.tools.move({ ...cursor });
    if (this.area.current) this.area.move({ ...cursor });
    this.stage.redraw(false);
    return true;
  }

  private cameraKey(e: KeyboardEvent): boolean {
    const camera = this.stage.camera, pan = e.shiftKey;
    switch (e.key) {
      case 'ArrowLeft': if (pan) camera.pan(-0.05, 0); else camera.turn(0.1, 0); break;
      case 'ArrowRight': if (pan) camera.pan(0.05, 0); else camera.turn(-0.1, 0); break;
      case 'ArrowUp': if (pan) camera.pan(0, -0.05); else camera.turn(0, 0.1); break;
      case 'ArrowDown': if (pan) camera.pan(0, 0.05); else camera.turn(0, -0.1); break;
      case '+': case '=': camera.zoom(0.88); break;
      case '-': case '_': camera.zoom(1 / 0.88); break;
      default: return false;
    }
    this.stage.redraw(false);
    return true;
  }
}
