// Curves that return, such as the pressure over the volume of a chamber: plots over time only go forward.
import { css, html, LitElement, svg } from 'lit';
import { CURVES, DASHES, short } from './plot.ts';

export interface Line { label: string; x: number[]; y: number[] }

const WIDTH = 320, HEIGHT = 220, LEFT = 46, RIGHT = 8, TOP = 8, BOTTOM = 24;

// A few round numbers from low to high.
function ticks(low: number, high: number): number[] {
  const raw = (high - low) / 6, power = 10 ** Math.floor(Math.log10(raw)), step = power * ([1, 2, 5].find((k) => k * power >= raw) ?? 10), from = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - from + 1 }, (_, i) => (from + i) * step);
}

function range(values: number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  const room = 0.05 * (high - low) || 1e-9 + 0.1 * Math.abs(high);
  return [low - room, high + room];
}

export class Loop extends LitElement {
  static override properties = { lines: { attribute: false } };
  static override styles = css`
    :host { display: block; }
    svg { display: block; width: 100%; font: 10.5px var(--font); }
    text { fill: var(--muted); }
    .grid { stroke: var(--line); }
    path { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  `;
  declare lines: Line[];

  constructor() { super(); this.lines = []; }

  override render() {
    if (!this.lines.some((l) => l.x.length > 1)) return html``;
    const [x0, x1] = range(this.lines.flatMap((l) => l.x)), [y0, y1] = range(this.lines.flatMap((l) => l.y));
    const px = (x: number) => LEFT + ((x - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT), py = (y: number) => HEIGHT - BOTTOM - ((y - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
    const path = (l: Line) => l.x.map((x, i) => `${i ? 'L' : 'M'}${px(x).toFixed(1)} ${py(l.y[i]).toFixed(1)}`).join('');
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="pressure over volume of ${this.lines.map((l) => l.label).join(', ')}">
      ${ticks(x0, x1).map((x) => svg`<line class="grid" x1=${px(x)} x2=${px(x)} y1=${TOP} y2=${HEIGHT - BOTTOM}></line><text x=${px(x)} y=${HEIGHT - 8} text-anchor="middle">${short(x)}</text>`)}
      ${ticks(y0, y1).map((y) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${py(y)} y2=${py(y)}></line><text x=${LEFT - 5} y=${py(y) + 3.5} text-anchor="end">${short(y)}</text>`)}
      ${this.lines.map((l, i) => svg`<path d=${path(l)} stroke=${CURVES[i % CURVES.length]} stroke-dasharray=${DASHES[i % DASHES.length][0].join(' ') || 'none'}><title>${l.label}</title></path>`)}
    </svg>`;
  }
}
customElements.define('divan-loop', Loop);
