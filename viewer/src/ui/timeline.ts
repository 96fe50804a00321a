// Under the picture: the moments of a recording, how it plays, curves of its numbers over time.
import { css, html, nothing } from 'lit';
import { icon } from './icons.ts';
import { baseName, download, number, page, Part } from './part.ts';
import { aligned, curveName, film, Player, SPEEDS, table, type CurveItem, type Curves, type Track } from './player.ts';
import './plot.ts';
import { shared } from './styles.ts';

interface Taken { name: string; url: string; type: string; blob: Blob }

export class Timeline extends Part {
  static override styles = [shared, css`
    :host { display: block; background: var(--panel); border-top: 1px solid var(--line); }
    :host([hidden]) { display: none; }
    .row { padding: 4px 10px; gap: 4px; flex-wrap: wrap; }
    .slide { flex: 1; min-width: 90px; margin: 0 6px; }
    .when { min-width: 130px; text-align: right; color: var(--muted); white-space: nowrap; }
    .when b { color: var(--text); font-weight: 500; }
    .dot { width: 10px; height: 10px; border-radius: 50%; background: var(--bad); }
    .recording .dot { animation: blink 1.2s steps(2) infinite; }
    @keyframes blink { 50% { opacity: .3; } }
    .curves { padding: 2px 10px 8px; border-top: 1px solid var(--line); }
    .plotbox { position: relative; }
    ul { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 4px 0; padding: 0; }
    li { display: flex; align-items: center; gap: 2px; padding: 0 2px 0 8px; border: 1px solid var(--line); border-radius: 11px; font-size: 11.5px; }
    select { max-width: 280px; } .row > select { padding: 2px 2px; } input.index { width: 62px; }
    .taken { display: flex; align-items: center; gap: 8px; padding: 3px 10px 6px; color: var(--muted); }
    .taken img, .taken video { height: 44px; border: 1px solid var(--line); border-radius: 4px; cursor: grab; }
    .back svg { transform: scaleX(-1); }
  `];
  protected override topics = ['connection', 'status', 'toast'] as any;
  private player = new Player(page.session);
  private open = false;
  private tracks: Track[] = [];
  private items: CurveItem[] = [];
  private files: Curves[] = [];
  private chosen = '';
  private index = 0;
  private source = '';         // of the curves that are shown
  private taken: Taken | null = null;
  private filming = false;

  // Another recording has other curves.
  override willUpdate() {
    this.hidden = !this.player.status && !this.player.recording;
    const p = this.player.status, source = p ? `${p.name} ${p.second ?? ''} ${p.frames} ${p.from} ${p.to}` : '';
    if (source === this.source) return;
    this.source = source;
    this.files = [];
    if (p && this.open) this.loadTracks();
  }

  private async loadTracks() {
    this.tracks = await this.player.tracks();
    if (!this.tracks.some((t) => this.key(t) === this.chosen)) this.chosen = this.tracks.length ? this.key(this.tracks[0]) : '';
    this.items = this.items.filter((i) => this.tracks.some((t) => t.path === i.path && t.field === i.field && i.index < t.count));
    await this.loadCurves();
  }

  private async loadCurves() {
    this.files = this.items.length ? await this.player.curves(this.items) : [];
    this.requestUpdate();
  }

  private key(t: { path: string; field: string }) { return `${t.path}.${t.field}`; }
  private track(i: { path: string; field: string }) { return this.tracks.find((t) => t.path === i.path && t.field === i.field); }

  private async toggleCurves() {
    this.open = !this.open;
    this.requestUpdate();
    if (this.open) await this.loadTracks();
  }

  private add() {
    const t = this.tracks.find((x) => this.key(x) === this.chosen);
    if (!t) return;
    const index = Math.min(this.index, Math.max(0, t.count - 1));
    if (this.items.some((i) => i.path === t.path && i.field === t.field && i.index === index) || this.items.length >= 12) return;
    this.items = [...this.items, { path: t.path, field: t.field, index }];
    this.loadCurves();
  }

  private drop(at: number) { this.items = this.items.filter((_, i) => i !== at); this.loadCurves(); }

  private csv() {
    const p = this.player.status;
    if (this.files.length) download(`${baseName(this.session)}-curves.csv`, table(this.items, this.files, [p?.name ?? '', p?.second ?? '']), 'text/csv');
  }

  // What was made can be dragged out of the page, as a file, or saved.
  private take(name: string, blob: Blob) {
    if (this.taken) URL.revokeObjectURL(this.taken.url);
    this.taken = { name, url: URL.createObjectURL(blob), type: blob.type.split(';')[0], blob };
    this.requestUpdate();
  }

  private async picture() {
    const o = page.stage.overlay;
    this.take(`${baseName(this.session)}-${String(this.player.status?.frame ?? this.session.status.step).padStart(5, '0')}.png`, await page.stage.picture(Math.round(o.width * o.ratio), Math.round(o.height * o.ratio)));
  }

  private async film() {
    this.filming = true;
    this.requestUpdate();
    try { this.take(`${baseName(this.session)}.webm`, await film(this.session, page.stage, this.player)); } catch (error) { this.session.fail(error); }
    this.filming = false;
    this.requestUpdate();
  }

  private dragOut(e: DragEvent) {
    const t = this.taken!;
    e.dataTransfer!.effectAllowed = 'copy';
    e.dataTransfer!.setData('DownloadURL', `${t.type}:${t.name}:${t.url}`);
    e.dataTransfer!.setData('text/uri-list', t.url);
    try { e.dataTransfer!.items.add(new File([t.blob], t.name, { type: t.type })); } catch { /* the address is enough */ }
  }

  // A line in the plot where the recording stands; a click there goes to that moment.
  override async updated() {
    const plot = this.find<HTMLElement & { updateComplete: Promise<boolean> }>('divan-plot');
    await plot?.updateComplete;
    const p = this.player.status, over = plot?.shadowRoot?.querySelector<HTMLElement>('.u-over');
    if (!over || !p || !this.files.length) return;
    const times = this.files[0].time, from = times[0], span = times[times.length - 1] - from;
    let line = over.querySelector<HTMLElement>('.now');
    if (!line) {
      line = document.createElement('div');
      line.className = 'now';
      line.style.cssText = 'position:absolute;top:0;bottom:0;width:1.5px;background:var(--accent);pointer-events:none';
      over.append(line);
      over.onclick = (e) => {
        const t = this.files[0]?.time, at = t && t[0] + ((e.clientX - over.getBoundingClientRect().left) / over.clientWidth) * (t[t.length - 1] - t[0]);
        if (t && at !== undefined) this.player.show(t.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(t[best] - at) ? i : best), 0));
      };
    }
    line.hidden = !p.on;
    line.style.left = `${span > 0 ? (100 * (p.time - from)) / span : 0}%`;
  }

  private button(name: string, title: string, action: () => unknown, more: { on?: boolean; off?: boolean; back?: boolean; keys?: string } = {}) {
    return html`<button class="icon small ${more.on ? 'on' : ''} ${more.back ? 'back' : ''}" title=${more.keys ? `${title} (${more.keys})` : title} aria-label=${title}
      aria-pressed=${more.on === undefined ? nothing : String(more.on)} ?disabled=${more.off ?? false} @click=${action}>${icon(name)}</button>`;
  }

  private controls() {
    const s = this.session, p = this.player.status!, off = !s.editor, forward = p.playing && p.speed > 0, backward = p.playing && p.speed < 0;
    return html`<div class="row" role="group" aria-label="recording">
      ${this.button('step', 'First frame', () => this.player.show(0), { off, back: true })}
      ${this.button(backward ? 'pause' : 'play', 'Play backward', () => this.player.run(-1), { off, back: true, on: backward })}
      ${this.button(forward ? 'pause' : 'play', 'Play', () => this.player.run(1), { off, on: forward, keys: 'Space' })}
      ${this.button('step', 'Last frame', () => this.player.show(p.frames - 1), { off })}
      <input class="slide" type="range" min="0" max=${p.frames - 1} step="1" aria-label="frame" ?disabled=${off} .value=${String(p.frame)}
        @input=${(e: Event) => this.player.show(Number((e.target as HTMLInputElement).value))}>
      <span class="when mono" id="frame-time">${p.on ? html`<b id="frame">${p.frame}</b> of ${p.frames - 1} · <b>${number(p.time, 5)}</b> s` : html`${p.frames} frames`}</span>
      <select aria-label="speed" title="seconds of the recording in a second" ?disabled=${off} @change=${(e: Event) => this.player.speed(Number((e.target as HTMLSelectElement).value))}>
        ${SPEEDS.map((v) => html`<option value=${v} ?selected=${v === Math.abs(p.speed)}>× ${v}</option>`)}</select>
      ${this.button('reload', 'Again from the start at the end', () => this.player.loop(!p.loop), { off, on: p.loop })}
      ${p.second ? html`<select aria-label="two recordings" ?disabled=${off} @change=${(e: Event) => this.player.together((e.target as HTMLSelectElement).value as any)}>
        ${([['beside', 'side by side'], ['over', 'one over the other']] as const).map(([v, t]) => html`<option value=${v} ?selected=${v === p.together}>${t}</option>`)}</select>` : nothing}
      ${p.on ? html`<button class="small solid" id="resume" title="the simulation goes on from this frame" ?disabled=${off || s.status.ready === false} @click=${() => this.player.resume()}>Resume here</button>
        <button class="small" id="live" title="leave the recording" ?disabled=${off || s.status.ready === false} @click=${() => this.player.live()}>Live</button>` : nothing}
      ${this.button('plot', 'Curves over time', () => this.toggleCurves(), { on: this.open })}
      ${this.button('camera', 'Picture to drag out of the page', () => this.picture())}
      ${this.button('picture', this.filming ? 'Filming…' : 'Film of the recording to drag out of the page', () => this.film(), { off: off || this.filming })}
      ${this.button('save', 'Save the recording next to the scene', () => this.player.save(`${baseName(s)}-recorded.divr`), { off })}</div>`;
  }

  private curves() {
    const p = this.player.status!, two = this.files.length > 1;
    const labels = [...this.items.map((i) => curveName(i, this.track(i)) + (two ? ` (${p.name})` : '')), ...(two ? this.items.map((i) => `${curveName(i, this.track(i))} (${p.second})`) : [])];
    return html`<div class="curves"><div class="row" style="padding:4px 0">
        <select aria-label="field" @change=${(e: Event) => { this.chosen = (e.target as HTMLSelectElement).value; this.requestUpdate(); }}>
          ${this.tracks.map((t) => html`<option value=${this.key(t)} ?selected=${this.key(t) === this.chosen}>${this.key(t)}${t.unit ? ` (${t.unit})` : ''}</option>`)}</select>
        <label class="row muted" style="padding:0">number <input class="index mono" type="text" inputmode="numeric" aria-label="number of the value" .value=${String(this.index)}
          @change=${(e: Event) => { const v = Math.round(Number((e.target as HTMLInputElement).value)); this.index = v >= 0 ? v : 0; this.requestUpdate(); }}></label>
        <button class="small solid" id="add-curve" ?disabled=${!this.chosen} @click=${() => this.add()}>${icon('plus')} Curve</button>
        <span class="grow"></span><button class="small" id="curves-csv" ?disabled=${!this.files.length} @click=${() => this.csv()}>${icon('download')} CSV</button></div>
      ${this.items.length ? html`<ul>${this.items.map((i, k) => html`<li>${curveName(i, this.track(i))}<button class="small icon" aria-label="remove the curve ${curveName(i)}" @click=${() => this.drop(k)}>${icon('close')}</button></li>`)}</ul>` : nothing}
      ${this.files.length ? html`<divan-plot .data=${aligned(this.files)} .labels=${labels} .height=${130}></divan-plot>` : html`<p class="muted">Choose a field and the number of a value in it: coordinates count x, y, z of point 0, then of point 1.</p>`}</div>`;
  }

  override render() {
    const s = this.session, st = s.status;
    if (st.recording !== undefined)
      return html`<div class="row recording" role="status"><span class="dot"></span><b id="recorded">${st.recording}</b> frames recorded<span class="muted mono">${number((st.recorded ?? 0) / 1e6, 3)} MB</span><span class="grow"></span>
        <button class="small solid" id="stop-recording" ?disabled=${!s.editor} @click=${() => this.player.record(false)}>Stop</button></div>`;
    if (!st.player) return nothing;
    return html`${this.controls()}${this.open ? this.curves() : nothing}
      ${this.taken ? html`<div class="taken">${this.taken.type === 'image/png' ? html`<img src=${this.taken.url} alt=${this.taken.name} draggable="true" @dragstart=${this.dragOut}>` : html`<video src=${this.taken.url} draggable="true" muted @dragstart=${this.dragOut}></video>`}
        <span>Drag it to where it is wanted, or</span><button class="small solid" @click=${() => download(this.taken!.name, this.taken!.blob)}>save ${this.taken.name}</button>
        <button class="small icon" aria-label="Close" @click=${() => { URL.revokeObjectURL(this.taken!.url); this.taken = null; this.requestUpdate(); }}>${icon('close')}</button></div>` : nothing}`;
  }
}
customElements.define('divan-timeline', Timeline);
