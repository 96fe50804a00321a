// The scene graph as a tree. Rows have one height and only those in sight exist, so large graphs stay quick; the tree keeps
// the focus and names its active row.
import { css, html, nothing } from 'lit';
import { styleMap } from 'lit/directives/style-map.js';
import type { GraphNode, GraphObject, Missing } from '../protocol.ts';
import { icon } from './icons.ts';
import { Part } from './part.ts';
import { roleColour } from './roles.ts';
import { shared } from './styles.ts';

const ROW = 24;
const BUNDLED = 'RequiredPlugin';   // many of them, and of no interest: one row for all that follow each other

// `bundle` counts the objects that one row stands for.
interface Row { path: string; level: number; node: GraphNode | null; object: GraphObject | null; open: boolean; of: number; at: number; bundle: number; ghost?: Missing }

export class Tree extends Part {
  static override styles = [shared, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    .find { position: relative; display: flex; gap: 4px; padding: 8px 10px 6px; }
    .find input { flex: 1; padding-left: 26px; }
    .find svg { position: absolute; left: 17px; top: calc(50% + 1px); transform: translateY(-50%); color: var(--faint); pointer-events: none; }
    .find button svg { position: static; transform: none; color: inherit; }
    .tree { flex: 1; min-height: 60px; position: relative; outline-offset: -2px; }
    .row { position: absolute; left: 0; right: 0; height: ${ROW}px; gap: 5px; padding-right: 8px; cursor: default; white-space: nowrap; overflow: hidden; }
    .row:hover { background: var(--hover); }
    .row.chosen { background: var(--accent-soft); }
    .tree:focus-visible .row.active { box-shadow: inset 0 0 0 1.5px var(--accent); border-radius: 4px; }
    .row.before { box-shadow: inset 0 2px 0 var(--accent); } .row.into { box-shadow: inset 0 0 0 2px var(--accent); border-radius: 4px; }
    .row.off { opacity: .5; }
    .ghost { font-style: italic; color: var(--faint); } .ghost .warn { font-style: normal; background: var(--bad-soft); color: var(--bad); }
    .row .eye { min-height: 20px; width: 22px; padding: 0; margin-left: auto; color: var(--muted); opacity: 0; flex: none; } .warn + .eye { margin-left: 0; }
    .row:hover .eye, .row .eye.shut, .row .eye:focus-visible, .row.chosen .eye { opacity: 1; } .row.unseen > .class, .row.unseen > .name, .row.unseen > .given { opacity: .45; }
    @media (pointer: coarse) { .row .eye { opacity: 1; } }
    .twist { width: 16px; height: 20px; flex: none; display: grid; place-items: center; color: var(--muted); }
    .twist::before { content: ''; width: 5px; height: 5px; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
    .twist.open::before { transform: rotate(45deg); }
    .twist.none::before { display: none; }
    .dot { width: 8px; height: 8px; border-radius: 50%; flex: none; }
    .name { font-weight: 600; }
    .class { overflow: hidden; text-overflow: ellipsis; }
    .given { color: var(--muted); overflow: hidden; text-overflow: ellipsis; }
    .warn { margin-left: auto; padding: 0 6px; border-radius: 8px; background: var(--warn-soft); color: var(--warn); font-size: 11px; font-weight: 600; flex: none; }
    .failed .warn { background: var(--bad-soft); color: var(--bad); }
    mark { background: color-mix(in srgb, var(--warn) 30%, transparent); color: inherit; border-radius: 2px; }
  `];
  protected override topics = ['graph', 'selection', 'settings', 'scene', 'build'] as any;
  private closed = new Set<string>();
  private unbundled = new Set<string>();       // paths of bundles that were opened
  private query = '';
  private active = '';
  private rows: Row[] = [];
  private top = 0;
  private shownSelection = '';

  focusSearch() { this.find<HTMLInputElement>('input').focus(); }

  override firstUpdated() { new ResizeObserver(() => this.requestUpdate()).observe(this.find('.tree')); }     // which rows are in sight

  private hits(text: string) { return text.toLowerCase().includes(this.query); }

  private collect(): Row[] {
    const rows: Row[] = [], root = this.session.graph;
    if (!root) return rows;
    const objectHits = (o: GraphObject) => this.hits(o.name) || this.hits(o.class) || this.hits(o.role);
    const nodeHits = (n: GraphNode): boolean => this.hits(n.name) || n.objects.some(objectHits) || n.nodes.some(nodeHits);
    const visit = (node: GraphNode, level: number, at: number, of: number) => {
      const open = this.query !== '' || !this.closed.has(node.path);
      rows.push({ path: node.path, level, node, object: null, open, at, of, bundle: 0 });
      if (!open) return;
      const whole = this.query === '' || this.hits(node.name);
      const objects = whole ? node.objects : node.objects.filter(objectHits), nodes = whole ? node.nodes : node.nodes.filter(nodeHits);
      const count = objects.length + nodes.length;
      for (let i = 0; i < objects.length;) {
        let n = 1;
        while (objects[i].class === BUNDLED && objects[i + n]?.class === BUNDLED) n++;
        if (n > 1 && this.query === '') {
          const path = `${objects[i].path}…`, shown = this.unbundled.has(path);
          rows.push({ path, level: level + 1, node: null, object: null, open: shown, at: i + 1, of: count, bundle: n });
          if (!shown) { i += n; continue; }
        }
        for (const end = i + n; i < end; i++) rows.push({ path: objects[i].path, level: level + 1 + (n > 1 && this.query === '' ? 1 : 0), node: null, object: objects[i], open: false, at: i + 1, of: count, bundle: 0 });
      }
      if (this.query === '') for (const m of this.session.missing) if (m.path === node.path) rows.push({ path: `${node.path}?${m.class}`, level: level + 1, node: null, object: null, open: false, at: count, of: count, bundle: 0, ghost: m });
      nodes.forEach((child, i) => visit(child, level + 1, objects.length + i + 1, count));
    };
    if (this.query === '' || nodeHits(root)) visit(root, 1, 1, 1);
    return rows;
  }

  private toggle(path: string) {
    if (path.endsWith('…')) { if (!this.unbundled.delete(path)) this.unbundled.add(path); this.requestUpdate(); return; }
    if (this.closed.has(path)) this.closed.delete(path); else this.closed.add(path);
    this.requestUpdate();
  }

  // All below a node.
  setOpen(path: string, open: boolean) {
    for (const p of this.session.nodes.keys()) if (p === path || p.startsWith(path === '/' ? '/' : path + '/')) { if (open) this.closed.delete(p); else this.closed.add(p); }
    this.requestUpdate();
  }

  private choose(path: string) {
    if (this.modeler.linking && !path.includes('?') && !path.endsWith('…')) { this.dispatchEvent(new CustomEvent('pointed', { detail: path, bubbles: true, composed: true })); return; }
    if (path.includes('?')) { this.active = path; this.requestUpdate(); return; }
    if (path.endsWith('…')) { this.active = path; this.toggle(path); return; }
    this.active = path; this.shownSelection = path; this.session.select(path); this.requestUpdate();
  }

  private menu(path: string, x: number, y: number) {
    if (path.endsWith('…') || path.includes('?')) return;
    this.choose(path);
    this.dispatchEvent(new CustomEvent('menu', { detail: { path, x, y }, bubbles: true, composed: true }));
  }

  // Copy, cut, paste, double.
  private editKey(e: KeyboardEvent, path: string): boolean {
    const key = e.key.toLowerCase(), m = this.modeler, node = path.replace(/\/[^/]*$/, '') || '/';
    if (key === 'c') m.copy(path);
    else if (key === 'x') m.copy(path).then((text) => { if (text) m.remove(path); });
    else if (key === 'v') m.pasteInto(path);
    else if (key === 'd') m.copy(path).then((text) => { if (text) m.paste(node, text.replace(/^(<\w+[^>]*?\bname=")([^"]*)"/, '$1$2_copy"')); });
    else return false;
    return true;
  }

  // One place up or down among its like, out of its node, or into the node before it; false where there is no such place.
  shift(path: string, way: string, only = false): boolean {
    const node = path.replace(/\/[^/]*$/, '') || '/', parent = this.session.nodes.get(node), own = this.session.nodes.get(path), m = this.modeler;
    if (!parent || path === '/') return false;
    const list: { path: string }[] = own ? parent.nodes : parent.objects, i = list.findIndex((x) => x.path === path);
    const go = (to: string, before = '') => { if (!only) m.move(path, to, before); return true; };
    if (way === 'ArrowUp' && i > 0) return go(node, list[i - 1].path);
    if (way === 'ArrowDown' && i >= 0 && i + 1 < list.length) return go(node, list[i + 2]?.path ?? '');
    if (way === 'ArrowLeft' && node !== '/') return go(node.replace(/\/[^/]*$/, '') || '/');
    if (way === 'ArrowRight' && (own ? i > 0 : parent.nodes.length)) return go(own ? parent.nodes[i - 1].path : parent.nodes[0].path);
    return false;
  }

  // --- drag and drop: rows, and what comes from the library ---

  private over: { path: string; where: 'before' | 'into' } | null = null;

  private dragStart(e: DragEvent, path: string) {
    if (path === '/' || !this.modeler.possible) { e.preventDefault(); return; }
    e.dataTransfer!.setData('text/plain', path);
    e.dataTransfer!.effectAllowed = 'move';
    this.modeler.dragged = `path:${path}`;
  }

  private dragOver(e: DragEvent, r: Row) {
    if (!this.modeler.dragged || r.bundle || r.ghost) return;
    e.preventDefault();
    e.stopPropagation();
    const top = (e.currentTarget as HTMLElement).getBoundingClientRect().top;
    const where = !r.node || (r.path !== '/' && e.clientY - top < ROW / 3) ? 'before' : 'into';
    if (this.over?.path !== r.path || this.over.where !== where) { this.over = { path: r.path, where }; this.requestUpdate(); }
  }

  private dropOn(e: DragEvent, r: Row) {
    const [kind, name] = [this.modeler.dragged.split(':')[0], this.modeler.dragged.replace(/^\w+:/, '')], over = this.over;
    if (!this.modeler.dragged || !over) return;
    e.preventDefault();
    e.stopPropagation();
    this.over = null;
    this.modeler.dragged = '';
    this.requestUpdate();
    const into = over.where === 'into' ? r.path : r.path.replace(/\/[^/]*$/, '') || '/', before = over.where === 'before' ? r.path : '';
    if (kind === 'path' && name !== r.path) this.modeler.move(name, into, before);
    else if (kind === 'class') this.modeler.addComponent(name, into, before);
    else if (kind === 'preset') this.modeler.addPreset(name);
  }

  private key(e: KeyboardEvent) {
    const i = this.rows.findIndex((r) => r.path === this.active), row = this.rows[i];
    const go = (k: number) => { const r = this.rows[Math.min(this.rows.length - 1, Math.max(0, k))]; if (r) { this.active = r.path; this.reveal(r.path); this.requestUpdate(); } };
    if ((e.ctrlKey || e.metaKey) && row && !row.bundle && !row.ghost && this.modeler.possible && this.editKey(e, row.path)) { e.preventDefault(); e.stopPropagation(); return; }
    if (e.ctrlKey || e.metaKey) return;
    if (e.altKey && row && e.key.startsWith('Arrow') && this.modeler.possible) { this.shift(row.path, e.key); e.preventDefault(); e.stopPropagation(); return; }
    switch (e.key) {
      case 'ArrowDown': go(i + 1); break;
      case 'ArrowUp': go(i < 0 ? 0 : i - 1); break;
      case 'PageDown': go(i + 10); break;
      case 'PageUp': go(i - 10); break;
      case 'Home': go(0); break;
      case 'End': go(this.rows.length - 1); break;
      case 'ArrowRight': if (row?.node || row?.bundle) { if (!row.open) this.toggle(row.path); else go(i + 1); } break;
      case 'ArrowLeft':
        if ((row?.node || row?.bundle) && row.open && !this.query) this.toggle(row.path);
        else if (row) { for (let k = i - 1; k >= 0; k--) if (this.rows[k].level < row.level) { go(k); break; } }
        break;
      case 'Enter': case ' ': if (row) this.choose(row.path); break;
      case 'Delete': if (row && !row.bundle && !row.ghost) { this.choose(row.path); this.dispatchEvent(new CustomEvent('remove', { detail: row.path, bubbles: true, composed: true })); } break;
      case 'F2': if (row && !row.bundle && !row.ghost) { this.choose(row.path); this.dispatchEvent(new CustomEvent('rename', { detail: row.path, bubbles: true, composed: true })); } break;
      case 'Insert': if (row) this.modeler.addNode(this.modeler.nodeOf(row.path)); break;
      case 'ContextMenu': if (row) this.keyMenu(i); break;
      case 'F10': if (e.shiftKey && row) { this.keyMenu(i); break; } return;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  private keyMenu(i: number) {
    const box = this.find<HTMLElement>('.tree').getBoundingClientRect();
    this.menu(this.rows[i].path, box.left + 40, box.top + i * ROW - this.top + ROW);
  }

  private reveal(path: string, middle = false) {
    const i = this.rows.findIndex((r) => r.path === path), box = this.find<HTMLElement>('.tree');
    if (i < 0 || !box) return;
    if (middle && (i * ROW < box.scrollTop || (i + 1) * ROW > box.scrollTop + box.clientHeight)) { box.scrollTop = (i + 0.5) * ROW - box.clientHeight / 2; return; }
    if (i * ROW < box.scrollTop) box.scrollTop = i * ROW;
    else if ((i + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (i + 1) * ROW - box.clientHeight;
  }

  override willUpdate() {
    const s = this.session.selection;
    if (s && s !== this.shownSelection) for (const p of this.session.nodes.keys()) if (s.startsWith(p === '/' ? '/' : p + '/')) this.closed.delete(p);
    if (s && s !== this.shownSelection && this.session.objects.get(s)?.class === BUNDLED) this.unbundle(s);
  }

  // The bundle that holds an object is named after the first of its run.
  private unbundle(path: string) {
    for (const node of this.session.nodes.values()) {
      let i = node.objects.findIndex((o) => o.path === path);
      if (i < 0) continue;
      while (i > 0 && node.objects[i - 1].class === BUNDLED) i--;
      this.unbundled.add(`${node.objects[i].path}…`);
    }
  }

  override updated() {
    const s = this.session.selection;
    if (s !== this.shownSelection) { this.shownSelection = s; if (s) { this.active = s; this.reveal(s, true); this.requestUpdate(); requestAnimationFrame(() => requestAnimationFrame(() => this.reveal(s, true))); } }      // again when the form has taken its share
  }

  private mark(text: string) {
    if (!this.query) return text;
    const i = text.toLowerCase().indexOf(this.query);
    return i < 0 ? text : html`${text.slice(0, i)}<mark>${text.slice(i, i + this.query.length)}</mark>${text.slice(i + this.query.length)}`;
  }

  private row(r: Row, i: number) {
    if (r.bundle) {
      return html`<div class="row ${r.path === this.active ? 'active' : ''}" id="row-${i}" role="treeitem" aria-level=${r.level} aria-setsize=${r.of} aria-posinset=${r.at} aria-selected="false" aria-expanded=${String(r.open)}
        title="plugins that SOFA would load; nothing is done for them" style=${styleMap({ top: `${i * ROW}px`, paddingLeft: `${(r.level - 1) * 14 + 6}px` })} @click=${() => this.choose(r.path)}>
        <span class="twist ${r.open ? 'open' : ''}"></span><span class="given">${BUNDLED} × ${r.bundle}</span></div>`;
    }
    if (r.ghost) {
      return html`<div class="row ghost ${r.path === this.active ? 'active' : ''}" id="row-${i}" role="treeitem" aria-level=${r.level} aria-setsize=${r.of} aria-posinset=${r.at} aria-selected="false" title="${r.ghost.class} does not exist${r.ghost.file ? `\n${r.ghost.file}${r.ghost.line ? ':' + r.ghost.line : ''}` : ''}"
        style=${styleMap({ top: `${i * ROW}px`, paddingLeft: `${(r.level - 1) * 14 + 6}px` })} @click=${() => this.choose(r.path)}>
        <span class="twist none"></span><span class="class">${r.ghost.class}${r.ghost.count > 1 ? ` × ${r.ghost.count}` : ''}</span><span class="warn">missing</span></div>`;
    }
    const drawn = r.path !== '/' && this.session.draws(r.path), shut = this.session.hidden.has(r.path), unseen = drawn && !this.session.sees(r.path);
    const { node, object } = r, chosen = r.path === this.session.selection;
    const messages = object?.messages ?? 0, classes = `row ${chosen ? 'chosen' : ''} ${r.path === this.active ? 'active' : ''} ${node && !node.active ? 'off' : ''} ${object?.failed ? 'failed' : ''} ${unseen ? 'unseen' : ''} ${this.over?.path === r.path ? this.over.where : ''}`;
    return html`<div class=${classes} id="row-${i}" role="treeitem" aria-level=${r.level} aria-setsize=${r.of} aria-posinset=${r.at} aria-selected=${String(chosen)}
      aria-expanded=${node ? String(r.open) : nothing} data-path=${r.path} title=${object ? `${object.class} ${object.path}\n${object.role}${object.template ? ', ' + object.template : ''}` : r.path}
      style=${styleMap({ top: `${i * ROW}px`, paddingLeft: `${(r.level - 1) * 14 + 6}px` })}
      draggable=${this.modeler.possible && r.path !== '/' ? 'true' : 'false'} @dragstart=${(e: DragEvent) => this.dragStart(e, r.path)} @dragover=${(e: DragEvent) => this.dragOver(e, r)} @dragleave=${() => { if (this.over?.path === r.path) { this.over = null; this.requestUpdate(); } }} @drop=${(e: DragEvent) => this.dropOn(e, r)} @dragend=${() => { this.modeler.dragged = ''; this.over = null; this.requestUpdate(); }}
      @click=${() => this.choose(r.path)} @dblclick=${() => node && this.toggle(r.path)} @contextmenu=${(e: MouseEvent) => { e.preventDefault(); this.menu(r.path, e.clientX, e.clientY); }}>
      <span class="twist ${node ? (r.open ? 'open' : '') : 'none'}" @click=${(e: Event) => { if (node) { e.stopPropagation(); this.toggle(r.path); } }}></span>
      ${node ? html`<span class="name">${this.mark(node.name || '/')}</span>${node.active ? nothing : html`<span class="given">not active</span>`}`
        : html`<span class="dot" style="background:${roleColour(object!.role)}"></span><span class="class">${this.mark(object!.class)}</span>${object!.name && object!.name.replace(/\d+$/, '') !== object!.class ? html`<span class="given">${this.mark(object!.name)}</span>` : nothing}`}
      ${messages || object?.failed ? html`<span class="warn" title="messages of this component">${object?.failed ? 'failed' : `${messages} !`}</span>` : nothing}
      ${drawn ? html`<button class="eye ${shut ? 'shut' : ''}" tabindex="-1" aria-label=${shut ? 'Show' : 'Hide'} aria-pressed=${String(shut)} title=${shut ? 'Show it' : 'Hide it (Alt: show only this)'}
        @click=${(e: MouseEvent) => { e.stopPropagation(); if (e.altKey) this.session.isolate(r.path); else this.session.setHidden(r.path, !shut); }}>${icon(shut ? 'blind' : 'eye')}</button>` : nothing}</div>`;
  }

  override render() {
    this.rows = this.collect();
    const box = this.find<HTMLElement>('.tree'), height = box?.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.top / ROW) - 5), last = Math.min(this.rows.length, Math.ceil((this.top + height) / ROW) + 5);
    const activeIndex = this.rows.findIndex((r) => r.path === this.active);
    return html`<div class="find">${icon('search')}<input type="search" placeholder="Search names, classes, roles" aria-label="Search the graph" .value=${this.query}
        @input=${(e: Event) => { this.query = (e.target as HTMLInputElement).value.trim().toLowerCase(); this.requestUpdate(); }}
        @keydown=${(e: KeyboardEvent) => { if (e.key === 'ArrowDown' || e.key === 'Enter') { this.active = (this.rows.find((r) => this.query && (this.hits(r.object?.class ?? '') || this.hits(r.object?.name ?? r.node?.name ?? ''))) ?? this.rows[0])?.path ?? ''; box?.focus(); if (e.key === 'Enter' && this.active) this.choose(this.active); e.preventDefault(); } }}>
        <slot name="tools"></slot></div>
      <div class="tree scroll" role="tree" tabindex="0" aria-label="scene graph" aria-activedescendant=${activeIndex >= 0 ? `row-${activeIndex}` : nothing}
        @scroll=${(e: Event) => { this.top = (e.target as HTMLElement).scrollTop; this.requestUpdate(); }} @keydown=${this.key}
        @focus=${() => { if (!this.rows.some((r) => r.path === this.active) && this.rows.length) { this.active = this.rows[0].path; this.requestUpdate(); } }}>
        <div role="presentation" style="height:${this.rows.length * ROW}px"></div>
        ${this.rows.slice(first, last).map((r, i) => this.row(r, first + i))}
        ${this.rows.length === 0 ? html`<div class="empty">${this.session.graph ? 'Nothing found' : 'No graph yet'}</div>` : nothing}</div>`;
  }
}
customElements.define('divan-tree', Tree);
