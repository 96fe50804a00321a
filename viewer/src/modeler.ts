// Building the scene: everything that the page asks the program to change in the scene's text, what is being pointed at,
// and what of the picture is chosen.
import { RequestError } from './connection.ts';
import type { Field } from './protocol.ts';
import type { Session } from './session.ts';

export interface Component { name: string; role: string; help: string | null; aliases: string | null; example: string | null }
export interface Preset { name: string; title: string; help: string }
export interface ClassInfo { name: string; role: string; help: string | null; aliases: string | null; module: string | null; templates: string[]; fields: Field[] }
// What the pointer asks for: the field of a component that is to be linked.
export interface Linking { path: string; field: string; whole: boolean }
export interface Chosen { path: string; points: number[]; elements: number; kind: string | null; positions: number[] }

export type Filling = 'stuffing' | 'gmsh';  // who makes tetrahedra of a surface

const PART = 1 << 20;                       // bytes of a mesh in one message
const MESHES = /\.(obj|stl|off|vtk|vtu|msh|mesh|trian|xs3|gidmsh|inp|vol|ply)(\.gz)?$/i;
const LARGEST = 512 * 1024 * 1024;

export const isMesh = (name: string) => MESHES.test(name);

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8190) text += String.fromCharCode(...bytes.subarray(i, i + 8190));
  return btoa(text);
}

export class Modeler {
  components: Component[] = [];
  presets: Preset[] = [];
  opens = false;                            // examples can be opened in tabs
  gmsh = false;                             // the program is installed
  filling = '';                             // mesh that it is at work on
  linking: Linking | null = null;
  chosen: Chosen | null = null;
  dragged = '';                             // class or path that is being dragged
  private session: Session;
  private asked: Promise<void> | null = null;
  private where = 0;

  constructor(session: Session) {
    this.session = session;
    session.on(['status'], () => this.follow());
    session.on(['graph'], () => { if (this.chosen && !session.objects.has(this.chosen.path)) this.choose(null); });
  }

  get possible() { return this.session.editor && this.session.status.editable === true; }

  // Once; whoever asks while it comes waits for it.
  loadLibrary(): Promise<void> { return (this.asked ??= this.askLibrary()); }

  private async askLibrary() {
    try {
      const answer = await this.session.connection.request<{ components: Component[]; presets: Preset[]; opens: boolean; gmsh?: boolean }>('library');
      this.components = answer.components.sort((a, b) => a.name.localeCompare(b.name));
      this.presets = answer.presets;
      this.opens = answer.opens;
      this.gmsh = answer.gmsh === true;
    } catch (error) { this.asked = null; this.session.fail(error); }
    this.session.notify('build');
  }

  classInfo(name: string): Promise<ClassInfo> { return this.session.connection.request('class', { class: name }); }
  async exampleText(file: string): Promise<string> { return (await this.session.connection.request<{ text: string | null }>('example', { file })).text ?? ''; }

  // The tab must be opened by the click itself; it gets its address when the example runs.
  async openExample(file: string) {
    const tab = window.open('', '_blank');
    this.session.say(`Opening ${file}…`);
    try {
      const { address } = await this.session.connection.request<{ address: string }>('example', { file, open: true });
      if (tab) tab.location.href = address; else this.session.say('The browser let no tab open', address, 'warning');
      return address;
    } catch (error) { tab?.close(); this.session.fail(error); return ''; }
  }

  // --- changes ---

  private async change(verb: string, more: object): Promise<any> {
    if (this.session.status.editable === false) { this.session.say('This scene cannot be edited', 'It is not an XML file.', 'warning'); return null; }
    return this.session.change(verb, more);
  }

  // What came is selected as soon as the graph has it.
  private async added(answer: { path?: string } | null): Promise<string> {
    if (!answer?.path) return '';
    await this.session.whenGraph(answer.path);
    this.session.select(answer.path);
    return answer.path;
  }

  // Whoever adds a body wants to see it.
  private came(path: string) { if (path) this.session.onCame(path); return path; }

  async addPreset(name: string) { return this.came(await this.added(await this.change('add', { preset: name }))); }
  async addComponent(name: string, path: string, before = '') { return this.added(await this.change('add', { class: name, path, before })); }
  async addNode(path: string, name = 'Node', before = '') { return this.added(await this.change('add', { path, name, before })); }
  async paste(path: string, text: string) { return this.added(await this.change('add', { path, text })); }

  async remove(path: string) {
    if (!await this.change('take-out', { path })) return false;
    if (this.session.selection === path || this.session.selection.startsWith(path + '/')) this.session.select('');
    this.session.say(`${path} removed`, 'Ctrl+Z brings it back.');
    return true;
  }

  async move(path: string, to: string, before = '') { return this.added(await this.change('move', { path, to, before })); }
  async rename(path: string, name: string) { return this.added(await this.change('rename', { path, name })); }

  async setAttribute(path: string, field: string, text: string | null) {
    const answer = await this.change('attribute', { path, field, text });
    if (answer && this.session.selection === path) this.session.loadObject();
    return answer !== null;
  }

  async place(path: string, by: { translate?: number[]; turn?: number[]; scale?: number[]; pivot: number[] }): Promise<boolean> {
    const answer = await this.change('place', { path, ...by });
    if (answer?.left) this.session.say('Moved', `${answer.left} stays where it is.`, 'warning');
    return answer !== null;
  }

  async undo() {
    const s = this.session;
    if (!s.status.undo && !s.status.edits) { s.say('There is nothing to undo'); return; }
    await s.undo();
  }

  async redo() {
    if (!this.session.status.undone) { this.session.say('There is nothing to do again'); return; }
    const answer = await this.change('redo', {});
    if (answer) this.session.say(`Done again: ${answer.text ?? ''}`);
  }

  async copy(path: string): Promise<string> {
    try {
      const { text } = await this.session.connection.request<{ text: string }>('copy', { path });
      this.copied = text;
      try { await navigator.clipboard.writeText(text); } catch { /* kept in the page */ }
      this.session.say(`${path} copied`, 'Ctrl+V puts it into the selected node.');
      return text;
    } catch (error) { this.session.fail(error); return ''; }
  }
  private copied = '';

  async pasteInto(path: string) {
    let text = this.copied;
    try { text = (await navigator.clipboard.readText()) || text; } catch { /* not allowed: what was copied here */ }
    if (!text.trim().startsWith('<')) { this.session.say('Nothing to paste', 'Copy a node or a component first.', 'warning'); return; }
    await this.paste(this.nodeOf(path), text);
  }

  // Asks for a name where there is none; `exists` is told by the answer.
  async save(file = '', replace = false): Promise<'saved' | 'exists' | 'failed'> {
    if (!this.possible) { this.session.say('This scene cannot be saved here', '', 'warning'); return 'failed'; }
    try {
      const answer = await this.session.connection.request<{ file: string }>('save', { file, replace });
      this.session.renamed(answer.file);
      this.session.say(`Saved to ${answer.file}`);
      return 'saved';
    } catch (error) {
      if (error instanceof RequestError && /already/.test(error.message)) return 'exists';
      this.session.fail(error);
      return 'failed';
    }
  }

  async check() { await this.session.connection.request('check').catch((e) => this.session.fail(e)); }

  // --- meshes ---

  async dropMesh(file: File, as: 'soft' | 'obstacle', by: Filling = 'stuffing'): Promise<string> {
    if (file.size > LARGEST) { this.session.say(`${file.name} is too large`, 'A dropped mesh may have 512 MB; put it next to the scene and name it in a loader.', 'error'); return ''; }
    if (file.size === 0) { this.session.say(`${file.name} is empty`, '', 'error'); return ''; }
    let name = '';
    try {
      for (let at = 0; at < file.size; at += PART) {
        const bytes = new Uint8Array(await file.slice(at, at + PART).arrayBuffer());
        const answer = await this.change('mesh-part', { name: file.name, at, total: file.size, data: base64(bytes) });
        if (!answer) return '';
        this.session.busyWith(`${file.name}: ${Math.round((100 * Math.min(file.size, at + PART)) / file.size)} %`);
        name = answer.file ?? name;
      }
      const inside = as === 'soft' && by === 'gmsh' ? await this.fill(name) : '';
      if (inside === null) return '';
      this.session.busyWith('Making a body of it…');
      return this.came(await this.added(await this.change('add', { mesh: name, as, inside })));
    } finally { this.session.busyWith(''); }
  }

  // The file with tetrahedra that gmsh makes of a surface; '' when it has some already, null when there are none. The scene
  // runs meanwhile.
  private async fill(mesh: string): Promise<string | null> {
    this.filling = mesh;
    try {
      for (;;) {
        const answer = await this.change('fill', { mesh });
        if (!answer) return null;
        if (!answer.running) {
          if (answer.tetrahedra) this.session.say(`gmsh made ${answer.tetrahedra} tetrahedra`);
          return answer.file ?? '';
        }
        this.session.busyWith(`gmsh fills ${mesh}: ${Math.floor(answer.seconds)} s`);
        await new Promise((done) => setTimeout(done, 250));
        if (!this.filling) return null;
      }
    } finally { this.filling = ''; }
  }

  async stopFilling() {
    const mesh = this.filling;
    this.filling = '';
    if (mesh && await this.change('fill', { mesh, stop: true })) this.session.say('gmsh was stopped', `${mesh} stays next to the scene.`);
  }

  // --- links by pointing ---

  startLink(path: string, field: string, whole: boolean) { this.linking = { path, field, whole }; this.session.notify('build'); }
  endLink() { this.linking = null; this.session.notify('build'); }

  // The node that something stands in, or the node itself.
  nodeOf(path: string): string {
    if (this.session.nodes.has(path)) return path;
    return path.replace(/\/[^/]*$/, '') || '/';
  }

  // As one writes it: beside it by its name, else by the way up and down.
  relative(from: string, to: string): string {
    const a = this.nodeOf(from).split('/').filter(Boolean), b = to.split('/').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length - 1 && a[same] === b[same]) same++;
    return '@' + '../'.repeat(a.length - same) + b.slice(same).join('/');
  }

  async link(to: string, field = '') {
    const l = this.linking;
    if (!l) return;
    this.endLink();
    await this.setAttribute(l.path, l.field, this.relative(l.path, to) + (field ? `.${field}` : ''));
  }

  // --- what is chosen ---

  choose(chosen: Chosen | null) { this.chosen = chosen; this.session.notify('build'); }

  async use(as: 'fixed' | 'load' | 'springs' | 'region') {
    const c = this.chosen;
    if (!c) return '';
    const path = await this.added(await this.change('use', { path: c.path, as, points: c.points }));
    if (path) this.choose(null);
    return path;
  }

  // Chosen points go with their body.
  private follow() {
    const c = this.chosen;
    if (!c || !c.points.length || this.where || !this.session.status.animating) return;
    this.where = window.setTimeout(async () => {
      this.where = 0;
      if (this.chosen !== c) return;
      try { c.positions = (await this.session.connection.request<{ positions: number[] }>('where', { path: c.path, points: c.points })).positions; this.session.notify('build'); } catch { /* the scene went */ }
    }, 100);
  }
}
