// The row on top: scene, simulation, view, page.
import { css, html, nothing } from 'lit';
import { hasHeart } from '../view/therapy.ts';
import { icon } from './icons.ts';
import { download, baseName, number, page, Part } from './part.ts';
import { shared } from './styles.ts';

export class Toolbar extends Part {
  static override styles = [shared, css`
    :host { display: flex; align-items: center; gap: 4px; height: 44px; padding: 0 10px; background: var(--panel); border-bottom: 1px solid var(--line);
      overflow-x: auto; scrollbar-width: none; }
    .title { display: flex; align-items: center; gap: 8px; min-width: 60px; max-width: 230px; padding-right: 6px; font-weight: 600; }
    .mark { flex: none; width: 22px; height: 22px; border-radius: 6px; background: var(--accent); color: var(--accent-text); display: grid; place-items: center; }
    .gap { width: 1px; height: 20px; margin: 0 4px; background: var(--line); flex: none; }
    .fill { flex: 1; min-width: 4px; }
    label { display: flex; align-items: center; gap: 5px; color: var(--muted); flex: none; }
    input.dt { width: 74px; text-align: right; }
    input.factor { width: 48px; flex: none; text-align: right; }
    .play { min-width: 96px; flex: none; }
    @media (max-width: 1180px) { .play { min-width: 40px; padding: 0 11px; } .play span, .word { display: none; } }
    @media (max-width: 720px) { .wide { display: none; } .title { min-width: 0; padding: 0; flex: none; } .title .clip { display: none; } }
  `];
  protected override topics = ['connection', 'status', 'settings', 'touch', 'graph'] as any;

  private async png() {
    const { fixedSize, pictureWidth, pictureHeight } = this.session.settings;
    const canvas = page.stage.overlay;
    const blob = fixedSize ? await page.stage.picture(pictureWidth, pictureHeight)
      : await page.stage.picture(Math.round(canvas.width * canvas.ratio), Math.round(canvas.height * canvas.ratio));
    download(`${baseName(this.session)}-${String(this.session.status.step).padStart(5, '0')}.png`, blob);
  }

  private dt(e: Event) {
    const input = e.target as HTMLInputElement, value = Number(input.value);
    if (Number.isFinite(value) && value > 0) this.session.setDt(value);
    else { input.value = number(this.session.status.dt, 8); this.session.say('The time step must be a positive number', '', 'warning'); }
  }

  private factor(e: Event) {
    const value = Number((e.target as HTMLInputElement).value);
    if (Number.isFinite(value) && value > 0) this.session.realtime(true, value);
  }

  private async compat(e: Event) {
    const box = e.target as HTMLInputElement;
    await this.session.compat(box.checked);
    box.checked = this.session.status.compat === 'sofa';   // what the program says, also after a refusal
  }

  private button(name: string, title: string, action: () => void, more: { on?: boolean; off?: boolean; wide?: boolean; keys?: string } = {}) {
    return html`<button class="icon ${more.on ? 'on' : ''} ${more.wide ? 'wide' : ''}" title=${more.keys ? `${title} (${more.keys})` : title} aria-label=${title}
      aria-pressed=${more.on === undefined ? nothing : String(more.on)} ?disabled=${more.off ?? false} @click=${action}>${icon(name)}</button>`;
  }

  private ask(what: string) { this.dispatchEvent(new CustomEvent('ask', { detail: what, bubbles: true, composed: true })); }

  override render() {
    const s = this.session, st = s.status, off = !s.editor, set = s.settings;
    const theme = { auto: ['auto', 'light', 'Theme: as the system'], light: ['sun', 'dark', 'Theme: light'], dark: ['moon', 'auto', 'Theme: dark'] }[set.theme];
    const focused = (this.renderRoot as ShadowRoot).activeElement;
    const dtValue = focused?.classList.contains('dt') ? nothing : number(st.dt, 8);
    return html`
      <div class="title" title=${s.hello?.scene ?? ''}><span class="mark" aria-hidden="true"><svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><path d="M2.5 10.5c1.8-6 3.6 2.5 5.5-2.5s3.6 1 5.5-3"/></svg></span>
        <span class="clip">${s.hello?.title || s.hello?.scene?.split('/').pop() || 'Divan'}</span></div>
      ${this.button('open', 'Open a scene', () => this.ask('open'), { off, keys: 'Ctrl+O' })}
      ${this.button('reload', 'Reload the scene file', () => s.reload(), { off })}
      <span class="gap"></span>
      <button class="play ${st.animating ? 'solid' : 'primary'}" title="Animate (Space)" aria-pressed=${String(st.animating)} aria-label="Animate" ?disabled=${off} @click=${() => s.animate()}>
        ${icon(st.animating ? 'pause' : 'play')}<span>${st.animating ? 'Pause' : 'Animate'}</span></button>
      ${this.button('step', 'One step', () => s.step(), { off, keys: 'N' })}
      ${this.button('reset', 'Reset the scene to its start', () => s.reset(), { off, keys: 'R' })}
      ${hasHeart(s.graph) ? this.button('bolt', 'Treat the heart: pace, ablate', () => { const { tools } = page.touch; if (tools.open) tools.toggle(); else tools.take('pace'); }, { off, on: page.touch?.tools.open ?? false, keys: 'H, S' }) : nothing}
      ${this.button('record', st.recording === undefined ? 'Record' : 'Stop recording', () => s.change('record', { on: st.recording === undefined }), { off, on: st.recording !== undefined, keys: 'Y' })}
      <label title="time step, seconds (applied with Enter)">dt <input class="dt mono" type="text" inputmode="decimal" aria-label="time step in seconds" ?disabled=${off} .value=${dtValue} @change=${this.dt}></label>
      <label class="wide" title="keep the simulation's time in step with the clock"><input type="checkbox" class="realtime" aria-label="real time" ?disabled=${off} .checked=${st.realtime} @change=${(e: Event) => s.realtime((e.target as HTMLInputElement).checked)}><span class="word">real time</span> ×</label>
      <input class="factor mono wide" type="text" inputmode="decimal" aria-label="real-time factor wanted" title="how fast simulated time should pass" ?disabled=${off} .value=${focused?.classList.contains('factor') ? nothing : number(st.factor || 1)} @change=${this.factor}>
      <label class="wide" title=${st.compat === 'sofa' ? 'The scene runs as SOFA does it, its mistakes included; the log names those that it touches. Clear to reload it without them' : 'Reload the scene as SOFA does it, its mistakes included; the log names those that it touches'}><input type="checkbox" class="compat" aria-label="as SOFA does it" ?disabled=${off} .checked=${st.compat === 'sofa'} @change=${this.compat}> as SOFA</label>
      <span class="gap"></span>
      ${this.button('home', 'Reset the view', () => page.stage.resetView(), { keys: 'Home' })}
      ${this.button('fit', 'Fit to what is drawn or selected', () => page.stage.fit(true), { keys: 'Z', wide: true })}
      ${this.button('ortho', 'Orthographic', () => s.set({ ortho: !set.ortho }), { on: set.ortho, keys: 'O', wide: true })}
      ${this.button('wire', 'Wire frame', () => s.set({ wireframe: !set.wireframe }), { on: set.wireframe, keys: 'W', wide: true })}
      ${this.button('hand', 'Drag pulls instead of turning', () => { page.touch.touching = !page.touch.touching; this.requestUpdate(); }, { on: page.touch?.touching ?? false, keys: 'Shift + drag' })}
      ${this.button('blade', 'Tools that change meshes: cut, incise, carve, remove, refine', () => page.touch.tools.toggle(), { on: page.touch?.tools.open ?? false, keys: 'C' })}
      ${st.edits || st.undone ? html`${this.button('undo', st.lastEdit ? `Take back: ${st.lastEdit}` : 'Take back the last change', () => page.modeler.undo(), { off: off || !(st.edits || st.undo), keys: 'Ctrl+Z', wide: true })}${this.button('redo', st.lastUndone ? `Do again: ${st.lastUndone}` : 'Do again what was taken back', () => page.modeler.redo(), { off: off || !st.undone, keys: 'Ctrl+Shift+Z', wide: true })}` : nothing}
      ${this.button('save', 'Save the view next to the scene', () => s.saveView(), { off, wide: true })}
      ${this.button('camera', 'Save a picture', () => this.png(), { keys: 'P', wide: true })}
      <span class="fill"></span>
      ${this.button(theme[0], theme[2], () => s.set({ theme: theme[1] as any }))}
      ${this.button('help', 'Shortcuts', () => this.ask('help'), { keys: '?' })}
      ${this.button('panel', 'Panel', () => s.set({ panel: !set.panel }), { on: set.panel, keys: 'B' })}`;
  }

  savePicture() { return this.png(); }
}
customElements.define('divan-toolbar', Toolbar);
