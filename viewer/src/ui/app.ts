// The page: toolbar, picture, panel with tabs, messages, status line.
import { css, html, nothing } from 'lit';
import { Stage } from '../view/stage.ts';
import { Touch } from '../view/touch.ts';
import type { Dialogs } from './dialogs.ts';
import './dialogs.ts';
import type { GraphTab } from './graph-tab.ts';
import './graph-tab.ts';
import { icon } from './icons.ts';
import './legends.ts';
import './procedure.ts';
import './log.ts';
import { type Menu } from './menu.ts';
import './menu.ts';
import { number, page, Part } from './part.ts';
import { Player } from './player.ts';
import './stats-tab.ts';
import { shared } from './styles.ts';
import type { Toolbar } from './toolbar.ts';
import './toolbar.ts';
import './timeline.ts';
import './tools.ts';
import { TOOLS } from '../view/tools.ts';
import './trouble.ts';
import './view-tab.ts';
import type { BuildTab } from './build-tab.ts';
import './build-tab.ts';
import { isMesh } from '../modeler.ts';
import { HANDLES } from '../view/handles.ts';

const TABS = [['graph', 'Graph'], ['view', 'View'], ['stats', 'Stats'], ['build', 'Build']];
const DROP_LIMIT = 3.9e6;

export class App extends Part {
  static override styles = [shared, css`
    :host { display: grid; grid-template: auto minmax(0, 1fr) auto auto / minmax(0, 1fr) auto; height: 100%; background: var(--bg); }
    divan-toolbar { grid-area: 1 / 1 / 2 / 3; }
    .stage { grid-area: 2 / 1; position: relative; min-width: 0; min-height: 0; overflow: hidden; display: flex; flex-direction: column; justify-content: center; align-items: center; }
    .picture { position: relative; width: 100%; flex: 1 1 0; min-height: 0; touch-action: none; outline: none; cursor: grab; user-select: none; -webkit-user-select: none; }
    .picture:active { cursor: grabbing; }
    .picture.pulling, .picture.tool { cursor: crosshair; }
    .picture:focus-visible::after { content: ''; position: absolute; inset: 3px; border: 2px solid var(--accent); border-radius: 6px; pointer-events: none; }
    canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
    canvas.over { pointer-events: none; }
    .panel { grid-area: 2 / 2 / 4 / 3; display: flex; min-height: 0; background: var(--panel); }
    .edge { width: 5px; flex: none; cursor: col-resize; border-left: 1px solid var(--line); touch-action: none; }
    .inside { flex: 1; display: flex; flex-direction: column; min-width: 0; min-height: 0; }
    .tabs { display: flex; gap: 2px; padding: 0 8px; border-bottom: 1px solid var(--line); flex: none; }
    .tabs button { min-height: 34px; padding: 0 12px; border-radius: 0; border-bottom: 2px solid transparent; color: var(--muted); font-weight: 500; }
    .tabs button[aria-selected=true] { color: var(--text); border-bottom-color: var(--accent); }
    .tabs button:focus-visible { outline-offset: -3px; border-radius: 6px; }
    .content { flex: 1; min-height: 0; }
    .below { grid-area: 3 / 1; min-width: 0; display: flex; flex-direction: column; }
    .status { grid-area: 4 / 1 / 5 / 3; display: flex; align-items: center; gap: 14px; height: 26px; padding: 0 10px; background: var(--panel); border-top: 1px solid var(--line);
      color: var(--muted); white-space: nowrap; overflow: hidden; font-size: 11.5px; }
    .status b { color: var(--text); font-weight: 500; }
    .status button { min-height: 20px; padding: 0 6px; font-size: 11.5px; }
    .light { width: 7px; height: 7px; border-radius: 50%; background: var(--good); flex: none; }
    .light.off { background: var(--bad); } .light.idle { background: var(--faint); }
    .over-top { position: absolute; left: 0; right: 0; top: 10px; display: flex; flex-direction: column; align-items: center; gap: 6px; pointer-events: none; z-index: 3; }
    .banner { display: flex; align-items: center; gap: 10px; max-width: calc(100% - 24px); padding: 7px 12px; border-radius: 8px; background: var(--raised); border: 1px solid var(--line); box-shadow: var(--shadow); pointer-events: auto; }
    .banner .words { overflow-wrap: anywhere; } .banner .words span { display: block; color: var(--muted); } .banner button { flex: none; }
    .banner.bad { border-color: var(--bad); } .banner.warn { border-color: var(--warn); }
    .badge { padding: 2px 9px; border-radius: 10px; background: var(--warn-soft); color: var(--warn); font-weight: 600; font-size: 11.5px; }
    .spin { width: 13px; height: 13px; border: 2px solid var(--line-strong); border-top-color: var(--accent); border-radius: 50%; animation: spin .8s linear infinite; }
    @keyframes spin { to { transform: rotate(1turn); } }
    .toast { position: absolute; left: 50%; bottom: 18px; transform: translateX(-50%); z-index: 4; max-width: calc(100% - 24px); padding: 7px 13px; border-radius: 8px; background: var(--text); color: var(--bg); box-shadow: var(--shadow); }
    .toast.error { background: var(--bad); color: #fff; } .toast span { opacity: .8; }
    .dropzone { position: absolute; inset: 10px; z-index: 6; display: grid; place-items: center; border: 2px dashed var(--accent); border-radius: 12px; background: color-mix(in srgb, var(--accent-soft) 85%, transparent); color: var(--accent); font-weight: 600; pointer-events: none; }
    .hint { position: absolute; left: 12px; top: 10px; padding: 3px 9px; border-radius: 7px; background: color-mix(in srgb, var(--panel) 85%, transparent); color: var(--muted); pointer-events: none; }
    @media (pointer: coarse) { .mouse { display: none; } }
    @media (max-width: 720px) { #tool-hint { left: 64px; } }      /* beside the bar of tools */
    .start { position: absolute; inset: 0; margin: auto; width: min(420px, calc(100% - 24px)); height: fit-content; padding: 18px 20px; border-radius: 12px; background: var(--raised); border: 1px solid var(--line); box-shadow: var(--shadow); z-index: 2; }
    .start h2 { margin: 0 0 4px; font-size: 15px; } .start p { margin: 0 0 10px; color: var(--muted); } .choices { display: flex; flex-wrap: wrap; gap: 6px; }
    @media (max-height: 480px) { .over-top:has(~ divan-procedure[shown]) { right: 52%; } .stage { flex-direction: row; } .picture { width: auto; min-width: 0; align-self: stretch; } }
    @media (max-width: 720px) {
      :host { grid-template: auto minmax(160px, 1fr) auto auto auto / minmax(0, 1fr); }
      divan-toolbar { grid-area: 1 / 1; }
      .panel { grid-area: 4 / 1; width: auto !important; height: 46vh; border-top: 1px solid var(--line); border-radius: 12px 12px 0 0; box-shadow: 0 -4px 16px rgba(0, 0, 0, .08); }
      .edge { display: none; }
      .status { grid-area: 5 / 1; gap: 9px; font-size: 11px; } .status .wide { display: none; }
      .tabs { justify-content: center; } .tabs button { flex: 1; min-height: 40px; }
    }
  `];
  protected override topics = ['connection', 'status', 'settings', 'toast', 'log', 'touch', 'build', 'graph'] as any;
  private get player() { return new Player(this.session); }
  private dropping = 0;
  private toastShown = -1;
  private toastTimer = 0;
  private media = matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    super();
    this.media.addEventListener('change', () => this.theme());
    window.addEventListener('keydown', (e) => this.key(e));
    window.addEventListener('dragenter', (e) => { if (e.dataTransfer?.types.includes('Files')) { this.dropping++; this.requestUpdate(); } });
    window.addEventListener('dragleave', () => { this.dropping = Math.max(0, this.dropping - 1); this.requestUpdate(); });
    window.addEventListener('dragover', (e) => e.preventDefault());
    window.addEventListener('drop', (e) => this.drop(e));
    this.addEventListener('picked', (e) => this.find<Menu>('divan-menu')?.show((e as CustomEvent).detail));
    this.addEventListener('pointed', (e) => this.pointed((e as CustomEvent).detail));
    this.addEventListener('ask', (e) => this.ask((e as CustomEvent).detail));
  }

  private theme() {
    const { theme } = this.session.settings, dark = theme === 'dark' || (theme === 'auto' && this.media.matches);
    const name = dark ? 'dark' : 'light';
    if (document.documentElement.dataset.theme !== name || !page.stage || page.stage.dark !== dark) { document.documentElement.dataset.theme = name; page.stage?.setTheme(dark); }
  }

  override firstUpdated() {
    this.theme();
    const picture = this.find<HTMLElement>('.picture'), query = new URLSearchParams(location.search);
    const ratio = Number(query.get('ratio')) || Math.min(2, devicePixelRatio || 1);
    try { page.stage = new Stage(this.session, this.find('canvas.gl'), this.find('canvas.over'), query.get('antialias') !== '0', query.get('quality')); } catch (error) {
      console.error(error);
      this.session.say('This browser gives no WebGL2', 'The graph and the statistics work without it.', 'error');
      return;
    }
    page.touch = new Touch(this.session, page.stage, picture, page.modeler);
    page.stage.setTheme(document.documentElement.dataset.theme === 'dark');
    const fit = () => page.stage.resize(picture.clientWidth, picture.clientHeight, this.session.settings.fixedSize ? this.session.settings.pictureWidth / Math.max(1, picture.clientWidth) : ratio);
    new ResizeObserver(fit).observe(picture);
    fit();
    this.requestUpdate();
    this.session.connection.connect();
  }

  override updated() {
    this.theme();
    const toast = this.session.toast;
    if (toast && toast.number !== this.toastShown) {
      this.toastShown = toast.number;
      clearTimeout(this.toastTimer);
      this.toastTimer = window.setTimeout(() => { this.session.toast = null; this.requestUpdate(); }, toast.level === 'error' ? 7000 : 3500);
    }
    this.fixSize();
  }

  // A fixed picture is scaled down to fit on the page.
  private fixSize() {
    const box = this.find<HTMLElement>('.stage'), picture = this.find<HTMLElement>('.picture'), s = this.session.settings;
    picture.style.flex = s.fixedSize ? 'none' : '';
    if (!s.fixedSize) { picture.style.width = picture.style.height = ''; return; }
    const card = this.find<HTMLElement>('divan-procedure'), beside = getComputedStyle(box).flexDirection === 'row';
    const scale = Math.min(1, (box.clientWidth - (beside ? card.offsetWidth : 0)) / s.pictureWidth, (box.clientHeight - (beside ? 0 : card.offsetHeight)) / s.pictureHeight);
    const width = `${Math.floor(s.pictureWidth * scale)}px`, height = `${Math.floor(s.pictureHeight * scale)}px`;
    if (picture.style.width !== width || picture.style.height !== height) { picture.style.width = width; picture.style.height = height; }
  }

  private dialogs() { return this.find<Dialogs>('divan-dialogs'); }

  private ask(what: string) {
    if (what === 'help') this.dialogs().help();
    if (what === 'open') this.dialogs().open('Open a scene', false, (file) => this.session.openFile(file));
  }

  private async drop(e: DragEvent) {
    e.preventDefault();
    this.dropping = 0;
    this.requestUpdate();
    const file = e.dataTransfer?.files[0], dragged = this.modeler.dragged;
    this.modeler.dragged = '';
    if (!file && dragged.startsWith('preset:')) this.modeler.addPreset(dragged.slice(7));
    if (!file) return;
    if (isMesh(file.name)) { if (this.modeler.possible) this.dialogs().mesh(file); else this.session.say('This scene cannot be edited', '', 'warning'); return; }
    if (/\.divr$/i.test(file.name)) { this.session.say('A recording is opened where it is', 'Use the folder button, or start divan view with the file.', 'warning'); return; }
    if (/\.(usd[acz]?|gltf|glb|fbx|dae)$/i.test(file.name)) { this.session.say(`${file.name} cannot be opened`, 'Divan writes .usda, .gltf and .glb and does not read them. A mesh (.obj, .stl, .vtk, .msh) becomes a body, a robot (.urdf) a scene.', 'warning'); return; }
    if (file.size > DROP_LIMIT) { this.session.say(`${file.name} is too large`, 'A dropped scene may have 4 MB; start divan view with the file instead.', 'error'); return; }
    this.session.drop(file.name, await file.text());
  }

  private async tab(name: string) {
    this.session.set({ tab: name, panel: true });
    await this.updateComplete;
    this.find<HTMLElement>(`#tab-${name}`)?.focus();
  }

  // A link is being made: what was pointed at is its other end.
  private async pointed(path: string) {
    const linking = this.modeler.linking;
    if (!linking) return;
    if (linking.whole || this.session.nodes.has(path)) { this.modeler.link(path); return; }
    try {
      const { object } = await this.session.connection.request<{ object: { fields: { name: string; type: string }[] } }>('object', { path });
      const wanted = this.session.object?.fields.find((f) => f.name === linking.field)?.type ?? '';
      const same = object.fields.filter((f) => f.type === wanted).map((f) => f.name), all = object.fields.map((f) => f.name);
      const fields = [...new Set([...all.filter((f) => f === linking.field), ...same, ...all])];
      this.dialogs().field(`${linking.field} = @${path}.…`, fields, (field) => this.modeler.link(path, field));
    } catch (error) { this.session.fail(error); }
  }

  async save() { await this.tab('build'); await this.updateComplete; this.find<BuildTab>('divan-build-tab')?.save(); }

  private async search() {
    this.session.set({ tab: 'graph', panel: true });
    await this.updateComplete;
    await new Promise((done) => setTimeout(done, 0));
    this.find<GraphTab>('divan-graph-tab')?.search();
  }

  private key(e: KeyboardEvent) {
    const target = e.composedPath()[0] as HTMLElement;
    if (this.dialogs()?.isOpen || e.altKey || e.metaKey || e.defaultPrevented) return;
    if (e.ctrlKey && this.session.editor && !/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
      const key = e.key.toLowerCase(), act = key === 's' ? () => this.save() : key === 'y' || (key === 'z' && e.shiftKey) ? () => this.modeler.redo() : key === 'z' ? () => this.modeler.undo() : null;
      if (act) { e.preventDefault(); act(); return; }
    }
    if (e.ctrlKey) { if (e.key === 'o' && !e.shiftKey && target !== this.find('.picture')) { e.preventDefault(); if (this.session.editor) this.ask('open'); } return; }
    const leaves = e.key === 'Escape' && !(target instanceof HTMLInputElement && target.type === 'search' && target.value !== '');      // a search is cleared first
    if (!leaves && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !(target instanceof HTMLInputElement && ['checkbox', 'range'].includes(target.type) && e.key !== ' ')) return;
    if (e.key === ' ' && (target.tagName === 'BUTTON' || target.tagName === 'SUMMARY' || target.getAttribute('role') === 'tree')) return;
    const action = this.actions()[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (action && !(e.repeat && !['n', ',', '.'].includes(e.key))) { e.preventDefault(); action(); }
  }

  // What keys do, anywhere but in text that is typed. The page of shortcuts lists them all.
  actions(): Record<string, () => void> {
    const s = this.session, set = s.settings, act = s.editor;
    const actions: Record<string, () => void> = {
      ' ': () => act && (s.status.player?.on ? this.player.toggle() : s.animate()), y: () => act && this.player.record(), ',': () => act && this.player.step(-1), '.': () => act && this.player.step(1), n: () => act && s.step(), r: () => act && s.reset(), Home: () => page.stage.resetView(), z: () => page.stage.fit(true),
      o: () => s.set({ ortho: !set.ortho }), w: () => s.set({ wireframe: !set.wireframe }), g: () => s.set({ grid: !set.grid }), i: () => s.set({ indices: !set.indices }),
      p: () => this.find<Toolbar>('divan-toolbar').savePicture(), 1: () => this.tab('graph'), 2: () => this.tab('view'), 3: () => this.tab('stats'), 4: () => this.tab('build'), '/': () => this.search(),
      b: () => s.set({ panel: !set.panel }), l: () => this.toggleLog(), d: () => s.set({ theme: page.stage.dark ? 'light' : 'dark' }), '?': () => this.ask('help'),
      t: () => page.touch.enter(), u: () => act && page.touch.tools.undo(), Escape: () => this.escape(),
      a: () => act && page.touch.area.next(), '[': () => page.touch.tools.resize(-1), ']': () => page.touch.tools.resize(1),
    };
    for (const h of HANDLES) actions[h.key.toLowerCase()] = () => act && page.touch.handles.take(h.name);
    for (const t of TOOLS) actions[t.key.toLowerCase()] = () => act && page.touch.tools.take(t.name);
    return actions;
  }

  // Puts down what is in the hand; with nothing in it, the keys go to the picture.
  private escape() {
    const t = page.touch, busy = t.tools.current || t.handles.current || t.area.current || this.modeler.linking;
    t.tools.take(null); t.handles.take(null); t.area.take(null); this.modeler.endLink();
    if (!busy) this.find<HTMLElement>('.picture').focus();
  }

  private toggleLog() {
    this.session.unread = { warning: 0, error: 0 };
    this.session.set({ log: !this.session.settings.log });
  }

  private tabKey(e: KeyboardEvent) {
    const i = TABS.findIndex(([name]) => name === this.session.settings.tab);
    if (e.key === 'ArrowRight') this.tab(TABS[(i + 1) % TABS.length][0]);
    else if (e.key === 'ArrowLeft') this.tab(TABS[(i + TABS.length - 1) % TABS.length][0]);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private dragEdge(e: PointerEvent) {
    const edge = e.currentTarget as HTMLElement;
    edge.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => this.width(innerWidth - m.clientX);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('pointerup', () => edge.removeEventListener('pointermove', move), { once: true });
  }

  private width(value: number) { this.session.set({ panelWidth: Math.round(Math.min(innerWidth * 0.6, Math.max(260, value))) }); }

  private banners() {
    const s = this.session;
    return html`<div class="over-top" role="status">
      ${!s.connection.open ? html`<div class="banner ${s.everConnected ? 'bad' : ''}" id="lost"><span class="spin"></span><span>${s.everConnected ? html`<b>Connection lost.</b> Trying again…` : 'Connecting…'}${s.connection.attempts > 6 ? ' Is divan view still running?' : ''}</span>
        <button class="small solid" @click=${() => s.connection.connect()}>Now</button></div>` : nothing}
      ${this.modeler.linking ? html`<div class="banner" id="linking">${icon('link')}<span>Point at what <b>${this.modeler.linking.field}</b> shall be linked to, in the graph or in the picture</span><button class="small solid" @click=${() => this.modeler.endLink()}>Cancel</button></div>` : nothing}
      ${s.busy ? html`<div class="banner"><span class="spin"></span>${s.busy}${this.modeler.filling ? html`<button class="small solid" id="stop-filling" @click=${() => this.modeler.stopFilling()}>Stop</button>` : nothing}</div>` : nothing}
      ${s.connection.open && s.hello && !s.status.editor && !s.card ? html`<div class="banner" id="watching"><span class="badge">watching</span><span class="muted">${s.status.clients > 1 ? 'Another page edits this scene.' : 'Nobody edits this scene.'}</span><button class="small solid" @click=${() => s.edit()}>Take over</button></div>` : nothing}
      ${s.diverged ? html`<div class="banner bad" id="diverged"><b>Diverged</b><div class="words">${s.diverged}${s.divergedAdvice ? html`<span>${s.divergedAdvice}</span>` : nothing}</div><button class="small solid" ?disabled=${!s.editor} @click=${() => s.reset()}>Reset</button></div>` : nothing}
    </div>`;
  }

  // A scene with nothing in it: where to begin.
  private empty() {
    const s = this.session, g = s.graph;
    if (!g || !s.hello || !s.status.editable || g.nodes.length || g.objects.length > 1 || s.busy) return nothing;
    this.modeler.loadLibrary();
    return html`<div class="start" id="empty"><h2>An empty scene</h2><p>Add a body, or drop a mesh or a scene file here.</p>
      <div class="choices">${this.modeler.presets.map((p) => html`<button class="solid" ?disabled=${!s.editor} title=${p.help} @click=${() => { s.set({ tab: 'build', panel: true }); this.modeler.addPreset(p.name); }}>${p.title}</button>`)}</div></div>`;
  }

  private statusLine() {
    const s = this.session, st = s.status, c = s.connection;
    const warnings = s.unread.warning, errors = s.unread.error;
    return html`<footer class="status"><span class="light ${!c.open ? 'off' : st.animating ? '' : 'idle'}" title=${c.open ? 'connected' : 'not connected'}></span>
      <span title="simulated time">t <b class="mono" id="time">${number(st.player?.on ? st.player.time : st.time, 6)}</b> s</span><span title="steps made"><span class="wide">step </span><b class="mono" id="step">${st.player?.on ? st.player.step : st.step}</b></span>
      ${st.msPerStep > 0 ? html`<span title="time of a step"><b class="mono">${number(st.msPerStep, 3)}</b> ms</span>` : nothing}
      ${st.animating && st.rate > 0 ? html`<span title="steps per second achieved"><b class="mono">${number(st.rate, 3)}</b> /s</span><span title="simulated over real time">×<b class="mono">${number(st.rtf, 3)}</b></span>` : st.animating || !c.open ? nothing : html`<span id="paused">paused</span>`}<span class="wide" title="pictures per second"><b class="mono">${page.stage?.rate ?? 0}</b> fps</span>
      <span class="grow"></span>
      ${st.clients > 1 ? html`<span class="wide"><b>${st.clients}</b> pages</span>` : nothing}
      <button class="${s.settings.log ? 'on' : ''}" title="Messages (L)" aria-pressed=${String(s.settings.log)} @click=${() => this.toggleLog()}>${icon('log')}<span class="wide">Messages</span>
        ${errors ? html`<span style="color:var(--bad)">${errors}</span>` : nothing}${warnings ? html`<span style="color:var(--warn)">${warnings}</span>` : nothing}</button></footer>`;
  }

  override render() {
    const s = this.session, set = s.settings, toast = s.toast;
    return html`<divan-toolbar role="toolbar" aria-label="simulation"></divan-toolbar>
      <main class="stage"><div class="picture ${page.touch?.tools.current || page.touch?.area.current ? 'tool' : page.touch?.touching || page.touch?.grabbed ? 'pulling' : ''}" tabindex="0" role="application" aria-label="3D view. Arrow keys turn, plus and minus zoom, T for a cursor that pulls."><canvas class="gl"></canvas><canvas class="over"></canvas>
        ${page.touch?.keyboard ? html`<div class="hint">arrows move · Enter ${page.touch.grabbed ? 'lets go' : 'grabs'} · F fixes · S selects · Esc</div>` : page.touch?.area.info ? html`<div class="hint" id="tool-hint">${page.touch.area.info.title}: ${page.touch.area.info.hint}<span class="mouse"> · Shift adds, Alt takes away · Esc</span></div>` : page.touch?.tools.info ? html`<div class="hint" id="tool-hint">${page.touch.tools.info.title}: ${page.touch.tools.info.hint}<span class="mouse"> · middle drag turns · Esc puts it down</span></div>` : nothing}</div>
        ${this.empty()}<divan-tools></divan-tools>
        ${s.connection.open && s.hello && s.status.ready === false && !s.busy && !s.status.player?.on ? html`<divan-trouble></divan-trouble>` : nothing}
        ${this.banners()}<divan-legends></divan-legends><divan-procedure></divan-procedure>
        ${toast ? html`<div class="toast ${toast.level}" role="alert">${toast.text} <span>${toast.advice}</span></div>` : nothing}
        ${this.dropping ? html`<div class="dropzone">Drop a scene file to open it, a mesh to make a body of it</div>` : nothing}</main>
      ${set.panel ? html`<aside class="panel" style="width:${set.panelWidth}px" aria-label="panel"><div class="edge" role="separator" tabindex="0" aria-orientation="vertical" aria-label="width of the panel" aria-valuenow=${set.panelWidth} @pointerdown=${this.dragEdge}
          @keydown=${(e: KeyboardEvent) => { if (e.key === 'ArrowLeft') this.width(set.panelWidth + 20); else if (e.key === 'ArrowRight') this.width(set.panelWidth - 20); }}></div>
        <div class="inside"><div class="tabs" role="tablist" aria-label="panel" @keydown=${this.tabKey}>${TABS.map(([name, label]) => html`<button role="tab" id="tab-${name}" aria-selected=${String(set.tab === name)} aria-controls="panel-content" tabindex=${set.tab === name ? 0 : -1} @click=${() => this.session.set({ tab: name })}>${label}</button>`)}</div>
          <div class="content scroll" id="panel-content" role="tabpanel" aria-labelledby="tab-${set.tab}">
            ${set.tab === 'view' ? html`<divan-view-tab></divan-view-tab>` : set.tab === 'stats' ? html`<divan-stats-tab></divan-stats-tab>` : set.tab === 'build' ? html`<divan-build-tab></divan-build-tab>` : html`<divan-graph-tab></divan-graph-tab>`}</div></div></aside>` : nothing}
      <div class="below"><divan-timeline></divan-timeline>${set.log ? html`<divan-log></divan-log>` : nothing}</div>
      ${this.statusLine()}<divan-dialogs></divan-dialogs><divan-menu></divan-menu>`;
  }
}
customElements.define('divan-app', App);
