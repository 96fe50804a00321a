// The page alone, with a stand-in for the program: what needs a look at the other side of the protocol.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { comes, DESK, openPage, settled, stopBrowser, until } from './browser.mjs';
import { startMock } from './mock.mjs';

let mock, o, page;
before(async () => {
  mock = await startMock();
  o = await openPage(mock.address, { ...DESK, viewport: { width: 1000, height: 640 } });
  page = o.page;
});
after(async () => { await stopBrowser(); await mock?.stop(); });

const downloaded = async (action) => {
  const saved = page.waitForEvent('download');
  await action();
  const file = await saved;
  return { name: file.suggestedFilename(), data: readFileSync(await file.path()) };
};

test('frames are acknowledged, only while they are wanted', async () => {
  await page.evaluate(() => window.divan.session.animate(true));
  const [client] = mock.clients;
  await until(page, () => window.divan.stage.time > 0.05);
  await comes(() => ({ answers: client.acks, frames: client.frame }), ({ answers, frames }) => answers > 2 && answers >= frames - 1);
  await page.evaluate(() => window.divan.session.animate(false));
});

test('normals follow the surface and have length one', async () => {
  await settled(page);
  const worst = await page.evaluate(() => {
    const shape = window.divan.stage.shapes.find((s) => s.info.kind === 'triangles' && s.object.visible);
    const n = shape.object.children[0].geometry.getAttribute('normal').array;
    let bad = 0;
    for (let i = 0; i < n.length; i += 3) bad = Math.max(bad, Math.abs(Math.hypot(n[i], n[i + 1], n[i + 2]) - 1));
    return bad;
  });
  assert.ok(worst < 1e-5, `${worst}`);
});

test('keys with Ctrl go to the controllers, by SOFA\'s codes', async () => {
  mock.sim.keys.length = 0;
  await page.locator('.picture').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+ArrowUp');
  const pressed = await comes(() => mock.sim.keys.filter(([, down]) => down), (keys) => keys.length >= 2);
  assert.deepEqual(pressed, [[65, true], [19, true]]);
});

test('groups bring arrays, a colour map has a legend', async () => {
  await page.locator('#tab-view').click();
  await page.locator('input[name=forceFields]').check();
  await page.locator('divan-legends .legend', { hasText: 'von Mises' }).waitFor();
  for (const name of ['behavior', 'velocities', 'collision']) await page.locator(`input[name=${name}]`).check();
  await until(page, () => window.divan.stage.shapes.every((s) => s.object.visible));
  await page.getByLabel('Normals').check();
  await page.getByLabel('Indices').check();
  await page.getByLabel('Bounding box').check();
  await settled(page);
  await page.getByRole('button', { name: 'Default' }).click();
  await until(page, () => window.divan.stage.shapes.filter((s) => s.object.visible).length === 2);
  await page.getByLabel('Normals').uncheck();
  await page.getByLabel('Indices').uncheck();
});

test('a picture and a film are saved', async () => {
  const png = await downloaded(() => page.locator('divan-view-tab').getByRole('button', { name: 'Save PNG' }).click());
  assert.match(png.name, /^sheet-\d+\.png$/);
  assert.equal(png.data.readUInt32BE(16), 1280);
  assert.equal(png.data.readUInt32BE(20), 720);
  await page.evaluate(() => window.divan.session.set({ filmFrames: 3, filmSteps: 2, pictureWidth: 160, pictureHeight: 120 }));
  const before = mock.sim.step;
  const film = await downloaded(() => page.locator('divan-view-tab').getByRole('button', { name: 'Make frames' }).click());
  assert.equal(mock.sim.step - before, 4);
  const names = [];
  for (let at = 0; at + 512 <= film.data.length && film.data[at];) {
    names.push(film.data.toString('latin1', at, at + 9));
    const size = parseInt(film.data.toString('latin1', at + 124, at + 135), 8);
    assert.equal(film.data.toString('latin1', at + 513, at + 516), 'PNG');
    at += 512 + 512 * Math.ceil(size / 512);
  }
  assert.deepEqual(names, ['00000.png', '00001.png', '00002.png']);
});

test('a long field is fetched when it is asked for', async () => {
  await page.locator('#tab-graph').click();
  await page.locator('divan-tree [data-path="/Sheet/membrane"]').click();
  await page.locator('[data-field=position]').getByRole('button', { name: /values/ }).click();
  await comes(async () => (await page.locator('textarea[name=position]').inputValue()).split(' ').length, (n) => n === 3 * 1271, 'numbers in the field');
});

test('fields have inputs of their kind', async () => {
  assert.equal(await page.locator('[data-field=method] select').inputValue(), 'large');
  assert.equal(await page.locator('[data-field=gravity] input').count(), 3);
  assert.equal(await page.locator('[data-field=computeStress] input[type=checkbox]').count(), 1);
  const label = page.locator('[data-field=youngModulus] .label');
  assert.match(await label.getAttribute('title'), /real, Pa[^]*help of youngModulus[^]*default: 5000/);
  const input = page.locator('input[name=youngModulus]');
  await input.press('ArrowUp');
  await input.press('Enter');
  await until(page, () => window.divan.session.object.fields[1].value === '6000');
  await page.locator('[data-field=youngModulus].changed').waitFor();
  await page.getByRole('button', { name: 'Default of youngModulus' }).click();
  await until(page, () => window.divan.session.object.fields[1].value === '5000');
});

test('warnings stand at their row and in the form', async () => {
  await page.locator('divan-tree [data-path="/Sheet/mass"] .warn').waitFor();
  await page.locator('divan-tree [data-path="/Sheet/mass"]').click();
  await page.locator('divan-form .message', { hasText: 'give a density' }).waitFor();
});

test('plugins are one row until it is opened', async () => {
  const tree = page.locator('divan-tree');
  const bundle = tree.locator('[role=treeitem]', { hasText: 'RequiredPlugin × 2' });
  await bundle.waitFor();
  assert.equal(await tree.locator('[data-path="/a"]').count(), 0);
  await bundle.click();
  await tree.locator('[data-path="/b"]').waitFor();
  await bundle.click();
  await tree.locator('[data-path="/b"]').waitFor({ state: 'detached' });
  await page.evaluate(() => window.divan.session.select('/b'));       // from a message, say
  await tree.locator('[data-path="/b"][aria-selected=true]').waitFor();
  await bundle.click();
});

test('the graph becomes a picture', async () => {
  const svg = await downloaded(() => page.getByRole('button', { name: 'Export the graph' }).click());
  assert.match(svg.data.toString(), /^<svg [^]*TriangleFEMForceField[^]*<\/svg>\s*$/);
});

test('favourites are offered when a node is added', async () => {
  await page.locator('divan-tree [data-path="/Sheet"]').click();
  await page.locator('divan-form').getByRole('button', { name: 'Add node…' }).click();
  await page.getByRole('button', { name: 'Favourite ball.scn' }).click();
  await page.locator('dialog .files button.entry', { hasText: 'ball.scn' }).first().click();
  await page.locator('divan-tree [data-path="/Sheet/ball.scn"]').waitFor();
  assert.deepEqual(await page.evaluate(() => window.divan.session.settings.favourites), ['ball.scn']);
});

test('messages go to the drawer and name their component', async () => {
  await page.locator('.status').getByRole('button', { name: 'Messages' }).click();
  await page.locator('divan-log .path', { hasText: '/Sheet/dofs' }).first().click();
  await until(page, () => window.divan.session.selection === '/Sheet/dofs');
  await page.locator('divan-log select').selectOption('error');
  await page.locator('divan-log .empty').waitFor();
  await page.locator('divan-log').getByRole('button', { name: 'Close' }).click();
});

test('a scene file is dropped', async () => {
  const before = mock.sim.sceneRevision;
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['<Node name="root"/>'], 'mine.scn'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await until(page, (n) => window.divan.session.scene.revision > n, before);
});

test('a cut connection shows a banner and resumes', async () => {
  mock.cut();
  await page.locator('#lost').waitFor();
  await page.locator('#lost').waitFor({ state: 'detached' });
  await until(page, () => window.divan.session.editor);
  await page.evaluate(() => window.divan.session.step());
  await until(page, () => window.divan.session.status.step > 0);
});

test('a second page watches, takes over, and the first one watches', async () => {
  const second = await openPage(mock.address, { ...DESK, viewport: { width: 700, height: 500 } });
  await second.page.locator('#watching').waitFor();
  await second.page.getByRole('button', { name: 'Take over' }).click();
  await second.page.locator('#watching').waitFor({ state: 'detached' });
  await page.locator('#watching').waitFor();
  await second.context.close();
});

test('every control has a name, every tab a panel', async () => {
  const nameless = await page.evaluate(() => {
    const bad = [];
    const visit = (root) => {
      for (const e of root.querySelectorAll('*')) {
        if (e.shadowRoot) visit(e.shadowRoot);
        if (!/^(BUTTON|INPUT|SELECT|TEXTAREA)$/.test(e.tagName)) continue;
        const name = e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim() || e.closest('label')?.textContent.trim();
        if (!name) bad.push(e.outerHTML.slice(0, 120));
      }
    };
    visit(document);
    return bad;
  });
  assert.deepEqual(nameless, []);
  assert.equal(await page.getByRole('tabpanel').count(), 1);
  assert.equal(await page.getByRole('tree').count() + await page.locator('divan-view-tab, divan-stats-tab').count(), 1);
});

test('nothing went wrong on the page, nothing was asked of another host', () => {
  assert.deepEqual(o.problems.filter((p) => !/WebSocket/.test(p)), []);
  assert.deepEqual(o.outside, []);
});
