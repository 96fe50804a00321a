// The page with the real program: load, animate, edit, pull, look, by mouse and by keyboard, on a desk and on a phone.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test as plain } from 'node:test';
import { becomes, comes, DESK, golden, openPage, PHONE, positions, ROOT, settled, startDivan, status, steps, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
const SKIN = '/Liver/Visual/skin';
const step = (page) => page.evaluate(() => window.divan.session.status.step);
const distance = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

let divan, key = '', last = null;
before(async () => { divan = await startDivan('liver.scn', { more: ['Gravity.scn'] }); });
after(async () => { await stopBrowser(); await divan?.stop(); });

// A page that may edit: it has the key of those before it.
async function editor(options = DESK) {
  await last?.context.close().catch(() => {});      // of a test that failed
  const opened = last = await openPage(divan.address, options, key);
  key = await opened.page.evaluate(() => window.divan.session.hello.key);
  await until(opened.page, () => window.divan.session.editor);
  await opened.page.evaluate(async () => { const s = window.divan.session; await s.animate(false); await s.reset(); });
  await until(opened.page, () => { const { session, stage } = window.divan; return !session.status.animating && session.status.step === 0 && stage.time === 0; });
  return opened;
}

async function close(opened) {
  await opened.page.evaluate(() => window.divan.session.animate(false));
  await opened.context.close();
  assert.deepEqual(opened.problems, [], 'the page reported errors');
  assert.deepEqual(opened.outside, [], 'the page asked for something outside');
}

test('the scene is drawn, its graph is shown', async () => {
  const o = await editor();
  await comes(() => o.page.locator('divan-tree [role=treeitem]').count(), (rows) => rows > 8, 'rows in the tree');
  await comes(() => o.page.title(), (title) => /liver/.test(title), 'the title');
  const vertices = (await positions(o.page, SKIN, 1e9)).length / 3;
  assert.ok(vertices > 100, `${vertices} points of the skin`);
  await close(o);
});

test('without its token the program says 403', async () => {
  const { origin } = new URL(divan.address);
  for (const path of ['/', '/socket', '/0123456789abcdef/', '/index.html']) assert.equal((await fetch(origin + path)).status, 403, path);
});

test('animate moves it, pause stops it, step and reset do what they say', async () => {
  const o = await editor(), before = await positions(o.page, SKIN);
  await o.page.getByRole('button', { name: 'Animate' }).click();
  await until(o.page, () => window.divan.session.status.step > 20);
  await o.page.getByRole('button', { name: 'Animate' }).click();
  await until(o.page, () => !window.divan.session.status.animating);
  await until(o.page, () => Math.abs(window.divan.stage.time - window.divan.session.status.time) < 1e-9);
  assert.ok(distance(before, await positions(o.page, SKIN)) > 1e-4, 'the skin moved');
  const at = await step(o.page);
  await o.page.getByRole('button', { name: 'One step' }).click();
  await until(o.page, (n) => window.divan.session.status.step === n + 1, at);
  await o.page.getByRole('button', { name: 'Reset the scene' }).click();
  await until(o.page, () => window.divan.session.status.step === 0 && window.divan.stage.time === 0);
  assert.ok(distance(before, await positions(o.page, SKIN)) < 1e-9, 'it is where it was');
  await close(o);
});

// How far the skin falls in 40 steps.
async function fall(page) {
  await page.evaluate(() => window.divan.session.reset());
  await until(page, () => window.divan.session.status.step === 0 && window.divan.stage.time === 0);
  const before = await positions(page, SKIN, 1e9);
  await steps(page, 40);
  return distance(before, await positions(page, SKIN, 1e9));
}

test('a field edited in the form changes the motion', async () => {
  const o = await editor(), soft = await fall(o.page);
  await o.page.locator('divan-tree input').fill('Corotational');
  await o.page.locator('divan-tree [role=treeitem]', { hasText: 'TetrahedralCorotationalFEMForceField' }).click();
  const young = o.page.locator('divan-form input[name=youngModulus]');
  assert.match(await o.page.locator('[data-field=youngModulus] .label').getAttribute('title'), /numbers, Pa[^]*from 0/);
  await young.fill('-5');
  await o.page.locator('divan-form input[name=youngModulus].outside').waitFor();
  await young.fill('50000');
  await o.page.locator('divan-form input[name=youngModulus].pending').waitFor();
  await young.press('Enter');
  await until(o.page, () => window.divan.session.object?.fields.find((f) => f.name === 'youngModulus')?.value.trim() === '50000');
  const stiff = await fall(o.page);
  assert.ok(stiff < 0.5 * soft, `falls ${soft} with 5 kPa and ${stiff} with 50 kPa`);
  await young.fill('5000');
  await young.press('Enter');
  await until(o.page, () => window.divan.session.object?.fields.find((f) => f.name === 'youngModulus')?.value.trim() === '5000');
  const again = await fall(o.page);
  assert.ok(Math.abs(again - soft) < 1e-6 * soft, `as before: ${again} and ${soft}`);
  await close(o);
});

test('a value that makes no sense is refused with words', async () => {
  const o = await editor();
  await o.page.evaluate(() => window.divan.session.select('/Liver/dofs'));
  const scale = o.page.locator('divan-form input[name=restScale]');
  await scale.fill('much');
  await scale.press('Enter');
  await o.page.locator('.toast.error').waitFor();
  await scale.press('Escape');
  await becomes(() => scale.inputValue(), '1');
  await o.context.close();
});

test('the mouse pulls a point and it follows', async () => {
  const o = await editor(), page = o.page;
  const place = await surfacePlace(page, SKIN);      // while nothing moves: it is there when the mouse comes
  await page.keyboard.down('Shift');
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await until(page, () => window.divan.touch.grabbed);
  await page.evaluate(() => window.divan.session.animate(true));
  await until(page, () => window.divan.session.status.step > 30);
  const held = await comes(() => page.evaluate(() => window.divan.stage.heldPoint()?.toArray() ?? null), (p) => p, 'the point that is held');
  await page.mouse.move(place.x + 120, place.y - 20, { steps: 4 });
  await until(page, (from) => { const p = window.divan.stage.heldPoint(); return p && Math.hypot(p.x - from[0], p.y - from[1], p.z - from[2]) > 0.01; }, held);
  assert.ok(await page.evaluate(() => window.divan.stage.spring !== null), 'the spring is drawn');
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await until(page, () => !window.divan.touch.grabbed && window.divan.stage.spring === null);
  await close(o);
});

test('Shift and the right button fix a point and free it', async () => {
  const o = await editor(), page = o.page, place = await surfacePlace(page, SKIN);
  const click = async () => {
    await page.keyboard.down('Shift');
    await page.mouse.move(place.x, place.y);
    await page.mouse.click(place.x, place.y, { button: 'right' });
    await page.keyboard.up('Shift');
  };
  await click();
  await page.locator('.toast', { hasText: 'Point fixed' }).waitFor();
  await becomes(() => page.evaluate(() => window.divan.stage.pins.length), 1);
  await settled(page);
  await click();
  await page.locator('.toast', { hasText: 'Point freed' }).waitFor();
  await becomes(() => page.evaluate(() => window.divan.stage.pins.length), 0);
  await close(o);
});

test('a click selects in the picture, the tree follows', async () => {
  const o = await editor(), place = await surfacePlace(o.page, SKIN);
  await o.page.mouse.click(place.x, place.y);
  await until(o.page, (p) => window.divan.session.selection === p, SKIN);
  await o.page.locator(`divan-tree [aria-selected=true][data-path="${SKIN}"]`).waitFor();
  await o.page.locator('divan-form h2', { hasText: 'OglModel' }).waitFor();
  await close(o);
});

test('statistics fill while it runs; a field is watched and saved as CSV', async () => {
  const o = await editor(), page = o.page;
  await page.evaluate(() => window.divan.session.select('/Liver/dofs'));
  await page.locator('divan-form [data-field=position]').hover();
  await page.getByRole('button', { name: 'Plot position' }).click();
  await page.getByRole('tab', { name: 'Stats' }).click();
  await page.evaluate(() => window.divan.session.animate(true));
  await until(page, () => { const s = window.divan.session; return s.steps.x.length > 10 && s.timers.size > 3 && s.watch.time.length > 10 && s.energy.time.length > 1; });
  await page.evaluate(() => window.divan.session.animate(false));
  await page.locator('divan-stats-tab .flame .bar').first().waitFor();
  await page.locator('divan-stats-tab .inventory b').first().waitFor();
  await page.locator('divan-stats-tab summary', { hasText: 'Solver convergence' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.locator('divan-stats-tab details', { hasText: 'Watched values' }).getByRole('button', { name: 'CSV' }).click();
  const lines = readFileSync(await (await saved).path(), 'utf8').trim().split('\n');
  assert.match(lines[0], /"time","\/Liver\/dofs.position\[0\]"/);
  assert.ok(lines.length > 10, `${lines.length} lines`);
  assert.ok(lines.slice(1).every((l) => l.split(',').every((v) => Number.isFinite(Number(v)))), 'numbers only');
  await close(o);
});

test('a hidden page pauses the animation and takes it up again', async () => {
  const o = await editor(), page = o.page;
  const hide = (hidden) => page.evaluate((h) => { Object.defineProperty(document, 'hidden', { value: h, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }, hidden);
  await page.evaluate(() => window.divan.session.animate(true));
  await until(page, () => window.divan.session.status.step > 3);
  await hide(true);
  await until(page, () => !window.divan.session.status.animating);
  await hide(false);
  await until(page, () => window.divan.session.status.animating);
  await close(o);
});

test('a lost connection is taken up again with the same rights', async () => {
  const o = await editor(), page = o.page;
  // it is open again after less than half a second: whether it was lost is noted by the page, nobody needs to look at the right moment
  await page.evaluate(() => { const { session } = window.divan; window.lost = 0; session.on(['connection'], () => { if (!session.connection.open) window.lost++; }); session.connection.socket.close(); });
  await until(page, () => window.lost > 0);
  await until(page, () => window.divan.session.connection.open && window.divan.session.editor);
  await becomes(() => page.evaluate(() => window.divan.session.hello.key), key);
  const before = await positions(page, SKIN);
  await steps(page, 20);
  assert.ok(distance(before, await positions(page, SKIN)) > 0, 'frames come again');
  await close(o);
});

test('a program that starts again on its port gets its page back', async () => {
  const token = 'abcdefgh12345678';
  let other = await startDivan('liver.scn', { args: ['--token', token] });
  const port = new URL(other.address).port, o = await openPage(other.address);
  await other.stop();
  await o.page.locator('#lost').waitFor();
  other = await startDivan('liver.scn', { port, args: ['--token', token] });
  await o.page.locator('#lost').waitFor({ state: 'detached' });
  await until(o.page, () => window.divan.stage.shapes.some((s) => s.object.visible));
  await o.context.close();
  await other.stop();
});

test('one page edits, the other watches', async () => {
  const o = await editor(), second = await openPage(divan.address);
  await second.page.locator('#watching').waitFor();
  await becomes(() => second.page.getByRole('button', { name: 'Animate' }).isDisabled(), true);
  await o.page.evaluate(() => window.divan.session.step(5));
  await until(second.page, () => window.divan.session.status.step === 5);
  await second.context.close();
  await close(o);
});

test('the view is saved next to the scene and comes back', async () => {
  const o = await editor();
  await o.page.evaluate(() => window.divan.stage.look_from(1.25, -0.3));
  await o.page.getByRole('button', { name: 'Save the view next to the scene' }).click();
  await o.page.locator('.toast', { hasText: 'View saved' }).waitFor();
  assert.ok(existsSync(join(divan.directory, 'liver.scn.view')));
  await close(o);
  const again = await openPage(divan.address, DESK, key);
  await comes(() => again.page.evaluate(() => window.divan.stage.camera.azimuth), (a) => Math.abs(a - 1.25) < 1e-9, 'the camera is not as it was saved');
  await again.page.evaluate(async () => { const s = window.divan.session, g = window.divan.stage; g.camera.azimuth = 0.6; g.camera.elevation = 0.35; g.fit(); await s.saveView(); });
  await again.context.close();
});

test('the mouse turns, shifts and zooms the view, a double click fits it', async () => {
  const o = await editor(), { page } = o, pose = async () => { await settled(page); return page.evaluate(() => window.divan.stage.camera.pose); };
  const box = await page.locator('.picture').boundingBox(), x = box.x + 0.5 * box.width, y = box.y + 0.5 * box.height;
  const drag = async (button) => { await page.mouse.move(x, y); await page.mouse.down({ button }); await page.mouse.move(x + 60, y + 30, { steps: 3 }); await page.mouse.up({ button }); };
  await page.getByRole('button', { name: 'Reset the view' }).click();
  const first = await pose();
  await drag('left');
  const turned = await pose();
  assert.ok(turned.azimuth < first.azimuth - 0.1 && turned.elevation > first.elevation + 0.05, JSON.stringify(turned));
  assert.deepEqual(turned.target, first.target);
  await drag('right');
  const shifted = await pose();
  assert.equal(shifted.azimuth, turned.azimuth);
  assert.ok(distance(shifted.target, turned.target) > 0.01 * first.distance);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -300);
  await until(page, (d) => window.divan.stage.camera.distance < 0.9 * d, shifted.distance);
  await page.mouse.dblclick(box.x + 20, box.y + 20);
  await until(page, ([t, d]) => { const c = window.divan.stage.camera; return Math.hypot(c.target.x - t[0], c.target.y - t[1], c.target.z - t[2]) < 1e-6 * d; }, [first.target, first.distance]);
  await close(o);
});

test('the time step, real time, background and the size of the picture', async () => {
  const o = await editor(), { page } = o;
  const dt = page.getByLabel('time step in seconds');
  await dt.fill('0.02');
  await dt.press('Enter');
  await until(page, () => window.divan.session.status.dt === 0.02);
  await dt.fill('-1');
  await dt.press('Enter');
  await page.locator('.toast', { hasText: 'positive number' }).waitFor();
  assert.equal((await status(page)).dt, 0.02);      // refused: nothing comes that could change it
  // paced: half as fast as the clock, and told so
  const factor = page.getByLabel('real-time factor wanted');
  await factor.fill('0.5');
  await factor.press('Enter');
  await page.evaluate(() => window.divan.session.animate(true));
  await until(page, () => { const s = window.divan.session.status; return s.realtime && s.factor === 0.5 && s.step > 20 && s.rtf > 0.1 && s.rtf < 0.6; });
  await page.evaluate(async () => { const s = window.divan.session; await s.animate(false); await s.realtime(true, 1); await s.setDt(0.01); });
  // background
  await page.locator('#tab-view').click();
  await page.evaluate(() => window.divan.session.set({ background: '#204060', grid: false, axes: false }));
  await settled(page);
  const corner = await page.evaluate(async () => {
    const image = await createImageBitmap(await window.divan.stage.picture(64, 48)), c = Object.assign(document.createElement('canvas'), { width: 64, height: 48 }).getContext('2d');
    c.drawImage(image, 0, 0);
    return [...c.getImageData(1, 1, 1, 1).data.slice(0, 3)];
  });
  assert.ok(distance(corner, [0x20, 0x40, 0x60]) < 6, `${corner}`);
  await page.getByRole('button', { name: 'As the theme' }).click();
  await until(page, () => window.divan.session.settings.background === '');
  // the picture on the page has the size of a film
  await page.evaluate(() => window.divan.session.set({ pictureWidth: 640, pictureHeight: 480, fixedSize: true, grid: true, axes: true }));
  await until(page, () => { const c = document.querySelector('divan-app').shadowRoot.querySelector('canvas.gl'); return c.width === 640 && c.height === 480; });
  await page.evaluate(() => window.divan.session.set({ fixedSize: false }));
  await until(page, () => document.querySelector('divan-app').shadowRoot.querySelector('canvas.gl').width !== 640);
  await close(o);
});

test('the state is dumped next to the scene, the inventory counts', async () => {
  const o = await editor(), { page } = o;
  await page.locator('#tab-stats').click();
  await page.evaluate(() => window.divan.session.step(3));
  await until(page, () => window.divan.session.status.step === 3 && Object.keys(window.divan.session.inventory).length > 2);
  const inventory = await page.evaluate(() => window.divan.session.inventory);
  assert.ok(inventory.tetrahedra > 100 && inventory['collision spheres'] > 10 && inventory['degrees of freedom'] === 3 * inventory.points, JSON.stringify(inventory));
  await page.getByRole('button', { name: 'Dump the state' }).click();
  await page.locator('.toast', { hasText: 'State written' }).waitFor();
  assert.ok(existsSync(join(divan.directory, 'liver-3.state')));
  await close(o);
});

test('with Ctrl the mouse moves what a controller moves', async () => {
  const o = await editor(), { page } = o;
  await page.evaluate(() => window.divan.session.drop('tool.scn', `<Node><Node name="Tool"><MechanicalObject name="frame" template="Rigid3" position="0 0 0 0 0 0 1"/>
    <MechanicalStateController listening="1" onlyTranslation="1" handleEventTriggersUpdate="1"/></Node></Node>`));
  await until(page, () => window.divan.stage.shapes.some((s) => s.info.path === '/Tool/frame' && s.object.visible));
  const box = await page.locator('.picture').boundingBox(), x = Math.round(box.x + 0.4 * box.width), y = Math.round(box.y + 0.5 * box.height);
  await page.keyboard.down('Control');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 2 });
  await page.mouse.up();
  await page.keyboard.up('Control');
  await until(page, () => { const { stage } = window.divan, s = stage.shapes.find((f) => f.info.path === '/Tool/frame' && f.object.visible); return s && Math.abs(stage.arrays.get(s.info.positions).data[0] - 40) < 1.5; });
  await page.evaluate(() => window.divan.session.openFile('liver.scn'));
  await until(page, () => window.divan.session.objects.has('/Liver/dofs'));
  await close(o);
});

test('with Ctrl the wheel bends a joint, without it zooms', async () => {
  const o = await editor(), { page } = o;
  await page.evaluate(() => window.divan.session.drop('joint.scn', `<Node gravity="0 0 0"><Node name="Arm"><MechanicalObject name="joint" template="Vec1" position="0"/>
    <ArticulatedHierarchyController listening="1" articulationsIndices="0" bindingKeys="1" angleDelta="0.1"/>
    <Node name="Bones"><MechanicalObject name="bones" template="Rigid3" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1"/><ArticulatedSystemMapping input1="@../joint" output="@bones"/></Node>
    <ArticulatedHierarchyContainer/><Node name="Centers"><Node><ArticulationCenter parentIndex="0" childIndex="1" posOnParent="1 0 0"/>
    <Node><Articulation rotation="1" axis="0 0 1" articulationIndex="0"/></Node></Node></Node></Node></Node>`));
  await until(page, () => window.divan.stage.shapes.some((s) => s.info.path === '/Arm/Bones/bones' && s.info.kind === 'frames' && s.object.visible));
  const box = await page.locator('.picture').boundingBox(), camera = () => page.evaluate(() => window.divan.stage.camera.pose.distance);
  await page.mouse.click(Math.round(box.x + 0.4 * box.width), Math.round(box.y + 0.6 * box.height));
  const stepTo = async (n, angle) => {
    await page.evaluate(() => window.divan.session.step(1));
    await until(page, (k) => window.divan.session.status.step === k && Math.abs(window.divan.stage.time - window.divan.session.status.time) < 1e-9, n);
    await until(page, (sine) => {
      const { stage } = window.divan, { info } = stage.shapes.find((s) => s.info.path === '/Arm/Bones/bones' && s.info.kind === 'frames');
      return Math.abs(stage.arrays.get(info.frames).data[6] - sine) < 1e-6;      // the second bone turns about z
    }, Math.sin(angle / 2));
  };
  await page.evaluate(() => { window.wheels = 0; window.addEventListener('wheel', () => window.wheels++); });
  const turn = async (by, n) => { await page.mouse.wheel(0, by); await until(page, (k) => window.wheels === k, n); };   // until the page has had it
  const before = await camera();
  await page.keyboard.down('Control');
  await page.keyboard.press('1');               // chooses the joint
  await turn(-100, 1);                          // away from the user
  await stepTo(1, 0.2);                         // a wheel counts twice, once
  await stepTo(2, 0.2);
  await turn(100, 2);
  await stepTo(3, 0);
  await page.keyboard.up('Control');
  assert.equal(await camera(), before, 'it did not zoom');
  await turn(-100, 3);
  await comes(camera, (d) => d < before, `it has not zoomed from ${before}`);
  await stepTo(4, 0);
  await page.evaluate(() => window.divan.session.openFile('liver.scn'));
  await until(page, () => window.divan.session.objects.has('/Liver/dofs'));
  await close(o);
});

test('a scene that is read again keeps the view and what is shown', async () => {
  const o = await editor(), { page } = o;
  await page.evaluate(() => { window.divan.stage.look_from(0.9, 0.1); window.divan.session.setGroup('behavior', true); });
  await page.evaluate(() => window.divan.session.step(5));
  await until(page, () => window.divan.session.status.step === 5);
  const revision = await page.evaluate(() => window.divan.session.scene.revision);
  await page.getByRole('button', { name: 'Reload the scene file' }).click();
  await until(page, (r) => { const { session, stage } = window.divan; return session.scene.revision > r && session.status.step === 0 && stage.shapes.some((s) => s.info.group === 'behavior' && s.object.visible); }, revision);
  await comes(() => page.evaluate(() => window.divan.stage.camera.azimuth), (a) => Math.abs(a - 0.9) < 1e-9, 'another view');
  await page.evaluate(() => window.divan.session.setDefaultGroups());
  await close(o);
});

test('another scene is opened from the list', async () => {
  const o = await editor(), page = o.page;
  await page.getByRole('button', { name: 'Open a scene' }).click();
  await page.getByLabel('Filter files').fill('Gravity.scn');
  await page.locator('dialog .files button', { hasText: 'Gravity.scn' }).click();
  await until(page, () => /Gravity/.test(window.divan.session.hello.scene));
  await until(page, () => window.divan.session.scene !== null && !window.divan.session.objects.has('/Liver/dofs'));
  await page.evaluate(() => window.divan.session.openFile('liver.scn'));
  await until(page, () => window.divan.session.objects.has('/Liver/dofs'));
  await close(o);
});

test('a node is switched off, saved, added and removed', async () => {
  const o = await editor(), page = o.page;
  await page.evaluate(() => window.divan.session.select('/Liver/Spheres'));   // brings the row into sight
  await page.locator('divan-tree [data-path="/Liver/Spheres"]').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Deactivate' }).click();
  await until(page, () => window.divan.session.nodes.get('/Liver/Spheres')?.active === false);
  await page.evaluate(() => window.divan.session.activate('/Liver/Spheres', true));
  await until(page, () => window.divan.session.nodes.get('/Liver/Spheres')?.active === true);
  await page.evaluate(() => window.divan.session.saveNode('/Liver/Visual', 'saved.scn'));
  assert.ok(existsSync(join(divan.directory, 'saved.scn')));
  await page.evaluate(() => window.divan.session.addNode('/', 'Gravity.scn'));
  const count = () => page.evaluate(() => window.divan.session.nodes.size);
  await until(page, () => window.divan.session.graph.nodes.length > 1);
  const many = await count(), added = await page.evaluate(() => window.divan.session.graph.nodes[window.divan.session.graph.nodes.length - 1].path);
  await page.evaluate((path) => window.divan.session.remove(path), added);
  await until(page, (n) => window.divan.session.nodes.size < n, many);
  await page.evaluate(() => window.divan.session.reload());
  await close(o);
});

test('the scene is loaded again as SOFA does it', async () => {
  const o = await editor(), box = o.page.getByLabel('as SOFA does it');
  await becomes(() => box.isChecked(), false);
  await box.click();                  // it is checked when the program says so
  await until(o.page, () => window.divan.session.status.compat === 'sofa' && !window.divan.session.busy);
  await becomes(() => box.isChecked(), true);
  await box.click();
  await until(o.page, () => window.divan.session.status.compat === 'none' && !window.divan.session.busy);
  await close(o);
});

// --- pictures ---

async function asBefore(page, name) {
  await golden(page, name, await page.evaluate(async () => {
    const blob = await window.divan.stage.picture(320, 240), bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (const b of bytes) text += String.fromCharCode(b);
    return btoa(text);
  }));
}

test('pictures are as they were', async () => {
  for (const scheme of ['light', 'dark']) {
    const o = await editor({ ...DESK, colorScheme: scheme });
    await o.page.evaluate(() => { const g = window.divan.stage; g.camera.azimuth = 0.6; g.camera.elevation = 0.35; g.resize(320, 240, 1); g.fit(); g.resize(320, 240, 1); });
    await asBefore(o.page, `liver-${scheme}`);
    if (scheme === 'light') {
      await steps(o.page, 100);
      await asBefore(o.page, 'liver-100');
    }
    await close(o);
  }
});

// --- layouts ---

// Parts that stick out of the window, or buttons too small to read.
const cramped = (page) => page.evaluate(() => {
  const bad = [], app = document.querySelector('divan-app').shadowRoot;
  if (document.documentElement.scrollWidth > innerWidth) bad.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const selector of ['divan-toolbar', '.stage', '.panel', '.status']) {
    const r = app.querySelector(selector)?.getBoundingClientRect();
    if (!r) bad.push(`${selector} is missing`);
    else if (r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1 || r.width < 100 || r.height < 20) bad.push(`${selector}: ${JSON.stringify(r)}`);
  }
  const picture = app.querySelector('.picture').getBoundingClientRect();
  if (picture.width * picture.height < 0.25 * innerWidth * innerHeight) bad.push(`the picture has ${picture.width} x ${picture.height}`);
  return bad;
});

for (const [name, options] of [['1280 x 800', DESK], ['a phone', PHONE]]) {
  for (const scheme of ['light', 'dark']) {
    test(`${name}, ${scheme}: everything is in sight`, async () => {
      const o = await editor({ ...options, colorScheme: scheme });
      for (const tab of ['Graph', 'View', 'Stats']) {
        await o.page.getByRole('tab', { name: tab }).click();
        await settled(o.page);
        await becomes(() => cramped(o.page), [], tab);
      }
      await becomes(() => o.page.evaluate(() => document.documentElement.dataset.theme), scheme);
      await close(o);
    });
  }
}

describe('by keyboard only', () => {
  test('animate, step, reset, tabs, search, edit', async () => {
    const o = await editor(), { page } = o, press = (k) => page.keyboard.press(k);
    await press('n');
    await until(page, () => window.divan.session.status.step === 1);
    await press('Space');
    await until(page, () => window.divan.session.status.animating && window.divan.session.status.step > 5);
    await press('Space');
    await until(page, () => !window.divan.session.status.animating);
    await press('r');
    await until(page, () => window.divan.session.status.step === 0);
    await press('3');
    await page.locator('divan-stats-tab').waitFor();
    await page.locator('#tab-stats:focus').waitFor();
    await press('ArrowLeft');
    await page.locator('divan-view-tab').waitFor();
    await press('/');
    await page.locator('divan-tree input:focus').waitFor();
    await page.keyboard.type('DiagonalMass');
    await press('Enter');
    await until(page, () => /DiagonalMass/.test(window.divan.session.objects.get(window.divan.session.selection)?.class ?? ''));
    await page.locator('divan-form input[name=massDensity]').waitFor();
    for (let i = 0; i < 120; i++) {
      if (await page.evaluate(() => { let a = document.activeElement; while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement; return a?.name === 'massDensity'; })) break;
      await press('Tab');
    }
    await press('Control+A');
    await page.keyboard.type('2100');
    await press('Enter');
    await until(page, () => window.divan.session.object?.fields.find((f) => f.name === 'massDensity')?.value.trim() === '2100');
    await page.evaluate(() => window.divan.session.reload());
    await close(o);
  });

  test('the tree opens and closes, the menu opens', async () => {
    const o = await editor(), { page } = o, press = (k) => page.keyboard.press(k);
    await page.locator('divan-tree .tree').focus();
    await press('End');
    await press('ArrowLeft');
    await press('ArrowLeft');
    await settled(page);
    const before = await page.locator('divan-tree [role=treeitem]').count();
    await press('ArrowRight');
    await until(page, (n) => document.querySelector('divan-app').shadowRoot.querySelector('divan-graph-tab').shadowRoot.querySelector('divan-tree').shadowRoot.querySelectorAll('[role=treeitem]').length > n, before);
    await press('Shift+F10');
    await page.locator('[role=menuitem]:focus').waitFor();
    await press('ArrowDown');
    await press('Escape');
    await becomes(() => page.getByRole('menuitem').count(), 0);
    await close(o);
  });

  test('turn, zoom, help', async () => {
    const o = await editor(), { page } = o, camera = () => page.evaluate(() => window.divan.stage.camera.pose);
    await page.locator('.picture').focus();
    const before = await camera();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('+');
    await comes(camera, (now) => now.azimuth !== before.azimuth && now.distance < before.distance, `neither turned nor nearer than ${JSON.stringify(before)}`);
    await page.keyboard.press('o');
    await until(page, () => window.divan.stage.camera.ortho);
    await page.keyboard.press('o');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await close(o);
  });

  test('a point is pulled', async () => {
    const o = await editor(), { page } = o;
    await page.locator('.picture').focus();
    await page.keyboard.press('t');
    await page.locator('.hint').waitFor();
    const place = await surfacePlace(page, SKIN);
    for (let i = 0; i < Math.round(Math.abs(place.ny) / 0.04); i++) await page.keyboard.press(place.ny > 0 ? 'ArrowUp' : 'ArrowDown');
    await page.keyboard.press('Enter');
    await until(page, () => window.divan.touch.grabbed);
    await page.evaluate(() => window.divan.session.animate(true));
    const held = await comes(() => page.evaluate(() => window.divan.stage.heldPoint()?.toArray() ?? null), (p) => p, 'the point that is held');
    for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
    await until(page, (from) => { const p = window.divan.stage.heldPoint(); return p && Math.hypot(p.x - from[0], p.y - from[1], p.z - from[2]) > 0.01; }, held);
    await page.keyboard.press('Enter');
    await until(page, () => !window.divan.touch.grabbed);
    await page.keyboard.press('Escape');
    await page.locator('.hint').waitFor({ state: 'detached' });
    await close(o);
  });
});
