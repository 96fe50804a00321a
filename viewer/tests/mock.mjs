// A stand-in for `divan view`, for tests of the page alone: it serves the bundle and speaks the protocol of docs/viewer.md with a
// waving sheet, a few components that can be edited, and statistics. Needs only node and ws.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const BUNDLE = fileURLToPath(new URL('../bundle/index.html', import.meta.url));
const COLUMNS = 41, ROWS = 31;

class Sheet {
  constructor() {
    this.points = COLUMNS * ROWS;
    this.positions = new Float32Array(3 * this.points);
    this.stress = new Float32Array(this.points);
    this.velocity = new Float32Array(3 * this.points);
    this.pullTo = null;
    this.held = -1;
    const triangles = [], edges = [];
    for (let j = 0; j < ROWS; j++) for (let i = 0; i < COLUMNS; i++) {
      const a = j * COLUMNS + i;
      if (i + 1 < COLUMNS) edges.push(a, a + 1);
      if (i + 1 < COLUMNS && j + 1 < ROWS) triangles.push(a, a + COLUMNS, a + 1, a + 1, a + COLUMNS, a + COLUMNS + 1);
    }
    this.triangles = new Uint32Array(triangles);
    this.edges = new Uint32Array(edges);
    this.texcoords = new Float32Array(2 * this.points);
    for (let a = 0; a < this.points; a++) { this.texcoords[2 * a] = (a % COLUMNS) / (COLUMNS - 1); this.texcoords[2 * a + 1] = Math.floor(a / COLUMNS) / (ROWS - 1); }
    this.move(0, 0.25);
  }

  move(time, height) {
    for (let a = 0; a < this.points; a++) {
      const x = (a % COLUMNS) / (COLUMNS - 1) * 2 - 1, z = Math.floor(a / COLUMNS) / (ROWS - 1) * 1.5 - 0.75;
      const phase = 4 * x + 2 * z - 5 * time;
      this.positions[3 * a] = x;
      this.positions[3 * a + 1] = height * Math.sin(phase) * (0.3 + 0.35 * (x + 1));
      this.positions[3 * a + 2] = z;
      this.velocity[3 * a + 1] = -5 * height * Math.cos(phase);
      this.stress[a] = 1000 * Math.abs(Math.cos(phase)) * (x + 1);
    }
    if (this.held >= 0 && this.pullTo) for (let k = 0; k < 3; k++) this.positions[3 * this.held + k] = this.pullTo[k];
  }

  // the point nearest to a ray
  cast(origin, direction) {
    let best = 0.05, index = -1;
    for (let a = 0; a < this.points; a++) {
      const d = [0, 1, 2].map((k) => this.positions[3 * a + k] - origin[k]);
      const along = d[0] * direction[0] + d[1] * direction[1] + d[2] * direction[2];
      const off = Math.hypot(...d.map((v, k) => v - along * direction[k]));
      if (off < best) { best = off; index = a; }
    }
    return index;
  }
}

const material = { ambient: [0.2, 0.2, 0.2, 1], diffuse: [0.78, 0.32, 0.26, 1], specular: [0.6, 0.6, 0.6, 1], emissive: [0, 0, 0, 1], shininess: 45, texture: null, wireframe: false };

class Simulation {
  constructor() { this.sheet = new Sheet(); this.height = '0.25'; this.young = '5000'; this.reset(); this.dt = 0.01; this.sceneRevision = 1; this.graphRevision = 1; this.active = true; this.extra = []; this.keys = []; this.fixed = new Set(); }
  reset() { this.time = 0; this.step = 0; this.animating = false; this.realtime = false; this.factor = 1; this.sheet.move(0, Number(this.height)); }
  advance() { this.time += this.dt; this.step++; this.sheet.move(this.time, Number(this.height)); }
  scene() {
    const s = this.sheet, array = (id, data, width, dynamic) => ({ id, kind: data instanceof Float32Array ? 'f32' : 'u32', width, count: data.length, dynamic });
    return {
      revision: this.sceneRevision, box: [[-1, -0.3, -0.75], [1, 0.3, 0.75]],
      arrays: [array(1, s.positions, 3, true), array(2, s.triangles, 3, false), array(3, s.stress, 1, true), array(4, s.velocity, 3, true), array(5, s.edges, 2, false), array(6, s.texcoords, 2, false)],
      drawables: [
        { id: 1, group: 'visual', kind: 'triangles', path: '/Sheet/Visual/skin', positions: 1, indices: 2, texcoords: 6, material },
        { id: 2, group: 'forceFields', kind: 'triangles', path: '/Sheet/membrane', positions: 1, indices: 2, values: 3, label: 'von Mises stress (Pa)' },
        { id: 3, group: 'behavior', kind: 'points', path: '/Sheet/dofs', positions: 1 },
        { id: 4, group: 'velocities', kind: 'vectors', path: '/Sheet/dofs', positions: 1, second: 4 },
        { id: 5, group: 'interactions', kind: 'lines', path: '/Sheet/springs', positions: 1, indices: 5 },
        { id: 6, group: 'collision', kind: 'spheres', path: '/Sheet/spheres', positions: 1, radius: 0.02 },
      ],
    };
  }
  arrays() { const s = this.sheet; return { 1: s.positions, 2: s.triangles, 3: s.stress, 4: s.velocity, 5: s.edges, 6: s.texcoords }; }
  graph() {
    const object = (path, cls, role, more = {}) => ({ name: path.split('/').pop(), path, class: cls, role, template: 'Vec3d', failed: false, messages: 0, ...more });
    return { name: 'root', path: '/', active: true, objects: [object('/a', 'RequiredPlugin', 'setting'), object('/b', 'RequiredPlugin', 'setting'), object('/loop', 'DefaultAnimationLoop', 'loop')], nodes: [
      { name: 'Sheet', path: '/Sheet', active: this.active, objects: [object('/Sheet/solver', 'EulerImplicitSolver', 'solver'), object('/Sheet/cg', 'CGLinearSolver', 'linear solver'), object('/Sheet/dofs', 'MechanicalObject', 'state'),
        object('/Sheet/mass', 'UniformMass', 'mass', { messages: 1 }), object('/Sheet/membrane', 'TriangleFEMForceField', 'force'), object('/Sheet/springs', 'SpringForceField', 'force'), object('/Sheet/spheres', 'SphereCollisionModel', 'collision')],
        nodes: [{ name: 'Visual', path: '/Sheet/Visual', active: true, nodes: [], objects: [object('/Sheet/Visual/skin', 'OglModel', 'visual'), object('/Sheet/Visual/map', 'IdentityMapping', 'mapping')] }, ...this.extra] }] };
  }
  object(path) {
    const field = (name, type, value, more = {}) => ({ name, type, unit: '', help: `help of ${name}`, value, size: value.split(' ').length, cut: false, initial: '', changed: false, readOnly: false, looks: false, link: null, options: null, ...more });
    const points = Array.from(this.sheet.positions, (v) => v.toFixed(4)).join(' ');
    return { path, class: 'TriangleFEMForceField', role: 'force', template: 'Vec3d', help: 'elastic triangles with large rotations', file: 'sheet.scn', line: 12,
      messages: path === '/Sheet/mass' ? [{ level: 'warning', text: 'the mass is distributed evenly', advice: 'give a density' }] : [],
      fields: [
        field('waveHeight', 'real', this.height, { unit: 'm', initial: '0.25', changed: this.height !== '0.25' }), field('youngModulus', 'real', this.young, { unit: 'Pa', initial: '5000', changed: this.young !== '5000' }),
        field('method', 'choice', 'large', { options: ['small', 'large', 'polar'] }), field('gravity', 'vec3', '0 -9.81 0', { unit: 'm/s²' }), field('computeStress', 'bool', '1'),
        field('color', 'colour', '0.78 0.32 0.26 1', { looks: true }), field('indices', 'indices', '0 1 2 3'), field('name', 'string', 'membrane'),
        field('position', 'coordinates', points.slice(0, 2000), { cut: true, size: 3 * this.sheet.points, unit: 'm', link: '@../dofs.position' }), field('energy', 'real', String(this.time), { readOnly: true, unit: 'J' }),
      ] };
  }
}

// Starts the stand-in; `control` lets a test look inside and cut connections.
export async function startMock({ port = 0 } = {}) {
  const token = randomBytes(16).toString('hex'), sim = new Simulation();
  const clients = new Set();
  let editorKey = null, keys = 0;
  const server = createServer((request, response) => {
    if (request.url.split('?')[0] === `/${token}/`) { response.setHeader('content-type', 'text/html; charset=utf-8'); response.end(readFileSync(BUNDLE)); } else { response.statusCode = 403; response.end(); }
  });
  const sockets = new WebSocketServer({ server, path: `/${token}/socket` });
  const status = (c) => ({ time: sim.time, step: sim.step, dt: sim.dt, animating: sim.animating, realtime: sim.realtime, factor: sim.factor, rate: sim.animating ? 60 : 0, rtf: sim.animating ? 0.6 : 0, compat: sim.compat ?? 'none', msPerStep: 3.2,
    graph: sim.graphRevision, scene: sim.sceneRevision, editor: c.key === editorKey, clients: clients.size });
  const say = (c, message) => c.socket.send(JSON.stringify(message));

  function frame(c) {
    if (c.waiting || !c.groups) return;
    const wanted = new Set();
    for (const d of sim.scene().drawables) if (c.groups.has(d.group)) for (const k of ['positions', 'indices', 'second', 'values', 'texcoords']) if (d[k] != null) wanted.add(d[k]);
    const arrays = sim.arrays(), dynamic = [1, 3, 4];
    const ids = [...wanted].filter((id) => !c.sent.has(id) || (dynamic.includes(id) && c.sent.get(id) !== sim.time + (sim.sheet.pullTo?.[1] ?? 0)));
    if (ids.length === 0) return;
    const size = 24 + ids.reduce((n, id) => n + 16 + 4 * arrays[id].length, 0), buffer = Buffer.alloc(size);
    buffer.writeUInt32LE(0x31465644, 0); buffer.writeUInt32LE(++c.frame, 4); buffer.writeDoubleLE(sim.time, 8); buffer.writeUInt32LE(sim.sceneRevision, 16); buffer.writeUInt32LE(ids.length, 20);
    let at = 24;
    for (const id of ids) {
      const a = arrays[id];
      buffer.writeUInt32LE(id, at); buffer.writeUInt32LE(a instanceof Float32Array ? 0 : 1, at + 4); buffer.writeUInt32LE(a.length, at + 8);
      Buffer.from(a.buffer, a.byteOffset, a.byteLength).copy(buffer, at + 16);
      at += 16 + a.byteLength;
      c.sent.set(id, sim.time + (sim.sheet.pullTo?.[1] ?? 0));
    }
    c.waiting = true;
    c.socket.send(buffer);
  }

  const verbs = {
    hello(c, m) { c.key = m.key ?? `key${++keys}`; editorKey ??= c.key; return { key: c.key, editor: c.key === editorKey, version: '0.1.0', scene: 'sheet.scn', title: 'sheet', view: sim.view ?? null, status: status(c) }; },
    edit(c) { editorKey = c.key; return { editor: true }; },
    scene: () => sim.scene(), graph: () => ({ graph: sim.graph(), revision: sim.graphRevision }),
    show(c, m) { c.groups = new Set(m.groups); return {}; },
    ack(c, m) { if (m.frame === c.frame) c.waiting = false; c.acks++; },
    animate(_, m) { sim.animating = m.on; return {}; }, step(_, m) { for (let i = 0; i < (m.count ?? 1); i++) sim.advance(); return {}; }, reset() { sim.reset(); return {}; },
    dt(_, m) { sim.dt = m.value; return {}; }, realtime(_, m) { sim.realtime = m.on; sim.factor = m.factor; return {}; },
    compat(_, m) { sim.compat = m.mode; return this.reload(); },
    reload() { sim.reset(); sim.sceneRevision++; sim.graphRevision++; for (const c of clients) c.sent.clear(); return {}; }, open() { return this.reload(); }, drop(_, m) { if (!m.text.includes('<Node')) throw new Error('not a scene'); return this.reload(); },
    files: (_, m) => ({ entries: m.directory ? [{ name: 'one.scn', directory: false }] : [{ name: 'Demos', directory: true }, { name: 'sheet.scn', directory: false }, { name: 'ball.scn', directory: false }] }),
    object: (_, m) => { if (m.path === '/' || m.path === '/Sheet') throw new Error('a node has no fields'); return { object: sim.object(m.path) }; },
    field: () => ({ text: Array.from(sim.sheet.positions, (v) => v.toFixed(4)).join(' ') }),
    set(_, m) { if (m.field === 'waveHeight') { if (!(Number(m.text) >= 0)) throw Object.assign(new Error('waveHeight must be a number'), { advice: 'Write a number.' }); sim.height = m.text; } if (m.field === 'youngModulus') sim.young = m.text; return { object: sim.object(m.path) }; },
    activate(_, m) { sim.active = m.on; sim.graphRevision++; return {}; }, remove() { sim.graphRevision++; return {}; }, 'save-node': (_, m) => ({ file: m.file }),
    'add-node'(_, m) { sim.extra.push({ name: m.file.replace('.scn', ''), path: `/Sheet/${m.file}`, active: true, nodes: [], objects: [] }); sim.graphRevision++; return {}; },
    'save-view'(_, m) { sim.view = m.view; return {}; }, dump: () => ({ file: `sheet-${sim.step}.state` }),
    stats(c, m) { c.stats = m.on; return {}; }, watch(c, m) { c.watch = m.items; return {}; },
    grab(_, m) { const i = sim.sheet.cast(m.origin, m.direction); sim.sheet.held = i; if (i < 0) return { hit: null }; const point = Array.from(sim.sheet.positions.slice(3 * i, 3 * i + 3)); sim.sheet.pullTo = point; return { hit: { point, path: '/Sheet/dofs', index: i, model: '/Sheet/Visual/skin' } }; },
    pull(_, m) { sim.sheet.pullTo = m.to; sim.sheet.move(sim.time, Number(sim.height)); }, release() { sim.sheet.held = -1; sim.sheet.pullTo = null; sim.sheet.move(sim.time, Number(sim.height)); return {}; },
    fix(_, m) { const i = sim.sheet.cast(m.origin, m.direction); if (i < 0) return { fixed: null }; if (sim.fixed.delete(i)) return { fixed: false }; sim.fixed.add(i); return { fixed: true }; },
    key(_, m) { sim.keys.push([m.key, m.down]); },
  };
  const silent = new Set(['ack', 'pull', 'key']);
  const reading = new Set(['hello', 'edit', 'scene', 'graph', 'show', 'ack', 'files', 'object', 'field', 'stats', 'watch']);

  sockets.on('connection', (socket) => {
    const c = { socket, key: null, groups: null, sent: new Map(), frame: 0, waiting: false, acks: 0, stats: false, watch: [], told: 0, last: '' };
    clients.add(c);
    socket.on('close', () => clients.delete(c));
    socket.on('message', (data) => {
      const m = JSON.parse(data.toString());
      let answer;
      try {
        if (!reading.has(m.do) && c.key !== editorKey) throw new Error('another page edits');
        answer = verbs[m.do].call(verbs, c, m);
      } catch (error) { answer = { error: error.message, advice: error.advice ?? '' }; }
      if (!silent.has(m.do)) say(c, { re: m.id, ...answer });
    });
    say(c, { is: 'message', level: 'info', text: 'scene loaded: 1271 points', path: '/Sheet/dofs' });
  });

  const timer = setInterval(() => {
    if (sim.animating) sim.advance();
    const now = Date.now();
    for (const c of clients) {
      if (c.socket.readyState !== 1 || !c.key) continue;
      frame(c);
      if (now - c.told < 100) continue;
      const text = JSON.stringify(status(c));
      if (text !== c.last) { c.last = text; c.told = now; say(c, { is: 'status', ...status(c) }); }
      if (c.stats && sim.animating) {
        c.told = now;
        say(c, { is: 'stats', steps: [[sim.time, 3 + Math.random()]], timers: { step: 3.4, 'step/collision': 0.4, 'step/solver': 2.7, 'step/solver/CGLinearSolver': 1.9, 'step/solver/CGLinearSolver/TriangleFEMForceField': 1.4, 'step/solver/mass': 0.2, 'step/visual': 0.2 },
          energy: { kinetic: 1 + Math.sin(sim.time * 3), potential: 2 - Math.sin(sim.time * 3) }, convergence: [{ path: '/Sheet/cg', values: Array.from({ length: 25 }, (_, i) => 10 ** (-i / 3) * (1 + Math.random())) }],
          watch: c.watch.length ? [[sim.time, ...c.watch.map((w) => sim.sheet.positions[w.index] ?? 0)]] : [], inventory: { points: 1271, triangles: 2400, springs: 1240, spheres: 1271 } });
      }
    }
  }, 16);

  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return {
    sim, clients, address: `http://127.0.0.1:${server.address().port}/${token}/`,
    cut() { for (const c of clients) c.socket.terminate(); },
    async stop() { clearInterval(timer); for (const c of clients) c.socket.terminate(); sockets.close(); await new Promise((done) => server.close(done)); },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await startMock({ port: Number(process.argv[2]) || 0 });
  console.log(address);
}
