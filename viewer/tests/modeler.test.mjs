// Building scenes with the real program: from nothing, by mouse and by keyboard, undone, saved and read again.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test as plain } from 'node:test';
import { becomes, openEmpty, openPage, PHONE, pictureBox, ROOT, settled, startDivan, startEmpty, steps, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
after(stopBrowser);

const has = (page, path) => until(page, (p) => window.divan.session.nodes.has(p) || window.divan.session.objects.has(p), path);
const gone = (page, path) => until(page, (p) => !window.divan.session.nodes.has(p) && !window.divan.session.objects.has(p), path);
const chosen = (page, path) => until(page, (p) => window.divan.session.selection === p, path);
// It is in the picture, as the scene is now.
const isDrawn = (page, path) => until(page, (p) => {
  const { stage, session } = window.divan;
  return session.status.scene === session.scene?.revision && stage.arrays.revision === session.scene.revision && stage.shapes.some((s) => s.info.path === p && s.object.visible && stage.arrays.get(s.info.positions));
}, path);
// Its lowest point in the picture, as soon as all of it has come.
const lowest = async (page, path) => (await (await page.waitForFunction((p) => {
  const { stage, session } = window.divan, s = stage.shapes.find((x) => x.info.path === p && x.info.group === 'visual'), d = s && session.status.scene === session.scene.revision && session.scene.revision === stage.arrays.revision && stage.arrays.get(s.info.positions)?.data;
  if (!d?.length) return null;
  let y = Infinity;
  for (let i = 1; i < d.length; i += 3) y = Math.min(y, d[i]);
  return { y };
}, path)).jsonValue()).y;
// Selects as a click would, wherever the tree is scrolled to.
const select = async (page, path) => {
  await page.evaluate((p) => window.divan.session.select(p), path);
  await page.waitForFunction((p) => document.querySelector('divan-app').shadowRoot.querySelector('divan-graph-tab')?.shadowRoot.querySelector('divan-tree').shadowRoot.querySelector('.row.chosen.active')?.dataset.path === p, path);
};
const sceneText = (page) => page.evaluate(async () => (await window.divan.session.connection.request('text')).text);

describe('a scene from nothing', () => {
  test('a new user builds a soft cube that falls on a floor, saves it and opens it again', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    await page.locator('#empty').waitFor();
    await page.locator('#empty').getByRole('button', { name: 'Floor', exact: true }).click();
    await has(page, '/Floor');
    await page.locator('#empty').waitFor({ state: 'detached' });
    await page.locator('[data-preset=soft-block]').click();
    await chosen(page, '/Block');
    await isDrawn(page, '/Block/Look/look');
    const high = await lowest(page, '/Block/Look/look');
    assert.ok(Math.abs(high - 0.7) < 1e-5, `it begins 0.7 m above the floor, not ${high}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Animate' }).click();
    await until(page, () => window.divan.session.status.step > 70);
    await page.getByRole('button', { name: 'Animate' }).click();
    await until(page, () => !window.divan.session.status.animating && Math.abs(window.divan.stage.time - window.divan.session.status.time) < 1e-9);
    const low = await lowest(page, '/Block/Look/look');
    assert.ok(low > -0.05 && low < 0.15, `it lies on the floor, at ${low}`);
    // softer, in a form; undone with Ctrl+Z
    await page.locator('#unsaved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').getByRole('textbox').fill('cube');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await until(page, () => window.divan.session.status.unsaved === false && /cube\.scn$/.test(window.divan.session.hello.scene));
    const file = join(divan.directory, 'cube.scn'), text = readFileSync(file, 'utf8');
    assert.equal(text, await sceneText(page));
    assert.match(text, /<RegularGridTopology/);
    assert.doesNotMatch(text, /undefined|\{name\}|\{place\}/);
    const revision = await page.evaluate(() => window.divan.session.scene.revision);
    await page.getByRole('button', { name: 'Reload the scene file' }).click();
    await until(page, (r) => window.divan.session.scene.revision > r && window.divan.session.status.step === 0 && window.divan.session.status.ready && window.divan.stage.time === 0, revision);
    await has(page, '/Block');
    await isDrawn(page, '/Block/Look/look');
    assert.ok(Math.abs(await lowest(page, '/Block/Look/look') - 0.7) < 1e-5);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('everything is undone and done again; the library adds, the tree renames, moves, copies and removes', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    const start = await sceneText(page);
    await page.keyboard.press('4');
    await page.locator('[data-preset=soft-block]').click();
    await chosen(page, '/Block');
    // the library, by typing: what is found first is added to the selected node
    const search = page.getByRole('searchbox', { name: 'Search the library' });
    await search.fill('UniformVelocityDamping');
    await search.press('Enter');
    await has(page, '/Block/UniformVelocityDampingForceField1');
    // its documentation, with an example
    await page.getByRole('button', { name: 'About UniformVelocityDampingForceField' }).click();
    await page.getByRole('dialog', { name: 'About UniformVelocityDampingForceField' }).getByText('dampingCoefficient', { exact: true }).waitFor();
    await until(page, () => document.querySelector('divan-app').shadowRoot.querySelector('divan-build-tab').shadowRoot.querySelector('divan-class').shadowRoot.querySelector('pre')?.textContent.includes('<Node'));
    await page.keyboard.press('Escape');
    // by mouse: from the library into the tree
    await search.fill('Gravity');
    await page.evaluate(() => { window.divan.modeler.dragged = 'class:Gravity'; window.divan.session.set({ tab: 'graph' }); });
    await page.locator('[data-path="/Block"]').waitFor();
    await page.locator('[data-path="/Block"]').dispatchEvent('dragover', { clientY: 0, dataTransfer: await page.evaluateHandle(() => new DataTransfer()) });
    await page.evaluate(() => { const tree = document.querySelector('divan-app').shadowRoot.querySelector('divan-graph-tab').shadowRoot.querySelector('divan-tree'); const row = tree.shadowRoot.querySelector('[data-path="/Block"]'), r = row.getBoundingClientRect(); for (const kind of ['dragover', 'drop']) row.dispatchEvent(new DragEvent(kind, { bubbles: true, composed: true, cancelable: true, clientX: r.left + 20, clientY: r.top + 14, dataTransfer: new DataTransfer() })); });
    await has(page, '/Block/Gravity1');
    // by keyboard in the tree: rename, copy, move, remove
    const tree = page.getByRole('tree', { name: 'scene graph' });
    await select(page, '/Block/points');
    await tree.focus();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByRole('textbox').fill('grains');
    await page.keyboard.press('Enter');
    await has(page, '/Block/grains');
    await until(page, () => window.divan.session.status.ready);
    await select(page, '/Block/mass');
    await tree.focus();
    const place = () => page.evaluate(() => window.divan.session.nodes.get('/Block').objects.findIndex((x) => x.name === 'mass'));
    const at = await place();
    await page.keyboard.press('Alt+ArrowUp');
    await until(page, (k) => window.divan.session.nodes.get('/Block')?.objects.findIndex((x) => x.name === 'mass') === k - 1, at);
    await select(page, '/Block');
    await tree.focus();
    await page.keyboard.press('Control+d');
    await has(page, '/Block_copy/grains');
    await page.keyboard.press('Delete');
    await until(page, () => !window.divan.session.nodes.has('/Block_copy') || !window.divan.session.nodes.has('/Block'));
    const edits = await becomes(() => page.evaluate(() => window.divan.session.status.edits), 7);
    const built = await sceneText(page);
    await page.locator('.picture').focus();
    for (let i = 0; i < edits; i++) { await page.keyboard.press('Control+z'); await until(page, (k) => window.divan.session.status.edits === k, edits - 1 - i); }
    assert.equal(await sceneText(page), start);
    for (let i = 0; i < edits; i++) { await page.keyboard.press('Control+Shift+z'); await until(page, (k) => window.divan.session.status.edits === k, i + 1); }
    assert.equal(await sceneText(page), built);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('handles shift a body; points are chosen by a box and held; a problem stands at its component', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    await page.keyboard.press('4');
    await page.locator('[data-preset=soft-block]').click();
    await chosen(page, '/Block');
    await isDrawn(page, '/Block/Look/look');
    await page.locator('.picture').focus();
    await page.keyboard.press('m');
    await until(page, () => window.divan.touch.handles.current === 'shift' && window.divan.touch.handles.handleAt(0));
    await settled(page);
    const box = await pictureBox(page), arrow = await page.evaluate(() => window.divan.touch.handles.handleAt(0)), middle = await page.evaluate(() => window.divan.touch.handles.handleAt(3));
    const dx = arrow.x - middle.x, dy = arrow.y - middle.y;
    await page.mouse.move(box.x + arrow.x, box.y + arrow.y);
    await page.mouse.down();
    await page.mouse.move(box.x + arrow.x + 0.5 * dx, box.y + arrow.y + 0.5 * dy, { steps: 4 });
    await page.mouse.move(box.x + arrow.x + dx, box.y + arrow.y + dy, { steps: 4 });
    await page.mouse.up();
    await until(page, () => window.divan.session.status.edits === 2 || window.divan.session.toast?.level === 'error');
    assert.equal(await page.evaluate(() => window.divan.session.toast?.text ?? ''), '');
    const moved = (await sceneText(page)).match(/<MechanicalObject name="points" translation="([^"]*)"/)[1].split(' ').map(Number);
    assert.ok(moved[0] > 0.1 && Math.abs(moved[1] - 1.2) < 1e-9 && Math.abs(moved[2]) < 1e-9, `shifted along x alone: ${moved}`);
    await page.keyboard.press('Escape');
    // by numbers
    await page.getByRole('textbox', { name: 'Turn y' }).fill('45');
    await page.getByRole('textbox', { name: 'Turn y' }).press('Enter');
    await until(page, () => window.divan.session.status.edits === 3);
    assert.match(await sceneText(page), /rotation="0 45 0"/);
    // a box over all of the picture, through the body, chooses every point
    await page.locator('.picture').focus();
    await isDrawn(page, '/Block/Look/look');
    await page.keyboard.press('z');
    await settled(page);
    await page.keyboard.press('a');
    await page.locator('#tool-hint').waitFor();
    await page.evaluate(() => { window.divan.touch.area.through = true; });
    await page.mouse.move(box.x + 30, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 30, box.y + box.height - 60, { steps: 4 });
    await page.mouse.up();
    await becomes(() => page.evaluate(() => window.divan.modeler.chosen?.points.length ?? 0), 125);
    await page.getByRole('button', { name: 'Hold', exact: true }).click();
    await has(page, '/Block/fixed');
    assert.match(await sceneText(page), /<FixedProjectiveConstraint name="fixed" indices="0-124"\/>/);
    // what divan check says stands at the component
    await page.evaluate(() => window.divan.modeler.addNode('/', 'Loose'));
    await has(page, '/Loose');
    await page.evaluate(() => window.divan.modeler.addComponent('MechanicalObject', '/Loose'));
    await has(page, '/Loose/MechanicalObject1');
    await page.evaluate(() => window.divan.modeler.addComponent('UniformMass', '/Loose'));
    await until(page, () => (window.divan.session.objects.get('/Loose/MechanicalObject1')?.messages ?? 0) > 0);
    await page.evaluate(() => window.divan.session.set({ tab: 'graph' }));
    await page.locator('[data-path="/Loose/MechanicalObject1"] .warn').waitFor();
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('a link is made by pointing; a mesh that is dropped becomes a body', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    await page.keyboard.press('4');
    await page.locator('[data-preset=soft-block]').click();
    await chosen(page, '/Block');
    await page.evaluate(() => window.divan.modeler.addComponent('BoxROI', '/Block'));
    await chosen(page, '/Block/BoxROI1');
    await page.evaluate(() => window.divan.modeler.addComponent('FixedProjectiveConstraint', '/Block'));
    await chosen(page, '/Block/FixedProjectiveConstraint1');
    await page.evaluate(() => window.divan.session.set({ tab: 'graph' }));
    await page.locator('[data-field=indices]').hover();
    await page.getByRole('button', { name: 'Link indices' }).click();
    await page.locator('#linking').waitFor();
    await page.locator('[data-path="/Block/BoxROI1"]').click();
    await page.getByRole('dialog').getByRole('button', { name: 'indices', exact: true }).click();
    await until(page, () => window.divan.session.object?.fields.find((f) => f.name === 'indices')?.link === '@BoxROI1.indices');
    assert.match(await sceneText(page), /<FixedProjectiveConstraint indices="@BoxROI1.indices"\/>/);
    // a mesh
    const obj = readFileSync(join(ROOT, 'scenes', 'mesh', 'block.obj'), 'utf8');
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'lump.obj'));
      window.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    }, obj);
    await page.getByRole('dialog').getByRole('button', { name: 'A soft body' }).click();
    await chosen(page, '/lump');
    assert.ok(existsSync(join(divan.directory, 'lump.obj')));
    await until(page, () => window.divan.session.status.ready && window.divan.session.objects.get('/lump/points'));
    await steps(page, 2);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('the camera goes to a mesh that would be a speck, or stand beside the picture, and stays where it sees it', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    // a cube as wide as it is told, dropped as an obstacle
    const drop = async (name, wide) => {
      const h = 0.5 * wide, corners = [...Array(8).keys()].map((i) => `v ${i & 1 ? h : -h} ${i & 2 ? h : -h} ${i & 4 ? h : -h}`);
      const faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]].flatMap(([a, b, c, d]) => [`f ${a} ${b} ${c}`, `f ${a} ${c} ${d}`]);
      await page.evaluate(([text, file]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], file));
        window.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
      }, [[...corners, ...faces].join('\n'), `${name}.obj`]);
      await page.getByRole('dialog').getByRole('button', { name: 'An obstacle' }).click();
      await chosen(page, `/${name}`);
      await until(page, (p) => { const { stage } = window.divan; return !stage.came && !stage.boxOf(p).isEmpty(); }, `/${name}`);
      await settled(page);
      return page.evaluate((p) => { const { stage } = window.divan, box = stage.boxOf(p), at = stage.project(box.getCenter(stage.camera.target.clone()).toArray()); return { pixels: stage.pixelsOf(box), x: at.x / stage.width, y: at.y / stage.height, distance: stage.camera.distance }; }, `/${name}`);
    };
    const seen = (at) => at.x > 0 && at.x < 1 && at.y > 0 && at.y < 1;
    // alone and two millimetres wide: it fills the picture
    const first = await drop('grain', 0.002);
    assert.ok(seen(first) && first.pixels > 200, JSON.stringify(first));
    // 500 times as large: all of it is seen
    const large = await drop('house', 1);
    assert.ok(seen(large) && large.pixels > 200 && large.pixels < 3000, JSON.stringify(large));
    // a grain beside the house is a speck in a picture of both: it is gone to
    const speck = await drop('dust', 0.002);
    assert.ok(seen(speck) && speck.pixels > 200 && speck.distance < 0.1 * large.distance, JSON.stringify({ speck, large }));
    // from far enough away the next one is seen at once: the camera stays
    await page.evaluate(() => { const { stage } = window.divan; stage.fit(); stage.camera.zoom(3); stage.redraw(true); });
    const far = await page.evaluate(() => window.divan.stage.camera.distance), last = await drop('shed', 1);
    assert.ok(seen(last) && last.pixels >= 24 && last.distance === far, JSON.stringify({ last, far }));
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('gmsh fills a dropped surface where it is installed, is stopped by hand, and is told to be missing where it is not', async () => {
    const programs = mkdtempSync(join(tmpdir(), 'divan-programs-')), obj = readFileSync(join(ROOT, 'scenes', 'mesh', 'block.obj'), 'utf8');
    const drop = (page, name) => page.evaluate(([text, file]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], file));
      window.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    }, [obj, name]);
    // a stand-in: the tetrahedra of another mesh, after a moment; never for a mesh called slow
    const cells = join(ROOT, 'scenes', 'mesh', 'organ.msh');
    writeFileSync(join(programs, 'gmsh'), `#!/bin/sh\n[ -e ../slow.obj ] && sleep 1000\nsleep 0.4\ncp '${cells}' inside.msh\n`);
    chmodSync(join(programs, 'gmsh'), 0o700);
    let divan = await startEmpty([], { ...process.env, PATH: `${programs}:${process.env.PATH}` });
    let o = await openEmpty(divan.address);
    await drop(o.page, 'lump.obj');
    await o.page.getByRole('radio', { name: /^gmsh/ }).check();
    await o.page.getByRole('dialog').getByRole('button', { name: 'A soft body' }).click();
    await chosen(o.page, '/lump');
    assert.match(await sceneText(o.page), /<MeshGmshLoader name="inside" filename="lump-tetrahedra.msh"\/>/);
    assert.ok(existsSync(join(divan.directory, 'lump-tetrahedra.msh')));
    await until(o.page, () => window.divan.session.status.ready);
    await steps(o.page, 1);
    await drop(o.page, 'slow.obj');
    await o.page.getByRole('dialog').getByRole('button', { name: 'A soft body' }).click();      // the choice is remembered
    await o.page.locator('#stop-filling').click();
    await until(o.page, () => !window.divan.session.busy && /stopped/.test(window.divan.session.toast?.text ?? ''));
    assert.equal(await o.page.evaluate(() => window.divan.session.nodes.has('/slow')), false);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
    // nowhere in the directories of PATH
    divan = await startEmpty([], { ...process.env, PATH: '/nonexistent' });
    o = await openEmpty(divan.address);
    await drop(o.page, 'lump.obj');
    assert.equal(await o.page.getByRole('radio', { name: /^gmsh is not installed/ }).isDisabled(), true);
    await o.page.getByRole('dialog').getByRole('button', { name: 'A soft body' }).click();
    await chosen(o.page, '/lump');
    assert.match(await sceneText(o.page), /MeshTetraStuffing/);
    await o.context.close();
    await divan.stop();
    rmSync(programs, { recursive: true, force: true });
  });

  test('a mesh of 2 GB that is dropped is refused with what to do instead', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    await page.evaluate(() => {
      const file = Object.defineProperty(new File(['v 0 0 0'], 'huge.obj'), 'size', { value: 2 * 1024 ** 3 });
      window.dispatchEvent(Object.defineProperty(new DragEvent('drop', { bubbles: true, cancelable: true }), 'dataTransfer', { value: { files: [file], types: ['Files'] } }));
    });
    await page.getByRole('dialog').getByRole('button', { name: 'A soft body' }).click();
    await until(page, () => /huge\.obj is too large/.test(window.divan.session.toast?.text ?? '') && /next to the scene/.test(window.divan.session.toast.advice));
    assert.equal(existsSync(join(divan.directory, 'huge.obj')), false);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('an example opens in a tab of its own', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o;
    await page.keyboard.press('4');
    const search = page.getByRole('searchbox', { name: 'Search the library' });
    await search.fill('BoxROI');
    await page.getByRole('button', { name: 'About BoxROI', exact: true }).click();
    const [tab] = await Promise.all([o.context.waitForEvent('page'), page.locator('#open-example').click()]);
    await tab.waitForURL(/^http:/, { timeout: 60000 });
    await tab.waitForFunction(() => window.divan?.session?.hello && /BoxROI\.scn$/.test(window.divan.session.hello.scene), null, { timeout: 60000 });
    await o.context.close();
    await divan.stop();
  });
});

describe('fingers', () => {
  test('two fingers zoom and shift; one that stays asks for the menu', async () => {
    const divan = await startDivan('liver.scn');
    const o = await openPage(divan.address, PHONE), { page } = o;
    const box = await pictureBox(page), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const client = await o.context.newCDPSession(page);
    const touch = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
    const before = await page.evaluate(() => window.divan.stage.camera.distance);
    await touch('touchStart', [[x - 20, y], [x + 20, y]]);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [[x - 20 - 12 * i, y], [x + 20 + 12 * i, y]]);
    await touch('touchEnd', []);
    await until(page, (d) => window.divan.stage.camera.distance < 0.6 * d, before);
    await settled(page);
    const target = await page.evaluate(() => window.divan.stage.camera.target.toArray());
    await touch('touchStart', [[x - 20, y], [x + 20, y]]);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [[x - 20, y + 10 * i], [x + 20, y + 10 * i]]);
    await touch('touchEnd', []);
    await until(page, (t) => window.divan.stage.camera.target.distanceTo({ x: t[0], y: t[1], z: t[2] }) > 1e-3, target);
    await settled(page);
    const place = await surfacePlace(page, '/Liver/Visual/skin');
    await touch('touchStart', [[place.x, place.y]]);
    await page.getByRole('menu').waitFor();
    await touch('touchEnd', []);
    await o.context.close();
    await divan.stop();
  });
});

describe('a window of 1024 pixels', () => {
  test('all of the toolbar is seen after a change, and a file that is only written is not opened', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address, { viewport: { width: 1024, height: 640 } }), { page } = o;
    await page.evaluate(() => window.divan.modeler.addPreset('floor'));
    await has(page, '/Floor');
    await page.getByRole('button', { name: /^Take back/ }).first().waitFor();
    const hidden = await page.evaluate(() => {
      const bar = document.querySelector('divan-app').shadowRoot.querySelector('divan-toolbar');
      return [...bar.shadowRoot.querySelectorAll('button, input')].filter((b) => { const r = b.getBoundingClientRect(); return r.right > window.innerWidth || (b.className.includes('factor') && r.width < 40); }).map((b) => b.getAttribute('aria-label'));
    });
    assert.deepEqual(hidden, []);
    await page.evaluate(() => { const data = new DataTransfer(); data.items.add(new File(['#usda 1.0'], 'robot.usda')); window.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data })); });
    await page.getByText('robot.usda cannot be opened').waitFor();
    assert.ok(await page.evaluate(() => window.divan.session.nodes.has('/Floor')), 'the scene is gone');
    assert.deepEqual(o.problems, []);
    await o.context.close();
    await divan.stop();
  });
});
