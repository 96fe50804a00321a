// Tools of the heart with the real program: leads and lesions placed by the mouse while the scene runs, and undone.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test as plain } from 'node:test';
import { comes, DESK, openPage, said, settled, startDivan, steps, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 90000 }, body);
const has = (page, path) => until(page, (p) => window.divan.session.objects.has(p), path);
const excitations = (page) => page.evaluate(async () => Number((await window.divan.session.connection.request('object', { path: '/fronts' })).object.fields.find((f) => f.name === 'excitations').value));
const SMALL = { ...DESK, viewport: { width: 800, height: 560 } };     // quick to draw without a graphics card
const open = async (divan) => { const o = await openPage(divan.address, SMALL, ''); await until(o.page, () => window.divan.session.editor && window.divan.session.graph); return o; };

after(stopBrowser);

describe('therapy by the mouse', () => {
  let divan;
  beforeEach(async () => { divan = await startDivan('heart/reentry.scn'); });
  afterEach(async () => { await divan?.stop(); });

  test('a lead gives a pulse where the heart is clicked, a lesion is drawn; both are undone', async () => {
    const o = await open(divan), { page } = o;
    const place = await surfacePlace(page, '/fronts');
    assert.ok(place, 'the heart is in the picture');
    const rest = await excitations(page);
    await page.getByRole('button', { name: 'Tools that change meshes' }).click();
    await page.getByRole('button', { name: 'Pace', exact: true }).click();
    await page.locator('#tool-hint').waitFor();
    await page.mouse.click(place.x, place.y);
    await said(page, 'lead: one pulse');
    await has(page, '/lead');
    await steps(page, 10);
    await comes(() => excitations(page), (n) => n > rest + 10, `${rest} at rest; a front has not left the lead`);
    await page.keyboard.press('s');                    // the other tool by its key
    await until(page, () => window.divan.touch.tools.current === 'ablate');
    await page.mouse.move(place.x - 20, place.y);
    await page.mouse.down();
    for (let i = 1; i <= 6; i++) { await page.mouse.move(place.x - 20 + 12 * i, place.y); await settled(page); }
    await page.mouse.up();
    await has(page, '/lesion');
    await until(page, () => window.divan.session.status.undo === 2);
    assert.equal(await page.evaluate(() => window.divan.session.objects.has('/lesion2')), false, 'one stroke, one lesion');
    await page.keyboard.press('u');
    await said(page, 'Undone: lesion');
    await page.keyboard.press('u');
    await said(page, 'Undone: lead');
    await until(page, () => !window.divan.session.objects.has('/lead') && !window.divan.session.objects.has('/lesion'));
    await o.context.close();
    assert.deepEqual(o.problems, [], 'the page reported errors');
  });

  test('lesions are as large as the circle, which keys and buttons change', async () => {
    const o = await open(divan), { page } = o;
    const place = await surfacePlace(page, '/fronts');
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'larger circle' }).waitFor();
    const lesion = async (circle) => {
      await page.mouse.click(place.x, place.y);
      await has(page, '/lesion');
      assert.equal(await page.evaluate(() => window.divan.stage.brush.radius), circle);
      const radius = await page.evaluate(async () => Number((await window.divan.session.connection.request('object', { path: '/lesion' })).object.fields.find((f) => f.name === 'radius').value));
      await page.keyboard.press('u');
      await until(page, () => !window.divan.session.objects.has('/lesion'));
      return radius;
    };
    const small = await lesion(22);
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await page.getByRole('button', { name: 'larger circle' }).click();
    const large = await lesion(58);
    assert.ok(Math.abs(large / small / (58 / 22) - 1) < 0.02, `${small} and ${large} m`);
    await page.keyboard.press('[');
    await until(page, () => window.divan.session.settings.circle === 42);
    await o.context.close();
    assert.deepEqual(o.problems, [], 'the page reported errors');
  });
});

describe('a scene without a heart', () => {
  let divan;
  before(async () => { divan = await startDivan('liver.scn'); });
  after(async () => { await divan?.stop(); });

  test('is not offered tools for hearts', async () => {
    const o = await open(divan), { page } = o;
    await page.getByRole('button', { name: 'Tools that change meshes' }).click();
    await page.getByRole('button', { name: 'Cut', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pace', exact: true }).count(), 0);
    await o.context.close();
  });
});
