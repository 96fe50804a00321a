// A procedure below the picture: what is to be done now and how, the last warning, the score; at the end the report.
import { css, html, nothing, unsafeCSS } from 'lit';
import type { ObjectInfo } from '../protocol.ts';
import { Keys, Mark, pad } from './hands.ts';
import { download, number, Part } from './part.ts';
import { shared } from './styles.ts';

const PAUSE = 120;      // ms between two looks at the component
const LOW = unsafeCSS('(max-height: 480px)'), SMALL = unsafeCSS(`(max-width: 720px), ${LOW}`);      // the card stands beside the picture where it is low

export class ProcedureCard extends Part {
  static override styles = [shared, css`
    :host { display: none; flex: none; width: 100%; max-height: 60%; } :host([shown]) { display: flex; }
    .card { flex: 1; min-width: 0; overflow: auto; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, min(430px, 58%)); gap: 0 18px; padding: 8px 12px; background: var(--panel); border-top: 1px solid var(--line); font-size: 13px; }
    .title { font-size: 11.5px; opacity: 0.8; }
    .now { font-size: 15px; font-weight: 600; margin: 3px 0; }
    .failed { color: var(--bad, #c0392b); }
    .hint { margin: 2px 0; }
    .warning { margin: 4px 0; padding: 4px 7px; border-radius: 5px; border: 1px solid var(--warn); }
    .values { display: flex; flex-wrap: wrap; gap: 2px 12px; margin-top: 6px; font-size: 12px; }
    .bar { display: flex; gap: 3px; margin: 4px 0; }
    .bar span { height: 4px; flex: 1; border-radius: 2px; background: var(--line); }
    .bar .over { background: var(--good, #3a9d5d); }
    .bar .here { background: var(--accent, #3b82f6); }
    .bar .lost { background: var(--bad, #c0392b); }
    .pad { display: flex; flex-direction: column; gap: 4px; touch-action: none; user-select: none; -webkit-user-select: none; }
    .hand { display: grid; grid-template-columns: 84px 1fr; align-items: center; gap: 4px; } .hand b { font-weight: 500; font-size: 12px; opacity: .75; } .hand.led b { font-weight: 700; opacity: 1; }
    .hand b kbd { display: block; font-weight: 400; text-align: left; }
    .sides { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 3px; }
    .others { display: flex; gap: 3px; }
    .others .hold { flex: 1; flex-direction: row; white-space: normal; } .others small { display: none; }
    .hold { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 0; min-height: 36px; padding: 0 2px; border: 1px solid var(--line-strong, var(--line)); border-radius: 6px; font-size: 13px; line-height: 1.2; touch-action: none; }
    .hold small { font-size: 10px; min-height: 12px; white-space: nowrap; } kbd { font: 10.5px var(--mono, monospace); opacity: .7; border: 0; padding: 0; background: none; }
    .hold.lit, .hold.lit:not(:disabled):is(:hover, :active) { background: #ffd21f; border-color: #b08a00; color: #2a1f00; font-weight: 600; } .hold:active { filter: brightness(.85); }
    .about { font-size: 11.5px; opacity: .8; } .about kbd { display: inline; font: inherit; opacity: 1; white-space: normal; }
    .how { display: none; opacity: .8; }
    .foot { align-items: center; display: flex; flex-wrap: wrap; gap: 4px 12px; margin-top: 6px; font-size: 11.5px; }
    @media (pointer: coarse) { .hold { min-height: 46px; } kbd { display: none !important; } .foot button, .about button { min-height: 40px; padding: 0 12px; font-size: 13px; } }
    @media (max-width: 720px) {
      .card { border-radius: 10px 10px 0 0; }
      .hand { grid-template-columns: 1fr; gap: 2px; } .hand b { font-size: 11px; }
    }
    /* a telephone, upright or not: the buttons stay, what is said above them scrolls */
    @media ${SMALL} {
      .card { display: flex; flex-direction: column; padding: 7px 10px; font-size: 12.5px; overflow: hidden; }
      .title { display: none; } .now { font-size: 14px; }
      .words { flex: 0 1000 auto; min-height: 64px; overflow: auto; } .use { flex: 0 1 auto; min-height: 0; margin-top: auto; overflow: auto; }      /* at the bottom, whatever is said */
      .foot { position: sticky; bottom: 0; flex-wrap: nowrap; gap: 8px; margin-top: 2px; padding-top: 2px; background: var(--panel); white-space: nowrap; } .foot button { padding: 0 9px; } .foot .many { display: none; }      /* how to begin is seen, however long the rest is */
    }
    @media ${LOW} { .hold { min-height: 40px; } .about:not(:has(b)) { display: none; } .how { display: inline; } .pad { gap: 3px; } .bar { margin: 2px 0; } .now { margin: 1px 0; } .values { margin: 0; } :host { width: 52%; max-height: none; align-self: stretch; } .card { border-left: 1px solid var(--line); } }
    pre { margin: 6px 0 0; max-height: 220px; overflow: auto; font: 11.5px var(--mono, monospace); white-space: pre-wrap; }
  `];
  protected override topics = ['graph', 'status', 'scene', 'connection'] as any;
  private timer = 0;
  private asking = false;
  private path = '';
  private values = new Map<string, string>();

  private shows = false;     // what moves the hands since the beginning is the recording
  private mark = new Mark();
  private keys?: Keys;
  private begun = '';        // the scene and procedure for which there is room
  private buttons = '';      // what decides which of them are shown, and whether they can be used

  // The patient and the card are what is to be seen first.
  private begin(path: string) {
    const what = path && `${this.session.hello?.scene} ${path}`;
    if (what === this.begun) return;
    this.begun = what;
    if (!path) { this.session.withoutCard(); return; }
    this.keys ??= new Keys(this.session, this.get, () => !!this.path && !this.over, () => { this.drawn = true; this.requestUpdate(); });
    this.session.withCard(matchMedia(SMALL.cssText).matches);
  }

  private get over() { return this.get('done') === '1' || this.get('failed') === '1'; }

  private find_path() {
    for (const o of this.session.objects.values()) if (o.class === 'Procedure') return o.path;
    return '';
  }

  // a look now and then, and one more after the last change
  private look() {
    if (this.session.graph) this.begin(this.find_path());
    if (this.timer || this.asking) return;
    this.timer = window.setTimeout(async () => {
      this.timer = 0;
      const path = this.find_path();
      if (!path) { this.take(path, null); return; }
      if (!this.session.connection.open) { this.lost(); return; }
      this.asking = true;
      this.keys?.asks();
      try {
        const { object } = await this.session.connection.request<{ object: ObjectInfo }>('object', { path });
        this.take(path, object);
      } catch { if (this.find_path()) this.lost(); else this.take('', null); } finally { this.asking = false; }
    }, PAUSE);
  }

  // The card stays, and its buttons wait with it.
  private lost() {
    this.keys?.leave();
    this.buttons = '';
    this.drawn = true;
    this.requestUpdate();
  }

  private take(path: string, object: ObjectInfo | null) {
    const values = new Map((object?.fields ?? []).map((f) => [f.name, f.value] as const));
    const { animating, undo, time } = this.session.status, buttons = [animating, undo, time === 0, this.session.editor].join();
    const same = path === this.path && buttons === this.buttons && values.size === this.values.size && [...values].every(([k, v]) => this.values.get(k) === v);
    if (same) { this.keys?.goOn(); return; }
    this.buttons = buttons;
    if (time === 0) { this.shows = true; if (this.keys && !this.keys.holds) this.keys.used = false; }
    if (this.keys?.used) this.shows = false;
    this.path = path;
    this.values = values;
    this.keys?.goOn();
    this.mark.show(this.get);
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

  private button(name: string, words: string, key: string, act: () => void) {
    return html`<button id="procedure-${name}" class="solid small" ?disabled=${!this.session.editor} @click=${act}>${words} <kbd>(${key})</kbd></button>`;
  }

  private room = '';         // the scene and the window to which that height belongs
  private tall = 0;

  // The card never becomes lower: the picture and the buttons stay where they are from step to step.
  protected override updated() {
    this.toggleAttribute('shown', !!this.path);
    const room = [this.begun, innerWidth, innerHeight].join();
    if (room !== this.room) { this.room = room; this.tall = 0; this.style.minHeight = ''; }
    this.tall = Math.max(this.tall, this.offsetHeight);
    this.style.minHeight = `min(${this.tall}px, 60%)`;
  }

  override render() {
    if (!this.path) return nothing;
    const get = this.get, steps = Number(get('steps')), step = Number(get('step')), failed = get('failed') === '1', done = this.over, { animating, undo, time } = this.session.status, start = time === 0, score = Number(get('score'));
    return html`<section class="card" id="procedure" aria-label="procedure"><div class="words"><div class="title">${get('title')}</div>
      <div class="bar" aria-hidden="true">${Array.from({ length: Math.min(steps, 40) }, (_, i) => html`<span class=${(done && !failed) || i + 1 < step ? 'over' : i + 1 === step ? (failed ? 'lost' : 'here') : ''}></span>`)}</div>
      <div class=${failed ? 'now failed' : 'now'} role="status" id="procedure-now">${get('instruction')}</div>
      ${get('warning') ? html`<div class="warning" role="alert" id="procedure-warning">${get('warning')}</div>` : nothing}
      ${get('hint') ? html`<div class="hint" id="procedure-hint">${get('hint')}</div>` : nothing}
      ${get('values') ? html`<div class="values mono" id="procedure-values">${get('values').split('\n').map((v) => html`<span>${v}</span>`)}</div>` : nothing}
      <div class="foot"><span>score <b class="mono" id="procedure-score">${number(score, 4)}</b></span><span class="many">warnings <b class="mono">${get('warnings')}</b></span>
        ${animating || done ? nothing : this.button('start', start ? 'Show me' : 'Go on', 'Space', () => this.session.animate(true))}
        ${undo && !done ? this.button('undo', 'Undo the stroke', 'U', () => this.session.undo()) : nothing}
        ${start ? nothing : this.button('anew', 'Begin anew', 'R', () => this.session.reset())}
        ${done ? nothing : html`<span class="how">Hold what is yellow</span>`}
        ${done ? html`<button id="procedure-save" @click=${() => download('report.txt', get('report'))}>Save the report</button>` : nothing}</div></div>
      <div class="use">${done || !this.keys ? nothing : pad(this.keys, get, animating && this.shows)}
      ${done ? html`<pre id="procedure-report">${get('report').split('\n\nall measures at the end:')[0].trim()}</pre>` : nothing}</div></section>`;
  }
}
customElements.define('divan-procedure', ProcedureCard);
