// Frames: three axes each, or boxes of their inertia.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, DoubleSide, Group as ThreeGroup, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, MeshPhongMaterial, Quaternion, SRGBColorSpace, Vector3, type Material,
} from 'three';
import type { Drawable } from '../protocol.ts';
import { Arrays } from './arrays.ts';
import { PALETTE } from './colours.ts';
import { colour, fade, keep, MOST_INSTANCES, Shape, sized, type Look } from './shape.ts';
import { over, solid, studio } from './studio.ts';

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

export class Frames extends Shape {
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
      over(this.arrows);
      this.object.add(this.arrows);
    }
    if (many && !this.lines) {
      this.lines = keep(new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true })));
      over(this.lines);
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
export class Boxes extends Shape {
  private mesh: InstancedMesh | null = null;
  private material = new MeshPhongMaterial({ shininess: 30, specular: '#000000', side: DoubleSide });
  private diagonal = NaN;
  private base: Color;

  constructor(info: Drawable) {
    super(info, new ThreeGroup());
    this.base = colour(info.material?.diffuse, '#aab4c3');
    studio.dress(this.material);
  }

  override update(arrays: Arrays, look: Look) {
    const { positions, frames, sizes } = this.info;
    const p = arrays.get(positions)?.data, q = arrays.get(frames)?.data, s = arrays.get(sizes)?.data;
    this.object.visible = p !== undefined && q !== undefined && s !== undefined && p.length > 0;
    if (!p || !q || !s || !this.object.visible) return;
    this.material.emissive.set('#000000');
    if (look.selected(this.info.path)) this.material.emissive.lerp(look.accent, 0.28);
    this.material.wireframe = look.wireframe;
    fade(this.material, look.opacity(this.info.path));
    if (this.mesh) solid(this.mesh, !this.material.transparent && !look.wireframe);
    if (!this.changed(arrays, [positions, frames, sizes]) && this.diagonal === look.diagonal) return;
    this.diagonal = look.diagonal;
    const count = Math.min(p.length / 3, q.length / 4, s.length / 3, MOST_INSTANCES);
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      this.dropMesh();
      this.mesh = keep(new InstancedMesh(new BoxGeometry(1, 1, 1), this.material, count));
      solid(this.mesh, true);
      for (let i = 0; i < count && count > 1; i++) this.mesh.setColorAt(i, new Color().setRGB(...PALETTE[i % PALETTE.length], SRGBColorSpace));   // bodies of one state are told apart
      this.material.color.copy(count > 1 ? new Color('#ffffff') : this.base);
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
