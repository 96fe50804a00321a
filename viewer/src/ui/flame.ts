// Timers as a tree: a flame chart and the table below it.
export interface Timer { name: string; path: string; depth: number; ms: number; self: number; children: Timer[]; start: number }

// Names carry their parents, "step/solver/force"; a parent takes at least as long as its children.
export function timerTree(timers: Map<string, number>): Timer {
  const root: Timer = { name: '', path: '', depth: 0, ms: 0, self: 0, children: [], start: 0 };
  for (const [path, ms] of timers) {
    let at = root, walked = '';
    for (const name of path.split('/').filter(Boolean)) {
      walked = walked ? `${walked}/${name}` : name;
      let child = at.children.find((c) => c.name === name);
      if (!child) { child = { name, path: walked, depth: at.depth + 1, ms: 0, self: 0, children: [], start: 0 }; at.children.push(child); }
      at = child;
    }
    at.ms = ms;
  }
  const finish = (t: Timer) => {
    for (const c of t.children) finish(c);
    const inside = t.children.reduce((sum, c) => sum + c.ms, 0);
    t.ms = Math.max(t.ms, inside);
    t.self = t.ms - inside;
  };
  finish(root);
  const place = (t: Timer, start: number) => { t.start = start; let at = start; for (const c of t.children) { place(c, at); at += c.ms; } };
  place(root, 0);
  return root;
}

export function flatten(t: Timer, out: Timer[] = []): Timer[] {
  if (t.depth > 0) out.push(t);
  for (const c of [...t.children].sort((a, b) => b.ms - a.ms)) flatten(c, out);
  return out;
}

export function flameColour(name: string): string {
  let h = 0;
  for (const c of name) h = (h * 33 + c.charCodeAt(0)) % 997;
  return `hsl(${18 + (h % 40)} ${55 + (h % 25)}% ${60 + (h % 12)}%)`;
}
