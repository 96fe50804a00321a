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

export interface Split { index: Uint32Array; source: Uint32Array; same: Uint32Array | null }

const SHARP = Math.cos((50 * Math.PI) / 180);

// Takes a surface apart at its creases, where two triangles turn away from each other by more than 50 degrees: a point there
// becomes several, one for each smooth part around it, so that boxes have edges and balls have none. `index` are the triangles
// with the new points, `source` tells which point each of them was, `same` which of them share a normal (over seams of a
// texture). Null when there is no crease.
export function splitCreases(p: Float32Array, t: Uint32Array, same: Uint32Array | null): Split | null {
  const corners = t.length - (t.length % 3), points = p.length / 3, at = (c: number) => (same ? same[t[c]] : t[c]);
  for (let c = 0; c < corners; c++) if (t[c] >= points) return null;
  const normals = new Float32Array(corners);
  for (let c = 0; c < corners; c += 3) {
    const [a, b, d] = [3 * t[c], 3 * t[c + 1], 3 * t[c + 2]];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2], vx = p[d] - p[a], vy = p[d + 1] - p[a + 1], vz = p[d + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx, length = Math.hypot(nx, ny, nz) || 1;
    normals[c] = nx / length; normals[c + 1] = ny / length; normals[c + 2] = nz / length;
  }
  // corners that belong together: those of neighbours over an edge that is not sharp
  const group = new Uint32Array(corners).map((_, c) => c);
  const head = (c: number) => { while (group[c] !== c) c = group[c] = group[group[c]]; return c; };
  const unite = (a: number, b: number) => { const x = head(a), y = head(b); if (x < y) group[y] = x; else group[x] = y; };
  const none = 0xffffffff;
  let size = 1;
  while (size < 2 * corners) size *= 2;
  const table = new Uint32Array(size).fill(none);           // of edges, by the first corner that has each
  let sharp = false;
  for (let c = 0; c < corners; c++) {
    const next = c % 3 === 2 ? c - 2 : c + 1, a = at(c), b = at(next), low = Math.min(a, b), high = Math.max(a, b);
    for (let h = (Math.imul(low, 73856093) ^ Math.imul(high, 19349663)) & (size - 1); ; h = (h + 1) & (size - 1)) {
      const other = table[h];
      if (other === none) { table[h] = c; break; }
      const onext = other % 3 === 2 ? other - 2 : other + 1, oa = at(other), ob = at(onext);
      if (Math.min(oa, ob) !== low || Math.max(oa, ob) !== high) continue;
      const f = c - (c % 3), g = other - (other % 3);
      let dot = normals[f] * normals[g] + normals[f + 1] * normals[g + 1] + normals[f + 2] * normals[g + 2];
      if (oa === a) dot = -dot;                              // neighbours that turn the other way round
      if (dot < SHARP) { sharp = true; break; }
      unite(c, oa === a ? other : onext);
      unite(next, oa === a ? onext : other);
      break;
    }
  }
  if (!sharp) return null;
  const index = new Uint32Array(corners), source: number[] = [], first: number[] = [], following: number[] = [];
  const begun = new Int32Array(corners).fill(-1);            // of each group, its first point
  for (let c = 0; c < corners; c++) {
    const g = head(c);
    let v = begun[g], last = -1;
    while (v >= 0 && source[v] !== t[c]) { last = v; v = following[v]; }
    if (v < 0) {
      v = source.length;
      source.push(t[c]); following.push(-1);
      first.push(begun[g] < 0 ? v : begun[g]);
      if (begun[g] < 0) begun[g] = v; else following[last] = v;
    }
    index[c] = v;
  }
  return { index, source: Uint32Array.from(source), same: first.some((f, i) => f !== i) ? Uint32Array.from(first) : null };
}

// The numbers of the new points.
export function gather(from: ArrayLike<number>, source: Uint32Array, width: number, to: Float32Array) {
  for (let i = 0, o = 0; i < source.length; i++) for (let k = 0; k < width; k++) to[o++] = from[width * source[i] + k];
}
