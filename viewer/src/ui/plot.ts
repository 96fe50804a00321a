// Curves with uPlot, in the colours of the theme.
import { css, html, LitElement, unsafeCSS, type PropertyValues } from 'lit';
import uPlot from 'uplot';
import sheet from 'uplot/dist/uPlot.min.css?inline';

// Colours that colour-blind eyes tell apart (after Okabe and Ito), and lines that need no colour to be told apart.
export const CURVES = ['#0f7fc4', '#d55e00', '#009e73', '#cc79a7', '#d99a00', '#56b4e9', '#8c6bb1', '#7f8794'];
export const DASHES: [number[], string][] = [[[], 'solid'], [[7, 3], 'dashed'], [[2, 2.5], 'dotted'], [[9, 3, 2, 3], 'dashed']];

// A number beside a grid line.
export const short = (v: number) => { const a = Math.abs(v); return v === 0 ? '0' : a >= 1e5 || a < 1e-3 ? Number(v.toPrecision(3)).toExponential() : String(Number(v.toPrecision(4))); };

export class Plot extends LitElement {
  static override properties = { data: { attribute: false }, labels: { attribute: false }, height: { type: Number }, log: { type: Boolean }, xLabel: { type: String }, top: { type: Number } };
  static override styles = [unsafeCSS(sheet), css`
    :host { display: block; position: relative; min-width: 0; }
    .u-legend { font-size: 11px; text-align: left; color: var(--muted); }
    .u-legend .u-marker { width: 9px; height: 9px; border-radius: 2px; }
    .u-select { background: color-mix(in srgb, var(--accent) 15%, transparent); }
    .u-hz .u-cursor-x, .u-hz .u-cursor-y { border-color: var(--faint); }
  `];
  declare data: (number | null)[][];
  declare labels: string[];
  declare height: number;
  declare log: boolean;
  declare xLabel: string;
  declare top: number;          // 0: by the data
  private plot: uPlot | null = null;
  private shape = '';
  private observer = new ResizeObserver(() => this.fit());
  private themeWatch = new MutationObserver(() => { this.shape = ''; this.requestUpdate(); });

  constructor() { super(); this.data = [[]]; this.labels = []; this.height = 130; this.log = false; this.xLabel = 'time (s)'; this.top = 0; }

  override connectedCallback() {
    super.connectedCallback();
    this.observer.observe(this);
    this.themeWatch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.observer.disconnect();
    this.themeWatch.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.shape = '';
  }

  private fit() { if (this.plot && this.clientWidth > 20 && this.plot.width !== this.clientWidth) this.plot.setSize({ width: this.clientWidth, height: this.height }); }

  private make(root: HTMLElement) {
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement), value = (n: string) => style.getPropertyValue(n).trim();
    const font = `10.5px ${value('--font')}`;
    const axis = { stroke: value('--muted'), font, grid: { stroke: value('--line'), width: 1 }, ticks: { stroke: value('--line'), width: 1, size: 4 } };
    this.plot = new uPlot({
      width: Math.max(60, this.clientWidth), height: this.height, legend: { show: this.labels.length > 1, live: false, markers: { width: 2, dash: (_, i) => DASHES[(i - 1) % DASHES.length][1] } }, cursor: { y: false, points: { size: 5 } },
      scales: { x: { time: false }, y: this.log ? { distr: 3 } : { range: (_, low, high) => (this.top > 0 ? [0, this.top] : low === null || low === high ? [(low ?? 0) - 1e-9 - Math.abs(low ?? 0) * 0.1, (high ?? 0) + 1e-9 + Math.abs(high ?? 0) * 0.1] : [low - 0.05 * (high - low), high + 0.05 * (high - low)]) } },
      axes: [{ ...axis, size: 24, gap: 3, values: (_, v) => v.map(short) }, { ...axis, size: 46, gap: 3, values: (_, v) => v.map((x) => (x === null ? '' : short(x))) }],
      series: [{ label: this.xLabel }, ...this.labels.map((label, i) => ({ label, stroke: CURVES[i % CURVES.length], dash: DASHES[i % DASHES.length][0], width: 1.5, points: { show: false } }))],
    }, this.data as uPlot.AlignedData, root);
  }

  override updated(_: PropertyValues) {
    const root = this.renderRoot.querySelector('.root') as HTMLElement;
    const shape = JSON.stringify([this.labels, this.log, this.height]);
    if (shape !== this.shape || !this.plot) { this.shape = shape; this.make(root); } else this.plot.setData(this.data as uPlot.AlignedData);
  }

  override render() { return html`<div class="root"></div>`; }
}
customElements.define('divan-plot', Plot);
