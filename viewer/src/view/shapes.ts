// One shape per drawable: geometry that follows its arrays, and a look. A shape uploads only what changed.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, Color, ConeGeometry, DoubleSide, DynamicDrawUsage, Group as ThreeGroup, InstancedMesh,
  GreaterDepth, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshPhongMaterial, Object3D, Points, PointsMaterial, Quaternion, SphereGeometry,
  SRGBColorSpace, TextureLoader, Vector2, Vector3, RepeatWrapping, type Material, type Texture,
} from 'three';
import type { Drawable } from '../protocol.ts';
import { Arrays } from './arrays.ts';
import { GROUP_COLOURS, mapTexture } from './colours.ts';
import { computeNormals, creases, sameplaces } from './normals.ts';

export interface Look {
  wireframe: boolean; normals: boolean; smooth: boolean;
  pointSize: number; arrowScale: number; pixelRatio: number;
  colourMap: string;
  diagonal: number;             // of the scene's box
  accent: Color;
  pixel: { perspective: boolean; size: number };   // of a pixel, in metres: at a distance of 1 m, or anywhere
  selected: (path: string) => boolean;
  opacity: (path: string) => number;
  range: (shape: Shape, low: number, high: number) => [number, number];
  loaded: () => void;           // a texture arrived: draw again
}

const MOST_INSTANCES = 100000, MOST_NORMALS = 30000;

export abstract class Shape {
  readonly info: Drawable;
  readonly object: Object3D;
  protected seen = new Map<number, number>();
  low = Infinity; high = -Infinity;   // of `values`
  constructor(info: Drawable, object: Object3D) { this.info = info; this.object = object; object.visible = false; }

  // True when an array of this shape changed since the last call.
  protected changed(arrays: Arrays, ids: (number | null | undefined)[]): boolean {
    let any = false;
    for (const id of ids) {
      const s = arrays.get(id);
      if (!s || id === null || id === undefined) continue;
      if (this.seen.get(id) !== s.version) { this.seen.set(id, s.version); any = true; }
    }
    return any;
  }

  protected present(arrays: Arrays, ids: (number | null | undefined)[]): boolean {
    return ids.every((id) => id === null || id === undefined || arrays.get(id) !== null);
  }

  abstract update(arrays: Arrays, look: Look): void;
  abstract dispose(): void;
  pickable(): boolean { return this.object.visible; }
  // The faces of elements stand in for a surface where no visual model is shown.
  get isBody(): boolean { return this.info.group === 'forceFields' && this.info.kind === 'triangles' && this.info.values == null; }
}

function colour(values: number[] | undefined, fallback: string): Color {
  const c = new Color(fallback);
  if (values && values.length >= 3) c.setRGB(values[0], values[1], values[2], SRGBColorSpace);
  return c;
}

function keep<T extends Object3D>(object: T): T { object.frustumCulled = false; return object; }

const pictures = new Map<string, Texture>();
function picture(address: string, loaded: () => void): Texture {
  let texture = pictures.get(address);
  if (!texture) {
    texture = new TextureLoader().load(address, loaded);
    texture.colorSpace = SRGBColorSpace;
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.anisotropy = 4;
    pictures.set(address, texture);
  }
  return texture;
}
export function forgetPictures() { for (const t of pictures.values()) t.dispose(); pictures.clear(); }

// --- triangles ---

interface Dress { material: MeshPhongMaterial; emissive: Color; alpha: number }

// A surface is let through as far as its own look and the user want it.
function fade(m: MeshPhongMaterial, alpha: number) {
  const through = alpha < 0.999;
  if (m.transparent !== through) { m.transparent = through; m.needsUpdate = true; }
  m.opacity = alpha;
  m.depthWrite = !through || alpha > 0.7;
}

class Triangles extends Shape {
  private mesh: Mesh<BufferGeometry, MeshPhongMaterial | MeshPhongMaterial[]>;
  private looks: Dress[];
  private hairs: LineSegments | null = null;
  private normals: BufferAttribute | null = null;
  private same: Uint32Array | null | undefined;
  private range = { value: { x: 0, y: 1 } };

  constructor(info: Drawable, look: Look) {
    const group = new ThreeGroup();
    super(info, group);
    this.looks = (info.parts ?? [{ material: info.material }]).map((part) => this.makeLook(part.material ?? {}, look));
    this.mesh = keep(new Mesh(new BufferGeometry(), info.parts ? this.looks.map((l) => l.material) : this.looks[0].material));
    group.add(this.mesh);
  }

  private makeLook(m: NonNullable<Drawable['material']>, look: Look) {
    const { info } = this, material = new MeshPhongMaterial({ side: DoubleSide });
    material.color.copy(colour(m.diffuse, GROUP_COLOURS[info.group] ?? '#b8bec9'));
    material.shininess = Math.max(1, m.shininess ?? 30);
    material.specular = colour(m.specular, '#333333').multiplyScalar(Math.min(0.5, 5 / (material.shininess + 2)));   // the highlight's peak stays below white
    const alpha = m.diffuse?.[3] ?? (info.group === 'visual' || info.values != null ? 1 : 0.35);
    fade(material, alpha);
    if (info.group !== 'visual') { material.polygonOffset = true; material.polygonOffsetFactor = material.polygonOffsetUnits = info.group === 'collision' ? -1 : 1; }   // the former often lie on a visual model
    this.shader(material, info.values != null);
    if (info.values != null) { material.color.set('#ffffff'); material.map = mapTexture('viridis'); material.specular.set('#181818'); }
    else if (m.texture && info.texcoords != null) { material.map = picture(m.texture, look.loaded); if (!m.diffuse) material.color.set('#ffffff'); }
    return { material, emissive: colour(m.emissive, '#000000'), alpha };
  }

  // Values become places in the colour map, in the vertex shader. At creases the triangle's own normal counts: those of the corners do not reach into it.
  private shader(material: MeshPhongMaterial, painted: boolean) {
    material.onBeforeCompile = (shader) => {
      shader.uniforms.valueRange = this.range;
      let vertex = 'attribute float crease;\nvarying float vCrease;\n' + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\nvCrease = crease;\n#ifndef FLAT_SHADED\nvNormal *= 1.0 - 0.999 * crease;\n#endif');
      if (painted) vertex = 'attribute float value;\nuniform vec2 valueRange;\n' + vertex.replace('#include <uv_vertex>',
        'vMapUv = vec2(clamp((value - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.002, 0.998), 0.5);');
      shader.vertexShader = vertex;
      shader.fragmentShader = 'varying float vCrease;\n' + shader.fragmentShader.replace('#include <normal_fragment_begin>',
        '#include <normal_fragment_begin>\nnormal = normalize(mix(normal, normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition))), vCrease));');
    };
    material.customProgramCacheKey = () => (painted ? 'values' : 'plain');
  }

  override update(arrays: Arrays, look: Look) {
    const { positions, indices, values, texcoords, material } = this.info;
    const p = arrays.get(positions), t = arrays.get(indices);
    this.object.visible = p !== null && t !== null && t.data.length >= 3 && this.present(arrays, [values]);
    if (!this.object.visible || !p || !t) return;
    const geometry = this.mesh.geometry;
    const places = arrays.attribute(positions, 3)!;
    const index = arrays.attribute(indices!, 1)!;
    const moved = this.changed(arrays, [positions, indices]);
    const colours = values != null ? arrays.attribute(values, 1) : null;
    const uv = texcoords != null ? arrays.attribute(texcoords, 2) : null;
    if (geometry.getAttribute('position') !== places || geometry.index !== index || (colours && geometry.getAttribute('value') !== colours)) {
      geometry.dispose();
      geometry.setAttribute('position', places);
      geometry.setIndex(index);
      geometry.clearGroups();
      this.info.parts?.forEach((part, i) => geometry.addGroup(part.first, part.count, i));
      if (colours) geometry.setAttribute('value', colours);
      this.normals = null;
      this.same = undefined;
    }
    if (uv && geometry.getAttribute('uv') !== uv) geometry.setAttribute('uv', uv);
    if (moved || !this.normals) this.shade(p.data as Float32Array, t.data as Uint32Array);
    if (values != null && this.changed(arrays, [values])) this.measure(arrays.get(values)!.data as Float32Array);
    const flat = !look.smooth, selected = look.selected(this.info.path), opacity = look.opacity(this.info.path);
    for (const { material: m, emissive, alpha } of this.looks) {
      fade(m, alpha * opacity);
      if (m.flatShading !== flat) { m.flatShading = flat; m.needsUpdate = true; }
      m.wireframe = look.wireframe || material?.wireframe === true;
      m.emissive.copy(emissive);
      if (selected) m.emissive.lerp(look.accent, 0.28);
      if (values != null) m.map = mapTexture(look.colourMap);
    }
    if (values != null) {
      const [low, high] = look.range(this, this.low, this.high);
      this.range.value.x = low; this.range.value.y = high;
    }
    this.showNormals(p.data as Float32Array, look);
  }

  private shade(p: Float32Array, t: Uint32Array) {
    const fresh = !this.normals || this.normals.array.length !== p.length;
    if (fresh || !this.normals) {
      this.normals = new BufferAttribute(new Float32Array(p.length), 3);
      this.normals.setUsage(DynamicDrawUsage);
      this.mesh.geometry.setAttribute('normal', this.normals);
    }
    if (this.same === undefined) this.same = this.info.texcoords != null ? sameplaces(p) : null;
    computeNormals(p, t, this.normals.array as Float32Array, this.same);
    this.normals.needsUpdate = true;
    if (fresh) this.mesh.geometry.setAttribute('crease', new BufferAttribute(creases(p, t, this.normals.array as Float32Array), 1));
  }

  private measure(v: Float32Array) {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < v.length; i++) { const x = v[i]; if (x < low) low = x; if (x > high) high = x; }
    this.low = low; this.high = high;
  }

  private showNormals(p: Float32Array, look: Look) {
    if (!look.normals || !this.normals) { if (this.hairs) this.hairs.visible = false; return; }
    if (!this.hairs) {
      this.hairs = keep(new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: '#2aa6a0' })));
      this.object.add(this.hairs);
    }
    this.hairs.visible = true;
    const n = this.normals.array, count = Math.min(p.length / 3, MOST_NORMALS), length = 0.02 * look.diagonal;
    const lines = sized(this.hairs.geometry, 6 * count);
    for (let i = 0, o = 0; i < 3 * count; i += 3, o += 6) {
      for (let k = 0; k < 3; k++) { lines[o + k] = p[i + k]; lines[o + 3 + k] = p[i + k] + length * n[i + k]; }
    }
  }

  override dispose() {
    this.mesh.geometry.dispose();
    for (const l of this.looks) l.material.dispose();
    this.hairs?.geometry.dispose();
  }
}

// The position array of a geometry with room for `count` numbers, drawn up to there.
function sized(geometry: BufferGeometry, count: number, name = 'position'): Float32Array {
  let a = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (!a || a.array.length < count) {
    geometry.dispose();
    a = new BufferAttribute(new Float32Array(Math.ceil(count * 1.3 / 3) * 3), 3);
    a.setUsage(DynamicDrawUsage);
    geometry.setAttribute(name, a);
  }
  if (name === 'position') geometry.setDrawRange(0, count / 3);
  a.needsUpdate = true;
  return a.array as Float32Array;
}

// --- lines ---

class Lines extends Shape {
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private ghost: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  private base: Color;

  constructor(info: Drawable) {
    const base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#3fae78');
    const lines = keep(new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: base })));
    if (info.group === 'mappings' || info.group === 'mechanicalMappings') Object.assign(lines.material, { transparent: true, opacity: 0.35, depthWrite: false });   // many, and close together
    super(info, lines);
    this.lines = lines;
    this.base = base;
    if (info.group === 'forceFields' || info.group === 'interactions') {      // what lies inside a body shines through, faintly
      this.ghost = keep(new LineSegments(lines.geometry, new LineBasicMaterial({ color: base, transparent: true, opacity: 0.28, depthFunc: GreaterDepth, depthWrite: false })));
      this.ghost.renderOrder = 1;
      lines.add(this.ghost);
    }
  }

  override update(arrays: Arrays, look: Look) {
    const { positions, second, indices } = this.info;
    this.object.visible = arrays.get(positions) !== null && this.present(arrays, [second, indices]);
    if (!this.object.visible) return;
    this.lines.material.color.copy(look.selected(this.info.path) ? look.accent : this.base);
    this.ghost?.material.color.copy(this.lines.material.color);
    const p = arrays.get(positions)!.data, t = arrays.get(indices)?.data, q = arrays.get(second)?.data;
    const geometry = this.lines.geometry;
    if (!q) {
      const places = arrays.attribute(positions, 3)!, index = indices != null ? arrays.attribute(indices, 1) : null;
      if (geometry.getAttribute('position') !== places || geometry.index !== index) {
        geometry.dispose();
        geometry.setAttribute('position', places);
        geometry.setIndex(index);
      }
      this.object.visible = t ? t.length >= 2 : p.length >= 6;
      return;
    }
    if (!this.changed(arrays, [positions, second, indices])) return;
    const pairs = t ? t.length >> 1 : Math.min(p.length, q.length) / 3;
    const out = sized(geometry, 6 * pairs);
    for (let i = 0; i < pairs; i++) {
      const a = 3 * (t ? t[2 * i] : i), b = 3 * (t ? t[2 * i + 1] : i);
      for (let k = 0; k < 3; k++) { out[6 * i + k] = p[a + k]; out[6 * i + 3 + k] = q[b + k]; }
    }
    this.object.visible = pairs > 0;
  }

  override dispose() { this.lines.geometry.dispose(); this.lines.material.dispose(); this.ghost?.material.dispose(); }
}

// --- points ---

let disc: CanvasTexture | null = null;
function discTexture(): CanvasTexture {
  if (!disc) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 32;
    const c = canvas.getContext('2d')!;
    c.fillStyle = '#fff';
    c.beginPath();
    c.arc(16, 16, 14, 0, 2 * Math.PI);
    c.fill();
    disc = new CanvasTexture(canvas);
  }
  return disc;
}

class PointCloud extends Shape {
  private points: Points<BufferGeometry, PointsMaterial>;
  private lift = { value: new Vector2() };
  private base: Color;

  constructor(info: Drawable) {
    const base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#4a7dd6');
    const material = new PointsMaterial({ color: base, sizeAttenuation: false, map: discTexture(), alphaTest: 0.5 });
    const points = keep(new Points(new BufferGeometry(), material));
    super(info, points);
    this.points = points;
    this.base = base;
    // a point of a surface stands before it by its own size, along the line of sight, so that nothing of the disc is buried
    material.onBeforeCompile = (shader) => {
      shader.uniforms.lift = this.lift;
      shader.vertexShader = 'uniform vec2 lift;\n' + shader.vertexShader.replace('#include <project_vertex>',
        '#include <project_vertex>\nvec4 lifted = mvPosition;\nlifted.xyz *= 1.0 - lift.x;\nlifted.z += lift.y;\nlifted = projectionMatrix * lifted;\ngl_Position.z = lifted.z / lifted.w * gl_Position.w;');
    };
  }

  override update(arrays: Arrays, look: Look) {
    const places = arrays.attribute(this.info.positions, 3);
    this.object.visible = places !== null && places.array.length > 0;
    if (!places) return;
    const geometry = this.points.geometry;
    if (geometry.getAttribute('position') !== places) { geometry.dispose(); geometry.setAttribute('position', places); }
    const m = this.points.material;
    m.size = look.pointSize * look.pixelRatio;
    const lift = 1.2 * look.pointSize * look.pixel.size;
    this.lift.value.set(look.pixel.perspective ? Math.min(0.5, lift) : 0, look.pixel.perspective ? 0 : lift);
    m.color.copy(look.selected(this.info.path) ? look.accent : this.base);
  }

  override dispose() { this.points.geometry.dispose(); this.points.material.dispose(); }
}

// --- spheres ---

class Spheres extends Shape {
  private mesh: InstancedMesh | null = null;
  private material: MeshPhongMaterial;
  private base: Color;
  private alpha: number;

  constructor(info: Drawable) {
    super(info, new ThreeGroup());
    this.base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#e8a33d');
    const alpha = this.alpha = info.material?.diffuse?.[3] ?? (info.group === 'visual' ? 1 : 0.55);
    this.material = new MeshPhongMaterial({ color: this.base, shininess: 40, specular: '#222222', transparent: alpha < 0.999, opacity: alpha, depthWrite: alpha > 0.5 });
  }

  override update(arrays: Arrays, look: Look) {
    const { positions, radii, radius } = this.info;
    const p = arrays.get(positions)?.data as Float32Array | undefined;
    this.object.visible = p !== undefined && this.present(arrays, [radii]);
    if (!p || !this.object.visible) return;
    this.material.color.copy(this.base);
    this.material.emissive.set('#000000');
    if (look.selected(this.info.path)) this.material.emissive.lerp(look.accent, 0.4);
    this.material.wireframe = look.wireframe;
    fade(this.material, this.alpha * look.opacity(this.info.path));
    if (!this.changed(arrays, [positions, radii])) return;
    const count = Math.min(p.length / 3, MOST_INSTANCES), r = arrays.get(radii)?.data;
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      this.dropMesh();
      const fine = count < 500 ? 20 : count < 5000 ? 12 : 8;
      this.mesh = keep(new InstancedMesh(new SphereGeometry(1, fine, Math.ceil(fine * 0.7)), this.material, Math.ceil(count * 1.2) + 1));
      this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      (this.mesh.instanceMatrix.array as Float32Array).fill(0);
      this.object.add(this.mesh);
    }
    const m = this.mesh.instanceMatrix.array;
    for (let i = 0; i < count; i++) {
      const s = r ? r[Math.min(i, r.length - 1)] : radius ?? 0.01 * look.diagonal, o = 16 * i;
      m[o] = m[o + 5] = m[o + 10] = s;
      m[o + 12] = p[3 * i]; m[o + 13] = p[3 * i + 1]; m[o + 14] = p[3 * i + 2]; m[o + 15] = 1;
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  private dropMesh() { if (this.mesh) { this.object.remove(this.mesh); this.mesh.geometry.dispose(); this.mesh.dispose(); } }
  override dispose() { this.dropMesh(); this.material.dispose(); }
}

// --- arrows ---

class Arrows extends Shape {
  private shafts: LineSegments<BufferGeometry, LineBasicMaterial>;
  private heads: InstancedMesh | null = null;
  private material: MeshPhongMaterial;
  private base: Color;
  private longest = 0;
  private scale = NaN;

  constructor(info: Drawable) {
    super(info, new ThreeGroup());
    this.base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#e0633c');
    this.shafts = keep(new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: this.base })));
    this.material = new MeshPhongMaterial({ color: this.base, shininess: 5 });
    this.object.add(this.shafts);
  }

  override update(arrays: Arrays, look: Look) {
    const p = arrays.get(this.info.positions)?.data as Float32Array | undefined, v = arrays.get(this.info.second)?.data as Float32Array | undefined;
    this.object.visible = p !== undefined && v !== undefined;
    if (!p || !v) return;
    const tint = look.selected(this.info.path) ? look.accent : this.base;
    this.shafts.material.color.copy(tint);
    this.material.color.copy(tint);
    if (!this.changed(arrays, [this.info.positions, this.info.second]) && this.scale === look.arrowScale) return;
    this.scale = look.arrowScale;
    const count = Math.min(p.length, v.length) / 3;
    for (let i = 0; i < count; i++) this.longest = Math.max(this.longest, Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]) || 0);
    const s = this.longest > 0 ? look.arrowScale * 0.14 * look.diagonal / this.longest : 0;
    const lines = sized(this.shafts.geometry, 6 * count);
    if (!this.heads || this.heads.instanceMatrix.count < count) {
      if (this.heads) { this.object.remove(this.heads); this.heads.dispose(); }
      const cone = new ConeGeometry(0.28, 1, 8);
      cone.translate(0, -0.5, 0);
      this.heads = keep(new InstancedMesh(cone, this.material, Math.ceil(count * 1.2) + 1));
      this.object.add(this.heads);
    }
    const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), size = new Vector3(), up = new Vector3(0, 1, 0), way = new Vector3();
    for (let i = 0; i < count; i++) {
      way.set(v[3 * i], v[3 * i + 1], v[3 * i + 2]).multiplyScalar(s);
      const length = way.length();
      for (let k = 0; k < 3; k++) lines[6 * i + k] = p[3 * i + k];
      at.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]).add(way);
      lines[6 * i + 3] = at.x; lines[6 * i + 4] = at.y; lines[6 * i + 5] = at.z;
      const head = Math.min(0.35 * length, 0.02 * look.diagonal);
      if (length > 0) turn.setFromUnitVectors(up, way.divideScalar(length));
      this.heads.setMatrixAt(i, matrix.compose(at, turn, size.setScalar(head || 0)));
    }
    this.heads.count = count;
    this.heads.instanceMatrix.needsUpdate = true;
  }

  override dispose() {
    this.shafts.geometry.dispose(); this.shafts.material.dispose(); this.material.dispose();
    if (this.heads) { this.heads.geometry.dispose(); this.heads.dispose(); }
  }
}

// --- frames ---

const AXES = ['#d64550', '#3f9a4e', '#3f74d6'];
const MOST_ARROWS = 1500;        // more frames than that are lines
export const axisLength = (frames: number, diagonal: number) => (frames > 20 ? 0.04 : 0.07) * diagonal;

// an arrow of length 1 along x
function arrow(): BufferGeometry {
  const profile = [[0, 0.03], [0.78, 0.03], [0.78, 0.085], [1, 0]], sides = 8, places: number[] = [], faces: number[] = [];
  profile.forEach(([x, r]) => { for (let k = 0; k < sides; k++) places.push(x, r * Math.cos((2 * Math.PI * k) / sides), r * Math.sin((2 * Math.PI * k) / sides)); });
  for (let ring = 0; ring + 1 < profile.length; ring++) for (let k = 0; k < sides; k++) {
    const a = ring * sides + k, b = ring * sides + ((k + 1) % sides);
    faces.push(a, b, a + sides, b, b + sides, a + sides);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
  geometry.setIndex(faces);
  return geometry;
}

class Frames extends Shape {
  private lines: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  private arrows: InstancedMesh | null = null;
  private size = NaN;

  constructor(info: Drawable) { super(info, new ThreeGroup()); }

  // Frames stand inside the bodies that they move: they are drawn over them.
  private prepare(count: number) {
    const many = count > MOST_ARROWS;
    if (this.arrows && (many || this.arrows.instanceMatrix.count < 3 * count)) { this.object.remove(this.arrows); this.arrows.geometry.dispose(); this.arrows.dispose(); this.arrows = null; }
    if (!many && !this.arrows) {
      this.arrows = keep(new InstancedMesh(arrow(), new MeshBasicMaterial({ depthTest: false, transparent: true }), 3 * count));
      for (let i = 0; i < 3 * count; i++) this.arrows.setColorAt(i, new Color(AXES[i % 3]));
      this.arrows.renderOrder = 2;
      this.object.add(this.arrows);
    }
    if (many && !this.lines) {
      this.lines = keep(new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true })));
      this.lines.renderOrder = 2;
      this.object.add(this.lines);
    }
    if (this.lines) this.lines.visible = many;
  }

  override update(arrays: Arrays, look: Look) {
    const p = arrays.get(this.info.positions)?.data, q = arrays.get(this.info.frames)?.data;
    this.object.visible = p !== undefined && q !== undefined;
    if (!p || !q) return;
    if (!this.changed(arrays, [this.info.positions, this.info.frames]) && this.size === look.diagonal) return;
    this.size = look.diagonal;
    const count = Math.min(p.length / 3, q.length / 4), length = axisLength(count, look.diagonal);
    this.prepare(count);
    if (count > MOST_ARROWS) this.drawLines(p, q, count, length);
    else this.drawArrows(p, q, count, length);
  }

  private drawArrows(p: ArrayLike<number>, q: ArrayLike<number>, count: number, length: number) {
    const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), size = new Vector3(length, length, length);
    const axes = [new Quaternion(), new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2), new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -Math.PI / 2)];
    for (let i = 0; i < count; i++) {
      at.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
      for (let a = 0; a < 3; a++) this.arrows!.setMatrixAt(3 * i + a, matrix.compose(at, turn.set(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]).multiply(axes[a]), size));
    }
    this.arrows!.count = 3 * count;
    this.arrows!.instanceMatrix.needsUpdate = true;
  }

  private drawLines(p: ArrayLike<number>, q: ArrayLike<number>, count: number, length: number) {
    const geometry = this.lines!.geometry, lines = sized(geometry, 18 * count), colours = sized(geometry, 18 * count, 'color');
    const axis = new Vector3(), turn = new Quaternion(), tints = AXES.map((c) => new Color(c));
    for (let i = 0; i < count; i++) {
      turn.set(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
      for (let a = 0; a < 3; a++) {
        axis.set(a === 0 ? length : 0, a === 1 ? length : 0, a === 2 ? length : 0).applyQuaternion(turn);
        const o = 18 * i + 6 * a;
        for (let k = 0; k < 3; k++) { lines[o + k] = p[3 * i + k]; lines[o + 3 + k] = p[3 * i + k] + axis.getComponent(k); }
        tints[a].toArray(colours, o);
        tints[a].toArray(colours, o + 3);
      }
    }
  }

  override dispose() {
    this.lines?.geometry.dispose();
    this.lines?.material.dispose();
    if (this.arrows) { this.arrows.geometry.dispose(); (this.arrows.material as Material).dispose(); this.arrows.dispose(); }
  }
}

// --- boxes ---

const MOST_OF_DIAGONAL = 0.3, LEAST_OF_DIAGONAL = 0.04;

// Bodies that have nothing but a mass: boxes that turn as heavily, each at its frame.
class Boxes extends Shape {
  private mesh: InstancedMesh | null = null;
  private material = new MeshPhongMaterial({ color: '#aab4c3', shininess: 20, specular: '#222222', flatShading: true });
  private diagonal = NaN;

  constructor(info: Drawable) { super(info, new ThreeGroup()); }

  override update(arrays: Arrays, look: Look) {
    const { positions, frames, sizes } = this.info;
    const p = arrays.get(positions)?.data, q = arrays.get(frames)?.data, s = arrays.get(sizes)?.data;
    this.object.visible = p !== undefined && q !== undefined && s !== undefined && p.length > 0;
    if (!p || !q || !s || !this.object.visible) return;
    this.material.emissive.set('#000000');
    if (look.selected(this.info.path)) this.material.emissive.lerp(look.accent, 0.28);
    this.material.wireframe = look.wireframe;
    fade(this.material, look.opacity(this.info.path));
    if (!this.changed(arrays, [positions, frames, sizes]) && this.diagonal === look.diagonal) return;
    this.diagonal = look.diagonal;
    const count = Math.min(p.length / 3, q.length / 4, s.length / 3, MOST_INSTANCES);
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      this.dropMesh();
      this.mesh = keep(new InstancedMesh(new BoxGeometry(1, 1, 1), this.material, count));
      this.object.add(this.mesh);
    }
    const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), size = new Vector3();
    for (let i = 0; i < count; i++) {
      boxSize(s, i, look.diagonal, size);
      this.mesh.setMatrixAt(i, matrix.compose(at.fromArray(p as Float32Array, 3 * i), turn.fromArray(q as Float32Array, 4 * i), size));
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  private dropMesh() { if (this.mesh) { this.object.remove(this.mesh); this.mesh.geometry.dispose(); this.mesh.dispose(); } }
  override dispose() { this.dropMesh(); this.material.dispose(); }
}

// An inertia that nobody chose (1 kg m² in a scene of millimetres) must not fill the picture, nor that of a point vanish.
export function boxSize(sizes: ArrayLike<number>, i: number, diagonal: number, out = new Vector3()): Vector3 {
  out.set(sizes[3 * i], sizes[3 * i + 1], sizes[3 * i + 2]);
  const longest = Math.max(out.x, out.y, out.z), least = LEAST_OF_DIAGONAL * diagonal;
  if (!(longest > 1e-6 * diagonal)) return out.setScalar(least);
  out.multiplyScalar(Math.min(1, MOST_OF_DIAGONAL * diagonal / longest));
  return out.max(new Vector3().setScalar(0.2 * least));
}

export function makeShape(info: Drawable, look: Look): Shape | null {
  switch (info.kind) {
    case 'triangles': return new Triangles(info, look);
    case 'lines': return new Lines(info);
    case 'points': return new PointCloud(info);
    case 'spheres': return new Spheres(info);
    case 'vectors': return new Arrows(info);
    case 'frames': return new Frames(info);
    case 'boxes': return new Boxes(info);
    default: return null;
  }
}
