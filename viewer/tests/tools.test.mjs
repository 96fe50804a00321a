// Tools that change meshes, with the real program: cut, incise, carve, remove, refine, undo, by mouse and by keyboard; hexahedra too.
import assert from 'node:assert/strict';
import { after, before, describe, test as plain } from 'node:test';
import { becomes, DESK, openPage, pictureBox, said, settled, startDivan, steps, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
const strokes = (page) => page.evaluate(() => window.divan.session.status.undo ?? 0);
const triangles = (page) => page.evaluate(() => { const { stage } = window.divan, s = stage.shapes.find((x) => x.info.group === 'visual' && x.info.kind === 'triangles'); return stage.arrays.get(s.info.indices).data.length / 3; });

let key = '', last = null;
after(stopBrowser);

// A page that may edit: it has the key of those before it.
async function editor(divan) {
  await last?.context.close().catch(() => {});      // of a test that failed
  const o = last = await openPage(divan.address, DESK, key);
  key = await o.page.evaluate(() => window.divan.session.hello.key);
  await until(o.page, () => window.divan.session.editor);
  return o;
}

async function close(o) {
  await o.context.close();
  assert.deepEqual(o.problems, [], 'the page reported errors');
}

// From one side of the picture to the other, through the middle of a body.
async function across(page, place, { dx = 290, dy = 0, steps = 8 } = {}) {
  await page.mouse.move(place.x - dx, place.y - dy);
  await page.mouse.down();
  await page.mouse.move(place.x + dx, place.y + dy, { steps });
  await page.mouse.up();
}

describe('tools on an organ', () => {
  let divan;
  before(async () => { divan = await startDivan('liver.scn'); });
  after(async () => { await divan?.stop(); });

  test('a line drawn with the blade cuts the organ in two, and the lower part falls', async () => {
    const o = await editor(divan), { page } = o;
    const place = await surfacePlace(page, '/Liver/Visual/skin');
    await page.getByRole('button', { name: 'Tools that change meshes' }).click();
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    await page.locator('#tool-hint').waitFor();
    const camera = await page.evaluate(() => JSON.stringify(window.divan.stage.camera.pose));
    await across(page, place);
    const told = await said(page, '2 pieces');
    assert.equal(await page.evaluate(() => JSON.stringify(window.divan.stage.camera.pose)), camera, 'the view did not turn');
    assert.match(told.advice, /Space lets it move, U undoes/);
    await until(page, () => window.divan.session.status.undo === 1);
    await page.keyboard.press('Escape');
    await page.locator('#tool-hint').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await until(page, () => window.divan.session.status.step === 1);
    await steps(page, 60);
    const low = await (await page.waitForFunction(() => { const { stage } = window.divan, s = stage.shapes.find((x) => x.info.group === 'visual'), x = stage.arrays.get(s?.info.positions)?.data; if (!x) return null; let y = 0; for (let i = 1; i < x.length; i += 3) y = Math.min(y, x[i]); return { y }; })).jsonValue();
    assert.ok(low.y < -0.5, `the lower part fell to ${low.y}`);
    await page.keyboard.press('u');
    await said(page, 'Undone: cut');
    await until(page, () => !window.divan.session.status.undo && window.divan.session.status.step === 0);
    await close(o);
  });

  test('remove, carve, refine and incise change the mesh; each is undone', async () => {
    const o = await editor(divan), { page } = o;
    const place = await surfacePlace(page, '/Liver/Visual/skin');
    await page.keyboard.press('x');
    await page.mouse.click(place.x, place.y);
    await said(page, '1 tetrahedra removed');
    await settled(page);
    // the skin has a mesh of its own: the outer faces of the body take its place
    await until(page, () => { const { stage } = window.divan, s = stage.shapes.find((x) => x.info.group === 'visual'); const d = s && stage.arrays.get(s.info.indices)?.data; return d && d.length / 3 < 1000; });
    const one = await triangles(page);
    await page.keyboard.press('v');
    await page.mouse.move(place.x - 30, place.y);
    await page.mouse.down();
    for (let i = 0; i < 6; i++) { await page.mouse.move(place.x - 30 + 10 * i, place.y); await settled(page); }
    await page.mouse.up();
    await until(page, () => window.divan.session.status.undo === 2);
    await page.keyboard.press('e');
    await page.mouse.click(place.x + 60, place.y);
    await said(page, 'edges split');
    await page.keyboard.press('j');
    await across(page, place, { dx: 60, dy: 20 });
    await until(page, () => window.divan.session.status.undo === 4);
    await until(page, (n) => { const { stage } = window.divan, s = stage.shapes.find((x) => x.info.group === 'visual'); return s && stage.arrays.get(s.info.indices)?.data.length / 3 > n; }, one);
    await page.keyboard.press('Escape');
    for (let i = 3; i >= 0; i--) { await page.keyboard.press('u'); await until(page, (n) => (window.divan.session.status.undo ?? 0) === n, i); }
    await becomes(() => page.getByRole('button', { name: 'Undo' }).isDisabled(), true);
    await close(o);
  });

  test('clicks in haste wait for each other, none is lost', async () => {
    const o = await editor(divan), { page } = o;
    const place = await surfacePlace(page, '/Liver/Visual/skin');
    await page.keyboard.press('v');
    await page.mouse.click(place.x, place.y);
    await page.keyboard.press('x');
    for (let i = 1; i < 4; i++) await page.mouse.click(place.x + 25 * i, place.y);
    await until(page, () => window.divan.session.status.undo === 4);
    await page.keyboard.press('Escape');
    for (let i = 3; i >= 0; i--) { await page.keyboard.press('u'); await until(page, (n) => (window.divan.session.status.undo ?? 0) === n, i); }
    await close(o);
  });

  test('by keyboard: a cursor draws the line', async () => {
    const o = await editor(divan), { page } = o;
    await page.keyboard.press('c');
    await page.keyboard.press('t');
    for (let i = 0; i < 24; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    for (let i = 0; i < 48; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await said(page, 'pieces');
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    await said(page, 'Undone');
    await close(o);
  });

  test('a line beside the body and a click without a line say what to do', async () => {
    const o = await editor(divan), { page } = o;
    const box = await pictureBox(page);
    await page.keyboard.press('c');
    await page.mouse.click(box.x + 200, box.y + 60);
    await said(page, 'Drag a line');
    await across(page, { x: box.x + 300, y: box.y + 25 }, { dx: 60 });
    await said(page, 'nothing under the tool');
    assert.equal(await strokes(page), 0);
    await o.context.close();
  });
});

test('hexahedra are cut, and the cut is undone', async () => {
  const divan = await startDivan('HexahedronFEMForceField.scn');
  try {
    const { page, context } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.editor);
    const place = await surfacePlace(page);
    await page.keyboard.press('c');
    await across(page, place);
    await said(page, 'hexahedra split');
    await becomes(() => strokes(page), 1);
    await page.keyboard.press('u');
    await until(page, () => !window.divan.session.status.undo);
    await context.close();
  } finally { await divan.stop(); }
});
