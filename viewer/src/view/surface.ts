// Surfaces: triangles with normals, colours of values, textures.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group as ThreeGroup, LineBasicMaterial, LineSegments, Mesh, MeshPhongMaterial, type Material, type RawShaderMaterial,
} from 'three';
import type { Drawable } from '../protocol.ts';
import { Arrays } from './arrays.ts';
import { GROUP_COLOURS, mapTexture, sceneMap } from './colours.ts';
import { computeNormals, gather, sameplaces, splitCreases, type Split } from './normals.ts';
import type { Program } from './program.ts';
import { colour, fade, keep, picture, Shape, sized, type Look } from './shape.ts';
import { fog, solid, studio } from './studio.ts';

const MOST_NORMALS = 30000;

interface Dress { material: MeshPhongMaterial; emissive: Color; alpha: number }

export class Triangles extends Shape {
  private mesh: Mesh<BufferGeometry, Material | Material[]>;
  private looks: Dress[];
  private hairs: LineSegments | null = null;
  private normals: BufferAttribute | null = null;
  private same: Uint32Array | null = null;
  private split: Split | null = null;
  private built = '';
  private shaded = false;
  private range = { value: { x: 0, y: 1 } };
  private cloud: Material | null = null;       // of a volume that swallows light
  private programs: Program[] = [];            // of the scene, one a part

  constructor(info: Drawable, look: Look) {
    const group = new ThreeGroup();
    super(info, group);
    this.looks = (info.parts ?? [{ material: info.material }]).map((part) => this.makeLook(part.material ?? {}, look));
    this.mesh = keep(new Mesh(new BufferGeometry(), info.parts ? this.looks.map((l) => l.material) : this.looks[0].material));
    group.add(this.mesh);
    if (info.attenuation) { this.cloud = studio.fogMaterial(this.looks[0].material.color, info.attenuation); fog(this.mesh, true); }
    if (info.absorption) studio.contrast(this.mesh, info.absorption);
    this.takePrograms(look);
  }

  // Where the scene has a program of its own for this surface, and it compiles.
  private takePrograms(look: Look) {
    const { info } = this;
    if (info.shader == null) return;
    const made = (info.parts ?? [{ material: info.material }]).map((part) => look.program(info.shader!, part.material ?? {}));
    if (made.some((p) => p === null)) return;
    this.programs = made as Program[];
    this.mesh.onBeforeRender = (_r, _s, camera, _g, material) => this.programs.find((p) => p.material === material)?.see(camera);
  }

  // The scene's own programs know neither wires nor how something is faded.
  private wear(arrays: Arrays, look: Look) {
    const { info } = this, own = this.programs.length > 0 && !this.looks[0].material.wireframe && look.opacity(info.path) >= 1;
    const list: (MeshPhongMaterial | RawShaderMaterial)[] = own ? this.programs.map((p) => p.material) : this.looks.map((l) => l.material);
    this.mesh.material = this.cloud ?? (info.parts ? list : list[0]);
    if (!own) return;
    for (const p of this.programs) p.update(arrays);
    const geometry = this.mesh.geometry;
    for (const [name, from] of [['dv_place', 'position'], ['dv_normal', 'normal'], ['dv_at', 'uv']] as const) {
      const a = geometry.getAttribute(from);
      if (a && geometry.getAttribute(name) !== a) geometry.setAttribute(name, a);
    }
    for (const g of look.attributes(info.shader!)) {
      const data = arrays.get(g.array)?.data;
      if (!data) continue;
      const points = this.split ? this.split.source.length : geometry.getAttribute('position')?.count ?? 0;
      let a = geometry.getAttribute(g.name) as BufferAttribute | undefined;
      if (!a || a.count !== points) geometry.setAttribute(g.name, a = new BufferAttribute(new Float32Array(points * g.rows), g.rows));
      const to = a.array as Float32Array;
      for (let i = 0; i < points; i++) for (let k = 0; k < g.rows; k++) to[i * g.rows + k] = data[(this.split ? this.split.source[i] : i) * g.rows + k] ?? 0;
      a.needsUpdate = true;
    }
  }

  private makeLook(m: NonNullable<Drawable['material']>, look: Look) {
    const { info } = this, material = new MeshPhongMaterial({ side: DoubleSide });
    material.color.copy(colour(m.diffuse, GROUP_COLOURS[info.group] ?? '#b8bec9'));
    material.shininess = Math.max(1, m.shininess ?? 30);
    material.specular = colour(m.specular, '#000000');
    const alpha = m.diffuse?.[3] ?? (info.group === 'visual' || info.values != null || this.isBody ? 1 : 0.35);
    fade(material, alpha);
    if (info.group !== 'visual') { material.polygonOffset = true; material.polygonOffsetFactor = info.group === 'collision' ? -1 : 2; material.polygonOffsetUnits = 2 * material.polygonOffsetFactor; }   // the former often lie on a visual model
    this.shader(material, info.values != null);
    if (info.values != null) { material.color.set('#ffffff'); material.map = mapTexture('viridis'); material.specular.set('#000000'); }
    else if (m.texture && info.texcoords != null) { material.map = picture(m.texture, look.loaded); if (!m.diffuse) material.color.set('#ffffff'); }
    studio.dress(material, info.paint != null);
    return { material, emissive: colour(m.emissive, '#000000'), alpha };
  }

  // Values become places in the colour map, in the vertex shader.
  private shader(material: MeshPhongMaterial, painted: boolean) {
    if (!painted) return;
    material.onBeforeCompile = (shader) => {
      shader.uniforms.valueRange = this.range;
      shader.vertexShader = 'attribute float value;\nuniform vec2 valueRange;\n' + shader.vertexShader.replace('#include <uv_vertex>',
        'vMapUv = vec2(clamp((value - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.002, 0.998), 0.5);');
    };
    material.customProgramCacheKey = () => 'values';
  }

  override update(arrays: Arrays, look: Look) {
    const { positions, indices, values, texcoords, paint, material } = this.info;
    const p = arrays.get(positions), t = arrays.get(indices);
    this.object.visible = p !== null && t !== null && t.data.length >= 3 && this.present(arrays, [values, paint]);
    if (!this.object.visible || !p || !t) return;
    const rewired = this.changed(arrays, [indices]), moved = this.changed(arrays, [positions]), repainted = values != null && this.changed(arrays, [values]);
    const key = [positions, indices, values, texcoords].map((id) => arrays.get(id)?.data.length ?? 0).join();
    if (rewired || key !== this.built) this.build(arrays, key);
    if (moved || !this.shaded) this.shade(arrays);
    if (repainted && this.split) this.regather(arrays, values!, 1, 'value');
    if (paint != null && this.split && (this.changed(arrays, [paint]) || !this.mesh.geometry.getAttribute('paint'))) {
      if (!this.mesh.geometry.getAttribute('paint')) this.mesh.geometry.setAttribute('paint', new BufferAttribute(new Float32Array(4 * this.split.source.length), 4).setUsage(DynamicDrawUsage));
      this.regather(arrays, paint, 4, 'paint');
    }
    this.attach(arrays);
    if (repainted) this.measure(arrays.get(values)!.data as Float32Array);
    const flat = !look.smooth, selected = look.selected(this.info.path), opacity = look.opacity(this.info.path);
    for (const { material: m, emissive, alpha } of this.looks) {
      fade(m, alpha * opacity);
      if (m.flatShading !== flat) { m.flatShading = flat; m.needsUpdate = true; }
      m.wireframe = look.wireframe || material?.wireframe === true;
      m.emissive.copy(emissive);
      if (selected) m.emissive.lerp(look.accent, 0.28);
      if (values != null) m.map = mapTexture(this.info.map ? sceneMap(this.info.map.colours) : look.colourMap);
    }
    this.wear(arrays, look);
    if (!this.cloud) solid(this.mesh, this.looks.every((l) => !l.material.transparent && !l.material.wireframe));
    if (values != null) {
      const [low, high] = look.range(this, this.low, this.high);
      this.range.value.x = low; this.range.value.y = high;
    }
    this.showNormals(p.data as Float32Array, look);
  }

  // Another mesh, or the first: it is taken apart at its creases, as it lies now. Without any it shares the arrays of others.
  private build(arrays: Arrays, key: string) {
    const { positions, indices, texcoords, values } = this.info, geometry = this.mesh.geometry;
    const p = arrays.get(positions)!.data as Float32Array, t = arrays.get(indices)!.data as Uint32Array;
    geometry.dispose();
    for (const name of Object.keys(geometry.attributes)) geometry.deleteAttribute(name);
    geometry.clearGroups();
    this.info.parts?.forEach((part, i) => geometry.addGroup(part.first, part.count, i));
    this.same = texcoords != null ? sameplaces(p) : null;
    this.split = splitCreases(p, t, this.same);
    this.built = key;
    this.shaded = false;
    const points = this.split ? this.split.source.length : p.length / 3;
    this.normals = new BufferAttribute(new Float32Array(3 * points), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute('normal', this.normals);
    if (!this.split) return;
    geometry.setIndex(new BufferAttribute(this.split.index, 1));
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3).setUsage(DynamicDrawUsage));
    if (texcoords != null && arrays.get(texcoords)) { geometry.setAttribute('uv', new BufferAttribute(new Float32Array(2 * points), 2)); this.regather(arrays, texcoords, 2, 'uv'); }
    if (values != null) { geometry.setAttribute('value', new BufferAttribute(new Float32Array(points), 1).setUsage(DynamicDrawUsage)); this.regather(arrays, values, 1, 'value'); }
  }

  private regather(arrays: Arrays, id: number, width: number, name: string) {
    const a = this.mesh.geometry.getAttribute(name) as BufferAttribute;
    gather(arrays.get(id)!.data, this.split!.source, width, a.array as Float32Array);
    a.needsUpdate = true;
  }

  private shade(arrays: Arrays) {
    const { positions, indices } = this.info;
    if (this.split) this.regather(arrays, positions, 3, 'position');
    const p = this.split ? (this.mesh.geometry.getAttribute('position') as BufferAttribute).array as Float32Array : arrays.get(positions)!.data as Float32Array;
    computeNormals(p, this.split ? this.split.index : arrays.get(indices)!.data as Uint32Array, this.normals!.array as Float32Array, this.split ? this.split.same : this.same);
    this.normals!.needsUpdate = true;
    this.shaded = true;
  }

  // The arrays that are shared: an attribute is another one after another length.
  private attach(arrays: Arrays) {
    if (this.split) return;
    const { positions, indices, values, texcoords, paint } = this.info, geometry = this.mesh.geometry, index = arrays.attribute(indices!, 1)!;
    if (geometry.index !== index) geometry.setIndex(index);
    for (const [name, id, width] of [['position', positions, 3], ['value', values, 1], ['uv', texcoords, 2], ['paint', paint, 4]] as const) {
      const a = id != null ? arrays.attribute(id, width) : null;
      if (a && geometry.getAttribute(name) !== a) geometry.setAttribute(name, a);
    }
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
    if (this.split) p = (this.mesh.geometry.getAttribute('position') as BufferAttribute).array as Float32Array;
    const n = this.normals.array, count = Math.min(p.length / 3, MOST_NORMALS), length = 0.02 * look.diagonal;
    const lines = sized(this.hairs.geometry, 6 * count);
    for (let i = 0, o = 0; i < 3 * count; i += 3, o += 6) {
      for (let k = 0; k < 3; k++) { lines[o + k] = p[i + k]; lines[o + 3 + k] = p[i + k] + length * n[i + k]; }
    }
  }

  override get swallows(): boolean { return this.cloud !== null && this.object.visible; }

  override dispose() {
    this.mesh.geometry.dispose();
    for (const l of this.looks) l.material.dispose();
    for (const p of this.programs) p.dispose();
    this.cloud?.dispose();
    this.hairs?.geometry.dispose();
  }
}
