// The drawer below the picture: messages of the simulation.
import { css, html, nothing } from 'lit';
import { icon } from './icons.ts';
import { download, baseName, Part } from './part.ts';
import { shared } from './styles.ts';

const LEVELS = ['info', 'note', 'warning', 'error'];

export class LogDrawer extends Part {
  static override styles = [shared, css`
    :host { display: flex; flex-direction: column; height: 190px; background: var(--panel); border-top: 1px solid var(--line); }
    header { display: flex; align-items: center; gap: 6px; padding: 5px 10px; border-bottom: 1px solid var(--line); }
    .list { flex: 1; padding: 4px 0; margin: 0; list-style: none; }
    li { display: grid; grid-template-columns: 62px 58px 1fr; gap: 8px; padding: 2px 10px; align-items: baseline; }
    li:hover { background: var(--hover); }
    .level { font-weight: 600; color: var(--muted); }
    .warning .level { color: var(--warn); } .error .level { color: var(--bad); }
    .advice { color: var(--muted); }
    button.path { min-height: 0; padding: 0 4px; color: var(--accent); font-family: var(--mono); font-size: 11.5px; }
    @media (max-width: 720px) { li { grid-template-columns: 1fr; gap: 0; } li time { display: none; } }
  `];
  protected override topics = ['log', 'settings'] as any;

  override updated() {
    const list = this.find<HTMLElement>('.list');
    if (list && list.scrollHeight - list.scrollTop - list.clientHeight < 120) list.scrollTop = list.scrollHeight;
  }

  override render() {
    const s = this.session, least = LEVELS.indexOf(s.settings.logLevel);
    const shown = s.log.filter((m) => LEVELS.indexOf(m.level) >= least).slice(-500);
    return html`<header><h3>Messages</h3><span class="grow"></span>
      <label class="row muted">from <select aria-label="least level shown" @change=${(e: Event) => s.set({ logLevel: (e.target as HTMLSelectElement).value })}>
        ${LEVELS.map((l) => html`<option ?selected=${l === s.settings.logLevel}>${l}</option>`)}</select></label>
      <button class="small icon" title="Save as text" aria-label="Save messages as text" @click=${() => download(`${baseName(s)}-messages.txt`, s.log.map((m) => `${m.level}: ${m.path ? m.path + ': ' : ''}${m.text}${m.advice ? ' (' + m.advice + ')' : ''}`).join('\n') + '\n')}>${icon('download')}</button>
      <button class="small" @click=${() => { s.log = []; s.notify('log'); }}>Clear</button>
      <button class="small icon" title="Close (L)" aria-label="Close messages" @click=${() => s.set({ log: false })}>${icon('close')}</button></header>
      <ol class="list scroll" role="log" aria-label="messages" tabindex="0">${shown.length ? shown.map((m) => html`<li class=${m.level}>
        <time class="mono muted">${m.when.toLocaleTimeString([], { hour12: false })}</time><span class="level">${m.level}</span>
        <span>${m.path ? html`<button class="path" @click=${() => { s.select(m.path!); s.set({ tab: 'graph', panel: true }); }}>${m.path}</button>` : nothing}
          ${m.text}${m.advice ? html` <span class="advice">${m.advice}</span>` : nothing}${m.file ? html` <span class="mono muted">${m.file}${m.line ? ':' + m.line : ''}</span>` : nothing}</span></li>`)
        : html`<li class="empty"><span></span><span></span>No messages</li>`}</ol>`;
  }
}
customElements.define('divan-log', LogDrawer);
