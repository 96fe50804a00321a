// What a component is: its help, its fields and an example that opens in a tab.
import { css, html, nothing } from 'lit';
import type { ClassInfo } from '../modeler.ts';
import { icon } from './icons.ts';
import { Part } from './part.ts';
import { roleColour } from './roles.ts';
import { shared } from './styles.ts';

export class ClassDialog extends Part {
  static override styles = [shared, css`
    dialog { width: 720px; max-width: min(720px, calc(100vw - 24px)); max-height: 86vh; }
    .body { padding: 12px 14px; overflow: auto; }
    .dot { width: 9px; height: 9px; border-radius: 50%; flex: none; }
    table { border-collapse: collapse; width: 100%; margin-top: 10px; } td, th { padding: 3px 8px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
    td.help { color: var(--muted); } .initial { color: var(--faint); overflow-wrap: anywhere; }
    pre { max-height: 220px; overflow: auto; padding: 8px 10px; border-radius: 6px; background: var(--bg); font-size: 11px; }
    p { margin: 4px 0; }
  `];
  private info: ClassInfo | null = null;
  private example = '';
  private text = '';

  async show(name: string) {
    this.example = this.modeler.components.find((c) => c.name === name)?.example ?? '';
    this.text = '';
    try { this.info = await this.modeler.classInfo(name); } catch (error) { this.session.fail(error); return; }
    if (this.example) this.modeler.exampleText(this.example).then((text) => { this.text = text; this.requestUpdate(); }).catch(() => {});
    this.requestUpdate();
    await this.updateComplete;
    this.find<HTMLDialogElement>('dialog').showModal();
  }

  private close() { this.find<HTMLDialogElement>('dialog').close(); }

  override render() {
    const c = this.info;
    if (!c) return nothing;
    const fields = c.fields.filter((f) => !f.looks);
    return html`<dialog aria-label="About ${c.name}" @click=${(e: Event) => { if (e.target === e.currentTarget) this.close(); }} @close=${() => { this.info = null; this.requestUpdate(); }}>
      <header><span class="dot" style="background:${roleColour(c.role)}"></span><h2>${c.name}</h2><button class="icon" aria-label="Close" @click=${() => this.close()}>${icon('close')}</button></header>
      <div class="body scroll"><p>${c.help}</p><p class="muted">${c.role}${c.templates.length ? ` · ${c.templates.join(', ')}` : ''}${c.aliases ? ` · also called ${c.aliases}` : ''}${c.module ? ` · ${c.module}` : ''}</p>
        ${this.example ? html`<h3 style="margin-top:10px">Example: ${this.example}</h3><pre class="mono">${this.text}</pre>` : html`<p class="muted">No example of it came with the program.</p>`}
        <h3 style="margin-top:10px">Fields</h3><table><tbody>${fields.map((f) => html`<tr><td class="mono">${f.name}</td><td class="muted">${f.type}${f.unit ? `, ${f.unit}` : ''}</td><td class="help">${f.help}${f.initial ? html` <span class="initial mono">= ${f.initial}</span>` : nothing}</td></tr>`)}</tbody></table></div>
      <footer>${this.example && this.modeler.opens ? html`<button class="solid" id="open-example" @click=${() => this.modeler.openExample(this.example)}>Open the example in a tab</button>` : nothing}
        <button class="primary" ?disabled=${!this.modeler.possible} @click=${() => { this.close(); this.dispatchEvent(new CustomEvent('adds', { detail: c.name })); }}>Add</button></footer></dialog>`;
  }
}
customElements.define('divan-class', ClassDialog);
