// A procedure on the screen, with the real program: what is to be done, hints, warnings, the score, and the report at the end.
import assert from 'node:assert/strict';
import { after, before, describe, test as plain } from 'node:test';
import { DESK, PHONE, openPage, startDivan, stopBrowser, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 120000 }, body);
const text = (page, id) => page.locator(`#${id}`).textContent();
after(stopBrowser);

describe('a procedure', () => {
  let divan;
  before(async () => { divan = await startDivan('anatomy/resection/scene.scn'); });
  after(async () => { await divan?.stop(); });

  test('leads through its steps and reports at the end', async () => {
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor();
    assert.match(await text(page, 'procedure'), /Resection of a segment/);
    assert.match(await text(page, 'procedure-now'), /Step 1 of 3: Open the tissue/);
    assert.match(await text(page, 'procedure-hint'), /press C and draw a line/);
    assert.match(await text(page, 'procedure'), /Space starts/);
    assert.equal(await page.locator('#procedure-report').count(), 0);
    await until(page, () => window.divan.session.editor);
    await page.evaluate(() => window.divan.session.step(70));
    await page.locator('#procedure-now', { hasText: 'Step 2 of 3' }).waitFor({ timeout: 60000 });
    await page.evaluate(() => window.divan.session.step(60));
    await page.locator('#procedure-report').waitFor({ timeout: 60000 });
    assert.match(await text(page, 'procedure-now'), /Done\. Score: \d/);
    const report = await text(page, 'procedure-report');
    assert.match(report, /3\. Let it come to rest: done at/);
    assert.match(report, /score \d/);
    const saved = page.waitForEvent('download');
    await page.locator('#procedure-save').click();
    assert.equal((await saved).suggestedFilename(), 'report.txt');
    await page.evaluate(() => window.divan.session.reset());
    await page.locator('#procedure-now', { hasText: 'Step 1 of 3' }).waitFor();
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

describe('a scene without one', () => {
  test('has no card', async () => {
    const divan = await startDivan('liver.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await page.waitForTimeout(600);
    assert.equal(await page.locator('#procedure').count(), 0);
    await context.close();
    await divan.stop();
  });
});
