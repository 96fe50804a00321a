// The Graph tab: the tree, the form of what is selected, and what can be done with a node.
import { css, html, nothing } from 'lit';
import { looking, naming, type Action } from './actions.ts';
import { graphPicture } from './graph-picture.ts';
import { icon } from './icons.ts';
import { baseName, download, Part } from './part.ts';
import type { Dialogs } from './dialogs.ts';
import type { Tree } from './tree.ts';
import './form.ts';
import './tree.ts';
import { shared } from './styles.ts';

const MOVES = [['Move up', 'ArrowUp'], ['Move down', 'ArrowDown'], ['Move out of its node', 'ArrowLeft'], ['Move into the next node', 'ArrowRight']] as const;

export class GraphTab extends Part {
  static override styles = [shared, css`
    :host { display: flex; flex-direction: column; height: 100%; min-height: 0; position: relative; }
    divan-tree { flex: none; }
    .bar { height: 7px; flex: none; cursor: row-resize; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); background: var(--bg); touch-action: none; }
    .bar:focus-visible { outline-offset: -2px; }
    .form { flex: 1; min-height: 0; }
    .form.none { flex: none; border-top: 1px solid var(--line); }
    .actions { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 8px; }
    .menu { position: fixed; z-index: 20; min-width: 180px; padding: 4px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); box-shadow: var(--shadow); }
    .menu button { display: flex; width: 100%; justify-content: flex-start; }
  `];
  protected override topics = ['selection', 'graph', 'settings', 'connection'] as any;
  private place: { path: string; x: number; y: number } | null = null;
  private dialogs(): Dialogs { return (this.getRootNode() as ShadowRoot).querySelector('divan-dialogs') as Dialogs; }

  search() { this.find<Tree>('divan-tree').focusSearch(); }

  private async menu(e: CustomEvent) {
    this.place = e.detail;
    this.requestUpdate();
    await this.updateComplete;
    const menu = this.find<HTMLElement>('.menu');
    const box = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(this.place!.x, innerWidth - box.width - 6))}px`;
    menu.style.top = `${Math.max(4, Math.min(this.place!.y, innerHeight - box.height - 6))}px`;
    menu.querySelector('button')?.focus();
  }

  private closeMenu() { if (this.place) { this.place = null; this.requestUpdate(); this.find<HTMLElement>('divan-tree')?.shadowRoot?.querySelector<HTMLElement>('.tree')?.focus(); } }

  private rename(path: string) {
    const old = path.split('/').pop() || this.session.graph?.name || 'root';
    this.dialogs().name(`Rename ${path}; links to it follow`, old, (name) => this.modeler.rename(path, name), 'Rename');
  }

  private removePath(path: string) { if (this.session.status.editable) this.modeler.remove(path); else this.dialogs().sure(`Remove ${path} from the simulation? It comes back when the scene is reloaded.`, () => this.session.remove(path)); }
  private saveNode(path: string) { this.dialogs().name(`Save ${path} to a file next to the scene`, `${path.split('/').pop() || baseName(this.session)}.scn`, (file) => this.session.saveNode(path, file)); }
  private addNode(path: string) { this.dialogs().open(`Add a scene file below ${path}`, true, (file) => this.session.addNode(path, file)); }

  private actions(path: string): Action[] {
    const s = this.session, node = s.nodes.get(path), object = s.objects.get(path), tree = this.find<Tree>('divan-tree');
    const list: Action[] = [...looking(s, path)];
    if (node) {
      list.push({ name: node.active ? 'Deactivate' : 'Activate', run: () => { s.activate(path, !node.active); }, edits: true },
        { name: 'Save node…', run: () => this.saveNode(path), edits: true }, { name: 'Add node…', run: () => this.addNode(path), edits: true },
        { name: 'Collapse', run: () => tree.setOpen(path, false), menuOnly: true }, { name: 'Expand', run: () => tree.setOpen(path, true), menuOnly: true });
    }
    if (object?.role === 'state') list.push({ name: 'Plot its first point', run: () => this.plotFirst(path), menuOnly: true });
    if (object?.messages) list.push({ name: 'Its messages', run: () => s.set({ log: true }), menuOnly: true });
    if (s.status.editable) {
      if (node) list.push({ name: 'Add a component…', run: () => s.set({ tab: 'build', panel: true }), edits: true, menuOnly: true }, { name: 'Add a node', run: () => { this.modeler.addNode(path); }, edits: true, menuOnly: true },
        { name: 'Paste', run: () => { this.modeler.pasteInto(path); }, edits: true, menuOnly: true });
      list.push({ name: 'Rename…', run: () => this.rename(path), edits: true });
      for (const [name, way] of MOVES) if (tree?.shift(path, way, true)) list.push({ name, run: () => { tree.shift(path, way); }, edits: true, menuOnly: true });
      if (path !== '/') list.push({ name: 'Copy', run: () => { this.modeler.copy(path); }, menuOnly: true });
    }
    list.push(...naming(s, path));
    if (path !== '/') list.push({ name: 'Remove', run: () => this.removePath(path), danger: true, edits: true });
    return list;
  }

  private plotFirst(path: string) {
    const template = this.session.objects.get(path)?.template ?? '';
    this.session.plotPoint({ path, index: 0, width: /Rigid3/.test(template) ? 7 : /2/.test(template) ? 2 : /1/.test(template) ? 1 : 3 });
  }

  private drag(e: PointerEvent) {
    const bar = e.currentTarget as HTMLElement, height = this.clientHeight;
    bar.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => this.share((m.clientY - this.getBoundingClientRect().top) / height);
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', () => bar.removeEventListener('pointermove', move), { once: true });
  }

  private share(value: number) { this.session.set({ treeShare: Math.min(0.85, Math.max(0.15, value)) }); }

  private menuKey(e: KeyboardEvent) { this.walkMenu(e, () => this.closeMenu()); }

  override render() {
    const s = this.session, path = s.selection, share = s.settings.treeShare, off = !s.editor;
    const barred = (a: Action) => off && a.edits === true;
    return html`
      <divan-tree style=${path ? `height:${(share * 100).toFixed(1)}%` : 'flex:1'} @menu=${this.menu} @remove=${(e: CustomEvent) => this.removePath(e.detail)} @rename=${(e: CustomEvent) => this.rename(e.detail)}>
        <button slot="tools" class="icon" title="Export the graph as a picture (SVG)" aria-label="Export the graph as a picture" ?disabled=${!s.graph} @click=${() => download(`${baseName(s)}-graph.svg`, graphPicture(s.graph!), 'image/svg+xml')}>${icon('picture')}</button>
      </divan-tree>
      ${path ? html`<div class="bar" role="separator" tabindex="0" aria-label="height of the tree" aria-orientation="horizontal" aria-valuenow=${Math.round(share * 100)} @pointerdown=${this.drag}
        @keydown=${(e: KeyboardEvent) => { if (e.key === 'ArrowUp') this.share(share - 0.05); else if (e.key === 'ArrowDown') this.share(share + 0.05); else return; e.preventDefault(); }}></div>` : nothing}
      <div class="form scroll ${path ? '' : 'none'}"><divan-form>${path ? html`<div class="actions">${this.actions(path).filter((a) => !a.menuOnly).map((a) => html`<button class="solid small ${a.danger ? 'danger' : ''}" ?disabled=${barred(a)} @click=${a.run}>${a.name}</button>`)}
        <button class="solid small" id="more" aria-haspopup="menu" title="all of its menu" @click=${(e: Event) => { const r = (e.currentTarget as HTMLElement).getBoundingClientRect(); this.menu(new CustomEvent('menu', { detail: { path, x: r.left, y: r.bottom } })); }}>More…</button></div>` : nothing}</divan-form></div>
      ${this.place ? html`<div class="menu" role="menu" @keydown=${this.menuKey} @focusout=${(e: FocusEvent) => { if (!(e.currentTarget as HTMLElement).contains(e.relatedTarget as Node)) { this.place = null; this.requestUpdate(); } }}>
        ${this.actions(this.place.path).map((a) => html`<button role="menuitem" class=${a.danger ? 'danger' : ''} ?disabled=${barred(a)} @click=${() => { this.closeMenu(); a.run(); }}>${a.name}</button>`)}</div>` : nothing}`;
  }
}
customElements.define('divan-graph-tab', GraphTab);
