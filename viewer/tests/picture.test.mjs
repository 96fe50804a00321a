// What the picture does by itself: causes of scenes that cannot start, looks of the scene, bodies that fall, single bodies, menus, curves.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as plain } from 'node:test';
import { becomes, comes, DESK, drawn, FAST, openPage, startBrowser, startDivan, steps, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
let directory;
// twenty faces that meet at 42 degrees
const g = (1 + Math.sqrt(5)) / 2;
const BALL = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]].map((v) => `v ${v[0] + 5} ${v[1]} ${v[2]}`).concat(
  ['1 12 6', '1 6 2', '1 2 8', '1 8 11', '1 11 12', '2 6 10', '6 12 5', '12 11 3', '11 8 7', '8 2 9', '4 10 5', '4 5 3', '4 3 7', '4 7 9', '4 9 10', '5 10 6', '3 5 12', '7 3 11', '9 7 8', '10 9 2'].map((f) => `f ${f}`)).join('\n');
before(() => { directory = mkdtempSync(join(tmpdir(), 'divan-picture-')); writeFileSync(join(directory, 'ball.obj'), `${BALL}\n`); });
after(async () => { await stopBrowser(); rmSync(directory, { recursive: true, force: true }); });

const body = (name, more = '', at = 0) => `<Node name="${name}"><EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-9" threshold="1e-9"/>
  <RegularGridTopology name="grid" n="3 3 3" min="${at} 0 0" max="${at + 1} 1 1"/><MechanicalObject name="dofs"/><UniformMass totalMass="1"/>
  <HexahedronFEMForceField youngModulus="2000" poissonRatio="0.3" method="large"/>${more}
  <Node name="Visual"><OglModel name="skin" src="@../grid" color="0.8 0.3 0.2 1"/><IdentityMapping/></Node></Node>`;
const held = '<BoxROI name="box" box="-1 0.9 -1 9 1.1 9"/><FixedProjectiveConstraint indices="@box.indices"/>';
const root = (content, more = 'gravity="0 -9.81 0"') => `<Node name="root" dt="0.01" ${more}>${content}</Node>`;

// The page on a scene that is given as text; `draws` is false for one that cannot start.
async function look(name, text, run, { draws = true } = {}) {
  const file = join(directory, `${name}.scn`);
  writeFileSync(file, text);
  const divan = await startDivan(file);
  try {
    if (draws) {
      const opened = await openPage(divan.address);
      await run(opened.page);
      await opened.context.close();
      assert.deepEqual(opened.problems, [], 'the page reported errors');
    } else {
      const context = await (await startBrowser()).newContext(DESK), page = await context.newPage();
      await page.goto(`${divan.address}?${FAST}`);
      await run(page);
      await context.close();
    }
  } finally { await divan.stop(); }
}

test('a scene that cannot start says why in the middle, and runs without what is missing', () => look('missing', root(body('Bar', '<MagicMuscle/><MagicMuscle/>') + '<NeuronForceField/>'), async (page) => {
  const card = page.locator('#failed');
  await card.waitFor();
  const ghosts = () => page.locator('divan-tree .ghost').count();
  await comes(() => card.innerText(), (words) => /MagicMuscle[^]*NeuronForceField|NeuronForceField[^]*MagicMuscle/.test(words) && /missing\.scn:\d+/.test(words), 'the card says');
  await comes(async () => { const box = await card.boundingBox(), stage = await page.locator('.stage').boundingBox(); return [box.x + box.width / 2 - stage.x - stage.width / 2, box.y + box.height / 2 - stage.y - stage.height / 2]; },
    (off) => off.every((v) => Math.abs(v) < 3), 'it is not in the middle, but beside it by');
  await becomes(ghosts, 2);
  assert.match(await page.locator('divan-tree .ghost').last().innerText(), /MagicMuscle × 2/);
  await page.getByRole('button', { name: 'Run without these 3 components' }).click();
  await drawn(page);
  await becomes(() => card.count(), 0);
  await becomes(ghosts, 2, 'what is missing stays named');
  await steps(page, 2);
}, { draws: false }));

test('a run that diverged shows its advice whole', () => look('wild', root(body('Bar').replace('<EulerImplicitSolver/>', '<EulerExplicitSolver/>').replace('youngModulus="2000"', 'youngModulus="2e9"')), async (page) => {
  await steps(page, 200);
  const banner = page.locator('#diverged');
  await banner.waitFor();
  assert.match(await banner.innerText(), /make dt smaller/);
  assert.ok(await banner.evaluate((e) => e.scrollWidth <= e.clientWidth && e.querySelector('.words').scrollWidth <= e.querySelector('.words').clientWidth), 'nothing is cut off');
}));

test('the camera stands as gravity pulls, goes along with what falls, and the grid stays below', () => look('fall', root(body('Bar'), 'gravity="0 0 -9.81"'), async (page) => {
  await becomes(() => page.evaluate(() => window.divan.stage.camera.up), 'z');
  const level = () => page.evaluate(() => window.divan.stage.around.grid.position.z);
  const before = await level();
  await steps(page, 150);
  await until(page, () => { const { stage } = window.divan; return stage.follower.later === 0 && stage.follower.offset.length() === 0; });
  const seen = await page.evaluate(() => {
    const { stage } = window.divan, box = stage.measure(() => true), at = stage.project(box.getCenter(stage.camera.target.clone()).toArray());
    return { x: at.x / stage.width, y: at.y / stage.height, low: box.min.z, fell: box.min.z };
  });
  assert.ok(seen.fell < -5, `it fell to ${seen.fell}`);
  assert.ok(seen.x > 0.1 && seen.x < 0.9 && seen.y > 0 && seen.y < 1, `it is in the picture: ${JSON.stringify(seen)}`);
  assert.ok(before > seen.low, `the grid was at ${before}, above ${seen.low}`);
  await comes(level, (at) => at < seen.low + 1e-6, `the grid is not below ${seen.low}`);
}));

test('background, lights, labels and planes of the scene are drawn, what is not is told', () => look('looks', root(`<BackgroundSetting color="0 0 1 1"/><LightManager/><DirectionalLight direction="0 -1 0"/><PositionalLight position="0 5 0"/>
  <OglLabel label="time is" suffix=" s" x="30" y="30" fontsize="20" color="1 1 0 1"/><ClipPlane position="0.5 0 0" normal="1 0 0"/><PostProcessManager/><VisualManagerPass/>${body('Bar', held)}`), async (page) => {
  await becomes(() => page.evaluate(() => { const { stage } = window.divan; return { background: stage.scene.background?.getHexString?.(), lights: stage.studio.sources.map((l) => [l.place.w, l.shadow]), used: stage.studio.uniforms.dvLights.value, planes: stage.renderer.clippingPlanes.length }; }),
    { background: '0000ff', lights: [[0, true], [1, true]], used: 2, planes: 1 });
  await until(page, () => window.divan.session.status.labels?.[0] === 'time is s');
  const yellow = await page.evaluate(() => {
    const { stage } = window.divan;
    stage.resize(stage.width, stage.height, 1);
    stage.draw();
    const data = stage.overlay.context.getImageData(20, 20, 120, 40).data;
    let n = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] > 200 && data[i + 2] < 80 && data[i + 3] > 200) n++;
    return n;
  });
  assert.ok(yellow > 30, `${yellow} yellow pixels`);
  for (const words of ['does not draw.*VisualManagerPass', 'no OglShader']) await comes(() => page.evaluate(() => window.divan.session.log.map((m) => m.text)), (log) => log.some((text) => new RegExp(words).test(text)), `nobody says ${words}`);
}));

test('rigid bodies without a visual model are boxes of their inertia, with joints; numbers are no points', () => look('rigids', root(`<EulerImplicitSolver/><CGLinearSolver/>
  <Node name="A"><MechanicalObject name="dofs" template="Rigid3" position="0 0 0 0 0 0 1  3 0 0 0 0 0 1"/><UniformMass vertexMass="2 1  0.25 0 0 0 0.25 0 0 0 0.166666666666667"/>
    <JointSpringForceField template="Rigid3" spring="BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_T 5000 10000 KS_R 300 600 REST_T 3 0 0 END_SPRING"/></Node>
  <Node name="V"><MechanicalObject name="numbers" template="Vec1" position="0 1 2 3"/></Node>`), async (page) => {
  await page.evaluate(() => window.divan.session.setGroup('behavior', true));
  await until(page, () => window.divan.stage.shapes.some((s) => s.object.visible && `${s.info.kind} ${s.info.path}`.startsWith('lines /A/JointSpring')));
  const shown = await page.evaluate(() => window.divan.stage.shapes.filter((s) => s.object.visible).map((s) => `${s.info.kind} ${s.info.path}`));
  assert.ok(shown.includes('boxes /A/dofs'), shown.join());
  assert.ok(shown.some((s) => s.startsWith('lines /A/JointSpring')), shown.join());
  assert.ok(!shown.some((s) => s.includes('/V/')), shown.join());
  const sides = await comes(() => page.evaluate(() => { const { stage } = window.divan, shape = stage.shapes.find((s) => s.info.kind === 'boxes'); return Array.from(stage.arrays.get(shape?.info.sizes)?.data.slice(0, 3) ?? []); }), (list) => list.length === 3, 'sides');
  // I = m (b² + c²) / 12 with 1, 1 and √2 m: (0.25, 0.25, 1/6) per kg
  sides.forEach((v, i) => assert.ok(Math.abs(v - [1, 1, Math.SQRT2][i]) < 1e-6, sides.join()));
}));

// points in the plane of a floor that is seen at a slant: as many pixels as without the floor
test('points on a surface are seen whole', () => look('points', root(`<Node name="Floor"><MeshTopology name="mesh" position="-2 0 -2  2 0 -2  2 0 2  -2 0 2" quads="0 3 2 1"/><OglModel name="floor" src="@mesh" color="1 1 1 1"/></Node>
  <Node name="Points"><MechanicalObject name="dofs" position="0 0 0  0.5 0 0.5  -0.5 0 0.3  0.2 0 -0.8" showObject="1" showColor="1 0 0 1"/></Node>`), async (page) => {
  await page.evaluate(() => { const { session } = window.divan; session.setGroup('behavior', true); session.set({ grid: false }); });
  await until(page, () => window.divan.stage.shapes.some((s) => s.object.visible && s.info.kind === 'points' && s.info.path === '/Points/dofs'));
  // how many pixels the points change, with the floor below them or without
  const pixels = (floor) => page.evaluate(async (shown) => {
    const { stage } = window.divan, points = stage.shapes.filter((s) => s.info.path === '/Points/dofs');
    stage.resize(stage.width, stage.height, 1);
    stage.draw();
    for (const s of stage.shapes) if (s.info.path === '/Floor/floor') s.object.visible = shown;
    const picture = async (visible) => {
      for (const s of points) s.object.visible = visible;
      stage.renderer.render(stage.scene, stage.camera.camera);
      const image = await createImageBitmap(stage.renderer.domElement), c = new OffscreenCanvas(image.width, image.height).getContext('2d');
      c.drawImage(image, 0, 0);
      return c.getImageData(0, 0, image.width, image.height).data;
    };
    const without = await picture(false), with_ = await picture(true);
    let n = 0;
    for (let i = 0; i < without.length; i += 4) if ([0, 1, 2].some((k) => Math.abs(without[i + k] - with_[i + k]) > 20)) n++;
    return n;
  }, floor);
  const alone = await pixels(false), lying = await pixels(true);
  assert.ok(alone > 40, `${alone} pixels`);
  assert.ok(lying > 0.95 * alone, `${lying} of ${alone} pixels of the points are seen`);
}));

// the corner of a cube belongs to three faces, the point of a ball to all around it
test('creases stay sharp and round things round', () => look('creases', root(body('Bar', held) + `<Node name="Ball"><MeshOBJLoader name="mesh" filename="ball.obj"/><OglModel name="ball" src="@mesh"/></Node>`), async (page) => {
  const points = await comes(() => page.evaluate(() => Object.fromEntries(window.divan.stage.shapes.filter((s) => s.info.kind === 'triangles' && s.object.visible && s.mesh)
    .map((s) => [s.info.path, { points: s.mesh.geometry.getAttribute('position').count, split: s.split !== null }]))), (found) => found['/Bar/Visual/skin'] && found['/Ball/ball'], 'surfaces');
  // 26 points of the outside: 8 corners in three faces, 12 edges in two, 6 middles in one; the model's own 27 points are not used
  assert.deepEqual(points['/Bar/Visual/skin'], { points: 8 * 3 + 12 * 2 + 6, split: true });
  assert.deepEqual(points['/Ball/ball'], { points: 12, split: false });
}));

test('the eye hides, one stands alone, surfaces become faint, and all comes back', () => look('two', root(body('Left', held) + body('Right', held, 2)), async (page) => {
  const seen = () => page.evaluate(() => window.divan.stage.shapes.filter((s) => s.object.visible && s.info.kind === 'triangles').map((s) => s.info.path));
  const row = (path) => page.locator(`divan-tree [data-path="${path}"]`);
  await row('/Left').hover();
  await row('/Left').getByRole('button', { name: 'Hide' }).click();
  await until(page, () => !window.divan.stage.shapes.some((s) => s.object.visible && s.info.path.startsWith('/Left/')));
  await becomes(seen, ['/Right/Visual/skin']);
  await row('/Left').getByRole('button', { name: 'Show' }).click();
  await until(page, () => window.divan.stage.shapes.some((s) => s.object.visible && s.info.path.startsWith('/Left/')));
  await row('/Left/Visual/skin').click({ button: 'right' });
  await comes(() => page.locator('divan-graph-tab [role=menuitem]').allInnerTexts(), (names) => names.length > 6, 'the menu has');
  await page.getByRole('menuitem', { name: 'Show only this' }).click();
  await until(page, () => !window.divan.stage.shapes.some((s) => s.object.visible && s.info.path.startsWith('/Right/')));
  await row('/Left/Visual/skin').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Half transparent' }).click();
  await until(page, () => window.divan.stage.shapes.find((s) => s.info.kind === 'triangles' && s.info.path === '/Left/Visual/skin').looks[0].material.opacity === 0.5);
  await row('/Left/Visual/skin').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show everything' }).click();
  await until(page, () => window.divan.stage.shapes.filter((s) => s.object.visible && s.info.kind === 'triangles').length === 2);
  await becomes(() => page.evaluate(() => window.divan.stage.shapes.find((s) => s.info.kind === 'triangles' && s.info.path === '/Left/Visual/skin').looks[0].material.opacity), 1);
}));

test('a right click offers what can be done with a point, and plots it; Alt and a click do so at once', () => look('plot', root(body('Bar', held)), async (page) => {
  const at = await surfacePlace(page, '/Bar/Visual/skin');
  await page.mouse.click(at.x, at.y, { button: 'right' });
  await page.getByRole('menuitem', { name: /^Plot point \d+ of dofs/ }).click();
  await until(page, () => window.divan.session.watchItems.length === 3);
  await steps(page, 5);
  await until(page, () => window.divan.session.watch.time.length >= 5 && window.divan.session.watch.values[1].at(-1) !== window.divan.session.watch.values[1][0]);
  await page.evaluate(() => window.divan.session.setWatch([]));
  await page.keyboard.down('Alt');
  await page.mouse.click(at.x, at.y);
  await page.keyboard.up('Alt');
  await until(page, () => window.divan.session.watchItems.length === 3 && window.divan.session.watchItems[0].path === '/Bar/dofs');
}));

test('a pull tells its force, a paused run no rates', () => look('pull', root(body('Bar', held)), async (page) => {
  assert.equal(await page.locator('#paused').innerText(), 'paused');
  await comes(() => page.locator('footer.status').innerText(), (words) => !/\/s|×/.test(words), 'the status line');
  const at = await surfacePlace(page, '/Bar/Visual/skin');
  await page.keyboard.down('Shift');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await until(page, () => window.divan.touch.grabbed);
  await page.mouse.move(at.x + 120, at.y, { steps: 4 });
  // the status is of a step: it may still tell of a place that the mouse has left
  await until(page, () => {
    const { session: { status: { pull } }, stage: { spring } } = window.divan, length = spring.to.distanceTo(spring.from);
    return pull > 10 && length > 0.1 && Math.abs(pull - 1000 * length) < 0.1 * pull;
  });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await until(page, () => window.divan.session.status.pull === undefined);
}));

test('the tree goes to what was picked', () => look('long', root(Array.from({ length: 60 }, (_, i) => `<Node name="empty${i}"/>`).join('') + body('Bar', held)), async (page) => {
  const at = await surfacePlace(page, '/Bar/Visual/skin');
  await page.mouse.click(at.x, at.y);
  await until(page, () => window.divan.session.selection === '/Bar/Visual/skin');
  await until(page, () => {
    const root = document.querySelector('divan-app').shadowRoot.querySelector('divan-graph-tab').shadowRoot.querySelector('divan-tree').shadowRoot;
    const row = root.querySelector('[data-path="/Bar/Visual/skin"]')?.getBoundingClientRect(), tree = root.querySelector('.tree').getBoundingClientRect();
    return row && row.top >= tree.top - 1 && row.bottom <= tree.bottom + 1;
  });
}));

test('a machine that draws slowly draws less light, then fewer pixels, until the user chooses', async () => {
  const divan = await startDivan('liver.scn');
  const { page, context } = await openPage(divan.address, DESK, '', 'antialias=0&ratio=1&quality=auto');
  await page.evaluate(() => {
    const { stage } = window.divan;
    stage.onDrawn = () => { setTimeout(() => { const end = performance.now() + 400; while (performance.now() < end); stage.redraw(false); }); };
    stage.redraw(false);
  });
  const sizes = () => page.evaluate(() => { const { canvas } = window.divan.stage; return canvas.width / canvas.clientWidth; });
  await comes(sizes, (share) => Math.abs(share - 0.5) < 0.01, 'the picture keeps its pixels');
  await page.evaluate(() => { window.divan.stage.onDrawn = null; });
  const saved = await page.evaluate(async () => { const { canvas } = window.divan.stage, bitmap = await createImageBitmap(await window.divan.stage.picture(canvas.clientWidth, canvas.clientHeight)); return bitmap.width - canvas.clientWidth; });
  assert.equal(saved, 0, 'a saved picture has all pixels');
  await page.evaluate(() => window.divan.session.set({ quality: 'reduced' }));
  await comes(sizes, (share) => share === 1, 'who chooses gets all pixels');
  await context.close();
  await divan.stop();
});
