// Which shape a ray meets first. Plain loops over the arrays: meshes deform, so nothing is prepared.
import { Camera, Ray, Vector3 } from 'three';
import type { Arrays } from './arrays.ts';
import { boxSize } from './frames.ts';
import type { Shape } from './shape.ts';

export interface Picked { shape: Shape; point: Vector3; distance: number; index: number }

function rayTriangles(ray: Ray, p: Float32Array, t: Uint32Array): { distance: number; index: number } | null {
  const { x: ox, y: oy, z: oz } = ray.origin, { x: dx, y: dy, z: dz } = ray.direction;
  let best = Infinity, index = -1;
  for (let i = 0; i + 2 < t.length; i += 3) {
    const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
    const ax = p[a], ay = p[a + 1], az = p[a + 2];
    const ux = p[b] - ax, uy = p[b + 1] - ay, uz = p[b + 2] - az, vx = p[c] - ax, vy = p[c + 1] - ay, vz = p[c + 2] - az;
    const hx = dy * vz - dz * vy, hy = dz * vx - dx * vz, hz = dx * vy - dy * vx;
    const det = ux * hx + uy * hy + uz * hz;
    if (det === 0) continue;
    const f = 1 / det, sx = ox - ax, sy = oy - ay, sz = oz - az;
    const u = f * (sx * hx + sy * hy + sz * hz);
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = f * (dx * qx + dy * qy + dz * qz);
    if (v < 0 || u + v > 1) continue;
    const s = f * (vx * qx + vy * qy + vz * qz);
    if (s > 0 && s < best) { best = s; index = i / 3; }
  }
  return index < 0 ? null : { distance: best, index };
}

function raySpheres(ray: Ray, p: Float32Array, radius: (i: number) => number): { distance: number; index: number } | null {
  let best = Infinity, index = -1;
  const m = new Vector3();
  for (let i = 0; 3 * i < p.length; i++) {
    m.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]).sub(ray.origin);
    const b = m.dot(ray.direction), r = radius(i), h = b * b - m.lengthSq() + r * r;
    if (h < 0) continue;
    const s = b - Math.sqrt(h);
    if (s > 0 && s < best) { best = s; index = i; }
  }
  return index < 0 ? null : { distance: best, index };
}

// `near` is how far from the cursor a point may lie, in units of half the picture's height.
export function pick(ray: Ray, shapes: Iterable<Shape>, arrays: Arrays, camera: Camera, cursor: { x: number; y: number; aspect: number }, near: number, diagonal: number): Picked | null {
  let best: Picked | null = null;
  const place = new Vector3();
  for (const shape of shapes) {
    if (!shape.pickable()) continue;
    const p = arrays.get(shape.info.positions)?.data as Float32Array | undefined;
    if (!p) continue;
    let found: { distance: number; index: number } | null = null;
    if (shape.info.kind === 'triangles') found = rayTriangles(ray, p, arrays.get(shape.info.indices)!.data as Uint32Array);
    else if (shape.info.kind === 'spheres') {
      const r = arrays.get(shape.info.radii)?.data;
      found = raySpheres(ray, p, (i) => (r ? r[Math.min(i, r.length - 1)] : shape.info.radius ?? 0));
    } else if (shape.info.kind === 'boxes') {
      const s = arrays.get(shape.info.sizes)?.data;
      if (s) found = raySpheres(ray, p, (i) => 0.5 * boxSize(s, i, diagonal).length());
    } else if (shape.info.kind === 'points' || shape.info.kind === 'frames') {
      let closest = near;
      for (let i = 0; 3 * i < p.length; i++) {
        place.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]).project(camera);
        if (place.z > 1) continue;
        const d = Math.hypot((place.x - cursor.x) * cursor.aspect, place.y - cursor.y);
        if (d < closest) {
          closest = d;
          place.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]).sub(ray.origin);
          found = { distance: place.dot(ray.direction) * 0.999, index: i };
        }
      }
    }
    if (found && (!best || found.distance < best.distance)) {
      best = { shape, distance: found.distance, index: found.index, point: ray.origin.clone().addScaledVector(ray.direction, found.distance) };
    }
  }
  return best;
}
