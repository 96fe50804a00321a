// The form of the selected component, made from its fields. Text is applied with Enter; a field that is being edited keeps
// what was typed while the simulation goes on.
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Field } from '../protocol.ts';
import { icon } from './icons.ts';
import { Part } from './part.ts';
import { roleColour } from './roles.ts';
import { shared } from './styles.ts';

const NUMBERS = new Set(['int', 'real', 'vec3', 'vec', 'mat4', 'ivec3', 'ivec2', 'numbers', 'pairs', 'points', 'quadruples', 'quintuples', 'sextuples', 'tuples',
  'coordinate', 'derivative', 'coordinates', 'derivatives', 'indices', 'edges', 'triangles']);
const FEW = new Set(['vec3', 'vec', 'ivec3', 'ivec2']);

function hexOf(text: string): string {
  const v = text.trim().split(/\s+/).map(Number);
  const part = (x: number) => Math.round(255 * Math.min(1, Math.max(0, x || 0))).toString(16).padStart(2, '0');
  return '#' + part(v[0]) + part(v[1]) + part(v[2]);
}

const GENERAL = new Set(['printLog', 'listening', 'tags', 'name']);        // of every component
// What makes sense, in words.
const range = (f: Field) => [f.least != null ? `from ${f.least}` : '', f.most != null ? `${f.least != null ? '' : 'up '}to ${f.most}` : ''].filter(Boolean).join(' ');
const isLink = (f: Field) => Boolean(f.link) || f.type === 'link' || f.type === 'links';

export class Form extends Part {
  static override styles = [shared, css`
    :host { display: block; }
    .head { padding: 10px 12px 8px; border-bottom: 1px solid var(--line); }
    .head h2 { display: flex; align-items: center; gap: 7px; margin: 0 0 2px; font-size: 13.5px; font-weight: 600; }
    .dot { width: 9px; height: 9px; border-radius: 50%; flex: none; }
    .help { margin: 4px 0 0; color: var(--muted); }
    .chips { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px; }
    .chip { padding: 1px 7px; border-radius: 9px; background: var(--hover); color: var(--muted); font-size: 11px; }
    .message { margin: 6px 0 0; padding: 6px 8px; border-radius: 6px; background: var(--warn-soft); color: var(--warn); }
    .message.error { background: var(--bad-soft); color: var(--bad); }
    .message span { display: block; color: var(--text); opacity: .8; }
    .fields { padding: 6px 12px 10px; }
    .field { display: grid; grid-template-columns: minmax(90px, 38%) 1fr; gap: 2px 8px; align-items: center; padding: 2px 0; }
    .field.tall { align-items: start; }
    .label { display: flex; align-items: baseline; gap: 4px; min-width: 0; cursor: help; }
    .label .clip { min-width: 0; }
    .unit { color: var(--faint); font-size: 11px; flex: none; }
    .changed .label .clip { font-weight: 600; }
    .changed .label::before { content: ''; width: 5px; height: 5px; border-radius: 50%; background: var(--accent); flex: none; align-self: center; margin-left: -9px; }
    .value { display: flex; align-items: center; gap: 4px; min-width: 0; }
    .value input[type=text], .value select, .value textarea { flex: 1; width: 100%; }
    .value textarea { min-height: 70px; }
    .value button { visibility: hidden; }
    .field:hover .value button, .field:focus-within .value button, .value button.solid { visibility: visible; }
    @media (hover: none) { .value button { visibility: visible; } }
    .pending { border-color: var(--warn) !important; }
    .outside { border-color: var(--bad) !important; color: var(--bad); }
    .link { color: var(--muted); font-size: 11px; }
    .wide-link { grid-column: 2; }
    .filter { display: flex; gap: 8px; align-items: center; padding: 8px 12px 0; }
    .filter input[type=search] { flex: 1; }
    .actions { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 8px; }
  `];
  protected override topics = ['object', 'selection', 'connection', 'graph'] as any;
  private typed = new Map<string, string>();     // not yet applied
  private whole = new Map<string, string>();     // long values that were asked for
  private of = '';
  private filter = '';
  private changedOnly = false;

  override willUpdate() {
    if (this.of !== this.session.selection) { this.of = this.session.selection; this.typed.clear(); this.whole.clear(); this.filter = ''; }
  }

  private async apply(field: Field, text: string, input?: HTMLElement) {
    const path = this.session.selection;
    const ok = await this.session.setField(path, field, text);
    if (ok) {
      this.typed.delete(field.name);
      if (this.whole.has(field.name)) this.whole.set(field.name, text);
      input?.classList.remove('pending');
    }
    this.requestUpdate();
  }

  private type(field: Field, text: string) { this.typed.set(field.name, text); this.requestUpdate(); }

  private forget(field: Field) { this.typed.delete(field.name); this.requestUpdate(); }

  private shown(field: Field) { return this.typed.get(field.name) ?? this.whole.get(field.name) ?? field.value; }

  // Every number inside what makes sense; what is no number is left to the program to judge.
  private outside(field: Field): boolean {
    if (field.least == null && field.most == null) return false;
    return this.shown(field).trim().split(/\s+/).map(Number).some((v) => v < Number(field.least ?? -Infinity) || v > Number(field.most ?? Infinity));
  }

  private line(field: Field, off: boolean): TemplateResult {
    const outside = this.outside(field);
    return html`<input class="mono ${this.typed.has(field.name) ? 'pending' : ''} ${outside ? 'outside' : ''}" aria-invalid=${String(outside)} title=${range(field)} type="text" name=${field.name} aria-label=${field.name} ?disabled=${off} .value=${this.shown(field)} spellcheck="false"
      @input=${(e: Event) => this.type(field, (e.target as HTMLInputElement).value)}
      @keydown=${(e: KeyboardEvent) => this.lineKey(e, field)}>`;
  }

  private lineKey(e: KeyboardEvent, field: Field) {
    const input = e.target as HTMLInputElement;
    if (e.key === 'Enter') { e.preventDefault(); this.apply(field, input.value, input); }
    else if (e.key === 'Escape' && this.typed.has(field.name)) { e.stopPropagation(); this.forget(field); }
    else if ((e.key === 'ArrowUp' || e.key === 'ArrowDown') && (field.type === 'real' || field.type === 'int')) {
      const v = Number(input.value);
      if (!Number.isFinite(v)) return;
      e.preventDefault();
      const by = field.type === 'int' ? 1 : v === 0 ? 0.1 : 10 ** Math.floor(Math.log10(Math.abs(v)) - 0.0001) * (e.shiftKey ? 0.1 : 1);
      this.type(field, String(Number((v + (e.key === 'ArrowUp' ? by : -by)).toPrecision(10))));
    }
  }

  private boxes(field: Field, off: boolean): TemplateResult {
    const parts = this.shown(field).trim().split(/\s+/);
    if (parts.length > 4 || parts.length < 2) return this.line(field, off);
    return html`${parts.map((p, i) => html`<input class="mono ${this.typed.has(field.name) ? 'pending' : ''}" type="text" name="${field.name}.${i}" aria-label="${field.name} ${'xyzw'[i]}" ?disabled=${off} .value=${p}
      @input=${(e: Event) => { const all = this.shown(field).trim().split(/\s+/); all[i] = (e.target as HTMLInputElement).value.trim() || '0'; this.typed.set(field.name, all.join(' ')); (e.target as HTMLElement).classList.add('pending'); }}
      @keydown=${(e: KeyboardEvent) => { if (e.key === 'Enter') { e.preventDefault(); this.apply(field, this.shown(field), e.target as HTMLElement); } else if (e.key === 'Escape' && this.typed.has(field.name)) { e.stopPropagation(); this.forget(field); } }}>`)}`;
  }

  private long(field: Field, off: boolean): TemplateResult {
    const known = this.whole.has(field.name) || !field.cut;
    if (!known) {
      return html`<span class="mono muted clip grow" title=${field.value.slice(0, 300)}>${field.value.slice(0, 40)}…</span>
        <button class="solid small" @click=${async () => { try { this.whole.set(field.name, await this.session.wholeField(this.session.selection, field.name)); } catch (e) { this.session.fail(e); } this.requestUpdate(); }}>${field.size.toLocaleString('en')} values</button>`;
    }
    return html`<textarea class="mono ${this.typed.has(field.name) ? 'pending' : ''}" name=${field.name} aria-label=${field.name} title="applied with Ctrl+Enter" spellcheck="false" ?readonly=${off} .value=${this.shown(field)}
      @input=${(e: Event) => this.type(field, (e.target as HTMLTextAreaElement).value)}
      @keydown=${(e: KeyboardEvent) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.apply(field, (e.target as HTMLTextAreaElement).value, e.target as HTMLElement); } else if (e.key === 'Escape' && this.typed.has(field.name)) { e.stopPropagation(); this.forget(field); } }}></textarea>`;
  }

  private input(field: Field, off: boolean): TemplateResult {
    if (field.type === 'bool') {
      return html`<input type="checkbox" name=${field.name} aria-label=${field.name} ?disabled=${off} .checked=${/^(1|true|on|yes)$/i.test(field.value.trim())}
        @change=${(e: Event) => this.apply(field, (e.target as HTMLInputElement).checked ? '1' : '0')}>`;
    }
    if (field.options?.length) {
      return html`<select name=${field.name} aria-label=${field.name} ?disabled=${off} @change=${(e: Event) => this.apply(field, (e.target as HTMLSelectElement).value)}>
        ${field.options.map((o) => html`<option ?selected=${o === field.value.trim()}>${o}</option>`)}${field.options.includes(field.value.trim()) ? nothing : html`<option selected>${field.value}</option>`}</select>`;
    }
    if (field.type === 'colour' || field.type === 'color') {
      const alpha = this.shown(field).trim().split(/\s+/)[3] ?? '1';
      return html`<input type="color" aria-label="${field.name} as a colour" ?disabled=${off} .value=${hexOf(this.shown(field))} @change=${(e: Event) => {
        const hex = (e.target as HTMLInputElement).value;
        this.apply(field, [1, 3, 5].map((i) => Number((parseInt(hex.slice(i, i + 2), 16) / 255).toFixed(4))).join(' ') + ' ' + alpha);
      }}>${this.line(field, off)}`;
    }
    if (FEW.has(field.type)) return this.boxes(field, off);
    if (field.cut || field.value.length > 48 || field.value.includes('\n')) return this.long(field, off);
    return this.line(field, off);
  }

  private field(field: Field): TemplateResult {
    const off = !this.session.editor || field.readOnly === true, tall = field.cut || field.value.length > 48;
    const watch = NUMBERS.has(field.type) && (field.size > 0 || field.value !== '');
    const tip = `${field.name} (${field.type}${field.unit ? ', ' + field.unit : ''})\n${field.help ?? ''}${range(field) ? `\n${range(field)}` : ''}${field.initial !== undefined && field.initial !== '' ? `\ndefault: ${field.initial}` : ''}${!field.readOnly ? '' : isLink(field) ? '\nlinked, cannot be set here' : '\ncomputed, cannot be set'}`;
    return html`<div class="field ${field.changed ? 'changed' : ''} ${tall ? 'tall' : ''}" data-field=${field.name}>
      <div class="label" title=${tip}><span class="clip">${field.name}</span>${field.unit ? html`<span class="unit">${field.unit}</span>` : nothing}</div>
      <div class="value">${this.input(field, off)}
        ${this.session.status.editable && this.session.editor && !(field.readOnly && !isLink(field)) ? html`<button class="small icon" title=${field.link || field.type === 'link' ? 'Link to something else by pointing at it' : 'Link by pointing at a component'} aria-label="Link ${field.name}" @click=${() => this.modeler.startLink(this.session.selection, field.name, field.type === 'link' || field.type === 'links')}>${icon('link')}</button>` : nothing}
        ${field.link && this.session.status.editable && this.session.editor ? html`<button class="small icon" title="Take the link away" aria-label="Unlink ${field.name}" @click=${() => this.modeler.setAttribute(this.session.selection, field.name, null)}>${icon('close')}</button>` : nothing}
        ${watch ? html`<button class="small icon" title="Plot against time" aria-label="Plot ${field.name}" @click=${() => this.session.addWatch({ path: this.session.selection, field: field.name, index: 0 })}>${icon('plot')}</button>` : nothing}
        ${field.changed && !field.readOnly && field.initial !== undefined && !off && !field.link ? html`<button class="small icon" title="Back to the default: ${field.initial}" aria-label="Default of ${field.name}" @click=${() => this.apply(field, field.initial ?? '')}>${icon('reset')}</button>` : nothing}</div>
      ${field.link ? html`<div class="link wide-link mono clip" title="linked">${field.link}</div>` : nothing}</div>`;
  }

  private nodeHead() {
    const node = this.session.nodes.get(this.session.selection)!;
    return html`<div class="head"><h2><span class="clip">${node.name || '/'}</span></h2><div class="mono muted clip">${node.path}</div>
      <div class="chips"><span class="chip">node</span><span class="chip">${node.objects.length} components</span><span class="chip">${node.nodes.length} nodes</span>${node.active ? nothing : html`<span class="chip">not active</span>`}</div><slot></slot></div>`;
  }

  override render() {
    const s = this.session, path = s.selection;
    if (!path) return html`<div class="empty">Select a component in the tree or in the picture to see its fields.</div>`;
    const node = s.nodes.get(path), object = s.object, row = s.objects.get(path);
    const head = node ? this.nodeHead() : html`<div class="head"><h2><span class="dot" style="background:${roleColour(row?.role ?? object?.role ?? '')}"></span><span class="clip">${object?.class ?? row?.class ?? ''}</span></h2>
      <div class="mono muted clip" title=${path}>${path}</div>${object?.help ? html`<p class="help">${object.help}</p>` : nothing}
      <div class="chips">${[object?.role, object?.template, object?.file ? `${object.file.split('/').pop()}${object.line ? ':' + object.line : ''}` : ''].filter(Boolean).map((c) => html`<span class="chip">${c}</span>`)}</div>
      ${(object?.messages ?? []).map((m) => html`<div class="message ${m.level}">${m.text}${m.advice ? html`<span>${m.advice}</span>` : nothing}</div>`)}<slot></slot></div>`;
    if (!object) return html`${head}${node || !s.objectProblem ? nothing : html`<div class="empty">${s.objectProblem}</div>`}`;
    const query = this.filter.toLowerCase();
    const wanted = (f: Field) => (!query || f.name.toLowerCase().includes(query) || (f.help ?? '').toLowerCase().includes(query)) && (!this.changedOnly || f.changed === true);
    const main = object.fields.filter((f) => !f.looks && !f.readOnly && !GENERAL.has(f.name) && wanted(f)), general = object.fields.filter((f) => GENERAL.has(f.name) && wanted(f)), looks = object.fields.filter((f) => f.looks && wanted(f)), linked = object.fields.filter((f) => f.readOnly && !f.looks && isLink(f) && wanted(f)), fixed = object.fields.filter((f) => f.readOnly && !f.looks && !isLink(f) && wanted(f));
    const changed = object.fields.filter((f) => f.changed).length;
    return html`${head}
      ${object.fields.length > 7 ? html`<div class="filter"><input type="search" placeholder="Filter ${object.fields.length} fields" aria-label="Filter fields" .value=${this.filter} @input=${(e: Event) => { this.filter = (e.target as HTMLInputElement).value; this.requestUpdate(); }}>
        <label class="row muted" title="fields that differ from their defaults"><input type="checkbox" .checked=${this.changedOnly} @change=${(e: Event) => { this.changedOnly = (e.target as HTMLInputElement).checked; this.requestUpdate(); }}>changed (${changed})</label></div>` : nothing}
      <div class="fields">${main.map((f) => this.field(f))}</div>
      ${linked.length ? html`<details class="part" ?open=${query !== ''}><summary><h3>Links (${linked.length})</h3></summary>${linked.map((f) => this.field(f))}</details>` : nothing}
      ${fixed.length ? html`<details class="part" ?open=${main.length === 0 || query !== ''}><summary><h3>Computed (${fixed.length})</h3></summary>${fixed.map((f) => this.field(f))}</details>` : nothing}
      ${looks.length ? html`<details class="part" ?open=${query !== ''}><summary><h3>Looks (${looks.length})</h3></summary>${looks.map((f) => this.field(f))}</details>` : nothing}
      ${general.length ? html`<details class="part" ?open=${query !== ''}><summary><h3>General (${general.length})</h3></summary>${general.map((f) => this.field(f))}</details>` : nothing}`;
  }
}
customElements.define('divan-form', Form);
