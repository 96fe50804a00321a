// What the page knows of the simulation, and everything it asks of it. Parts of the page subscribe to topics.
import { Connection, RequestError } from './connection.ts';
import type {
  Drawable, Field, Frame, GraphNode, GraphObject, Group, Hello, Hit, Message, Missing, ObjectInfo, SceneInfo, Status, WatchItem,
} from './protocol.ts';
import { History } from './history.ts';
import { DEFAULT_GROUPS, loadSettings, storeSettings, type Settings } from './settings.ts';

export interface LogEntry extends Message { number: number; when: Date }
export interface Toast { text: string; advice: string; level: string; number: number }

const LOG_LIMIT = 2000, OBJECT_REFRESH = 400;

const EMPTY_STATUS: Status = {
  time: 0, step: 0, dt: 0, animating: false, realtime: false, factor: 1, rate: 0, rtf: 0, msPerStep: 0,
  graph: -1, scene: -1, editor: false, clients: 0,
};

export class Session extends History {
  connection: Connection;
  settings: Settings = loadSettings();
  status: Status = { ...EMPTY_STATUS };
  hello: Hello | null = null;
  everConnected = false;
  graph: GraphNode | null = null;
  nodes = new Map<string, GraphNode>();
  objects = new Map<string, GraphObject>();
  selection = '';
  object: ObjectInfo | null = null;
  objectProblem = '';
  log: LogEntry[] = [];
  unread = { warning: 0, error: 0 };
  toast: Toast | null = null;
  diverged = '';
  divergedAdvice = '';
  busy = '';
  missing: Missing[] = [];                     // what the graph has not

  onFrame: (frame: Frame) => void = () => {};
  onView: (view: any) => void = () => {};
  takeView: () => object = () => ({});
  onCame: (path: string) => void = () => {};     // a body was added

  private counter = 0;
  private graphAsked = -1;
  private sceneAsked = -1;
  private refreshTimer = 0;
  private extra: Group[] = [];
  private kept: Partial<Settings> = {};        // what was chosen before this scene came with flags or a view of its own
  private flags = '';                          // of the scene, as they were last taken over
  private following = new Set<Group>();        // groups of which only what the scene wants is shown
  private resumeWhenShown = false;
  private statsOn = false;
  card = false;                                // a procedure has one

  constructor(url: string) {
    super();
    this.connection = new Connection(url);
    this.connection.onOpen = () => this.begin();
    this.connection.onLost = () => { this.busy = ''; this.notify('connection'); };
    this.connection.onNews = (news) => this.receive(news);
    this.connection.onFrame = (frame) => this.onFrame(frame);
    document.addEventListener('visibilitychange', () => this.visibility());
  }

  protected now() { return this.status.time; }

  set(change: Partial<Settings>) {
    if (this.card && 'panel' in change) change = { ...change, besideCard: change.panel };
    Object.assign(this.settings, change);
    storeSettings({ ...this.settings, ...this.kept });
    this.notify('settings');
  }

  // Looks that come with a scene go with it: they are not remembered as the user's own.
  takeOver(change: Partial<Settings>) {
    for (const key of Object.keys(change) as (keyof Settings)[]) if (!(key in this.kept)) (this.kept as any)[key] = this.settings[key];
    this.set(change);
  }

  // A procedure has its card: the panel is as the user had it beside the last one, closed at first, and on a telephone.
  withCard(small: boolean) {
    this.card = false;
    this.takeOver({ panel: this.settings.besideCard && !small });
    this.card = true;
  }

  // It is gone: so is what became of the panel.
  withoutCard() {
    const { panel } = this.kept;
    this.card = false;
    delete this.kept.panel;
    if (panel !== undefined) this.set({ panel });
  }

  private giveBack() {
    this.card = false;
    Object.assign(this.settings, this.kept);
    this.kept = {};
    this.flags = '';
    this.following.clear();
  }

  // --- connection ---

  private key(value?: string): string | undefined {
    try {
      if (value !== undefined) sessionStorage.setItem('divan.key', value);
      return sessionStorage.getItem('divan.key') ?? undefined;
    } catch { return value; }
  }

  private async begin() {
    try {
      const key = this.hello?.key ?? this.key();
      this.log = [];                 // the messages come again
      const hello = await this.connection.request<Hello>('hello', key ? { key } : {});
      const first = !this.hello;
      this.hello = hello;
      if (hello.key) this.key(hello.key);
      this.everConnected = true;
      this.setStatus({ ...EMPTY_STATUS, ...hello.status, editor: hello.editor });
      document.title = `${hello.title || hello.scene || 'scene'} · Divan`;
      this.graphAsked = this.sceneAsked = -1;
      this.notify('connection');
      if (first && hello.view) this.onView(hello.view);
      await Promise.all([this.loadScene(), this.loadGraph()]);
      this.showGroups();
      if (this.statsOn) this.switchStats(true, true);
      if (this.watchItems.length) this.sendWatch();
      if (this.selection) this.loadObject();
    } catch (error) { this.fail(error); }
  }

  private setStatus(status: Partial<Status>) {
    this.status = { ...this.status, ...status };
    if (this.status.animating) { this.diverged = ''; }
    this.notify('status');
    if (this.hello && this.status.scene !== -1 && this.scene && this.status.scene !== this.scene.revision && this.sceneAsked !== this.status.scene) {
      this.sceneAsked = this.status.scene;
      this.loadScene().catch((e) => this.fail(e));
    }
    if (this.graph && this.status.graph !== -1 && this.graphAsked !== this.status.graph) {
      this.graphAsked = this.status.graph;
      this.loadGraph().catch((e) => this.fail(e));
    }
    this.refreshObject();
  }

  private receive(news: any) {
    if (news.is === 'status') { const { is: _, ...status } = news; this.setStatus({ pull: undefined, undo: undefined, labels: undefined, camera: undefined, viewports: undefined, player: undefined, recording: undefined, recorded: undefined, lastEdit: undefined, lastUndone: undefined, ...status }); }
    else if (news.is === 'message') this.addMessage(news);
    else if (news.is === 'forget') this.forgetMessages();
    else if (news.is === 'stats') this.addStats(news);
    else if (news.is === 'diverged') {
      this.diverged = news.text ?? 'the simulation diverged';
      this.divergedAdvice = news.advice ?? '';
      this.addMessage({ level: 'error', text: this.diverged, advice: news.advice });
      this.notify('status');
    }
  }

  addMessage(message: Message) {
    const last = this.log[this.log.length - 1];
    if (last && last.text === message.text && last.path === message.path && Date.now() - last.when.getTime() < 200) return;
    this.log.push({ ...message, number: this.counter++, when: new Date() });
    if (this.log.length > LOG_LIMIT) this.log.splice(0, LOG_LIMIT / 10);
    if (!this.settings.log && (message.level === 'warning' || message.level === 'error')) this.unread[message.level]++;
    this.notify('log');
  }

  // The scene is read again: what was said of it before counts no more.
  private forgetMessages() {
    this.log = this.log.filter((m) => m.level !== 'error' && m.level !== 'warning');
    this.unread = { warning: 0, error: 0 };
    this.notify('log');
  }

  busyWith(what: string) { this.busy = what; this.notify('connection'); }

  // The scene has another file now.
  renamed(file: string) {
    if (this.hello) this.hello = { ...this.hello, scene: file, title: file.split('/').pop() ?? file };
    document.title = `${this.hello?.title} · Divan`;
    this.notify('connection');
  }

  // Until the graph has a node or component; a program that has ended does not hold anybody up.
  whenGraph(path: string, patience = 15000): Promise<void> {
    if (this.nodes.has(path) || this.objects.has(path)) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(() => { leave(); done(); }, patience);
      const leave = this.on(['graph'], () => { if (this.nodes.has(path) || this.objects.has(path)) { clearTimeout(timer); leave(); done(); } });
      this.loadGraph().catch((e) => this.fail(e));
    });
  }

  fail(error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    if (text === 'not connected' || text === 'the connection was lost') return;
    const advice = error instanceof RequestError ? error.advice : '';
    this.say(text, advice ?? '', 'error');
    this.addMessage({ level: 'error', text, advice });
  }

  say(text: string, advice = '', level = 'info') {
    this.toast = { text, advice, level, number: this.counter++ };
    this.notify('toast');
  }

  get editor() { return this.connection.open && this.status.editor; }

  // Requests that change something; a watcher is told so here.
  async change<T = any>(verb: string, more: object = {}): Promise<T | null> {
    if (!this.connection.open) return null;
    if (!this.status.editor) { this.say('You are watching', 'Take over to change something.', 'warning'); return null; }
    try { return await this.connection.request<T>(verb, more); } catch (error) { this.fail(error); return null; }
  }

  async edit() {
    try {
      const answer = await this.connection.request<{ editor?: boolean }>('edit');
      if (answer.editor !== false) this.setStatus({ editor: true });
    } catch (error) { this.fail(error); }
  }

  // --- simulation ---

  animate(on = !this.status.animating) { this.resumeWhenShown = false; return this.change('animate', { on }); }
  step(count = 1) { return this.change('step', { count }); }
  async reset() { this.clearHistory(); this.diverged = ''; await this.change('reset'); this.notify('view'); }
  setDt(value: number) { return this.change('dt', { value }); }
  realtime(on: boolean, factor = this.status.factor || 1) { return this.change('realtime', { on, factor }); }

  private async replace(verb: string, more: object, what: string) {
    this.busy = what;
    this.notify('connection');
    const answer = await this.change(verb, more);
    this.busy = '';
    this.notify('connection');
    if (!answer && !this.editor) return false;      // else there is a scene all the same, perhaps one that could not be started
    this.clearHistory();
    this.diverged = '';
    this.selection = '';
    this.object = null;
    this.watchItems = [];
    if (verb === 'open' || verb === 'drop') this.showAll();
    try {
      this.log = [];
      this.unread = { warning: 0, error: 0 };
      const hello = await this.connection.request<Hello>('hello', this.hello ? { key: this.hello.key } : {});
      this.hello = hello;
      const same = verb === 'reload' || verb === 'compat';      // what was chosen and the camera stay
      if (!same) this.giveBack();
      document.title = `${hello.title || hello.scene} · Divan`;
      this.setStatus(hello.status);
      await Promise.all([this.loadScene(), this.loadGraph()]);
      if (!same) this.onView(hello.view ?? null);
      this.showGroups();
    } catch (error) { this.fail(error); }
    this.notify('selection');
    this.notify('connection');
    return answer !== null;
  }

  reload() { return this.replace('reload', {}, 'Loading…'); }
  compat(sofa: boolean) { return this.replace('compat', { mode: sofa ? 'sofa' : 'none' }, sofa ? 'Loading as SOFA does it…' : 'Loading…'); }
  openFile(file: string) { return this.replace('open', { file }, `Opening ${file}…`); }
  runWithoutMissing() { return this.replace('skip-missing', { on: true }, 'Loading without what is missing…'); }
  drop(name: string, text: string) { return this.replace('drop', { name, text }, `Opening ${name}…`); }

  // A small picture of a scene, as an address; null where nobody made one.
  async thumbnail(file: string): Promise<string | null> {
    const answer = await this.connection.request<{ data: string | null }>('thumbnail', { file });
    return answer.data ? `data:image/png;base64,${answer.data}` : null;
  }

  async files(directory: string): Promise<{ name: string; directory: boolean }[]> {
    const answer = await this.connection.request<{ entries: { name: string; directory: boolean }[] }>('files', { directory });
    return answer.entries ?? [];
  }

  async saveView() {
    const answer = await this.change('save-view', { view: this.takeView() });
    if (answer) this.say('View saved next to the scene');
  }

  async dump() {
    const answer = await this.change<{ file: string }>('dump');
    if (answer) this.say(`State written to ${answer.file}`);
    return answer?.file ?? '';
  }

  private visibility() {
    if (!this.settings.pauseHidden) return;
    if (document.hidden) {
      if (this.editor && this.status.animating) { this.connection.tell('animate', { on: false }); this.resumeWhenShown = true; }
    } else if (this.resumeWhenShown) {
      this.resumeWhenShown = false;
      this.change('animate', { on: true });
    }
  }

  // --- what is drawn ---

  private async loadScene() {
    const scene = await this.connection.request<SceneInfo>('scene');
    this.scene = scene;
    this.sceneAsked = scene.revision;
    this.takeFlags();
    this.findExtra();
    this.notify('scene');
  }

  // Flags of the scene count when they are new; a stored view has the last word.
  private takeFlags() {
    const flags = this.scene?.flags, text = JSON.stringify(flags ?? null);
    if (!flags || text === this.flags) return;
    this.flags = text;
    if (this.hello?.view?.groups) return;
    this.following = new Set(this.scene!.drawables.map((d) => d.group));
    this.takeOver({ groups: [...flags.groups], wireframe: flags.wireframe, normals: flags.normals });
    this.showGroups();
  }

  // Hidden by the flags of its own node, until the user chooses for its group.
  hides(d: Drawable): boolean { return d.hidden === true && this.following.has(d.group); }

  setDefaultGroups() {
    const groups = this.scene?.flags?.groups;
    this.setGroups([...(groups ?? DEFAULT_GROUPS)]);
    if (groups) this.following = new Set(this.scene!.drawables.map((d) => d.group));
    this.notify('settings');
  }

  // A scene without anything in the groups that are shown would be an empty picture: others help out until the user chooses.
  private findExtra() {
    const drawn = (groups: Group[], enough = (_: Drawable) => true) => this.scene!.drawables.some((d) => groups.includes(d.group) && !this.hides(d) && enough(d));
    const before = this.extra.join();
    this.extra = [];
    if (!drawn(this.settings.groups, (d) => !!this.scene!.flags || d.group !== 'visual' || d.kind === 'triangles' || d.kind === 'spheres' || d.kind === 'boxes')) {   // points and lines alone are no body
      this.extra = (['forceFields', 'collision'] as Group[]).filter((g) => drawn([g]));
      if (drawn(['behavior'])) this.extra.push('behavior');
    }
    if (this.extra.join() !== before) { this.notify('settings'); if (this.scene) this.showGroups(); }
  }

  get groups(): Group[] { return [...this.settings.groups, ...this.extra.filter((g) => !this.settings.groups.includes(g))]; }

  showGroups() {
    this.connection.request('show', { groups: this.groups }).catch((e) => this.fail(e));
  }

  setGroup(group: Group, on: boolean) {
    const groups = this.groups.filter((g) => g !== group);
    this.extra = [];
    this.following.delete(group);
    if (on) groups.push(group);
    this.set({ groups });
    this.showGroups();
  }

  setGroups(groups: Group[]) { this.extra = []; this.following.clear(); this.set({ groups }); this.showGroups(); }

  // --- graph ---

  private async loadGraph() {
    const { graph, revision, missing } = await this.connection.request<{ graph: GraphNode; revision: number; missing?: Missing[] }>('graph');
    this.graph = graph;
    this.missing = missing ?? [];
    if (revision !== undefined) this.graphAsked = revision;
    this.nodes.clear();
    this.objects.clear();
    const visit = (node: GraphNode) => {
      this.nodes.set(node.path, node);
      for (const o of node.objects ?? []) this.objects.set(o.path, o);
      for (const child of node.nodes ?? []) visit(child);
    };
    if (graph) visit(graph);
    if (this.selection && !this.nodes.has(this.selection) && !this.objects.has(this.selection)) this.select('');
    this.notify('graph');
  }

  select(path: string) {
    if (path === this.selection) return;
    this.selection = path;
    this.object = null;
    this.objectProblem = '';
    this.notify('selection');
    this.notify('object');
    if (path) this.loadObject();
  }

  async loadObject() {
    const path = this.selection;
    try {
      const { object } = await this.connection.request<{ object: ObjectInfo }>('object', { path });
      if (path === this.selection) { this.object = object; this.objectProblem = ''; }
    } catch (error) {
      if (path === this.selection) { this.object = null; this.objectProblem = error instanceof Error ? error.message : String(error); }
    }
    this.notify('object');
  }

  // Values of the open form follow the simulation, a few times a second.
  private refreshObject() {
    if (this.refreshTimer || !this.object || document.hidden) return;
    this.refreshTimer = window.setTimeout(() => {
      this.refreshTimer = 0;
      if (this.object && this.settings.panel && this.settings.tab === 'graph' && this.connection.open) this.loadObject();
    }, OBJECT_REFRESH);
  }

  async wholeField(path: string, field: string): Promise<string> {
    const { text } = await this.connection.request<{ text: string }>('field', { path, field });
    return text;
  }

  async setField(path: string, field: Field, text: string): Promise<boolean> {
    const answer = await this.change<{ object?: ObjectInfo }>('set', { path, field: field.name, text });
    if (answer?.object && this.selection === path) { this.object = answer.object; this.notify('object'); }
    return answer !== null;
  }

  activate(path: string, on: boolean) { return this.change('activate', { path, on }); }

  async remove(path: string) {
    if (await this.change('remove', { path }) && (this.selection === path || this.selection.startsWith(path + '/'))) this.select('');
  }

  async saveNode(path: string, file: string) {
    const answer = await this.change('save-node', { path, file });
    if (answer) this.say(`${path} written to ${answer.file ?? file}`);
  }

  async addNode(path: string, file: string) {
    const answer = await this.change('add-node', { path, file });
    if (answer) this.say(`${file} added below ${path}`);
    return answer !== null;
  }

  // --- stats ---

  // The tab asks for them while it is open; watched values need them too.
  switchStats(on: boolean, again = false) {
    if (on === this.statsOn && !again) return;
    this.statsOn = on;
    this.sendStats();
  }

  sendStats() {
    const on = this.statsOn || this.watchItems.length > 0;
    this.connection.request('stats', { on, fine: on && this.settings.fine }).catch((e) => this.fail(e));
  }

  setWatch(items: WatchItem[]) {
    this.watchItems = items;
    this.watch = { time: [], values: items.map(() => []) };
    this.sendWatch();
    this.notify('stats');
  }

  addWatch(item: WatchItem) {
    if (this.watchItems.some((w) => w.path === item.path && w.field === item.field && w.index === item.index)) return;
    this.setWatch([...this.watchItems, item]);
    this.say(`Watching ${item.field}[${item.index}]`, 'The curve is in the Stats tab.');
  }

  private sendWatch() {
    this.connection.request('watch', { items: this.watchItems }).catch((e) => this.fail(e));
    this.sendStats();
  }

  // --- touch ---

  grab(origin: number[], direction: number[]): Promise<{ hit: Hit | null } | null> {
    const stiffness = this.settings.stiffness;
    return this.change('grab', { origin, direction, ...(stiffness > 0 ? { stiffness } : {}) });
  }
  // What is under a ray, without touching it.
  // Rays are six numbers each: origin and direction.
  tool(tool: string, rays: number[][], more: { size?: number; spread?: number; goesOn?: boolean } = {}): Promise<{ text?: string; changed: number; pieces: number } | null> {
    return this.change('tool', { tool, rays, ...more });
  }

  async undo() {
    const answer = await this.change<{ text?: string }>('undo');
    if (answer) { this.diverged = ''; this.notify('status'); this.say(`Undone: ${answer.text ?? ''}`); }
  }

  probe(origin: number[], direction: number[]): Promise<{ hit: Hit | null }> { return this.connection.request('probe', { origin, direction }); }

  // Three curves: where the point goes.
  plotPoint(hit: { path: string; index: number; width?: number }) {
    const width = hit.width ?? 3, items = [0, 1, 2].filter((k) => k < width).map((k) => ({ path: hit.path, field: 'position', index: width * hit.index + k }));
    const fresh = items.filter((i) => !this.watchItems.some((w) => w.path === i.path && w.field === i.field && w.index === i.index));
    this.setWatch([...this.watchItems, ...fresh].slice(-12));
    this.say(`Plotting point ${hit.index} of ${hit.path}`, 'The curves are in the Stats tab.');
    this.set({ tab: 'stats', panel: true });
  }

  pull(to: number[]) { if (this.editor) this.connection.tell('pull', { to }); }
  release() { if (this.editor) this.connection.request('release').catch((e) => this.fail(e)); }
  fix(origin: number[], direction: number[]): Promise<{ fixed: boolean | null; point?: number[] } | null> {
    return this.change('fix', { origin, direction });
  }
  mouseEvent(button: string, down: boolean, x: number, y: number, wheel = 0) { if (this.editor) this.connection.tell('mouse', { button, down, x: Math.round(x), y: Math.round(y), wheel }); }
  // `way`: how far a key leads a hand at most (m), 0 until it is released
  keyEvent(key: number, down: boolean, way = 0) { if (this.editor) this.connection.tell('key', way > 0 ? { key, down, way } : { key, down }); }
}
