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
    await says(page, 'procedure-hint', /lead the steel grasper into the left end of the liver/);
    await says(page, 'procedure', /Space starts/);
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

  test('fits on a telephone', async () => {
    const { page, context } = await openPage(divan.address, PHONE);
    await page.locator('#procedure').waitFor();
    const box = await page.locator('#procedure').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `from ${box.x} to ${box.x + box.width}`);
    await context.close();
  });
});

describe('the other procedures', () => {
  for (const [scene, title, now, hint] of [
    ['anatomy/liver/scene.scn', /Lift the edge of the liver/, /Step 1 of 4: Grasp the lower edge/, /Ctrl \+ G closes the jaws/],
    ['anatomy/abdomen/scene.scn', /Show the gall bladder/, /Step 1 of 5: Look at the gall bladder/, /lead the black laparoscope/],
    ['anatomy/cataract/scene.scn', /Capsulorhexis/, /Step 1 of 4: Pierce the capsule/, /lead the tip of the needle over the blue circle/],
    ['anatomy/resection/grid.scn', /Resection of a segment/, /Step 1 of 4: Grasp the segment/, /Ctrl \+ G/]]) {
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
