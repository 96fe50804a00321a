// What is drawn and how: groups, options, camera, colours, pictures and films.
import { css, html, nothing } from 'lit';
import type { Settings } from '../settings.ts';
import { GROUP_COLOURS, GROUPS, MAP_NAMES, SAFE_MAPS } from '../view/colours.ts';
import { Film } from './film.ts';
import { icon } from './icons.ts';
import { baseName, download, number, page, Part } from './part.ts';
import { shared } from './styles.ts';

const SIZES = [[640, 480], [1280, 720], [1920, 1080], [1080, 1080]];

export class ViewTab extends Part {
  static override styles = [shared, css`
    :host { display: block; }
    .checks { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 2px 10px; margin-top: 6px; }
    .checks label, .line { display: flex; flex-wrap: wrap; align-items: center; gap: 7px; min-height: 26px; }
    .checks label { flex-wrap: nowrap; min-width: 0; }
    .checks label.none { color: var(--faint); }
    .dot { width: 8px; height: 8px; border-radius: 2px; flex: none; }
    .count { margin-left: auto; color: var(--faint); font-size: 11px; }
    .line > span:first-child { width: 96px; color: var(--muted); flex: none; }
    .line input[type=range] { flex: 1; min-width: 40px; }
    .line input[type=text] { width: 68px; }
    .line { margin-top: 3px; }
    select { flex: 1; }
    .buttons { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px; }
    progress { width: 100%; height: 6px; accent-color: var(--accent); }
  `];
  protected override topics = ['settings', 'scene', 'status', 'connection'] as any;
  private film = new Film();

  private check(key: keyof Settings, label: string, help: string, keys = '') {
    return html`<label title=${keys ? `${help} (${keys})` : help}><input type="checkbox" .checked=${this.session.settings[key] as boolean}
      @change=${(e: Event) => this.session.set({ [key]: (e.target as HTMLInputElement).checked })}>${label}</label>`;
  }

  private groups() {
    const s = this.session, counts = new Map<string, number>();
    for (const d of s.scene?.drawables ?? []) counts.set(d.group, (counts.get(d.group) ?? 0) + 1);
    const on = new Set(s.groups), all = GROUPS.every((g) => on.has(g.name));
    return html`<section aria-label="what is drawn">
      <div class="row"><h3 class="grow">Show</h3>
        <button class="small" @click=${() => s.setGroups(all ? [] : GROUPS.map((g) => g.name))}>${all ? 'None' : 'All'}</button>
        <button class="small" title=${s.scene?.flags ? 'what the scene asks for' : 'visual models and interactions'} @click=${() => s.setDefaultGroups()}>Default</button></div>
      <div class="checks">${GROUPS.map((g) => html`<label class=${counts.get(g.name) ? '' : 'none'} title=${g.help}>
        <input type="checkbox" name=${g.name} .checked=${on.has(g.name)} @change=${(e: Event) => s.setGroup(g.name, (e.target as HTMLInputElement).checked)}>
        <span class="dot" style="background:${GROUP_COLOURS[g.name]}"></span><span class="clip">${g.label}</span><span class="count mono">${counts.get(g.name) ?? ''}</span></label>`)}
      </div>
      ${s.hidden.size || s.isolated || s.opacities.size ? html`<div class="buttons"><span class="muted grow">${s.isolated ? `only ${s.isolated}` : s.hidden.size ? `${s.hidden.size} hidden` : `${s.opacities.size} faint`}</span><button class="small solid" @click=${() => s.showAll()}>Show everything</button></div>` : nothing}</section>`;
  }

  private range(key: 'arrowScale' | 'pointSize', label: string, low: number, high: number, step: number) {
    const value = this.session.settings[key];
    return html`<label class="line"><span>${label}</span><input type="range" min=${low} max=${high} step=${step} .value=${String(value)}
      @input=${(e: Event) => this.session.set({ [key]: Number((e.target as HTMLInputElement).value) })}><span class="mono muted">${number(value, 2)}</span></label>`;
  }

  private colours() {
    const s = this.session, set = s.settings;
    const limit = (key: 'rangeLow' | 'rangeHigh') => html`<input class="mono" type="text" inputmode="decimal" aria-label=${key === 'rangeLow' ? 'lowest value' : 'highest value'} .value=${number(set[key], 6)}
      @change=${(e: Event) => { const v = Number((e.target as HTMLInputElement).value); if (Number.isFinite(v)) s.set({ [key]: v }); }}>`;
    return html`<section aria-label="colours"><h3>Colours</h3>
      <label class="line"><span>Colour map</span><select .value=${set.colourMap} @change=${(e: Event) => s.set({ colourMap: (e.target as HTMLSelectElement).value })}>
        ${MAP_NAMES.map((m) => html`<option value=${m} ?selected=${m === set.colourMap}>${m}${SAFE_MAPS.has(m) ? '' : ' (not for colour-blind eyes)'}</option>`)}</select></label>
      <label class="line"><span>Range</span><select @change=${(e: Event) => { s.set({ rangeMode: (e.target as HTMLSelectElement).value as any }); page.stage.resetRanges(); }}>
        ${[['grow', 'all values seen so far'], ['frame', 'values of the moment'], ['fixed', 'fixed']].map(([v, t]) => html`<option value=${v} ?selected=${v === set.rangeMode}>${t}</option>`)}</select>
        <button class="small" title="forget the values seen so far" @click=${() => page.stage.resetRanges()}>Reset</button></label>
      ${set.rangeMode === 'fixed' ? html`<div class="line"><span>from, to</span>${limit('rangeLow')}${limit('rangeHigh')}</div>` : nothing}
      <div class="line"><span>Background</span><input type="color" aria-label="background colour" .value=${set.background || (page.stage?.dark ? '#171b22' : '#eef1f5')} @input=${(e: Event) => s.set({ background: (e.target as HTMLInputElement).value })}>
        <button class="small" ?disabled=${!set.background} @click=${() => s.set({ background: '' })}>As the theme</button></div>
      ${this.range('pointSize', 'Point size', 1, 16, 1)}${this.range('arrowScale', 'Arrow length', 0.1, 5, 0.1)}</section>`;
  }

  private cameraPart() {
    const s = this.session, st = page.stage, q = Math.PI / 2;
    const look = (name: string, a: number, e: number) => html`<button class="solid small" @click=${() => st.look_from(a, e)}>${name}</button>`;
    return html`<section aria-label="camera"><h3>Camera</h3>
      <div class="buttons">${look('Front', 0, 0)}${look('Back', 2 * q, 0)}${look('Left', -q, 0)}${look('Right', q, 0)}${look('Top', 0, q)}${look('Bottom', 0, -q)}</div>
      <div class="line"><span>Up</span>${(['x', 'y', 'z'] as const).map((a) => html`<button class="small ${s.settings.up === a ? 'on' : 'solid'}" aria-pressed=${String(s.settings.up === a)} @click=${() => s.set({ up: a })}>${a}</button>`)}
        <span class="grow"></span><label class="row"><input type="checkbox" .checked=${s.settings.ortho} @change=${(e: Event) => s.set({ ortho: (e.target as HTMLInputElement).checked })}>orthographic</label></div>
      <div class="buttons"><button class="solid small" @click=${() => st.resetView()}>Reset view</button><button class="solid small" @click=${() => st.fit(true)}>Fit</button>
        <button class="solid small" ?disabled=${!s.editor} @click=${() => s.saveView()}>Save view</button></div></section>`;
  }

  private size(key: 'pictureWidth' | 'pictureHeight', label: string) {
    return html`<input class="mono" type="text" inputmode="numeric" aria-label=${label} .value=${String(this.session.settings[key])} @change=${(e: Event) => {
      const v = Math.round(Number((e.target as HTMLInputElement).value));
      if (v >= 16 && v <= 8192) this.session.set({ [key]: v }); else this.requestUpdate();
    }}>`;
  }

  private async makeFilm() {
    const s = this.session, { filmFrames, filmSteps } = s.settings;
    const blob = await this.film.make(s, page.stage, filmFrames, filmSteps, () => this.requestUpdate());
    if (blob) download(`${baseName(s)}-frames.tar`, blob);
  }

  private async png() {
    const { pictureWidth, pictureHeight } = this.session.settings;
    download(`${baseName(this.session)}-${String(this.session.status.step).padStart(5, '0')}.png`, await page.stage.picture(pictureWidth, pictureHeight));
  }

  private pictures() {
    const s = this.session, set = s.settings;
    const count = (key: 'filmFrames' | 'filmSteps', label: string) => html`<input class="mono" type="text" inputmode="numeric" aria-label=${label} .value=${String(set[key])}
      @change=${(e: Event) => { const v = Math.round(Number((e.target as HTMLInputElement).value)); if (v >= 1 && v <= 100000) s.set({ [key]: v }); else this.requestUpdate(); }}>`;
    return html`<section aria-label="pictures and films"><h3>Pictures and films</h3>
      <div class="line"><span>Size</span>${this.size('pictureWidth', 'picture width')}×${this.size('pictureHeight', 'picture height')}
        <select aria-label="usual sizes" @change=${(e: Event) => { const [w, h] = (e.target as HTMLSelectElement).value.split('x').map(Number); if (w) s.set({ pictureWidth: w, pictureHeight: h }); }}>
          <option value="">usual…</option>${SIZES.map(([w, h]) => html`<option value="${w}x${h}">${w} × ${h}</option>`)}</select></div>
      <label class="line"><span>Fixed size</span><input type="checkbox" .checked=${set.fixedSize} @change=${(e: Event) => s.set({ fixedSize: (e.target as HTMLInputElement).checked })}>the picture on the page has this size too</label>
      <div class="buttons"><button class="solid small" @click=${() => this.png()}>${icon('camera')} Save PNG</button></div>
      <div class="line"><span>Film</span>${count('filmFrames', 'number of pictures')}<span class="muted">pictures, each</span>${count('filmSteps', 'steps between pictures')}<span class="muted">steps</span></div>
      ${this.film.running ? html`<progress max=${set.filmFrames} value=${this.film.done} aria-label="pictures made"></progress><div class="buttons"><span class="mono muted grow">${this.film.done} of ${set.filmFrames}</span><button class="small solid" @click=${() => this.film.cancel()}>Stop</button></div>`
        : html`<div class="buttons"><button class="solid small" ?disabled=${!s.editor} @click=${() => this.makeFilm()} title="steps the simulation and saves every picture in one .tar file">${icon('picture')} Make frames</button></div>`}</section>`;
  }

  override render() {
    const s = this.session;
    return html`${this.groups()}
      <section aria-label="options"><h3>Options</h3><div class="checks">
        ${this.check('wireframe', 'Wire frame', 'triangles as lines', 'W')}${this.check('smooth', 'Smooth shading', 'normals at the points instead of flat triangles')}
        ${this.check('normals', 'Normals', 'normals of the surfaces')}${this.check('indices', 'Indices', 'numbers of the points (nearest 500; needs Points and frames, or a selection)', 'I')}
        ${this.check('axes', 'Axes', 'axes in the corner')}${this.check('grid', 'Grid', 'a floor under the scene', 'G')}
        ${this.check('box', 'Bounding box', 'box around what is drawn')}${this.check('pauseHidden', 'Pause when hidden', 'stop the animation while the page cannot be seen')}
        ${this.check('follow', 'Follow bodies', 'the camera goes along with what would fall out of the picture')}
      </div><label class="line"><span>Light</span><select aria-label="quality of light" @change=${(e: Event) => s.set({ quality: (e.target as HTMLSelectElement).value as 'auto' | 'full' | 'reduced' })}>
        ${[['auto', 'as fast as it can be'], ['full', 'shadows and occlusion'], ['reduced', 'without shadows']].map(([value, label]) => html`<option value=${value} ?selected=${s.settings.quality === value}>${label}</option>`)}</select></label>
      <label class="line"><span>X-rays</span><input class="mono" type="text" inputmode="decimal" aria-label="how fast bodies swallow X-rays" .value=${s.settings.xray > 0 ? number(s.settings.xray, 6) : ''} placeholder="off"
        @change=${(e: Event) => { const v = Number((e.target as HTMLInputElement).value); s.set({ xray: Number.isFinite(v) && v > 0 ? v : 0 }); }}><span class="muted">1/m, of closed bodies</span></label></section>
      ${this.cameraPart()}${this.colours()}
      <section aria-label="touch"><h3>Touch</h3><label class="line"><span>Spring</span><input class="mono" type="text" inputmode="decimal" .value=${s.settings.stiffness > 0 ? number(s.settings.stiffness, 6) : ''} placeholder="auto"
        @change=${(e: Event) => { const v = Number((e.target as HTMLInputElement).value); s.set({ stiffness: Number.isFinite(v) && v > 0 ? v : 0 }); }}><span class="muted">N/m, of the pulling spring</span></label></section>
      ${this.pictures()}`;
  }
}
customElements.define('divan-view-tab', ViewTab);
