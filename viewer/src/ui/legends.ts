// Colour maps with their ranges, over the picture. Pictures come often: the numbers follow a few times a second.
import { css, html, render } from 'lit';
import { mapGradient } from '../view/colours.ts';
import { number, page, Part } from './part.ts';
import { shared } from './styles.ts';

const PAUSE = 150, MOST = 3;

export class Legends extends Part {
  static override styles = [shared, css`
    :host { position: absolute; right: 12px; bottom: 12px; display: flex; flex-direction: column; gap: 8px; pointer-events: none; z-index: 2; }
    .legend { width: 210px; padding: 7px 9px; border-radius: 8px; background: color-mix(in srgb, var(--panel) 85%, transparent); border: 1px solid var(--line); font-size: 11.5px; }
    .ramp { height: 8px; margin: 4px 0 3px; border-radius: 3px; }
    .high { text-align: right; }
    @media (max-width: 720px) { .legend { width: 150px; } }
  `];
  protected override topics = ['legends'] as any;
  private timer = 0;

  protected override shouldUpdate() {
    if (this.timer) return false;
    this.timer = window.setTimeout(() => { this.timer = 0; this.draw(); }, PAUSE);
    return false;
  }

  private draw() { render(this.content(), this.renderRoot as ShadowRoot); }

  private content() {
    return html`${(page.stage?.legends ?? []).slice(0, MOST).map((l) => html`<div class="legend"><div class="clip">${l.label || 'value'}</div><div class="ramp" style="background:${mapGradient(l.map)}"></div>
      <div class="row mono"><span class="grow">${number(l.low, 3)}</span><span>${number((l.low + l.high) / 2, 3)}</span><span class="grow high">${number(l.high, 3)}</span></div></div>`)}`;
  }
}
customElements.define('divan-legends', Legends);
