// The bar of tools that change meshes, at the left of the picture.
import { css, html, nothing } from 'lit';
import { hasHeart, THERAPIES } from '../view/therapy.ts';
import { type Tool, TOOLS } from '../view/tools.ts';
import { icon } from './icons.ts';
import { page, Part } from './part.ts';
import { shared } from './styles.ts';

export class ToolBar extends Part {
  static override styles = [shared, css`
    :host { position: absolute; left: 10px; top: 50%; transform: translateY(-50%); z-index: 2; display: flex; max-height: 100%; }
    .bar { display: flex; flex-direction: column; gap: 2px; overflow-y: auto; padding: 5px; border: 1px solid var(--line); border-radius: 10px; background: color-mix(in srgb, var(--panel) 92%, transparent); box-shadow: var(--shadow); }
    button { flex: none; justify-content: flex-start; min-height: 32px; padding: 0 9px 0 8px; }
    button kbd { margin-left: auto; }
    .circle { display: flex; gap: 2px; } .circle button { flex: 1; justify-content: center; padding: 0; font-size: 16px; }
    hr { width: 100%; margin: 3px 0; border: 0; border-top: 1px solid var(--line); }
    @media (max-width: 720px) { span, kbd, hr { display: none !important; } .circle { flex-direction: column-reverse; } .bar { padding: 2px 5px; } }
  `];
  protected override topics = ['status', 'connection', 'touch', 'graph', 'settings'] as any;

  override render() {
    const tools = page.touch?.tools, s = this.session;
    if (!tools?.open) return nothing;
    const heart = hasHeart(s.graph), cures: Tool[] = THERAPIES, others = TOOLS.filter((t) => !cures.includes(t)), shown = heart ? [...cures, ...others] : others;
    return html`<div class="bar" role="toolbar" aria-label="tools that change meshes" aria-orientation="vertical">
      ${shown.map((t) => html`<button class=${tools.current === t.name ? 'on' : ''} aria-pressed=${String(tools.current === t.name)} aria-label=${t.title} title="${t.title}: ${t.hint} (${t.key})" ?disabled=${!s.editor}
        @click=${() => tools.take(t.name)}>${icon(t.icon)}<span>${t.title}</span><kbd>${t.key}</kbd></button>`)}
      ${tools.circles ? html`<hr><div class="circle" role="group" aria-label="circle"><button aria-label="smaller circle" title="a smaller circle ([)" @click=${() => tools.resize(-1)}>−</button><button aria-label="larger circle" title="a larger circle (])" @click=${() => tools.resize(1)}>+</button></div>` : nothing}
      <hr><button aria-label="Undo" title="Undo the last stroke (U)" ?disabled=${!s.editor || !s.status.undo} @click=${() => tools.undo()}>${icon('undo')}<span>Undo${s.status.undo ? ` (${s.status.undo})` : ''}</span><kbd>U</kbd></button></div>`;
  }
}
customElements.define('divan-tools', ToolBar);
