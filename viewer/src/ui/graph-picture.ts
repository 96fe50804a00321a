// The scene graph as an SVG picture: nodes from left to right, their components inside.
import type { GraphNode } from '../protocol.ts';
import { roleColour } from './roles.ts';

const WIDTH = 230, LINE = 17, HEAD = 26, PAD = 8, GAP_X = 48, GAP_Y = 16;

const escape = (s: string) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
const cut = (s: string, n: number) => (s.length > n ? s.slice(0, n - 1) + '…' : s);

export function graphPicture(root: GraphNode): string {
  const parts: string[] = [];
  let bottom = 0, right = 0;

  // Draws the node at (x, y) with its children to the right; gives the height of all.
  function draw(node: GraphNode, x: number, y: number): number {
    const own = HEAD + node.objects.length * LINE + PAD;
    let below = y;
    for (const child of node.nodes) {
      const height = draw(child, x + WIDTH + GAP_X, below);
      const from = y + HEAD / 2, to = below + HEAD / 2, a = x + WIDTH, b = x + WIDTH + GAP_X;
      parts.push(`<path d="M${a} ${from}C${a + GAP_X / 2} ${from} ${b - GAP_X / 2} ${to} ${b} ${to}" fill="none" stroke="#98a2b3" stroke-width="1.5"/>`);
      below += height + GAP_Y;
    }
    parts.push(`<g${node.active ? '' : ' opacity=".5"'}><rect x="${x}" y="${y}" width="${WIDTH}" height="${own}" rx="7" fill="#fff" stroke="#c6cdd7"/>`,
      `<path d="M${x} ${y + 7}a7 7 0 0 1 7-7h${WIDTH - 14}a7 7 0 0 1 7 7v${HEAD - 7}h-${WIDTH}z" fill="#e3edf8"/>`,
      `<text x="${x + 10}" y="${y + 17}" font-weight="600">${escape(cut(node.name || '/', 30))}</text>`);
    node.objects.forEach((o, i) => {
      const at = y + HEAD + LINE * i + 14;
      parts.push(`<circle cx="${x + 13}" cy="${at - 4}" r="3.5" fill="${roleColour(o.role)}"/><text x="${x + 22}" y="${at}">${escape(cut(o.class, 26))} <tspan fill="#647083">${escape(cut(o.name.replace(/\d+$/, '') === o.class ? '' : o.name, 12))}</tspan></text>`);
    });
    parts.push('</g>');
    bottom = Math.max(bottom, y + own);
    right = Math.max(right, x + WIDTH);
    return Math.max(own, below - y - GAP_Y);
  }

  draw(root, 12, 12);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${right + 12}" height="${bottom + 12}" font-family="sans-serif" font-size="11.5" fill="#1d2430">`
    + `<rect width="100%" height="100%" fill="#f6f8fa"/>${parts.join('\n')}</svg>\n`;
}
