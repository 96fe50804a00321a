// The 3D picture: shapes of the scene, light, grid, camera. Draws only when something changed.
import {
  Box3, Box3Helper, Color, LineBasicMaterial, PerspectiveCamera, Plane, Quaternion,
  Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import type { Frame, Material } from '../protocol.ts';
import type { Session } from '../session.ts';
import { Arrays } from './arrays.ts';
import { OrbitCamera, type Pose } from './camera.ts';
import { GROUPS, mapStops, sceneMap } from './colours.ts';
import { Follower } from './follower.ts';
import { Overlay, type SpringLine } from './overlay.ts';
import { pick, type Picked } from './pick.ts';
import { axisLength, boxSize } from './frames.ts';
import { Post } from './post.ts';
import { compile, complain, Program, type Compiled } from './program.ts';
import { forgetPictures, texturesCome, texturesComing, type Look, type Shape } from './shape.ts';
import { makeShape } from './shapes.ts';
import { studio, type Level } from './studio.ts';
import { Surroundings } from './surroundings.ts';

const MARK_ROOM = 20;             // pixels around a mark that stay free
const SPECK = 24;                 // pixels: what is smaller is hardly seen

export interface Legend { label: string; low: number; high: number; map: string }

export class Stage {
  readonly camera = new OrbitCamera();
  readonly arrays = new Arrays();
  readonly overlay: Overlay;
  shapes: Shape[] = [];
  legends: Legend[] = [];
  box = new Box3();
  frames = 0;                     // drawn since the page was opened
  spring: SpringLine | null = null;
  follow: { shape: Shape; index: number } | null = null;    // the vertex that the spring holds
  cursor: { x: number; y: number } | null = null;
  pins: Vector3[] = [];
  stroke: { x: number; y: number }[] | null = null;              // that a tool draws
  brush: { x: number; y: number; radius: number } | null = null; // of a tool, in pixels
  onDrawn: ((time: number) => void) | null = null;
  readonly extras: (() => void)[] = [];                          // what others draw over the picture

  private renderer: WebGLRenderer;
  private scene = new Scene();
  readonly studio = studio;
  readonly around: Surroundings;
  readonly follower: Follower;
  private boxLines = new Box3Helper(new Box3(), new Color('#8a93a3'));
  private chosen = new Box3Helper(new Box3(), new Color('#3a6ea5'));
  private scheduled = false;
  private waiting: Frame[] = [];
  private width = 1; private height = 1; private ratio = 1;
  private builtRevision = -2;
  private fitted = false;
  private came = '';               // a body that was added, until it is in the picture
  private look: Look;
  private ranges = new Map<string, [number, number]>();
  private times: number[] = [];
  time = 0;                       // of the frame that is shown
  private moved = true;            // arrays or looks changed, not only the camera
  private shown = new Box3();      // around all that is drawn now
  private coarse = 1;             // pixels along each side of the picture, against those of the screen
  private slow = 0;               // pictures in a row that took too long; those that took much too long count up to three times

  private compiled = new Map<number, Compiled>();   // programs of the scene
  private post: Post | null = null;                 // that works on the finished picture

  private pixels = new Vector2();
  private second = new PerspectiveCamera();        // of second pictures
  private insets: [number, number, number, number][] = [];
  private corners: number[] = [];      // where they stand: 0 is their own place
  mark: Vector3 | null = null;         // what they must not cover: where a procedure leads to

  private session: Session;
  private canvas: HTMLCanvasElement;

  constructor(session: Session, canvas: HTMLCanvasElement, overlay: HTMLCanvasElement, antialias: boolean, quality: string | null = null) {
    this.session = session;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias, alpha: false, powerPreference: 'high-performance' });
    this.overlay = new Overlay(overlay);
    this.around = new Surroundings(this.scene, this.overlay);
    this.follower = new Follower(session, this);
    this.scene.add(this.boxLines, this.chosen, studio.ground);
    this.boxLines.visible = this.chosen.visible = false;
    this.look = {
      wireframe: false, normals: false, smooth: true, pointSize: 6, arrowScale: 1, pixelRatio: 1, colourMap: 'viridis', diagonal: 1,
      accent: new Color('#ffb000'),
      pixel: { perspective: true, size: 0.001 },
      selected: (path) => this.isSelected(path),
      opacity: (path) => this.session.opacityOf(path),
      range: (shape, low, high) => this.range(shape, low, high),
      loaded: () => this.redraw(true),
      program: (shader, material) => this.program(shader, material),
      attributes: (shader) => this.session.scene?.shaders?.[shader]?.attributes ?? [],
    };
    if (quality === 'full' || quality === 'reduced' || quality === 'auto') session.settings.quality = quality;
    this.camera.ortho = session.settings.ortho;
    this.camera.up = session.settings.up;
    session.onFrame = (frame) => { this.waiting.push(frame); this.redraw(false); };
    session.onView = (view) => this.loadView(view);
    session.takeView = () => this.saveView();
    session.onCame = (path) => { this.came = path; this.redraw(true); };
    session.on(['scene'], () => this.redraw(true));
    session.on(['settings', 'selection'], () => this.applySettings());
    session.on(['status'], () => { if (session.status.viewports) this.redraw(false); if (session.status.camera && session.status.animating && session.settings.follow && this.sceneCamera()) this.redraw(true); if (this.spring || session.scene?.looks?.labels) this.redraw(false); });
    session.on(['view'], () => { this.pins = []; this.ranges.clear(); this.redraw(true); });
    canvas.addEventListener('webglcontextrestored', () => this.redraw(true));
    studio.slices.again = () => this.redraw(false);
    this.applySettings();
  }

  // --- views ---

  saveView() {
    const { wireframe, grid, axes, box, background } = this.session.settings, { groups } = this.session;
    return { version: 1, camera: this.camera.pose, groups, wireframe, grid, axes, box, background };
  }

  loadView(view: any) {
    if (view?.camera) {
      this.camera.pose = view.camera as Pose;
      this.fitted = true;
      const names = GROUPS.map((g) => g.name) as string[];
      const change: any = { ortho: this.camera.ortho, up: this.camera.up };
      if (Array.isArray(view.groups)) change.groups = view.groups.filter((g: string) => names.includes(g));
      for (const key of ['wireframe', 'grid', 'axes', 'box']) if (typeof view[key] === 'boolean') change[key] = view[key];
      if (typeof view.background === 'string') change.background = view.background;
      this.session.takeOver(change);
    } else this.fitted = false;
    this.redraw(true);
  }

  resetView() {
    if (this.session.hello?.view) { this.loadView(this.session.hello.view); return; }
    this.camera.azimuth = 0.6;
    this.camera.elevation = 0.35;
    if (!this.sceneCamera()) this.fit();
    this.follower.letGo();
  }

  // On everything that is drawn, or on what is selected.
  fit(selection = false) {
    const box = this.measure((s) => !selection || !this.session.selection || this.isSelected(s.info.path), true);
    this.camera.fit(box.isEmpty() ? this.box : box);
    this.follower.letGo();
    this.redraw(true);
  }

  // How many pixels a box is wide, however far away it is; 0 where its middle is not in the picture.
  private pixelsOf(box: Box3): number {
    const middle = box.getCenter(new Vector3()), at = middle.clone().project(this.camera.camera), { perspective, size } = this.camera.pixel(this.height);
    if (Math.abs(at.x) > 1 || Math.abs(at.y) > 1 || Math.abs(at.z) > 1) return 0;
    return box.getSize(new Vector3()).length() / (size * (perspective ? middle.distanceTo(this.camera.camera.position) : 1));
  }

  // A body that was added is looked at: where nothing else is, where it is beside the picture, and where it would be a speck.
  private seeNew() {
    const path = this.came, scene = this.session.scene;
    if (!path || !scene || this.session.status.scene !== scene.revision || this.arrays.revision !== scene.revision || !this.complete()) return;
    const box = this.boxOf(path);
    if (box.isEmpty()) return;
    this.came = '';
    const alone = this.measure((s) => s.info.path !== path && !s.info.path.startsWith(path + '/')).isEmpty();
    const good = () => { const n = this.pixelsOf(box); return n >= SPECK && n < 3 * Math.max(this.width, this.height); };
    if (!alone && good()) return;
    this.fit();
    if (!good()) { this.camera.fit(box); this.redraw(true); }
  }

  look_from(azimuth: number, elevation: number) {
    this.camera.azimuth = azimuth;
    this.camera.elevation = elevation;
    this.camera.update();
    this.redraw(false);
  }

  // The box around shapes; `axes`: with the arrows of frames, whose length follows from the boxes without them.
  measure(wanted: (shape: Shape) => boolean, axes = false): Box3 {
    const box = new Box3(), p = new Vector3();
    for (const shape of this.shapes) {
      if (!shape.object.visible || shape.info.aside || !wanted(shape)) continue;
      const data = this.arrays.get(shape.info.positions)?.data;
      if (!data) continue;
      const radii = this.arrays.get(shape.info.radii)?.data, sizes = this.arrays.get(shape.info.sizes)?.data, around = axes && shape.info.kind === 'frames' ? axisLength(data.length / 3, this.look.diagonal) : 0;
      for (let i = 0; i + 2 < data.length; i += 3) {
        p.set(data[i], data[i + 1], data[i + 2]);
        if (!Number.isFinite(p.x + p.y + p.z)) continue;
        const r = shape.info.kind === 'spheres' ? radii?.[i / 3] ?? shape.info.radius ?? 0 : sizes ? 0.5 * boxSize(sizes, i / 3, this.look.diagonal).length() : around;
        box.min.x = Math.min(box.min.x, p.x - r); box.min.y = Math.min(box.min.y, p.y - r); box.min.z = Math.min(box.min.z, p.z - r);
        box.max.x = Math.max(box.max.x, p.x + r); box.max.y = Math.max(box.max.y, p.y + r); box.max.z = Math.max(box.max.z, p.z + r);
      }
    }
    return box;
  }

  // The box around what is drawn of a node or component.
  boxOf(path: string): Box3 { return this.measure((s) => s.info.path === path || s.info.path.startsWith(path + '/')); }

  private isSelected(path: string): boolean {
    const s = this.session.selection;
    if (!s || s === '/') return false;
    return path === s || path.startsWith(s + '/');
  }

  private range(shape: Shape, low: number, high: number): [number, number] {
    const { rangeMode, rangeLow, rangeHigh } = this.session.settings;
    if (shape.info.range) return shape.info.range;
    if (rangeMode === 'fixed') return [rangeLow, rangeHigh];
    if (!(low <= high)) return [0, 1];
    if (rangeMode === 'frame') return [low, high];
    const key = `${shape.info.label || shape.info.path} ${shape.info.map?.colours ?? ''}`;
    const old = this.ranges.get(key) ?? [Infinity, -Infinity];
    const grown: [number, number] = [Math.min(old[0], low), Math.max(old[1], high)];
    this.ranges.set(key, grown);
    return grown;
  }

  resetRanges() { this.ranges.clear(); this.redraw(true); }

  // --- settings ---

  applySettings() {
    const s = this.session.settings;
    Object.assign(this.look, { wireframe: s.wireframe, normals: s.normals, smooth: s.smooth, pointSize: s.pointSize, arrowScale: s.arrowScale, colourMap: s.colourMap });
    if (this.camera.ortho !== s.ortho || this.camera.up !== s.up) {
      const turned = this.camera.up !== s.up;
      this.camera.ortho = s.ortho;
      this.camera.up = s.up;
      this.camera.update();
      if (turned && this.around.grid) this.makeGrid();
    }
    const level: Level | -1 = s.quality === 'full' ? 2 : s.quality === 'reduced' ? 0 : -1;
    if (level >= 0) { studio.setLevel(level as Level); this.coarsen(1); }
    this.redraw(true);
  }

  get dark() { return this.around.dark; }

  setTheme(dark: boolean) { this.around.setTheme(dark); this.redraw(true); }

  private makeGrid() { this.around.makeGrid(this.box, this.camera.up); }

  // What moves is here now: the grid stays below it.
  fallen(box: Box3) { this.around.lower(box, this.look.diagonal); }

  // --- shapes ---

  private build() {
    const scene = this.session.scene;
    if (!scene || scene.revision === this.builtRevision) return;
    if (this.fitted && scene.arrays.length && scene.revision !== this.arrays.revision) return;      // what was there stands until all of it comes
    this.builtRevision = scene.revision;
    for (const shape of this.shapes) { this.scene.remove(shape.object); shape.dispose(); }
    forgetPictures();
    this.around.forgetPicture();
    this.ranges.clear();
    this.follow = null;
    this.look.diagonal = this.sceneBox(scene.box);
    this.shapes = [];
    this.compiled.clear();
    for (const info of scene.drawables) {
      const shape = makeShape(info, this.look);
      if (shape) { this.shapes.push(shape); this.scene.add(shape.object); }
    }
    this.post?.dispose();
    const post = scene.post ? this.program(scene.post.shader, {}) : null;
    this.post = post ? new Post(post, scene.post!) : null;
    this.makeGrid();
    this.follower.forget();
    const looks = scene.looks;
    studio.take(looks);
    this.renderer.clippingPlanes = (looks?.planes ?? []).map((p) => { const n = new Vector3().fromArray(p.normal).normalize(); return new Plane(n, -n.dot(new Vector3().fromArray(p.position))); });
  }

  // A program of the scene; one that does not compile is told once.
  private program(shader: number, material: Material): Program | null {
    const info = this.session.scene?.shaders?.[shader];
    if (!info?.vertex || !info.fragment) return null;
    let c = this.compiled.get(shader);
    if (!c) {
      this.compiled.set(shader, c = compile(this.renderer, info));
      if (!c.good) this.session.addMessage({ level: 'warning', text: complain(info, c), path: info.path });
    }
    return c.good ? new Program(info, c.uniforms, material, this.look.loaded) : null;
  }

  private sceneBox(box: [number[], number[]] | null): number {
    this.box.makeEmpty();
    if (box && box[0]?.length === 3 && [...box[0], ...box[1]].every(Number.isFinite)) this.box.set(new Vector3(...box[0]), new Vector3(...box[1]));
    const size = this.box.isEmpty() ? 0 : this.box.getSize(new Vector3()).length();
    if (size <= 0) { const c = this.box.isEmpty() ? new Vector3() : this.box.getCenter(new Vector3()); this.box.setFromCenterAndSize(c, new Vector3(1, 1, 1)); }
    return this.box.getSize(new Vector3()).length();
  }

  // The shapes and the arrays are those of one moment: while a body is cut, one of them may be ahead.
  private get current() { return this.builtRevision === this.arrays.revision && this.session.scene !== null; }

  private updateShapes() {
    const groups = new Set(this.session.groups), current = this.current;
    if (!current && this.fitted && this.session.scene && this.session.status.ready !== false) return;
    const legends: Legend[] = [];
    const dressed = groups.has('visual') && this.shapes.some((s) => s.info.group === 'visual' && s.info.kind === 'triangles' && !this.session.hides(s.info) && this.session.sees(s.info.path));
    this.look.pixel = this.camera.pixel(this.height);
    for (const shape of this.shapes) {
      if (!current || !groups.has(shape.info.group) || this.session.hides(shape.info) || !this.session.sees(shape.info.path) || (dressed && shape.isBody)) { shape.object.visible = false; continue; }
      shape.update(this.arrays, this.look);
      if (shape.object.visible && shape.info.values != null) {
        const [low, high] = this.look.range(shape, shape.low, shape.high);
        const own = shape.info.map, label = own?.title || (shape.info.label ?? ''), scale = own?.scale ?? 1, map = own ? sceneMap(own.colours) : this.look.colourMap;
        if (!own?.hidden && !legends.some((l) => l.label === label && l.map === map)) legends.push({ label, low: scale * low, high: scale * high, map });
      }
    }
    for (const s of this.session.scene?.scales ?? []) legends.push({ label: s.title, low: s.scale * s.low, high: s.scale * s.high, map: sceneMap(s.colours) });
    if (JSON.stringify(legends) !== JSON.stringify(this.legends)) { this.legends = legends; this.session.notify('legends'); }
    this.boxLines.visible = this.session.settings.box;
    this.chosen.visible = false;
    if (this.boxLines.visible) this.boxLines.box = this.measure(() => true);
    if (this.session.selection && this.session.selection !== '/') {
      const node = this.session.selection.replace(/[/][^/]*$/, '');
      let box = this.measure((s) => this.isSelected(s.info.path));
      if (box.isEmpty() && node && this.session.objects.has(this.session.selection)) box = this.measure((s) => s.info.path.startsWith(node + '/'));   // of its node, then
      if (!box.isEmpty()) { this.chosen.visible = true; this.chosen.box = box; (this.chosen.material as LineBasicMaterial).color.set(this.overlay.colours.accent || '#3a6ea5'); }
    }
    if (this.around.grid) this.around.grid.visible = this.session.settings.grid;
    this.shown = this.measure(() => true);
  }

  // --- drawing ---

  resize(width: number, height: number, ratio: number) {
    if (width < 1 || height < 1) return;
    this.width = width; this.height = height; this.ratio = ratio;
    this.renderer.setPixelRatio(this.session.settings.fixedSize ? ratio : ratio * this.coarse);
    this.renderer.setSize(width, height, false);
    this.overlay.resize(width, height, ratio);
    this.look.pixelRatio = 1;
    this.camera.resize(width, height);
    // a canvas of another size is empty: the page would show it so until the next frame
    this.moved = true;
    if (this.frames) this.draw(); else this.redraw(true);
  }

  get aspect() { return this.width / this.height; }

  redraw(moved: boolean) {
    this.moved ||= moved;
    if (this.scheduled) return;
    this.scheduled = true;
    const asked = performance.now();
    requestAnimationFrame(() => {
      this.scheduled = false;
      const waited = performance.now() - asked;
      this.draw();
      const drawn = performance.now();
      setTimeout(() => this.watchCost(Math.max(waited, performance.now() - drawn)));
    });
  }

  private takeFrames() {
    for (const frame of this.waiting) {
      this.arrays.apply(frame);
      this.time = frame.time;
      this.moved = true;
      this.session.connection.tell('ack', { frame: frame.number });
    }
    const any = this.waiting.length > 0;
    this.waiting = [];
    return any;
  }

  draw() {
    const fresh = this.takeFrames();
    this.build();
    if (this.moved) {
      this.updateShapes();
      this.moved = false;
      if (!this.fitted && this.complete()) this.begin();
      this.seeNew();
    }
    if (fresh && this.current) this.follower.watch();
    this.follower.goAlong();
    this.around.paint(this.session.settings.background, this.session.scene?.looks ?? null, this.renderer.getDrawingBufferSize(this.pixels), this.renderer.getPixelRatio(), this.look.loaded);
    this.camera.setReach(this.box);
    const camera = this.camera.camera;
    if (this.session.settings.xray > 0) studio.drawXray(this.renderer, this.scene, camera, this.session.settings.xray, this.camera.distance);
    else {
      studio.prepare(this.renderer, this.scene, camera, { up: this.camera.up, box: this.shown.isEmpty() ? this.box : this.shown, diagonal: this.look.diagonal, floor: this.around.floor });
      studio.beginPicture(this.renderer, this.scene, camera);
      const flows = this.shapes.map((s) => s.flows).filter((f) => f !== null);
      if (flows.length) studio.drawLiquid(this.renderer, this.scene, camera, Math.max(...flows.map((f) => f[0])), Math.max(...flows.map((f) => f[1])));
      const fog = this.shapes.some((s) => s.swallows);
      studio.endPicture(this.renderer, this.scene, camera, fog);
      this.post?.draw(this.renderer, this.scene, camera, this.arrays);
      this.drawInsets(fog);
    }
    const lens = this.session.scene?.looks?.lens ?? null;
    this.camera.lens = lens;
    if (lens) studio.drawLens(this.renderer, lens);
    this.drawOverlay();
    this.frames++;
    if (fresh) this.countFrame();
    this.onDrawn?.(this.time);
  }

  // Second pictures that the scene wants inside the first.
  private drawInsets(fog: boolean) {
    const list = this.session.status.viewports ?? this.session.scene?.looks?.viewports ?? [];
    this.insets = [];
    for (const [i, v] of list.entries()) {
      let x = Math.min(this.width, Math.max(0, v.x < 0 ? this.width + v.x : v.x)), y = Math.min(this.height, Math.max(0, v.y < 0 ? this.height + v.y : v.y));
      let w = Math.min(this.width - x, v.width), h = Math.min(this.height - y, v.height);
      const reach = this.camera.size;
      if (w < 2 || h < 2) continue;
      if (this.mark) [x, y, w, h] = this.besideMark(i, [x, y, w, h]);
      const camera = this.second;
      camera.position.fromArray(v.position);
      camera.quaternion.fromArray(v.orientation);
      Object.assign(camera, { fov: v.fovy, aspect: w / h, near: 0.01 * reach, far: camera.position.distanceTo(this.box.getCenter(new Vector3())) + 12 * reach });
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      const r = this.renderer.getPixelRatio();
      studio.ground.visible = studio.level > 0 && !this.shown.isEmpty() && camera.position[this.camera.up] > this.around.floor;
      studio.drawInset(this.renderer, this.scene, camera, [x * r, y * r, w * r, h * r], this.look.diagonal, fog);
      this.insets.push([x, y, w, h]);
    }
  }

  // A picture inside the first one, no larger than two fifths of it and in another corner while the mark would be beneath it.
  private besideMark(i: number, [x, y, w, h]: [number, number, number, number]): [number, number, number, number] {
    const small = Math.min(1, 0.4 * this.width / w, 0.4 * this.height / h), right = this.width - x - w, top = this.height - y - h;
    if (right < x) x = this.width - right - small * w;
    if (top < y) y = this.height - top - small * h;
    w *= small; h *= small;
    const places: [number, number][] = [[x, y], [this.width - x - w, y], [x, this.height - y - h], [this.width - x - w, this.height - y - h]];
    const at = this.project(this.mark!.toArray()), up = this.height - at.y;
    const covers = ([left, low]: [number, number], room: number) => at.x > left - room && at.x < left + w + room && up > low - room && up < low + h + room;
    const now = this.corners[i] ?? 0;
    if (now && !covers(places[0], 3 * MARK_ROOM)) this.corners[i] = 0;      // not to and fro at the edge
    else if (covers(places[now], MARK_ROOM)) this.corners[i] = Math.max(0, places.findIndex((p) => !covers(p, MARK_ROOM)));
    return [...places[this.corners[i] ?? 0], w, h];
  }

  // A machine that is too slow for all of the light gets less of it, and one that still draws less than four pictures a second fewer
  // pixels, until the user chooses. Drawing goes on beside the page: what shows that it takes long is how long the next picture, or
  // the page behind this one, has to wait.
  private watchCost(ms: number) {
    const limit = studio.level > 0 ? 60 : 250;
    if (this.session.settings.quality !== 'auto' || (studio.level === 0 && this.ratio * this.coarse <= 0.5)) return;
    this.slow = ms > limit && !document.hidden ? this.slow + Math.min(3, ms / limit) : Math.max(0, this.slow - 0.5);
    if (this.slow < 8) return;
    this.slow = 0;
    if (studio.level > 0) studio.setLevel((studio.level - 1) as Level); else this.coarsen(this.coarse / 2);
  }

  private coarsen(share: number) {
    if (share === this.coarse) return;
    this.coarse = share;
    this.resize(this.width, this.height, this.ratio);
  }

  // Upright as gravity pulls, or as the scene's camera stands.
  private standUp() {
    const k = this.session.scene?.looks?.up;
    if (k === undefined) return;
    const up = (['x', 'y', 'z'] as const)[k];
    if (this.camera.up !== up) this.session.takeOver({ up });
    this.camera.up = up;
  }

  // The camera that the scene asks for.
  private sceneCamera(): boolean {
    const c = this.session.status.camera ?? this.session.scene?.looks?.camera;
    if (!c) return false;
    const position = new Vector3().fromArray(c.position);
    const target = c.lookAt ? new Vector3().fromArray(c.lookAt) : this.box.getCenter(new Vector3());
    if (!c.lookAt && c.orientation) target.copy(position).add(new Vector3(0, 0, -(c.distance || position.distanceTo(target))).applyQuaternion(new Quaternion().fromArray(c.orientation)));
    if (!(position.distanceTo(target) > 1e-9)) return false;
    this.camera.place(position, target);
    if (c.ortho && !this.session.settings.ortho) this.session.takeOver({ ortho: true });
    return true;
  }

  // The first look at a scene: sizes follow what is shown, which may be more than its visual models.
  private begin() {
    this.fitted = true;
    this.box.union(this.measure(() => true));
    this.look.diagonal = this.box.getSize(new Vector3()).length();
    this.camera.setReach(this.box);
    this.standUp();
    if (!this.sceneCamera()) this.fit();
    this.follower.begin(new Map(this.shapes.map((s) => [s, this.measure((other) => other === s)])));
    this.makeGrid();
    this.updateShapes();
  }

  // Everything that is to be shown has come, and something of it can be seen.
  private complete(): boolean {
    const groups = new Set(this.session.groups);
    return this.current && this.shapes.some((s) => s.object.visible)
      && this.shapes.every((s) => !groups.has(s.info.group) || this.session.hides(s.info) || this.arrays.get(s.info.positions) !== null);
  }

  private countFrame() {
    const now = performance.now();
    this.times.push(now);
    while (this.times[0] < now - 1000) this.times.shift();
  }

  // Pictures of the simulation in the last second.
  get rate() { const since = performance.now() - 1000; return this.times.filter((t) => t > since).length; }

  private drawOverlay() {
    const camera = this.camera.camera, s = this.session.settings, o = this.overlay;
    o.begin();
    if (s.indices) for (const shape of this.shapes) {
      if (!shape.object.visible || !(shape.info.group === 'behavior' || this.isSelected(shape.info.path))) continue;
      const data = this.arrays.get(shape.info.positions)?.data;
      if (data) o.labels(data as Float32Array, camera);
    }
    for (const pin of this.pins) o.pin(pin, camera);
    if (this.spring) {
      const held = this.heldPoint();
      if (held) this.spring.from.copy(held);
      o.spring(this.spring, camera, this.session.status.pull);
    }
    this.session.scene?.looks?.labels?.forEach((l, i) => o.label(l, this.session.status.labels?.[i] ?? ''));
    for (const [x, y, w, h] of this.insets) o.frame(x, this.height - y - h, w, h);
    for (const t of this.session.scene?.looks?.texts ?? []) o.sceneText(t, camera);
    if (this.stroke) o.stroke(this.stroke);
    if (this.brush) o.ring(this.brush.x, this.brush.y, this.brush.radius);
    for (const extra of this.extras) extra();
    if (this.cursor) o.cross(this.cursor.x, this.cursor.y);
    if (s.axes) o.axes(camera);
    if (s.grid && this.around.grid) o.note(`grid ${Number(this.around.step.toPrecision(3))}`);
  }

  heldPoint(): Vector3 | null {
    if (!this.follow) return null;
    const data = this.arrays.get(this.follow.shape.info.positions)?.data;
    return data ? new Vector3().fromArray(data as Float32Array, 3 * this.follow.index) : null;
  }

  // The drawn vertex nearest to a point, to see the spring follow it.
  hold(point: Vector3, model: string) {
    this.follow = null;
    let best = Infinity;
    for (const shape of this.shapes) {
      if (!shape.object.visible || !['triangles', 'points', 'spheres', 'boxes'].includes(shape.info.kind)) continue;
      const data = this.arrays.get(shape.info.positions)?.data;
      if (!data) continue;
      const prefer = shape.info.path === model ? 0.5 : 1;
      for (let i = 0; i + 2 < data.length; i += 3) {
        const d = prefer * Math.hypot(data[i] - point.x, data[i + 1] - point.y, data[i + 2] - point.z);
        if (d < best) { best = d; this.follow = { shape, index: i / 3 }; }
      }
    }
  }

  pick(x: number, y: number): Picked | null {
    return !this.current ? null : pick(this.camera.ray(x, y), this.shapes, this.arrays, this.camera.camera, { x, y, aspect: this.aspect }, 16 / this.height, this.look.diagonal);
  }

  // Where on the picture a point of the scene is, in CSS pixels.
  project(point: number[]): { x: number; y: number } {
    const v = new Vector3().fromArray(point).project(this.camera.camera);
    return { x: (v.x * 0.5 + 0.5) * this.width, y: (0.5 - v.y * 0.5) * this.height };
  }

  // The picture without the overlay's controls, with axes, numbers and spring.
  async picture(width: number, height: number): Promise<Blob> {
    const before = { width: this.width, height: this.height, ratio: this.ratio, coarse: this.coarse };
    const still = !this.session.settings.fixedSize && (before.coarse < 1 || width !== Math.round(before.width * before.ratio) || height !== Math.round(before.height * before.ratio));
    this.coarse = 1;
    if (still) this.resize(width, height, 1);
    studio.slices.thorough = true;
    this.draw();
    if (texturesComing()) { await texturesCome(); this.draw(); }
    studio.slices.thorough = false;
    const copy = document.createElement('canvas');
    copy.width = this.canvas.width; copy.height = this.canvas.height;
    const c = copy.getContext('2d')!;
    c.drawImage(this.canvas, 0, 0);
    c.drawImage(this.overlay.element, 0, 0, copy.width, copy.height);
    if (!(this.session.settings.xray > 0)) this.overlay.scales(c, copy.width, copy.height, this.session.settings.axes ? 130 : 14, this.legends.map((l) => ({ ...l, stops: mapStops(l.map) })));
    this.coarse = before.coarse;
    if (still) this.resize(before.width, before.height, before.ratio);
    return new Promise((resolve, reject) => copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be made'))), 'image/png'));
  }

  // Resolves with the next frame that is drawn at or after `time`.
  frameAt(time: number, patience = 20000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { this.onDrawn = null; reject(new Error('no picture came from the simulation')); }, patience);
      const check = (now: number) => { if (now >= time) { clearTimeout(timer); this.onDrawn = null; resolve(); } };
      this.onDrawn = check;
      check(this.time);
    });
  }
}
