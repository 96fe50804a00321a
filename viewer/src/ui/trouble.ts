// A scene that could not be started: what is wrong, where, what to do, in the middle of the picture.
import { css, html, nothing } from 'lit';
import type { Message } from '../protocol.ts';
import { Part } from './part.ts';
import { shared } from './styles.ts';

const MOST = 6;

interface Cause { text: string; advice: string; places: string[]; paths: string[]; count: number }

// The same mistake in many places is one.
export function causes(log: Message[]): Cause[] {
  const list = new Map<string, Cause>();
  for (const m of log) {
    if (m.level !== 'error') continue;
    const cause = list.get(m.text) ?? { text: m.text, advice: m.advice ?? '', places: [], paths: [], count: 0 };
    cause.count++;
    if (m.file && cause.places.length < 3) cause.places.push(m.line ? `${m.file}:${m.line}` : m.file);
    if (m.path && cause.paths.length < 3) cause.paths.push(m.path);
    list.set(m.text, cause);
  }
  return [...list.values()];
}

export class Trouble extends Part {
  static override styles = [shared, css`
    :host { position: absolute; inset: 0; display: grid; place-items: center; padding: 16px; pointer-events: none; z-index: 3; overflow: auto; }
    .card { pointer-events: auto; width: min(620px, 100%); max-height: 100%; overflow: auto; padding: 18px 20px; border-radius: 12px; background: var(--raised); border: 1px solid var(--line); border-top: 3px solid var(--bad); box-shadow: var(--shadow); }
    h2 { margin: 0 0 10px; font-size: 15px; font-weight: 600; }
    ol { margin: 0; padding: 0; list-style: none; display: grid; gap: 9px; }
    li { padding-left: 12px; border-left: 2px solid var(--line-strong); overflow-wrap: anywhere; }
    li .advice { color: var(--muted); }
    li .where { color: var(--faint); font-size: 11.5px; }
    .path { min-height: 0; padding: 0; color: var(--accent); font-size: 11.5px; }
    .times { color: var(--muted); }
    .buttons { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 14px; }
    .names { margin: 12px 0 0; color: var(--muted); overflow-wrap: anywhere; }
  `];
  protected override topics = ['log', 'graph', 'connection', 'status'] as any;

  override render() {
    const s = this.session, list = causes(s.log), missing = s.missing, count = missing.reduce((n, m) => n + m.count, 0);
    const alone = missing.length > 0 && list.length > 0 && list.every((c) => missing.some((m) => c.text.includes(m.class)));
    return html`<div class="card" role="alert" id="failed"><h2>This scene could not be started</h2>
      <ol>${list.slice(0, MOST).map((c) => html`<li><div>${c.text}${c.count > 1 ? html` <span class="times">× ${c.count}</span>` : nothing}</div>
        ${c.advice ? html`<div class="advice">${c.advice}</div>` : nothing}
        ${c.places.length || c.paths.length ? html`<div class="where">${c.places.length ? html`<span class="mono">${c.places.join(', ')}</span> ` : nothing}${c.paths.map((p) => html`<button class="path" @click=${() => { s.select(p); s.set({ tab: 'graph', panel: true }); }}>${p}</button> `)}</div>` : nothing}</li>`)}
        ${list.length === 0 ? html`<li>The messages say why.</li>` : nothing}</ol>
      ${list.length > MOST ? html`<p class="names">and ${list.length - MOST} more in the messages</p>` : nothing}
      ${count ? html`<p class="names">Missing: ${missing.map((m) => (m.count > 1 ? `${m.class} × ${m.count}` : m.class)).join(', ')}${alone ? '' : '. Other mistakes stay.'}</p>` : nothing}
      <div class="buttons">
        ${count ? html`<button class="primary" id="without" ?disabled=${!s.editor} @click=${() => s.runWithoutMissing()}>Run without ${count === 1 ? 'this component' : `these ${count} components`}</button>` : nothing}
        <button class="solid" ?disabled=${!s.editor} title="after the file was mended" @click=${() => s.reload()}>Reload the file</button>
        <button class="solid" @click=${() => s.set({ log: true })}>All messages</button></div></div>`;
  }
}
customElements.define('divan-trouble', Trouble);
