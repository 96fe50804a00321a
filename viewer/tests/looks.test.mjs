// How things look: display flags of the scene, materials, textures, and the groups beyond visual models, with the real program.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test as plain } from 'node:test';
import { becomes, comes, DESK, openPage, ROOT, startDivan, steps, stopBrowser, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
after(stopBrowser);

async function opened(scene, run) {
  const divan = await startDivan(scene, { more: ['Gravity.scn'], args: ['--data', join(ROOT, 'scenes', 'mesh')] }), o = await openPage(divan.address, { ...DESK, viewport: { width: 900, height: 600 } });
  try { await run(o.page, divan, o); assert.deepEqual(o.problems, []); } finally { await o.context.close(); await divan.stop(); }
}

const shown = (page) => page.evaluate(() => window.divan.stage.shapes.filter((s) => s.object.visible).map((s) => `${s.info.group} ${s.info.path}`).sort());
const near = (a, b, tolerance = 1e-6) => assert.ok(a.length === b.length && a.every((v, i) => Math.abs(v - b[i]) <= tolerance), `${a} is not ${b}`);

// Shows one group and gives the numbers of its drawable at a path.
async function numbers(page, group, path) {
  await page.evaluate((g) => window.divan.session.setGroup(g, true), group);
  await until(page, ([g, p]) => {
    const { stage, session } = window.divan, s = stage.shapes.find((x) => x.info.group === g && x.info.path === p && x.object.visible);
    return s && stage.arrays.revision === session.scene.revision && ['positions', 'indices', 'second', 'frames', 'texcoords'].every((k) => s.info[k] == null || stage.arrays.get(s.info[k]));
  }, [group, path]);
  return page.evaluate(([g, p]) => {
    const { stage } = window.divan, { info } = stage.shapes.find((s) => s.info.group === g && s.info.path === p);
    const of = (id) => { const a = stage.arrays.get(id); return a ? Array.from(a.data) : null; };
    return { ...info, positions: of(info.positions), indices: of(info.indices), second: of(info.second), frames: of(info.frames), texcoords: of(info.texcoords) };
  }, [group, path]);
}

test('the scene\'s display flags are taken over, per node, and not remembered', () => opened('VisualStyle.scn', async (page, divan) => {
  await until(page, () => window.divan.stage.shapes.filter((s) => s.object.visible).length === 3);
  await becomes(async () => (await shown(page)).filter((s) => !s.startsWith('forceFields')), ['behavior /Bar/dofs', 'visual /Floor/floor']);
  await becomes(() => page.evaluate(() => window.divan.session.groups.toSorted()), ['behavior', 'forceFields', 'interactions', 'visual']);
  await becomes(() => page.evaluate(() => window.divan.stage.shapes.find((s) => s.info.group === 'visual' && s.info.path === '/Floor/floor').object.children[0].material.wireframe), true);
  // everything that is shown is in the picture
  const out = await page.evaluate(() => {
    const { stage } = window.divan, p = stage.arrays.get(stage.shapes.find((s) => s.info.group === 'behavior').info.positions).data;
    let n = 0;
    for (let i = 0; i < p.length; i += 3) { const at = stage.project([p[i], p[i + 1], p[i + 2]]); if (at.x < 0 || at.y < 0 || at.x > stage.width || at.y > stage.height) n++; }
    return n;
  });
  assert.equal(out, 0, 'points outside the picture');
  // the user's word counts more, also for what a node hides
  await page.locator('#tab-view').click();
  await page.locator('input[name=visual]').uncheck();
  await until(page, () => !window.divan.stage.shapes.some((s) => s.info.group === 'visual' && s.object.visible));
  await page.locator('input[name=visual]').check();
  await until(page, () => window.divan.stage.shapes.find((s) => s.info.group === 'visual' && s.info.path === '/Bar/Visual/skin').object.visible);
  await page.getByRole('button', { name: 'Default' }).click();
  await until(page, () => !window.divan.stage.shapes.find((s) => s.info.group === 'visual' && s.info.path === '/Bar/Visual/skin').object.visible);
  // other flags come in while it runs; another scene without flags has the page's own again
  await page.evaluate(() => window.divan.session.change('set', { path: '/VisualStyle1', field: 'displayFlags', text: 'showVisual showNormals' }));
  await until(page, () => window.divan.session.settings.normals && window.divan.session.groups.join() === 'visual,interactions');
  await page.evaluate(() => window.divan.session.openFile('Gravity.scn'));
  await until(page, () => /Gravity/.test(window.divan.session.hello.scene) && !window.divan.session.settings.normals && !window.divan.session.settings.wireframe);
  await becomes(() => page.evaluate(() => JSON.parse(localStorage.getItem('divan.settings') ?? '{}').groups ?? null), ['visual', 'interactions']);
}));

test('a texture, a shining body and a transparent one', () => opened('looks.scn', async (page) => {
  const board = await numbers(page, 'visual', '/Board/board');
  near(board.texcoords, [0, 0, 2, 0, 2, 1, 0, 1]);
  near(board.indices, [0, 3, 2, 0, 2, 1]);
  assert.match(board.material.texture, /^file\/\d+\/\d+$/);
  await until(page, () => window.divan.stage.shapes.find((s) => s.info.group === 'visual' && s.info.path === '/Board/board').object.children[0].material.map?.image?.width === 8);
  const look = (path) => page.evaluate((p) => {
    const { geometry, material: m } = window.divan.stage.shapes.find((s) => s.info.path === p && s.info.group === 'visual').object.children[0];
    return { colour: m.color.getHexString(), specular: m.specular.r, shininess: m.shininess, transparent: m.transparent, opacity: m.opacity, normals: geometry.getAttribute('normal').count, points: geometry.getAttribute('position').count };
  }, path);
  const stone = await look('/Stone/Visual/stone'), jelly = await look('/Jelly/Visual/jelly');
  assert.equal(stone.colour, 'bf382e');          // 0.75 0.22 0.18
  assert.ok(stone.specular > 0.05 && jelly.specular === 0 && stone.shininess === 80 && !stone.transparent && stone.opacity === 1, JSON.stringify(stone));
  assert.ok(jelly.transparent && Math.abs(jelly.opacity - 0.4) < 1e-9, JSON.stringify(jelly));
  assert.equal(stone.normals, stone.points);
  // in the picture: the board has both colours of its texture, and shines through the jelly
  const colours = await page.evaluate(async () => {
    const { stage, session } = window.divan;
    session.set({ grid: false, background: '#000000' });
    const image = await createImageBitmap(await stage.picture(400, 300));
    const c = Object.assign(document.createElement('canvas'), { width: 400, height: 300 }).getContext('2d');
    c.drawImage(image, 0, 0);
    stage.resize(400, 300, 1);
    const at = (p) => { const q = stage.project(p); return [...c.getImageData(Math.round(q.x), Math.round(q.y), 1, 1).data.slice(0, 3)]; };
    const cell = (i, j) => at([-2 + (i + 0.5) * 0.5, -1, -1 + (j + 0.5) * 0.5]);
    return { a: cell(1, 3), b: cell(0, 3) };
  });
  assert.ok(colours.a[2] > colours.a[0] + 20, `blue: ${colours.a}`);
  assert.ok(colours.b[0] > colours.b[2] + 20, `sand: ${colours.b}`);
}));

test('groups of faces have their own materials', () => opened('looks.scn', async (page, divan) => {
  // a flag: red on the left, blue on the right, a strip of green glass above
  const put = (name, text) => writeFileSync(join(divan.directory, name), text);
  put('flag.mtl', 'newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nnewmtl glass\nKd 0 1 0\nd 0.5\n');
  put('flag.obj', 'mtllib flag.mtl\nv -1 -1 0\nv 0 -1 0\nv 0 1 0\nv -1 1 0\nv 1 -1 0\nv 1 1 0\nv -1 2 0\nv 1 2 0\n'
    + 'usemtl red\nf 1 2 3 4\ng right\nusemtl blue\nf 2 5 6\nf 2 6 3\ng top\nusemtl glass\nf 4 6 8 7\n');
  put('flag.scn', '<Node><Node name="A"><OglModel name="flag" filename="flag.obj"/></Node><MeshOBJLoader name="loader" filename="flag.obj"/>'
    + '<Node name="B"><OglModel name="flag" src="@../loader" translation="0 5 0"/></Node><Node name="C"><OglModel name="flag" filename="flag.obj" color="1 1 0 1" translation="0 10 0"/></Node></Node>');
  await page.evaluate(() => window.divan.session.openFile('flag.scn'));
  const a = await numbers(page, 'visual', '/A/flag'), b = await numbers(page, 'visual', '/B/flag'), c = await numbers(page, 'visual', '/C/flag');
  assert.deepEqual(a.parts.map((p) => [p.first, p.count, ...p.material.diffuse]), [[0, 6, 1, 0, 0, 1], [6, 6, 0, 0, 1, 1], [12, 6, 0, 1, 0, 0.5]]);
  assert.deepEqual(a.indices, [0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2, 3, 5, 7, 3, 7, 6]);
  assert.deepEqual([b.parts, b.indices], [a.parts, a.indices]);
  assert.equal(c.parts, undefined);
  const { looks, colours } = await page.evaluate(async () => {
    const { stage, session } = window.divan;
    session.set({ grid: false, background: '#000000' });
    stage.look_from(0, 0);
    const shape = (p) => stage.shapes.find((s) => s.info.path === p && s.info.group === 'visual').object.children[0];
    const image = await createImageBitmap(await stage.picture(300, 400));
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 400 }).getContext('2d');
    canvas.drawImage(image, 0, 0);
    stage.resize(300, 400, 1);
    const at = (x, y) => { const q = stage.project([x, y, 0]); return [...canvas.getImageData(Math.round(q.x), Math.round(q.y), 1, 1).data.slice(0, 3)]; };
    return {
      looks: { a: shape('/A/flag').material.map((m) => [m.color.getHexString(), m.opacity]), c: shape('/C/flag').material.color.getHexString() },
      colours: [0, 5].flatMap((y) => [at(-0.5, y), at(0.5, y)]).concat([at(-0.5, 10), at(0.5, 10)]),
    };
  });
  assert.deepEqual(looks, { a: [['ff0000', 1], ['0000ff', 1], ['00ff00', 0.5]], c: 'ffff00' });
  const [red, blue] = [(p) => p[0] > 90 && p[2] < 0.5 * p[0], (p) => p[2] > 90 && p[0] < 0.5 * p[2]];      // a faint reflection of the room is white
  assert.ok([0, 2].every((i) => red(colours[i])) && [1, 3].every((i) => blue(colours[i])) && [4, 5].every((i) => colours[i][0] > 60 && colours[i][1] > 60), JSON.stringify(colours));
}));

test('frames, boxes, mappings and springs between bodies stand where they should', () => opened('looks.scn', async (page) => {
  const h = Math.SQRT1_2;
  const frame = await numbers(page, 'behavior', '/Stone/frame');
  near(frame.positions, [-1, 0, 0]);
  near(frame.frames, [0, 0, h, h]);
  // the axes as they are drawn: x points up, y to the left
  const axes = await page.evaluate(() => { const s = window.divan.stage.shapes.find((x) => x.info.path === '/Stone/frame' && x.info.kind === 'frames'), m = s.object.children[0].instanceMatrix.array; return [0, 1, 2].map((k) => Array.from(m.slice(16 * k, 16 * k + 16))); });
  const length = Math.hypot(...axes[0].slice(0, 3));
  assert.ok(length > 0);
  for (const [k, way] of [[0, 1, 0], [-1, 0, 0], [0, 0, 1]].entries()) {
    near(axes[k].slice(0, 3), way.map((v) => v * length), 1e-5);         // an arrow points along its own x
    near(axes[k].slice(12, 15), [-1, 0, 0], 1e-6);
  }
  const box = await numbers(page, 'bounds', '/Board/board');
  near([Math.min(...box.positions.filter((_, i) => i % 3 === 0)), Math.max(...box.positions.filter((_, i) => i % 3 === 0))], [-2, 2]);
  assert.equal(box.indices.length, 24);
  const map = await numbers(page, 'mechanicalMappings', '/Stone/Hook/RigidMapping1');
  near(map.positions, [-1, 0.5, 0]);              // 0.5 0 0 turned by a quarter about z, from the frame
  near(map.second, [-1, 0, 0]);
  assert.deepEqual(map.indices, [0, 0]);
  const skin = await numbers(page, 'mappings', '/Jelly/Visual/RigidMapping1');
  assert.ok(skin.indices.length > 100 && skin.indices.every((v, i) => (i % 2 ? v === 0 : v === i / 2)), 'each vertex with the frame');
  const rope = await numbers(page, 'interactions', '/rope');
  near(rope.positions, [-1, 0.5, 0]);
  near(rope.second, [1, 0.5, 0]);
  assert.deepEqual(rope.indices, [0, 0]);
  // one step: the stretched rope and the weight move the jelly, its frame and its end of the rope
  await steps(page, 30);
  const moved = await numbers(page, 'interactions', '/rope'), jelly = await numbers(page, 'behavior', '/Jelly/frame');
  near(moved.positions, [-1, 0.5, 0]);
  assert.ok(moved.second[1] < 0.45 && Math.hypot(...[0, 1, 2].map((k) => moved.second[k] - jelly.positions[k])) < 0.5 + 1e-5, `${moved.second} and ${jelly.positions}`);
}));

test('triangles, lines and points of collision models are drawn, picked and counted', () => opened('TriangleCollisionModel.scn', async (page) => {
  await page.evaluate(() => window.divan.session.set({ tab: 'stats' }));
  // a tent with two sloping faces and a square floor, which falls
  await page.evaluate(() => window.divan.session.drop('tent.scn', `<Node gravity="0 0 -9.81" dt="0.02"><Node name="Tent"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-12" threshold="1e-18"/>
    <MeshTopology position="0 0 0  2 0 0  2 2 0  0 2 0  1 1 1" triangles="0 1 4  1 2 4" quads="0 1 2 3"/><MechanicalObject name="points"/><UniformMass totalMass="1"/>
    <TriangleCollisionModel name="faces"/><LineCollisionModel name="edges"/><PointCollisionModel name="corners"/></Node></Node>`));
  const faces = await numbers(page, 'collision', '/Tent/faces'), edges = await numbers(page, 'collision', '/Tent/edges'), corners = await numbers(page, 'collision', '/Tent/corners');
  const rest = [0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 1, 1, 1];
  assert.deepEqual([faces.kind, edges.kind, corners.kind], ['triangles', 'lines', 'points']);
  for (const d of [faces, edges, corners]) near(d.positions, rest);
  assert.deepEqual(faces.indices, [0, 1, 4, 1, 2, 4, 1, 2, 0, 3, 0, 2]);     // the quad of the floor is two triangles
  assert.equal(corners.indices, null);
  assert.equal(edges.indices.length, 2 * 7);
  // all edges of the tent are sharp: each face has corners of its own, the floor four
  const drawn = await page.evaluate(() => {
    const of = (path) => window.divan.stage.shapes.find((s) => s.info.path === path && s.info.group === 'collision').object;
    const [f, e, c] = ['/Tent/faces', '/Tent/edges', '/Tent/corners'].map(of);
    return { faces: [f.children[0].type, f.children[0].geometry.index.count, f.children[0].geometry.getAttribute('normal').count], edges: [e.type, e.geometry.index.count], corners: [c.type, c.geometry.getAttribute('position').count] };
  });
  assert.deepEqual(drawn, { faces: ['Mesh', 12, 10], edges: ['LineSegments', 14], corners: ['Points', 5] });
  // a click on the sloping face picks the model
  const model = await page.evaluate(() => {
    const { stage } = window.divan, q = stage.project([1, 0.4, 0.4]);
    return stage.pick((2 * q.x) / stage.width - 1, 1 - (2 * q.y) / stage.height)?.shape.info.path;
  });
  assert.match(model ?? '', /^\/Tent\//);
  // they fall with their points
  await steps(page, 20);
  for (const path of ['/Tent/faces', '/Tent/edges', '/Tent/corners']) {
    const now = (await numbers(page, 'collision', path)).positions;
    assert.ok(now.every((v, i) => Math.abs(v - rest[i]) < 1e-6 || (i % 3 === 2 && v < rest[i] - 0.1)) && now[2] < -0.1, `${path}: ${now}`);
  }
  await becomes(() => page.evaluate(() => ['triangles', 'lines', 'points'].map((k) => window.divan.session.inventory[`collision ${k}`])), [4, 7, 5]);
}));

test('contacts, their normals, trees of boxes, and who touches whom', () => opened('collision/points_lines_triangles.scn', async (page) => {
  await page.evaluate(() => { for (const g of ['contacts', 'bounds']) window.divan.session.setGroup(g, true); });
  await page.locator('#tab-stats').click();
  await steps(page, 60);
  const both = () => page.evaluate(() => {
    const { stage, session } = window.divan, of = (id) => { const a = stage.arrays.get(id); return a ? Array.from(a.data) : null; };
    const shapes = stage.shapes.filter((s) => s.info.group === 'contacts').map(({ info, object }) => ({ kind: info.kind, visible: object.visible, positions: of(info.positions), second: of(info.second) }));
    return { shapes, touches: session.touches, count: session.touches.reduce((n, t) => n + t.count, 0) };
  });
  // the picture is of the last step, the list comes less often
  const { shapes, touches, count } = await comes(both, (b) => b.count > 10 && b.shapes.length === 3 && b.shapes.every((s) => s.visible && s.positions.length === 3 * b.count), 'contacts in the picture and in the list');
  assert.ok(count > 10, `${count} contacts`);
  assert.deepEqual(shapes.map((s) => s.kind).sort(), ['lines', 'points', 'vectors']);
  const normals = shapes.find((s) => s.kind === 'vectors').second;
  for (let i = 0; i < normals.length; i += 3) assert.ok(Math.abs(Math.hypot(normals[i], normals[i + 1], normals[i + 2]) - 1) < 1e-5, 'unit normals');
  assert.ok(touches.some((t) => t.force > 0 && t.since >= 0 && t.distance < 0), JSON.stringify(touches));
  await comes(() => page.evaluate(() => window.divan.stage.shapes.filter((s) => s.info.group === 'bounds' && s.object.visible && s.info.indices == null).length), (trees) => trees >= 2, 'trees');
  // a row of the list selects a model; after a reset nobody touches anybody
  const row = page.locator('divan-stats-tab .touches tbody tr').first();
  await row.click();
  await becomes(() => page.evaluate(() => window.divan.session.selection), touches[0].first);
  await page.evaluate(() => window.divan.session.reset());
  await until(page, () => window.divan.session.touches.length === 0);
}));

test('the solver of constraints: errors, rows and forces as curves', () => opened('constraint/stack.scn', async (page) => {
  await page.locator('#tab-stats').click();
  await page.evaluate(() => window.divan.session.step(40));
  await until(page, () => window.divan.session.constraints.time.length === 40);
  const { path, values, time, rows, iterations, error, force, weight } = await page.evaluate(() => {
    const s = window.divan.session;
    return { ...s.constraints, weight: s.touches.reduce((most, t) => Math.max(most, t.force), 0) };
  });
  assert.equal(path, '/constraints');
  assert.ok(time.every((t, i) => i === 0 || t > time[i - 1]), 'every step once, in order');
  assert.ok(rows.at(-1) >= 12 && rows.at(-1) % 3 === 0, `${rows.at(-1)} rows`);
  assert.equal(iterations.at(-1), values.length);
  assert.equal(error.at(-1), values.at(-1));
  assert.ok(values.length > 1 && values.at(-1) < values[0], `errors go from ${values[0]} to ${values.at(-1)}`);
  assert.ok(force.at(-1) > 0 && force.at(-1) <= weight * (1 + 1e-9), `${force.at(-1)} N of ${weight}`);
  for (const plot of ['residual', 'effort', 'force']) await page.locator(`divan-stats-tab divan-plot.${plot} canvas`).waitFor();
  const plots = () => page.evaluate(() => {
    const list = document.querySelector('divan-app').shadowRoot.querySelector('divan-stats-tab').shadowRoot.querySelectorAll('divan-plot');
    return [...list].filter((p) => p.className).map((p) => [p.className, p.data.map((c) => c.length)]);
  });
  await comes(plots, (list) => list.map(([name]) => name).join() === 'residual,effort,force' && list[0][1].every((n) => n === values.length) && list[1][1].every((n) => n === 40), 'curves and their numbers');
  await page.evaluate(() => window.divan.session.reset());
  await until(page, () => window.divan.session.constraints.time.length === 0);
}));

test('a robot: distance from the goal, effector, forces and strokes as curves', () => opened('robot/parallel.scn', async (page) => {
  await page.locator('#tab-stats').click();
  await page.evaluate(() => window.divan.session.step(80));
  await until(page, () => window.divan.session.robot.time.length === 80);
  const { columns, time, values } = await page.evaluate(() => window.divan.session.robot);
  assert.ok(time.every((t, i) => i === 0 || t > time[i - 1]), 'every step once, in order');
  const at = (group, label) => values[columns.findIndex((c) => c.group === group && c.label === label)];
  const off = Math.hypot(...['x', 'y', 'z'].map((k) => at('effector', `effector ${k}`).at(-1) - at('effector', `effector goal ${k}`).at(-1)));
  assert.ok(Math.abs(off - at('error', 'effector').at(-1)) < 1e-9 && off < 0.00025, `${off} m from the goal`);
  assert.deepEqual(columns.filter((c) => c.group === 'force').map((c) => `${c.label} ${c.unit}`), ['east N', 'west N', 'north N', 'south N']);
  assert.ok(at('force', 'east').every((f) => f >= 0) && Math.max(...at('force', 'east')) > 0.1, 'ropes pull');
  assert.ok(Math.abs(at('stroke', 'east').at(-1)) > 1e-4, 'they are wound up');
  for (const plot of ['error', 'effector', 'force', 'stroke']) await page.locator(`divan-stats-tab divan-plot.robot-${plot} canvas`).waitFor();
  await page.evaluate(() => window.divan.session.reset());
  await until(page, () => window.divan.session.robot.time.length === 0);
}));

test('a heart: pressures, volume in ml, and the loop of the two as curves', () => opened('heart/infarct.scn', async (page) => {
  await page.locator('#tab-stats').click();
  await page.evaluate(() => window.divan.session.step(30));
  await until(page, () => window.divan.session.robot.time.length === 30);
  const { columns, values } = await page.evaluate(() => window.divan.session.robot);
  assert.deepEqual(columns.map((c) => `${c.group} ${c.label} ${c.unit}`), ['pressure left pressure Pa', 'pressure left artery Pa', 'volume left volume ml']);
  assert.ok(values[2].every((v) => v > 20 && v < 200), 'a ventricle of a grown person');
  for (const plot of ['pressure', 'volume']) await page.locator(`divan-stats-tab divan-plot.robot-${plot} canvas`).waitFor();
  await page.getByRole('heading', { name: 'Heart' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Robot' }).count(), 0, 'a heart is no robot');
  const loop = page.getByRole('img', { name: 'pressure over volume of left' }).locator('path').first();
  await comes(() => loop.getAttribute('d'), (d) => d?.split('L').length >= 25 && !d.includes('NaN'), 'the loop of 30 steps');
}));

test('stress has colours and a legend that follows it', () => opened('stress.scn', async (page) => {
  await steps(page, 60);
  await page.locator('divan-legends .legend', { hasText: 'von Mises stress (Pa)' }).waitFor();
  const { values, legend, highest } = await comes(() => page.evaluate(() => {
    const { stage } = window.divan, shape = stage.shapes.find((s) => s.info.values != null), v = Array.from(stage.arrays.get(shape.info.values)?.data ?? []);
    const x = stage.arrays.get(shape.info.positions)?.data ?? [], most = v.indexOf(Math.max(...v));
    return { values: v, legend: stage.legends[0], highest: x[3 * most] };
  }), (s) => s.legend?.high >= Math.max(...s.values) - 1e-3, 'a legend of all values');
  assert.equal(values.length, 9 * 4 * 4);
  assert.ok(Math.max(...values) > 100 && values.every((v) => v >= 0), `${Math.max(...values)} Pa`);
  assert.ok(highest < 1.2, `the most is near the end that is held, not at ${highest}`);
  assert.equal(legend.map, 'viridis');
  await page.evaluate(() => window.divan.session.set({ rangeMode: 'fixed', rangeLow: 0, rangeHigh: 5000, colourMap: 'turbo' }));
  await page.locator('divan-legends .legend', { hasText: '5000' }).waitFor();
}));
