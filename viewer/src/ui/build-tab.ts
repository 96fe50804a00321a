// The Build tab: what was done and can be undone, bodies to begin with, placing what is selected, choosing points, and the
// library of all components by role.
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Component } from '../modeler.ts';
import { HANDLES } from '../view/handles.ts';
import { AREAS } from '../view/choose.ts';
import type { Dialogs } from './dialogs.ts';
import { icon } from './icons.ts';
import type { ClassDialog } from './library-dialog.ts';
import './library-dialog.ts';
import { page, Part } from './part.ts';
import { roleColour } from './roles.ts';
import { shared } from './styles.ts';

const MOST = 60;        // hits that are listed

export class BuildTab extends Part {
  static override styles = [shared, css`
    :host { display: block; }
    .bar { display: flex; flex-wrap: wrap; gap: 4px; }
    .presets { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; margin-top: 8px; }
    .presets button { flex-direction: column; align-items: flex-start; justify-content: center; gap: 0; min-height: 44px; padding: 4px 9px; white-space: normal; text-align: left; }
    .presets span { color: var(--muted); font-size: 11px; line-height: 1.25; }
    .line { display: grid; grid-template-columns: 44px repeat(3, minmax(0, 1fr)) 14px; gap: 4px; align-items: center; margin-top: 5px; }
    .line input { box-sizing: border-box; width: 100%; text-align: right; }      /* what a details element holds does not inherit it */
    .hint { margin: 6px 0 0; color: var(--muted); }
    .unsaved { color: var(--warn); }
    input[type=search] { width: 100%; margin-top: 8px; }
    ul { list-style: none; margin: 4px 0 0; padding: 0; }
    li { display: flex; align-items: center; gap: 6px; min-height: 28px; padding: 1px 2px; border-radius: 5px; cursor: grab; }
    li:hover, li:focus-within { background: var(--hover); }
    li .text { flex: 1; min-width: 0; } li .text div { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    li .text .help { color: var(--muted); font-size: 11px; }
    .dot { width: 8px; height: 8px; border-radius: 50%; flex: none; }
    summary h3 { text-transform: none; letter-spacing: 0; font-size: 12px; color: var(--text); }
    summary .count { color: var(--faint); }
  `];
  protected override topics = ['build', 'status', 'selection', 'connection', 'graph', 'touch'] as any;
  private query = '';
  private by = { translate: ['0', '0', '0'], turn: ['0', '0', '0'], scale: ['1', '1', '1'] };

  override connectedCallback() { super.connectedCallback(); this.modeler.loadLibrary(); }

  private dialogs(): Dialogs { return (this.getRootNode() as ShadowRoot).querySelector('divan-dialogs') as Dialogs; }
  private about(name: string) { this.find<ClassDialog>('divan-class').show(name); }

  // Where what is added goes: the selected node, or the node of what is selected.
  private get target() { return this.session.selection ? this.modeler.nodeOf(this.session.selection) : '/'; }

  async saveAs() {
    const name = (this.session.hello?.title ?? '').replace(/^untitled\.scn$/, '') || 'scene.scn';
    this.dialogs().name('Save the scene next to where it is', name, async (file) => {
      if (await this.modeler.save(file) === 'exists') this.dialogs().sure(`Replace ${file}? There is a file of that name.`, () => this.modeler.save(file, true), 'Replace');
    });
  }

  save() { if (/(^|\/)untitled\.scn$/.test(this.session.hello?.scene ?? 'untitled.scn')) this.saveAs(); else this.modeler.save(); }

  private history() {
    const st = this.session.status, off = !this.modeler.possible;
    return html`<section aria-label="changes"><div class="bar">
      <button class="solid small" ?disabled=${off || !(st.edits || st.undo)} title=${st.lastEdit ? `Undo: ${st.lastEdit} (Ctrl+Z)` : 'Undo (Ctrl+Z)'} @click=${() => this.modeler.undo()}>${icon('undo')}Undo</button>
      <button class="solid small" ?disabled=${off || !st.undone} title=${st.lastUndone ? `Do again: ${st.lastUndone} (Ctrl+Shift+Z)` : 'Redo (Ctrl+Shift+Z)'} @click=${() => this.modeler.redo()}>${icon('redo')}Redo</button>
      <button class="solid small" ?disabled=${off} title="Save the scene file (Ctrl+S)" @click=${() => this.save()}>${icon('download')}Save</button>
      <button class="solid small" ?disabled=${off} @click=${() => this.saveAs()}>Save as…</button>
      <button class="solid small" ?disabled=${off} title="what divan check would say" @click=${async () => { await this.modeler.check(); this.session.set({ log: true }); }}>Check</button></div>
      ${st.editable === false ? html`<p class="hint">This scene is not an XML file: it can be looked at and tuned, not built.</p>`
        : html`<p class="hint">${st.unsaved ? html`<span class="unsaved" id="unsaved">Not saved.</span> ` : nothing}${st.lastEdit ? `Last: ${st.lastEdit}` : 'Nothing was changed yet.'}</p>`}</section>`;
  }

  private presetPart() {
    return html`<section aria-label="bodies"><h3>Add a body</h3><div class="presets">${this.modeler.presets.map((p) => html`<button class="solid" data-preset=${p.name} ?disabled=${!this.modeler.possible} draggable="true"
        @dragstart=${(e: DragEvent) => this.drag(e, 'preset', p.name)} @click=${() => this.modeler.addPreset(p.name)}><b>${p.title}</b><span>${p.help}</span></button>`)}
      <button class="solid" id="mesh" ?disabled=${!this.modeler.possible} @click=${() => this.find<HTMLInputElement>('#mesh-file').click()}><b>From a mesh…</b><span>a surface or tetrahedra of a file; it can be dropped onto the page, too</span></button></div>
      <input id="mesh-file" type="file" hidden accept=".obj,.stl,.off,.vtk,.vtu,.msh" @change=${(e: Event) => { const input = e.target as HTMLInputElement, file = input.files?.[0]; if (file) this.dialogs().mesh(file); input.value = ''; }}></section>`;
  }

  private drag(e: DragEvent, kind: string, name: string) {
    e.dataTransfer!.setData('text/plain', name);
    e.dataTransfer!.effectAllowed = 'copy';
    this.modeler.dragged = `${kind}:${name}`;
  }

  private async apply() {
    const numbers = (list: string[]) => list.map(Number), box = page.stage?.boxOf(this.session.selection);
    const translate = numbers(this.by.translate), angles = numbers(this.by.turn), scale = numbers(this.by.scale);
    if (![...translate, ...angles, ...scale].every(Number.isFinite) || !box) { this.session.say('These are not numbers', '', 'warning'); return; }
    const done = await page.touch.handles.placeBy(this.session.selection, { translate, angles, scale });
    if (done) { this.by = { translate: ['0', '0', '0'], turn: ['0', '0', '0'], scale: ['1', '1', '1'] }; this.requestUpdate(); }
  }

  private row(key: 'translate' | 'turn' | 'scale', label: string, unit: string) {
    return html`<div class="line"><span>${label}</span>${[0, 1, 2].map((k) => html`<input class="mono" type="text" inputmode="decimal" aria-label="${label} ${'xyz'[k]}" .value=${this.by[key][k]}
      @input=${(e: Event) => { this.by[key][k] = (e.target as HTMLInputElement).value; }} @keydown=${(e: KeyboardEvent) => { if (e.key === 'Enter') this.apply(); }}>`)}<span class="muted">${unit}</span></div>`;
  }

  private placing() {
    const s = this.session, handles = page.touch?.handles, able = this.modeler.possible && s.selection !== '' && s.selection !== '/' && s.draws(this.modeler.nodeOf(s.selection));
    return html`<details class="part" ?open=${able} aria-label="place"><summary><h3>Place it</h3></summary>
      <div class="bar">${HANDLES.map((h) => html`<button class="solid small ${handles?.current === h.name ? 'on' : ''}" aria-pressed=${String(handles?.current === h.name)} title="${h.hint} (${h.key})" ?disabled=${!able} @click=${() => handles?.take(h.name)}>${icon(h.icon)}${h.title}</button>`)}</div>
      ${able ? html`${this.row('translate', 'Shift', 'm')}${this.row('turn', 'Turn', '°')}${this.row('scale', 'Scale', '×')}
        <div class="bar" style="margin-top:6px"><button class="solid small" @click=${() => this.apply()}>Apply</button></div>` : html`<p class="hint">Select a body in the picture or in the graph.</p>`}</details>`;
  }

  private choosing() {
    const s = this.session, c = this.modeler.chosen, tool = page.touch?.area, able = this.modeler.possible && s.status.ready !== false;
    const use = (as: 'fixed' | 'load' | 'springs' | 'region', name: string, title: string) => html`<button class="solid small" ?disabled=${!able || !c?.points.length} title=${title} @click=${() => this.modeler.use(as)}>${name}</button>`;
    return html`<details class="part" ?open=${Boolean(tool?.current || c)} aria-label="choose points"><summary><h3>Choose points</h3></summary>
      <div class="bar">${AREAS.map((a) => html`<button class="solid small ${tool?.current === a.name ? 'on' : ''}" aria-pressed=${String(tool?.current === a.name)} title="${a.hint} (${a.key})" ?disabled=${!able} @click=${() => tool?.take(a.name)}>${a.title}</button>`)}
        <select aria-label="what a drag chooses" title="Shift + drag chooses more, Alt + drag less" ?disabled=${!able} @change=${(e: Event) => { if (tool) tool.how = (e.target as HTMLSelectElement).value as 'new' | 'more' | 'less'; }}>
          ${([['new', 'anew'], ['more', 'more'], ['less', 'less']] as const).map(([value, label]) => html`<option value=${value} ?selected=${tool?.how === value}>${label}</option>`)}</select>
        <label class="row"><input type="checkbox" .checked=${tool?.elements ?? false} @change=${(e: Event) => { if (tool) tool.elements = (e.target as HTMLInputElement).checked; }}>elements</label>
        <label class="row" title="also what is hidden behind"><input type="checkbox" .checked=${tool?.through ?? false} @change=${(e: Event) => { if (tool) tool.through = (e.target as HTMLInputElement).checked; }}>through</label></div>
      <p class="hint" id="chosen">${c ? `${c.points.length} points${c.kind ? ` of ${c.elements} ${c.kind}` : ''} of ${c.path}` : 'Draw over a body; Shift adds, Alt takes away.'}</p>
      <div class="bar">${use('fixed', 'Hold', 'a FixedProjectiveConstraint holds them')}${use('springs', 'Hold by springs', 'RestShapeSpringsForceField')}${use('load', 'Load', 'a ConstantForceField pushes them')}${use('region', 'Region', 'a SphereROI that others can link to')}
        ${c ? html`<button class="small" @click=${() => this.modeler.choose(null)}>Forget</button>` : nothing}</div></details>`;
  }

  private entry(c: Component): TemplateResult {
    return html`<li draggable="true" data-class=${c.name} title=${c.help ?? ''} @dragstart=${(e: DragEvent) => this.drag(e, 'class', c.name)}>
      <span class="dot" style="background:${roleColour(c.role)}"></span><div class="text"><div>${c.name}</div><div class="help">${c.help ?? ''}</div></div>
      <button class="small icon" aria-label="About ${c.name}" title="Documentation and example" @click=${() => this.about(c.name)}>${icon('help')}</button>
      <button class="small icon" aria-label="Add ${c.name}" title="Add to ${this.target}" ?disabled=${!this.modeler.possible} @click=${() => this.modeler.addComponent(c.name, this.target)}>${icon('plus')}</button></li>`;
  }

  private library() {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const hit = (c: Component) => words.every((w) => `${c.name} ${c.aliases ?? ''} ${c.role} ${c.help ?? ''}`.toLowerCase().includes(w));
    const rank = (c: Component) => (c.name.toLowerCase().startsWith(words[0] ?? '') ? 0 : c.name.toLowerCase().includes(words[0] ?? '') ? 1 : 2);
    const roles = new Map<string, Component[]>();
    for (const c of this.modeler.components) roles.set(c.role, [...(roles.get(c.role) ?? []), c]);
    const hits = words.length ? this.modeler.components.filter(hit).sort((a, b) => rank(a) - rank(b)) : [];
    return html`<section aria-label="library"><h3>Library</h3><p class="hint">Added to <b class="mono">${this.target}</b>, or drag into the graph.
        <button class="small" ?disabled=${!this.modeler.possible} @click=${() => this.modeler.addNode(this.target)}>${icon('plus')}New node</button></p>
      <input type="search" placeholder="Search ${this.modeler.components.length} components" aria-label="Search the library" .value=${this.query} @input=${(e: Event) => { this.query = (e.target as HTMLInputElement).value; this.requestUpdate(); }}
        @keydown=${(e: KeyboardEvent) => { if (e.key === 'Enter' && hits.length) { e.preventDefault(); this.modeler.addComponent(hits[0].name, this.target); } }}>
      ${words.length ? html`<ul>${hits.slice(0, MOST).map((c) => this.entry(c))}</ul>${hits.length > MOST ? html`<p class="hint">and ${hits.length - MOST} more</p>` : hits.length ? nothing : html`<p class="hint">Nothing found</p>`}` : nothing}</section>
      ${words.length ? nothing : [...roles].sort(([a], [b]) => a.localeCompare(b)).map(([role, list]) => html`<details class="part" data-role=${role} @toggle=${(e: Event) => { (e.target as any).dataset.seen = '1'; this.requestUpdate(); }}><summary><span class="dot" style="background:${roleColour(role)}"></span><h3>${role} <span class="count">${list.length}</span></h3></summary>
        ${this.isOpen(role) ? html`<ul>${list.map((c) => this.entry(c))}</ul>` : nothing}</details>`)}`;
  }

  private isOpen(role: string) { return this.renderRoot.querySelector<HTMLDetailsElement>(`details[data-role="${CSS.escape(role)}"]`)?.open ?? false; }

  override render() {
    return html`${this.history()}${this.presetPart()}${this.placing()}${this.choosing()}${this.library()}<divan-class @adds=${(e: CustomEvent) => this.modeler.addComponent(e.detail, this.target)}></divan-class>`;
  }
}
customElements.define('divan-build-tab', BuildTab);
