// One shape per drawable: geometry that follows its arrays, and a look. A shape uploads only what changed.
import {
  BufferGeometry, CanvasTexture, Color, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, GreaterDepth, Group as ThreeGroup, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4,
  MeshPhongMaterial, Points, PointsMaterial, Quaternion, SphereGeometry, SRGBColorSpace, Vector2, Vector3, type Material,
} from 'three';
import type { Drawable } from '../protocol.ts';
import { Arrays } from './arrays.ts';
import { GROUP_COLOURS } from './colours.ts';
import { Boxes, Frames } from './frames.ts';
import { colour, fade, keep, MOST_INSTANCES, Shape, sized, type Look } from './shape.ts';
import { fog, liquid, solid, studio } from './studio.ts';
import { Triangles } from './surface.ts';

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
    if ((info.group === 'forceFields' && !info.faced) || info.group === 'interactions' || info.group === 'contacts') {      // what lies inside a body shines through, faintly
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
  private cloud: Material | null = null;       // balls that swallow light

  constructor(info: Drawable) {
    super(info, new ThreeGroup());
    this.base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#e8a33d');
    const alpha = this.alpha = info.material?.diffuse?.[3] ?? (info.group === 'visual' ? 1 : 0.55);
    this.material = new MeshPhongMaterial({ color: this.base, shininess: 40, specular: '#4d4d4d', side: DoubleSide });
    fade(this.material, alpha);
    studio.dress(this.material);
    if (info.attenuation) this.cloud = studio.fogMaterial(this.base, info.attenuation);
  }

  override get swallows(): boolean { return this.cloud !== null && !this.info.liquid && this.object.visible; }
  override get flows(): [number, number] | null { return this.cloud !== null && this.info.liquid && this.object.visible ? this.info.liquid : null; }

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
    if (this.mesh && !this.cloud) solid(this.mesh, !this.material.transparent && !look.wireframe);
    if (!this.changed(arrays, [positions, radii])) return;
    const count = Math.min(p.length / 3, MOST_INSTANCES), r = arrays.get(radii)?.data;
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      this.dropMesh();
      const fine = count < 50 ? 64 : count < 500 ? 32 : count < 5000 ? 16 : 10;
      this.mesh = keep(new InstancedMesh(new SphereGeometry(1, fine, fine / 2), this.cloud ?? this.material, Math.ceil(count * 1.2) + 1));
      this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      (this.mesh.instanceMatrix.array as Float32Array).fill(0);
      if (this.cloud && this.info.liquid) liquid(this.mesh);
      else if (this.cloud) fog(this.mesh, true);
      else solid(this.mesh, !this.material.transparent && !look.wireframe);
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
  private shafts: InstancedMesh | null = null;
  private heads: InstancedMesh | null = null;
  private material: MeshPhongMaterial;
  private base: Color;
  private longest = 0;
  private scale = NaN;

  constructor(info: Drawable) {
    super(info, new ThreeGroup());
    this.base = colour(info.material?.diffuse, GROUP_COLOURS[info.group] ?? '#e0633c');
    this.material = new MeshPhongMaterial({ color: this.base, shininess: 30, specular: '#000000', side: DoubleSide });
    studio.dress(this.material);
  }

  private prepare(count: number) {
    if (this.heads && this.heads.instanceMatrix.count >= count) return;
    for (const old of [this.shafts, this.heads]) if (old) { this.object.remove(old); old.geometry.dispose(); old.dispose(); }
    const shaft = new CylinderGeometry(0.5, 0.5, 1, 10, 1, true).translate(0, 0.5, 0), head = new ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    this.shafts = keep(new InstancedMesh(shaft, this.material, Math.ceil(count * 1.2) + 1));
    this.heads = keep(new InstancedMesh(head, this.material, Math.ceil(count * 1.2) + 1));
    for (const mesh of [this.shafts, this.heads]) { solid(mesh, true); this.object.add(mesh); }
  }

  override update(arrays: Arrays, look: Look) {
    const p = arrays.get(this.info.positions)?.data as Float32Array | undefined, v = arrays.get(this.info.second)?.data as Float32Array | undefined;
    this.object.visible = p !== undefined && v !== undefined;
    if (!p || !v) return;
    this.material.color.copy(look.selected(this.info.path) ? look.accent : this.base);
    if (!this.changed(arrays, [this.info.positions, this.info.second]) && this.scale === look.arrowScale) return;
    this.scale = look.arrowScale;
    const count = Math.min(p.length / 3, v.length / 3, MOST_INSTANCES);
    for (let i = 0; i < count; i++) this.longest = Math.max(this.longest, Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]) || 0);
    const usual = this.longest > 0 ? (this.info.group === 'contacts' ? 0.04 : 0.14) * look.diagonal / this.longest : 0, s = look.arrowScale * (this.info.scale ?? usual);
    this.prepare(count);
    const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), size = new Vector3(), up = new Vector3(0, 1, 0), way = new Vector3(), tint = new Color();
    for (let i = 0; i < count; i++) {
      way.set(v[3 * i], v[3 * i + 1], v[3 * i + 2]).multiplyScalar(s);
      const length = way.length() || 0, tip = Math.min(0.35 * length, 0.03 * look.diagonal), thick = Math.min(0.05 * length, 0.004 * look.diagonal);
      if (length > 0) turn.setFromUnitVectors(up, way.divideScalar(length));
      at.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
      this.shafts!.setMatrixAt(i, matrix.compose(at, turn, size.set(thick, length - tip, thick)));
      this.heads!.setMatrixAt(i, matrix.compose(at.addScaledVector(way, length - tip), turn, size.set(0.3 * tip, tip, 0.3 * tip)));
      if (!this.info.directed) continue;
      tint.setRGB(Math.abs(way.x), Math.abs(way.y), Math.abs(way.z), SRGBColorSpace);
      this.shafts!.setColorAt(i, tint);
      this.heads!.setColorAt(i, tint);
    }
    this.shafts!.count = this.heads!.count = count;
    this.shafts!.instanceMatrix.needsUpdate = this.heads!.instanceMatrix.needsUpdate = true;
    for (const mesh of [this.shafts!, this.heads!]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  override dispose() {
    this.material.dispose();
    for (const mesh of [this.shafts, this.heads]) if (mesh) { mesh.geometry.dispose(); mesh.dispose(); }
  }
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
