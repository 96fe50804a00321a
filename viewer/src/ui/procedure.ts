// A procedure over the picture: what is to be done now and how, the last warning, the score; at the end the report.
import { css, html, nothing } from 'lit';
import type { ObjectInfo } from '../protocol.ts';
import { download, number, Part } from './part.ts';
import { shared } from './styles.ts';

const PAUSE = 250;      // ms between two looks at the component

export class ProcedureCard extends Part {
  static override styles = [shared, css`
    :host { position: absolute; left: 12px; bottom: 12px; z-index: 2; max-width: min(420px, calc(100% - 24px)); }
    .card { padding: 10px 12px; border-radius: 8px; background: color-mix(in srgb, var(--panel) 92%, transparent); border: 1px solid var(--line); font-size: 13px; }
    .title { font-size: 11.5px; opacity: 0.8; }
    .now { font-size: 15px; font-weight: 600; margin: 3px 0; }
    .failed { color: var(--bad, #c0392b); }
    .hint { margin: 2px 0; }
    .warning { margin-top: 6px; padding: 4px 7px; border-radius: 5px; border: 1px solid var(--warn); }
    .values { display: flex; flex-wrap: wrap; gap: 2px 12px; margin-top: 6px; font-size: 12px; }
    .bar { display: flex; gap: 3px; margin-top: 7px; }
    .bar span { height: 4px; flex: 1; border-radius: 2px; background: var(--line); }
    .bar .over { background: var(--good, #3a9d5d); }
    .bar .here { background: var(--accent, #3b82f6); }
    .bar .lost { background: var(--bad, #c0392b); }
    .foot { display: flex; gap: 12px; margin-top: 6px; font-size: 11.5px; }
    pre { margin: 6px 0 0; max-height: 220px; overflow: auto; font: 11.5px var(--mono, monospace); white-space: pre-wrap; }
  `];
  protected override topics = ['graph', 'status', 'scene'] as any;
  private timer = 0;
  private asking = false;
  private path = '';
  private values = new Map<string, string>();

  private find_path() {
    for (const o of this.session.objects.values()) if (o.class === 'Procedure') return o.path;
    return '';
  }

  // a look now and then, and one more after the last change
  private look() {
    if (this.timer || this.asking) return;
    this.timer = window.setTimeout(async () => {
      this.timer = 0;
      const path = this.find_path();
      if (!path) { this.take(path, null); return; }
      if (!this.session.connection.open) return;
      this.asking = true;
      try {
        const { object } = await this.session.connection.request<{ object: ObjectInfo }>('object', { path });
        this.take(path, object);
      } catch { this.take('', null); } finally { this.asking = false; }
    }, PAUSE);
  }

  private take(path: string, object: ObjectInfo | null) {
    const values = new Map((object?.fields ?? []).map((f) => [f.name, f.value] as const));
    const same = path === this.path && values.size === this.values.size && [...values].every(([k, v]) => this.values.get(k) === v);
    if (same) return;
    this.path = path;
    this.values = values;
    this.drawn = true;
    this.requestUpdate();
  }

  private drawn = false;      // this update comes from a look, not from a topic

  protected override shouldUpdate() {
    if (this.drawn) { this.drawn = false; return true; }
    this.look();
    return !this.hasUpdated;
  }

  private get = (name: string) => this.values.get(name) ?? '';

  override render() {
    if (!this.path) return nothing;
    const get = this.get, steps = Number(get('steps')), step = Number(get('step')), failed = get('failed') === '1', done = get('done') === '1' || failed, score = Number(get('score'));
    return html`<section class="card" id="procedure" aria-label="procedure"><div class="title">${get('title')}</div>
      <div class=${failed ? 'now failed' : 'now'} role="status" id="procedure-now">${get('instruction')}</div>
      ${get('hint') ? html`<div class="hint" id="procedure-hint">${get('hint')}</div>` : nothing}
      ${get('warning') ? html`<div class="warning" role="alert" id="procedure-warning">${get('warning')}</div>` : nothing}
      ${get('values') ? html`<div class="values mono" id="procedure-values">${get('values').split('\n').map((v) => html`<span>${v}</span>`)}</div>` : nothing}
      <div class="bar" aria-hidden="true">${Array.from({ length: Math.min(steps, 40) }, (_, i) => html`<span class=${(done && !failed) || i + 1 < step ? 'over' : i + 1 === step ? (failed ? 'lost' : 'here') : ''}></span>`)}</div>
      ${done ? html`<pre id="procedure-report">${get('report')}</pre>` : nothing}
      <div class="foot"><span>score <b class="mono" id="procedure-score">${number(score, 4)}</b></span><span>warnings <b class="mono">${get('warnings')}</b></span>
        ${this.session.status.animating || done ? nothing : html`<span>Space starts and pauses</span>`}
        ${done ? html`<button id="procedure-save" @click=${() => download('report.txt', get('report'))}>Save the report</button>` : nothing}</div></section>`;
  }
}
customElements.define('divan-procedure', ProcedureCard);
