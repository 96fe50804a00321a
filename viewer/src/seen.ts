// What the user lets be seen, one by one: hidden, alone, faint, followed.
import type { SceneInfo } from './protocol.ts';
import { Topics } from './topics.ts';

export abstract class Seen extends Topics {
  scene: SceneInfo | null = null;
  hidden = new Set<string>();                  // paths of nodes and components that the user does not want to see
  isolated = '';                               // the only one to be seen
  opacities = new Map<string, number>();
  followed = '';                               // what the camera goes with

  private below(path: string, top: string) { return top === '/' || path === top || path.startsWith(top + '/'); }

  // Whether the user lets it be seen: neither it nor a node above is hidden, and it belongs to what stands alone.
  sees(path: string): boolean {
    if (this.isolated && !this.below(path, this.isolated)) return false;
    for (const h of this.hidden) if (this.below(path, h)) return false;
    return true;
  }

  opacityOf(path: string): number {
    let opacity = 1, length = -1;
    for (const [p, o] of this.opacities) if (p.length > length && this.below(path, p)) { opacity = o; length = p.length; }   // the nearest counts
    return opacity;
  }

  setHidden(path: string, on: boolean) { if (on) this.hidden.add(path); else this.hidden.delete(path); this.notify('settings'); }
  isolate(path: string) { this.isolated = this.isolated === path ? '' : path; this.hidden.delete(path); this.notify('settings'); }
  setOpacity(path: string, value: number) { if (value >= 1) this.opacities.delete(path); else this.opacities.set(path, value); this.notify('settings'); }
  follow(path: string) { this.followed = this.followed === path ? '' : path; this.notify('settings'); }
  showAll() { this.hidden.clear(); this.opacities.clear(); this.isolated = this.followed = ''; this.notify('settings'); }
  // Whether something of a node or component is drawn.
  draws(path: string): boolean { return this.scene?.drawables.some((d) => this.below(d.path, path)) ?? false; }
}
