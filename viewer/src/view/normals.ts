// Normals at the points of a deforming mesh: sums of the triangles' normals, weighted by their areas.

// Points that lie at the same place (seams of a texture) get one normal: for each point the first one there.
export function sameplaces(positions: Float32Array): Uint32Array | null {
  const count = positions.length / 3;
  const first = new Uint32Array(count);
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
  let size = 1;
  while (size < 2 * count) size *= 2;
  const table = new Int32Array(size).fill(-1);
  let found = false;
  for (let i = 0; i < count; i++) {
    const x = bits[3 * i], y = bits[3 * i + 1], z = bits[3 * i + 2];
    let h = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) >>> 0;
    h = (h ^ (h >>> 15)) & (size - 1);
    for (;;) {
      const j = table[h];
      if (j < 0) { table[h] = i; first[i] = i; break; }
      if (bits[3 * j] === x && bits[3 * j + 1] === y && bits[3 * j + 2] === z) { first[i] = j; found = true; break; }
      h = (h + 1) & (size - 1);
    }
  }
  return found ? first : null;
}

export function computeNormals(p: Float32Array, t: Uint32Array, out: Float32Array, same: Uint32Array | null) {
  out.fill(0);
  const points = out.length / 3;
  for (let i = 0; i + 2 < t.length; i += 3) {
    let a = t[i], b = t[i + 1], c = t[i + 2];
    if (a >= points || b >= points || c >= points) continue;
    if (same) { a = same[a]; b = same[b]; c = same[c]; }
    a *= 3; b *= 3; c *= 3;
    const ax = p[a], ay = p[a + 1], az = p[a + 2];
    const ux = p[b] - ax, uy = p[b + 1] - ay, uz = p[b + 2] - az;
    const vx = p[c] - ax, vy = p[c + 1] - ay, vz = p[c + 2] - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
  }
  for (let i = 0; i < points; i++) {
    const j = 3 * i;
    if (same && same[i] !== i) {
      const k = 3 * same[i];           // comes before i: has its length already
      out[j] = out[k]; out[j + 1] = out[k + 1]; out[j + 2] = out[k + 2];
      continue;
    }
    const x = out[j], y = out[j + 1], z = out[j + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    const s = length > 0 ? 1 / length : 0;
    out[j] = x * s; out[j + 1] = y * s; out[j + 2] = z * s;
  }
}

// How sharp the surface is at each point: 1 where a triangle turns away from the point's normal by more than 30 degrees (so that its neighbour does by 60), 0 up to 20.
// There the picture uses the triangles' own normals, so that boxes have edges.
export function creases(p: Float32Array, t: Uint32Array, normals: Float32Array): Float32Array {
  const out = new Float32Array(normals.length / 3);
  for (let i = 0; i + 2 < t.length; i += 3) {
    const corners = [t[i], t[i + 1], t[i + 2]];
    if (corners.some((c) => c >= out.length)) continue;
    const [a, b, c] = corners.map((k) => 3 * k);
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx, length = Math.hypot(nx, ny, nz);
    if (!(length > 0)) continue;
    for (const k of corners) {
      const dot = (nx * normals[3 * k] + ny * normals[3 * k + 1] + nz * normals[3 * k + 2]) / length;
      out[k] = Math.max(out[k], Math.min(1, (0.94 - dot) / 0.074));
    }
  }
  return out;
}
