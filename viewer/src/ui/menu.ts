// The menu of what was clicked in the picture.
import { css, html, nothing } from 'lit';
import type { Hit } from '../protocol.ts';
import { looking, plotting, type Action } from './actions.ts';
import { Part } from './part.ts';
import { shared } from './styles.ts';

interface Place { path: string; hit: Hit | null; x: number; y: number; fix: () => void }

export class Menu extends Part {
  static override styles = [shared, css`
    .menu { position: fixed; z-index: 20; min-width: 190px; padding: 4px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); box-shadow: var(--shadow); }
    .menu button { display: flex; width: 100%; justify-content: flex-start; }
    .menu div { padding: 4px 9px 5px; color: var(--muted); max-width: 320px; }
  `];
  private place: Place | null = null;

  async show(place: Place) {
    this.place = place;
    this.requestUpdate();
    await this.updateComplete;
    const menu = this.find<HTMLElement>('.menu'), box = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(place.x, innerWidth - box.width - 6))}px`;
    menu.style.top = `${Math.max(4, Math.min(place.y, innerHeight - box.height - 6))}px`;
    menu.querySelector('button')?.focus();
  }

  private close() { this.place = null; this.requestUpdate(); }

  private actions({ path, hit, fix }: Place): Action[] {
    const s = this.session;
    return [{ name: 'Select', run: () => { s.select(path); s.set({ tab: 'graph', panel: true }); } }, ...plotting(s, hit), ...(hit ? [{ name: 'Hold or free this point', run: fix, edits: true }] : []), ...looking(s, path)];
  }

  private key(e: KeyboardEvent) { this.walkMenu(e, () => this.close()); }

  override render() {
    const p = this.place;
    if (!p) return nothing;
    return html`<div class="menu" role="menu" @keydown=${this.key} @contextmenu=${(e: Event) => e.preventDefault()} @focusout=${(e: FocusEvent) => { if (!(e.currentTarget as HTMLElement).contains(e.relatedTarget as Node)) this.close(); }}>
      <div class="clip">${p.path}</div>${this.actions(p).map((a) => html`<button role="menuitem" ?disabled=${a.edits === true && !this.session.editor} @click=${() => { this.close(); a.run(); }}>${a.name}</button>`)}</div>`;
  }
}
customElements.define('divan-menu', Menu);
