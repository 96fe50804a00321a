// A camera that turns about a target with an upright axis, in perspective or orthographic.
import { Box3, Camera, Matrix4, OrthographicCamera, PerspectiveCamera, Quaternion, Ray, Vector3 } from 'three';

const FIELD = 36;                   // degrees, vertical
const HALF = Math.tan((FIELD * Math.PI) / 360);
const POLE = 1e-3;

export interface Pose { target: number[]; azimuth: number; elevation: number; distance: number; ortho: boolean; up: 'x' | 'y' | 'z' }

const UPRIGHT: Record<Pose['up'], Quaternion> = {
  y: new Quaternion(),
  z: new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(0, 0, 1)),
  x: new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(1, 0, 0)),
};

export class OrbitCamera {
  target = new Vector3();
  azimuth = 0.6; elevation = 0.35; distance = 3;
  ortho = false;
  up: Pose['up'] = 'y';
  private perspective = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  private orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  private aspect = 1;
  lens: [number, number] | null = null;   // that bends the picture: rays of pixels follow it
  private reach = 1;                // radius of what is to be seen

  get size() { return this.reach; }

  get camera(): Camera { return this.ortho ? this.orthographic : this.perspective; }

  get pose(): Pose {
    return { target: this.target.toArray(), azimuth: this.azimuth, elevation: this.elevation, distance: this.distance, ortho: this.ortho, up: this.up };
  }

  set pose(p: Pose) {
    if (Array.isArray(p.target) && p.target.length === 3) this.target.fromArray(p.target);
    for (const key of ['azimuth', 'elevation', 'distance'] as const) if (Number.isFinite(p[key])) this[key] = p[key];
    this.ortho = p.ortho === true;
    if (p.up === 'x' || p.up === 'y' || p.up === 'z') this.up = p.up;
    this.update();
  }

  resize(width: number, height: number) { this.aspect = width / Math.max(1, height); this.update(); }

  setReach(box: Box3) {
    if (!box.isEmpty()) this.reach = Math.max(1e-6, box.getSize(new Vector3()).length() / 2, box.getCenter(new Vector3()).distanceTo(this.target));
    this.update();
  }

  private outward(): Vector3 {
    const c = Math.cos(this.elevation);
    return new Vector3(c * Math.sin(this.azimuth), Math.sin(this.elevation), c * Math.cos(this.azimuth)).applyQuaternion(UPRIGHT[this.up]);
  }

  update() {
    this.elevation = Math.min(Math.PI / 2 - POLE, Math.max(-Math.PI / 2 + POLE, this.elevation));
    const camera = this.ortho ? this.orthographic : this.perspective;
    camera.up.set(0, 1, 0).applyQuaternion(UPRIGHT[this.up]);
    camera.position.copy(this.target).addScaledVector(this.outward(), this.distance);
    camera.lookAt(this.target);
    const far = this.distance + 12 * this.reach;
    if (this.ortho) {
      const h = this.distance * HALF;
      Object.assign(this.orthographic, { left: -h * this.aspect, right: h * this.aspect, top: h, bottom: -h, near: -far, far });
      this.orthographic.updateProjectionMatrix();
    } else {
      Object.assign(this.perspective, { aspect: this.aspect, near: Math.max(this.distance * 0.01, this.distance - 12 * this.reach), far });
      this.perspective.updateProjectionMatrix();
    }
    camera.updateMatrixWorld();
  }

  turn(dx: number, dy: number) { this.azimuth -= dx; this.elevation += dy; this.update(); }

  // In parts of the height of the picture.
  pan(dx: number, dy: number) {
    const height = 2 * this.distance * HALF;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0), up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * height).addScaledVector(up, dy * height);
    this.update();
  }

  // Towards what lies under (x, y), -1 to 1 both.
  zoom(factor: number, x = 0, y = 0) {
    const before = this.distance;
    this.distance = Math.min(1e9, Math.max(1e-6 * this.reach, this.distance * factor));
    const k = (before - this.distance) * HALF;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0), up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, x * this.aspect * k).addScaledVector(up, y * k);
    this.update();
  }

  fit(box: Box3) {
    if (box.isEmpty()) return;
    box.getCenter(this.target);
    const corner = new Vector3(), view = new Matrix4();
    this.update();
    view.copy(this.camera.matrixWorld).invert();
    // the distance at which every corner is inside the picture, with a margin
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).applyMatrix4(view);
      const depth = this.ortho ? 0 : corner.z + this.distance;      // towards the camera
      distance = Math.max(distance, Math.abs(corner.y) / HALF + depth, Math.abs(corner.x) / (HALF * this.aspect) + depth);
    }
    this.distance = Math.max(distance * 1.12, 1e-6);
    this.setReach(box);
  }

  // Of the picture where the target is.
  get height() { return 2 * this.distance * HALF; }

  // The size of a pixel at a distance of 1, or anywhere where there is no perspective.
  pixel(pixels: number) { return { perspective: !this.ortho, size: (this.ortho ? this.height : 2 * HALF) / Math.max(1, pixels) }; }

  // Standing at a point and looking at another.
  place(position: Vector3, target: Vector3) {
    const out = position.clone().sub(target), away = out.length();
    this.target.copy(target);
    this.distance = away;
    out.divideScalar(away).applyQuaternion(UPRIGHT[this.up].clone().invert());
    this.elevation = Math.asin(Math.max(-1, Math.min(1, out.y)));
    this.azimuth = Math.atan2(out.x, out.z);
    this.update();
  }

  ray(x: number, y: number): Ray {
    const ray = new Ray();
    if (this.lens) { const r = x * x * this.aspect * this.aspect + y * y, f = 1 + this.lens[0] * r + this.lens[1] * r * r; x *= f; y *= f; }
    const camera = this.camera as PerspectiveCamera;
    if (this.ortho) {
      ray.origin.set(x, y, -1).unproject(camera);
      ray.direction.set(0, 0, -1).transformDirection(camera.matrixWorld);
    } else {
      ray.origin.setFromMatrixPosition(camera.matrixWorld);
      ray.direction.set(x, y, 0.5).unproject(camera).sub(ray.origin).normalize();
    }
    return ray;
  }

  // Where the ray meets the plane through `point` that faces the camera.
  onPlane(ray: Ray, point: Vector3): Vector3 {
    const normal = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 2);
    const slope = normal.dot(ray.direction);
    const t = Math.abs(slope) < 1e-12 ? 0 : normal.dot(point.clone().sub(ray.origin)) / slope;
    return ray.origin.clone().addScaledVector(ray.direction, t);
  }
}
