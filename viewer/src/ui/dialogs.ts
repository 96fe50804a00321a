// Windows over the page: files, shortcuts, a name to ask for, a question.
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Filling } from '../modeler.ts';
import { icon } from './icons.ts';
import { Part } from './part.ts';
import { shared } from './styles.ts';

const SHORTCUTS: [string, [string[], string][]][] = [
  ['Simulation', [[['Space'], 'animate, pause'], [['N'], 'one step'], [['R'], 'reset the scene'], [['Y'], 'record, stop recording'], [[',', '.'], 'frame before, frame behind, of a recording'], [['Ctrl', 'O'], 'open a scene'],
    [['Ctrl', 'key'], 'on the picture: the key goes to the controllers of the scene'], [['Ctrl', 'drag'], 'so does the mouse'], [['Ctrl', 'wheel'], 'and its wheel']]],
  ['View', [[['←', '→', '↑', '↓'], 'on the picture: turn'], [['Shift', 'arrows'], 'shift'], [['+', '−'], 'zoom'], [['Home'], 'reset the view'], [['Z'], 'fit to the selection or to all'],
    [['O'], 'orthographic'], [['W'], 'wire frame'], [['G'], 'grid'], [['I'], 'indices'], [['P'], 'save a picture']]],
  ['Mouse', [[['drag'], 'turn'], [['right drag'], 'shift'], [['wheel'], 'zoom'], [['click'], 'select'], [['double click'], 'fit to the selection'],
    [['right click'], 'what can be done with it'], [['Alt', 'click'], 'plot where the point goes']]],
  ['Touch', [[['Shift', 'drag'], 'pull on what is under the cursor'], [['Shift', 'right click'], 'fix the point, free it again'], [['F'], 'fix the point under the cursor'],
    [['T'], 'a cursor for the keyboard: arrows move it, Enter grabs and lets go, F fixes, S selects, P plots, Shift + F10 opens the menu, Esc leaves']]],
  ['Fingers', [[['one'], 'turn; with the hand of the toolbar: pull'], [['two'], 'zoom and shift; twist them: turn'], [['a long press'], 'what can be done with it']]],
  ['Tools', [[['C'], 'cut: drag a line across a body'], [['J'], 'incise: drag along a body'], [['V'], 'carve: drag over a body'], [['X'], 'remove the element under the cursor'], [['E'], 'refine: halve elements'], [['H'], 'pace: click the heart, a lead beats there'], [['S'], 'ablate: click or drag over the heart'],
    [['[', ']'], 'smaller and larger circle'], [['U'], 'undo the last stroke'], [['Esc'], 'put the tool down'], [['middle drag'], 'turn while a tool is in the hand']]],
  ['Build', [[['4'], 'the Build tab'], [['Ctrl', 'Z'], 'undo'], [['Ctrl', 'Shift', 'Z'], 'redo (or Ctrl + Y)'], [['Ctrl', 'S'], 'save the scene'], [['M'], 'shift the selected body'], [['Q'], 'turn it'], [['K'], 'scale it'],
    [['A'], 'choose points: box, lasso, paint'], [['Shift', 'drag'], 'choose more'], [['Alt', 'drag'], 'choose less'], [['F2'], 'in the graph: rename'], [['Alt', '↑'], 'in the graph: move up; ↓ down, ← out of its node, → into the node before'],
    [['Ctrl', 'C'], 'in the graph: copy; X cuts, V pastes, D doubles'], [['Insert'], 'in the graph: add a node'], [['Delete'], 'remove']]],
  ['Page', [[['1', '2', '3', '4'], 'Graph, View, Stats, Build'], [['/'], 'search the graph'], [['B'], 'panel'], [['L'], 'messages'], [['D'], 'dark and light'], [['Esc'], 'from the panel back to the picture'], [['Shift', 'F10'], 'in the graph: the menu of a row'], [['?'], 'this list']]],
];

type Ask = { kind: 'none' } | { kind: 'help' } | { kind: 'open'; then: (file: string) => void; title: string; favourites: boolean }
  | { kind: 'name'; title: string; value: string; word: string; then: (name: string) => void } | { kind: 'sure'; text: string; word: string; then: () => void }
  | { kind: 'mesh'; file: File } | { kind: 'field'; title: string; fields: string[]; then: (field: string) => void };

export class Dialogs extends Part {
  static override styles = [shared, css`
    .body { padding: 12px 14px; overflow: auto; }
    .columns { columns: 2 270px; column-gap: 26px; } .columns > div { break-inside: avoid; margin-bottom: 14px; }
    dl { margin: 6px 0 0; display: grid; grid-template-columns: auto 1fr; gap: 5px 10px; align-items: baseline; }
    dt { white-space: nowrap; } dd { margin: 0; color: var(--muted); }
    dialog.big { width: 760px; max-height: 88vh; max-width: min(760px, calc(100vw - 24px)); }
    .files { list-style: none; margin: 8px 0 0; padding: 0; }
    .files li { display: flex; }
    .files button.entry { flex: 1; justify-content: flex-start; min-width: 0; }
    .files img { width: 64px; height: 40px; border-radius: 4px; object-fit: cover; flex: none; }
    .crumbs { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
    input:not([type=radio]) { width: 100%; }
    fieldset { margin: 12px 0 0; padding: 6px 12px 10px; border: 1px solid var(--line); border-radius: 8px; } legend { color: var(--muted); padding: 0 4px; }
    .choice { display: flex; align-items: baseline; gap: 8px; margin-top: 6px; }
  `];
  protected override topics = ['settings'] as any;
  private ask: Ask = { kind: 'none' };
  private directory = '';
  private entries: { name: string; directory: boolean }[] = [];
  private filter = '';
  private problem = '';
  private filling: Filling = 'stuffing';
  private pictures = new Map<string, string | null>();      // of scenes, as far as they have been looked at

  get isOpen() { return this.ask.kind !== 'none'; }

  private async show(ask: Ask) {
    this.ask = ask;
    this.requestUpdate();
    await this.updateComplete;
    this.find<HTMLDialogElement>('dialog')?.showModal();
    this.find<HTMLElement>('[data-first]')?.focus();
  }

  close() { this.find<HTMLDialogElement>('dialog')?.close(); }

  help() { return this.show({ kind: 'help' }); }
  name(title: string, value: string, then: (name: string) => void, word = 'Save') { return this.show({ kind: 'name', title, value, word, then }); }
  sure(text: string, then: () => void, word = 'Remove') { return this.show({ kind: 'sure', text, word, then }); }
  async mesh(file: File) {
    await this.modeler.loadLibrary();
    if (!this.modeler.gmsh) this.filling = 'stuffing';
    return this.show({ kind: 'mesh', file });
  }
  field(title: string, fields: string[], then: (field: string) => void) { return this.show({ kind: 'field', title, fields, then }); }
  open(title: string, favourites: boolean, then: (file: string) => void) {
    this.filter = '';
    this.list(this.directory);
    return this.show({ kind: 'open', then, title, favourites });
  }

  private async list(directory: string) {
    this.directory = directory;
    this.problem = '';
    try {
      this.entries = await this.session.files(directory);
      this.entries.sort((a, b) => Number(b.directory) - Number(a.directory) || a.name.localeCompare(b.name));
    } catch (error) { this.entries = []; this.problem = error instanceof Error ? error.message : String(error); }
    this.requestUpdate();
    this.look();
  }

  // Small pictures of the scenes of this directory, one after the other while it is shown.
  private async look() {
    const directory = this.directory;
    for (const e of this.entries.slice(0, 500)) {
      const file = this.full(e.name);
      if (e.directory || this.pictures.has(file)) continue;
      this.pictures.set(file, await this.session.thumbnail(file).catch(() => null));
      if (this.ask.kind !== 'open' || this.directory !== directory) return;
      this.requestUpdate();
    }
  }

  private full(name: string) { return this.directory ? `${this.directory}/${name}` : name; }

  private files(ask: Ask & { kind: 'open' }): TemplateResult {
    const crumbs = this.directory.split('/').filter(Boolean), stars = this.session.settings.favourites;
    const choose = (file: string) => { this.close(); ask.then(file); };
    const shown = this.entries.filter((e) => e.name.toLowerCase().includes(this.filter.toLowerCase()));
    const star = (file: string) => this.session.set({ favourites: stars.includes(file) ? stars.filter((f) => f !== file) : [...stars, file] });
    return html`
      ${ask.favourites && stars.length ? html`<h3>Favourites</h3><ul class="files">${stars.map((f) => html`<li><button class="entry" @click=${() => choose(f)}>${icon('star')}<span class="clip">${f}</span></button>
        <button class="icon" aria-label="Forget ${f}" title="Forget" @click=${() => star(f)}>${icon('close')}</button></li>`)}</ul>` : nothing}
      <div class="crumbs"><button class="small" @click=${() => this.list('')}>scenes</button>${crumbs.map((c, i) => html`/<button class="small" @click=${() => this.list(crumbs.slice(0, i + 1).join('/'))}>${c}</button>`)}</div>
      <input data-first type="search" placeholder="Filter" aria-label="Filter files" .value=${this.filter} @input=${(e: Event) => { this.filter = (e.target as HTMLInputElement).value; this.requestUpdate(); }}
        @keydown=${(e: KeyboardEvent) => { const one = shown.find((x) => !x.directory); if (e.key === 'Enter' && one) choose(this.full(one.name)); }}>
      ${this.problem ? html`<p class="empty">${this.problem}</p>` : nothing}
      <ul class="files">${shown.slice(0, 500).map((e) => html`<li><button class="entry" @click=${() => (e.directory ? this.list(this.full(e.name)) : choose(this.full(e.name)))}>${this.pictures.get(this.full(e.name)) ? html`<img alt="" src=${this.pictures.get(this.full(e.name))!}>` : icon(e.directory ? 'folder' : 'file')}<span class="clip">${e.name}</span></button>
        ${ask.favourites && !e.directory ? html`<button class="icon ${stars.includes(this.full(e.name)) ? 'on' : ''}" title="Favourite" aria-label="Favourite ${e.name}" @click=${() => star(this.full(e.name))}>${icon('star')}</button>` : nothing}</li>`)}
        ${shown.length === 0 && !this.problem ? html`<li class="empty">No scenes here</li>` : nothing}</ul>
      <p class="muted">A scene file can also be dropped onto the page.</p>`;
  }

  private content(): { title: string; body: TemplateResult; foot?: TemplateResult; big?: boolean } {
    const ask = this.ask;
    if (ask.kind === 'help') return { title: 'Shortcuts', big: true, body: html`<div class="columns">${SHORTCUTS.map(([title, list]) => html`<div><h3>${title}</h3><dl>${list.map(([keys, text]) => html`<dt>${keys.map((k, i) => html`${i && k.length > 1 && keys[0].length > 1 ? ' + ' : ' '}<kbd>${k}</kbd>`)}</dt><dd>${text}</dd>`)}</dl></div>`)}</div>
      <p class="muted">Divan ${this.session.hello?.version ?? ''}</p>` };
    if (ask.kind === 'open') return { title: ask.title, body: this.files(ask) };
    if (ask.kind === 'name') {
      const done = () => { const v = this.find<HTMLInputElement>('input').value.trim(); if (v) { this.close(); ask.then(v); } };
      return { title: ask.title, body: html`<input data-first type="text" aria-label=${ask.title} .value=${ask.value} @keydown=${(e: KeyboardEvent) => { if (e.key === 'Enter') done(); }}>`,
        foot: html`<button class="solid" @click=${() => this.close()}>Cancel</button><button class="primary" @click=${done}>${ask.word}</button>` };
    }
    if (ask.kind === 'mesh') {
      const make = (as: 'soft' | 'obstacle') => { this.close(); this.modeler.dropMesh(ask.file, as, this.filling); };
      const by = (value: Filling, name: string, text: string, there: boolean) => html`<label class="choice ${there ? '' : 'muted'}"><input type="radio" name="filling" value=${value} ?disabled=${!there} .checked=${this.filling === value}
        @change=${() => { this.filling = value; }}><span><b>${name}</b> ${text}</span></label>`;
      return { title: ask.file.name, body: html`<p>What shall become of this mesh (${(ask.file.size / 1e6).toPrecision(2)} MB)? It is written next to the scene.</p>
        <fieldset><legend>A soft body out of a surface: its inside is made by</legend>${by('stuffing', 'MeshTetraStuffing', 'eight cells along its longest side, whatever its triangles are like', true)}
          ${by('gmsh', 'gmsh', this.modeler.gmsh ? 'tetrahedra that have the triangles of a closed surface for their outside; it may take a minute' : 'is not installed where divan runs (Debian: gmsh)', this.modeler.gmsh)}</fieldset>`,
        foot: html`<button class="solid" @click=${() => this.close()}>Cancel</button><button class="solid" @click=${() => make('obstacle')}>An obstacle</button><button data-first class="primary" @click=${() => make('soft')}>A soft body</button>` };
    }
    if (ask.kind === 'field') return { title: ask.title, body: html`<ul class="files">${ask.fields.map((f, i) => html`<li><button class="entry mono" ?data-first=${i === 0} @click=${() => { this.close(); ask.then(f); }}>${f}</button></li>`)}</ul>` };
    if (ask.kind === 'sure') return { title: ask.word, body: html`<p>${ask.text}</p>`,
      foot: html`<button class="solid" @click=${() => this.close()}>Cancel</button><button data-first class="primary" @click=${() => { this.close(); ask.then(); }}>${ask.word}</button>` };
    return { title: '', body: html`` };
  }

  override render() {
    if (this.ask.kind === 'none') return nothing;
    const { title, body, foot, big } = this.content();
    return html`<dialog class=${big ? 'big' : ''} aria-label=${title} @close=${() => { this.ask = { kind: 'none' }; this.requestUpdate(); }}
      @click=${(e: Event) => { if (e.target === e.currentTarget) this.close(); }}>
      <header><h2>${title}</h2><button class="icon" aria-label="Close" @click=${() => this.close()}>${icon('close')}</button></header>
      <div class="body scroll">${body}</div>${foot ? html`<footer>${foot}</footer>` : nothing}</dialog>`;
  }
}
customElements.define('divan-dialogs', Dialogs);
