// Bodies fall, and are followed: when what moves has left its place by a third of the picture, or at once when the user
// wants to go with something. The grid stays below them.
import { Box3, Vector3 } from 'three';
import type { Session } from '../session.ts';
import type { Arrays } from './arrays.ts';
import type { OrbitCamera } from './camera.ts';
import type { Shape } from './shape.ts';

// What it needs of the picture.
export interface Watched {
  camera: OrbitCamera;
  arrays: Arrays;
  time: number;
  measure(wanted: (shape: Shape) => boolean): Box3;
  fallen(box: Box3): void;        // what moves is here now
  redraw(moved: boolean): void;
}

export class Follower {
  offset = new Vector3();                    // by which the camera still has to follow
  later = 0;                                 // a look that is due
  private anchor: Vector3 | null = null;     // what moves was here when the camera was last placed
  private went = 0;                          // when the camera last went along
  private watched = 0;                       // when that was last looked at
  private starts = new Map<Shape, Box3>();   // where everything was when the first picture was complete, until something moves
  private session: Session;
  private stage: Watched;

  constructor(session: Session, stage: Watched) { this.session = session; this.stage = stage; }

  // The camera was placed by hand.
  letGo() { this.anchor = null; }

  // Another scene.
  forget() { this.anchor = null; this.starts.clear(); }

  begin(starts: Map<Shape, Box3>) { this.starts = starts; }

  watch() {
    const now = performance.now(), followed = this.session.followed, { arrays, camera } = this.stage;
    if (now - this.watched < 100) {                             // the last frame before a rest counts, too
      this.later ||= window.setTimeout(() => { this.later = 0; this.watch(); this.stage.redraw(true); }, 100);
      return;
    }
    this.watched = now;
    const moving = new Set((this.session.scene?.arrays ?? []).filter((a) => a.dynamic && (arrays.get(a.id)?.version ?? 0) > 1).map((a) => a.id));
    const watches = (s: Shape) => moving.has(s.info.positions) && (!followed || s.info.path === followed || s.info.path.startsWith(followed + '/'));
    const box = this.stage.measure(watches);
    if (box.isEmpty()) return;
    this.stage.fallen(followed ? this.stage.measure((s) => moving.has(s.info.positions)) : box);
    const centre = box.getCenter(new Vector3()), height = camera.height;
    if (this.stage.time === 0) this.anchor = null;              // back at the start
    if (!this.anchor) {
      const start = new Box3();
      for (const [shape, at] of this.starts) if (watches(shape)) start.union(at);
      this.starts.clear();
      this.offset.set(0, 0, 0);
      this.anchor = start.isEmpty() ? centre : start.getCenter(new Vector3());
    }
    const away = centre.clone().sub(this.anchor), least = followed ? 0 : this.offset.lengthSq() > 0 ? 0.05 * height : 0.3 * height;
    if (away.length() > least && (followed || (this.session.settings.follow && !this.guided))) { this.offset.add(away); this.anchor = centre; }
  }

  // A procedure leads: what moves most are the instruments in the user's hands, and the picture stays with the patient.
  private get guided() { return [...this.session.objects.values()].some((o) => o.class === 'Procedure'); }

  // The camera glides, or jumps where less motion is wanted.
  goAlong() {
    if (this.offset.lengthSq() === 0) return;
    const now = performance.now(), passed = Math.min(0.25, (now - this.went) / 1000), { camera } = this.stage;        // however often it is drawn
    this.went = now;
    const part = this.offset.length() < 0.005 * camera.height || matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 1 - Math.exp(-12 * passed);
    camera.target.addScaledVector(this.offset, part);
    this.offset.multiplyScalar(1 - part);
    camera.update();
    this.stage.redraw(true);
  }
}
