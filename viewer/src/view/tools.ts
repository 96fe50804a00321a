// Tools that change meshes: what is in the hand, the stroke that it draws, and what the program is asked to do with it.
import type { Session } from '../session.ts';
import type { Stage } from './stage.ts';
import { THERAPIES, type TherapyName } from './therapy.ts';

export type ToolName = 'cut' | 'incise' | 'carve' | 'remove' | 'refine' | TherapyName;
interface Place { x: number; y: number }           // of the picture, -1 to 1
interface Drag { tool: ToolName; changed: number } // from button down to button up; how many answers changed something

// name, icon, key, what it is called, what to do with it
export interface Tool { name: ToolName; icon: string; key: string; title: string; hint: string }
export const TOOLS: Tool[] = [
  { name: 'cut', icon: 'blade', key: 'C', title: 'Cut', hint: 'drag a line across a body: what lies under it is cut through' },
  { name: 'incise', icon: 'incise', key: 'J', title: 'Incise', hint: 'drag along a body: it is opened there, not cut through' },
  { name: 'carve', icon: 'carve', key: 'V', title: 'Carve', hint: 'drag over a body: what the circle touches is taken away' },
  { name: 'remove', icon: 'erase', key: 'X', title: 'Remove', hint: 'click an element: it is taken away' },
  { name: 'refine', icon: 'refine', key: 'E', title: 'Refine', hint: 'click a body: elements in the circle are halved' },
  ...THERAPIES,
];
const WOBBLE = 3;                                  // pixels by which a line may differ from what was drawn
const MOST = 150;                                  // points of a stroke
const CIRCLES = [8, 12, 16, 22, 30, 42, 58, 80, 110];   // pixels

// Points that a line needs to come within `slack` of all of them (Douglas and Peucker).
export function simplify(points: Place[], slack: number, width: number, height: number): Place[] {
  if (points.length < 3) return points;
  const [a, b] = [points[0], points[points.length - 1]], dx = (b.x - a.x) * width, dy = (b.y - a.y) * height, length = Math.hypot(dx, dy);
  let far = 0, at = 0;
  for (let i = 1; i + 1 < points.length; i++) {
    const px = (points[i].x - a.x) * width, py = (points[i].y - a.y) * height;
    const away = length > 0 ? Math.abs(px * dy - py * dx) / length : Math.hypot(px, py);
    if (away > far) { far = away; at = i; }
  }
  if (far <= slack) return [a, b];
  return [...simplify(points.slice(0, at + 1), slack, width, height).slice(0, -1), ...simplify(points.slice(at), slack, width, height)];
}

export class Tools {
  current: ToolName | null = null;
  open = false;                                    // the bar of tools is shown
  drawing = false;
  private points: Place[] = [];
  private drag: Drag = { tool: 'carve', changed: 0 };
  private asking = Promise.resolve();              // ends with the last answer that was asked for
  private asked = 0;                               // and these have not come
  private session: Session;
  private stage: Stage;

  constructor(session: Session, stage: Stage) { this.session = session; this.stage = stage; }

  get info() { return TOOLS.find((t) => t.name === this.current) ?? null; }
  private get draws() { return this.current === 'cut' || this.current === 'incise'; }
  private get paints() { return this.current === 'carve' || this.current === 'ablate'; }

  get circles() { return this.current !== null && !this.draws && this.current !== 'remove'; }

  // The next smaller or larger circle.
  resize(by: number) {
    const { circle } = this.session.settings, next = by > 0 ? CIRCLES.find((c) => c > circle) : CIRCLES.filter((c) => c < circle).pop();
    if (!next) return;
    this.session.set({ circle: next });
    if (this.stage.brush) this.stage.brush.radius = next;
    this.stage.redraw(false);
  }

  take(name: ToolName | null) {
    this.cancel();
    this.current = name === this.current ? null : name;
    if (this.current) this.open = true;
    this.show(null);
    this.session.notify('touch');
  }

  toggle() {
    this.open = !this.open;
    if (!this.open) { this.cancel(); this.current = null; this.show(null); }
    this.session.notify('touch');
  }

  undo() { return this.session.undo(); }

  // The circle, or the line that is being drawn.
  show(at: Place | null) {
    this.stage.stroke = this.drawing && this.draws ? this.points : null;
    this.stage.brush = at && this.current && !this.draws ? { ...at, radius: this.circles ? this.session.settings.circle : 3 } : null;
    this.stage.redraw(false);
  }

  begin(at: Place) {
    this.drawing = true;
    this.drag = { tool: this.current!, changed: 0 };
    this.points = [at];
    this.show(at);
    if (!this.draws) this.touch(at, this.drag);
  }

  move(at: Place) {
    if (this.drawing && this.draws) {
      const last = this.points[this.points.length - 1];
      if (this.pixels(last, at) >= 2 && this.points.length < 2000) this.points.push(at);
    } else if (this.drawing && this.paints && !this.asked) this.touch(at, this.drag);
    this.show(at);
  }

  async end(at: Place | null) {
    if (!this.drawing) return;
    if (at && this.draws) this.points.push(at);
    const points = this.points, tool = this.current!;
    const { width, height } = this.stage.overlay;
    this.drawing = false;
    this.show(at);
    if (!this.draws || !at) return;
    const line = simplify(points, WOBBLE, width / 2, height / 2).slice(0, MOST);
    if (line.length < 2 || this.pixels(line[0], line[line.length - 1]) + this.longest(line) < 8) { this.session.say('Drag a line', this.info!.hint, 'warning'); return; }
    this.tell(await this.session.tool(tool, line.map((p) => this.ray(p))));
  }

  cancel() {
    this.drawing = false;
    this.points = [];
    this.show(null);
  }

  private longest(line: Place[]) { return line.reduce((most, p) => Math.max(most, this.pixels(line[0], p)), 0); }
  private pixels(a: Place, b: Place) { return Math.hypot((b.x - a.x) * this.stage.overlay.width, (b.y - a.y) * this.stage.overlay.height) / 2; }

  private ray({ x, y }: Place): number[] {
    const r = this.stage.camera.ray(x, y);
    return [...r.origin.toArray(), ...r.direction.toArray()];
  }

  // One element or what is in the circle. A click waits for the answer to the one before it; a drag asks again when it has its answer.
  private touch(at: Place, drag: Drag) {
    this.asked++;
    this.asking = this.asking.then(() => this.ask(at, drag)).finally(() => { this.asked--; });
  }

  // The program finds what is under the ray: the picture may be older than the mesh.
  private async ask(at: Place, drag: Drag) {
    const { tool } = drag, p = this.stage.camera.pixel(this.stage.overlay.height), circle = tool === 'remove' ? 0 : this.session.settings.circle * p.size;
    const answer = await this.session.tool(tool, [this.ray(at)], { size: p.perspective ? 0 : circle, spread: p.perspective ? circle : 0, goesOn: drag.changed > 0 });
    if (answer?.changed) drag.changed++;
    if (!answer && drag === this.drag) this.drawing = false;       // the message is shown; a drag does not repeat it
    if (answer?.text && tool !== 'carve') this.tell(answer);
  }

  private tell(answer: { text?: string; pieces?: number } | null) {
    if (answer) this.session.say(answer.text ?? '', this.session.status.animating ? '' : 'Space lets it move, U undoes.');
  }
}
