// What can be done with a node or a component, for its menu and its form.
import type { Session } from '../session.ts';
import type { Hit } from '../protocol.ts';
import { page } from './part.ts';

export interface Action { name: string; run: () => void; danger?: boolean; edits?: boolean; menuOnly?: boolean }

async function copy(s: Session, text: string) {
  try { await navigator.clipboard.writeText(text); s.say(`${text} copied`); } catch { s.say(text, 'The browser does not let the page copy.'); }
}

const OPACITIES: [string, number][] = [['Opaque', 1], ['Half transparent', 0.5], ['Nearly transparent', 0.2]];

// How it is looked at: for everything of which something is drawn.
export function looking(s: Session, path: string): Action[] {
  const list: Action[] = [], alone = s.isolated === path, hidden = s.hidden.has(path);
  if (path !== '/' && s.draws(path)) {
    list.push({ name: hidden ? 'Show' : 'Hide', run: () => s.setHidden(path, !hidden) },
      { name: alone ? 'Show the others' : 'Show only this', run: () => s.isolate(path) },
      { name: s.followed === path ? 'Stop following' : 'Follow with the camera', run: () => s.follow(path), menuOnly: true },
      { name: 'Fit the view to it', run: () => { s.select(path); page.stage.fit(true); }, menuOnly: true });
    for (const [name, value] of OPACITIES) if (s.opacityOf(path) !== value) list.push({ name, run: () => s.setOpacity(path, value), menuOnly: true });
  }
  if (s.hidden.size || s.isolated || s.opacities.size) list.push({ name: 'Show everything', run: () => s.showAll(), menuOnly: true });
  return list;
}

export function naming(s: Session, path: string): Action[] {
  return [{ name: 'Copy the path', run: () => { copy(s, path); }, menuOnly: true }, { name: 'Copy as a link', run: () => { copy(s, `@${path}`); }, menuOnly: true }];
}

// A point of a state: where the mouse is, or the first.
export function plotting(s: Session, hit: Hit | null): Action[] {
  return hit ? [{ name: `Plot point ${hit.index} of ${hit.path.split('/').pop()}`, run: () => s.plotPoint(hit), menuOnly: true }] : [];
}
