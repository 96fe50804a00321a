// A procedure on the screen, with the real program: what is to be done, hints, warnings, the score, and the report at the end.
import assert from 'node:assert/strict';
import { after, before, describe, test as plain } from 'node:test';
import { comes, DESK, PHONE, openPage, settled, startDivan, stopBrowser, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 400000 }, body);
// what is written there, as soon as it is
const says = (page, id, words) => comes(() => page.locator(`#${id}`).textContent(), (text) => words.test(text), `${id} does not say ${words}`);
after(stopBrowser);

describe('a procedure', () => {
  let divan;
  before(async () => { divan = await startDivan('anatomy/resection/scene.scn'); });
  after(async () => { await divan?.stop(); });

  test('leads through its steps and reports at the end', async () => {
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor();
    await says(page, 'procedure', /Resection of a segment/);
    await says(page, 'procedure-now', /Step 1 of 4: Grasp the segment/);
    await says(page, 'procedure-hint', /Lead the steel grasper into the left end of the liver/);
    await says(page, 'procedure', /Show me \(Space\)/);
    await says(page, 'procedure-values', /remaining \(ml\): 1273/);
    assert.equal(await page.locator('#procedure-report').count(), 0);
    await until(page, () => window.divan.session.editor);
    await page.evaluate(() => window.divan.session.step(330));
    await page.locator('#procedure-now', { hasText: 'Step 3 of 4' }).waitFor({ timeout: 180000 });
    // a stroke of the cautery can be undone
    await page.waitForFunction(() => window.divan.session.status.undo > 0 && window.divan.session.status.step === 330, null, { timeout: 180000 });
    await page.evaluate(() => window.divan.session.connection.request('undo', {}));
    await page.locator('#procedure-now', { hasText: 'Step 2 of 4' }).waitFor({ timeout: 30000 });
    await page.evaluate(() => window.divan.session.step(1300));
    await page.locator('#procedure-report').waitFor({ timeout: 200000 });
    await says(page, 'procedure-now', /Done\. Score: \d/);
    await says(page, 'procedure-values', /resected \(ml\): 33\d/);
    await says(page, 'procedure-report', /4\. Take the segment away: done at/);
    await says(page, 'procedure-report', /score \d/);
    const saved = page.waitForEvent('download');
    await page.locator('#procedure-save').click();
    assert.equal((await saved).suggestedFilename(), 'report.txt');
    await page.evaluate(() => window.divan.session.reset());
    await page.locator('#procedure-now', { hasText: 'Step 1 of 4' }).waitFor();
    await context.close();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('fits on a telephone, and covers nothing of the picture', async () => {
    const { page, context } = await openPage(divan.address, PHONE);
    await page.locator('#procedure').waitFor();
    await until(page, () => !window.divan.session.settings.panel);
    await settled(page);
    const box = await page.locator('#procedure').boundingBox(), picture = await page.locator('.picture').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `from ${box.x} to ${box.x + box.width}`);
    assert.ok(picture.y + picture.height <= box.y + 1, `the picture ends at ${picture.y + picture.height}, the card begins at ${box.y}`);
    assert.ok(picture.height > 250, `the picture is ${picture.height} high`);
    for (const key of 'DARFCELJIKOUBG') {
      const { width, height } = await page.locator(`#key-${key}`).boundingBox();
      assert.ok(width >= 44 && height >= 44, `${key} is ${width} by ${height}`);
    }
    await context.close();
  });
});

describe('the buttons of a procedure', () => {
  // who sees nothing but what is lit, with the mouse
  test('that are lit lead the grasper to the liver', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('.hold.lit').first().waitFor();
    await until(page, () => window.divan.session.editor);
    const way = (button) => button.locator('small').textContent().then((t) => parseFloat(t) || 0);
    for (const end = Date.now() + 300000; /Step 1/.test(await page.locator('#procedure-now').textContent()) && Date.now() < end;) {
      const lit = page.locator('.hold.lit').first();
      if (!(await lit.count())) { await page.waitForTimeout(100); continue; }
      const { x, y, width, height } = await lit.boundingBox(), far = await way(lit), from = await page.evaluate(() => window.divan.session.status.time);
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      await page.waitForFunction(([t, f]) => window.divan.session.status.time > t + Math.max(0.02, (0.7 * (f - 2)) / 50), [from, far]);
      await page.mouse.up();
      await page.waitForTimeout(400);
    }
    await says(page, 'procedure-now', /Step 2 of 4/);
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('have keys, also where the picture was not clicked', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await page.locator('#key-U').waitFor();
    await until(page, () => window.divan.session.editor);
    const back = () => page.locator('#key-U small').textContent();
    const before = parseFloat(await back());
    await page.keyboard.down('Control');
    await page.keyboard.down('u');
    await comes(back, (t) => !(parseFloat(t) > before - 10), 'the grasper does not go to the back');
    await page.keyboard.up('u');
    await page.keyboard.up('Control');
    assert.equal(await page.evaluate(() => window.divan.session.status.animating), true);
    await context.close();
    await divan.stop();
  });
});

describe('the other procedures', () => {
  for (const [scene, title, now, hint] of [
    ['anatomy/liver/scene.scn', /Lift the edge of the liver/, /Step 1 of 4: Grasp the lower edge/, /onto the yellow mark/],
    ['anatomy/abdomen/scene.scn', /Show the gall bladder/, /Step 1 of 5: Look at the gall bladder/, /Lead the tip of the black laparoscope/],
    ['anatomy/cataract/scene.scn', /Capsulorhexis/, /Step 1 of 5: Pierce the capsule/, /Lead the tip of the needle/],
    ['anatomy/resection/grid.scn', /Resection of a segment with a wire/, /Step 1 of 3: Grasp the segment/, /yellow mark/]]) {
    test(`${scene} says what to do`, async () => {
      const divan = await startDivan(scene);
      const { page, context, problems } = await openPage(divan.address, DESK);
      await page.locator('#procedure').waitFor({ timeout: 60000 });
      await says(page, 'procedure', title);
      await says(page, 'procedure-now', now);
      await says(page, 'procedure-hint', hint);
      await context.close();
      await divan.stop();
      assert.deepEqual(problems, [], 'the page reported errors');
    });
  }
});

describe('a procedure that fails', () => {
  test('says why', async () => {
    const divan = await startDivan('anatomy/cataract/wrong.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor({ timeout: 60000 });
    await until(page, () => window.divan.session.editor);
    await page.evaluate(() => window.divan.session.step(350));
    await page.locator('#procedure-now', { hasText: 'Failed: The tear has run out' }).waitFor({ timeout: 300000 });
    await says(page, 'procedure-report', /failed at \d.*: The tear has run out/);
    await context.close();
    await divan.stop();
  });
});

describe('a scene without one', () => {
  test('has no card', async () => {
    const divan = await startDivan('liver.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.graph && window.divan.session.status.ready);
    await settled(page);
    assert.equal(await page.locator('#procedure').count(), 0);
    await context.close();
    await divan.stop();
  });
});
