// Recording and playing: the same positions again, forward and backward, on from a frame, curves, two recordings.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { becomes, comes, DESK, openPage, positions, ROOT, settled, startDivan, status, steps, stopBrowser, until } from './browser.mjs';

const DIVAN = process.env.DIVAN ?? join(ROOT, 'build', 'divan');
const SKIN = '/Liver/Visual/skin';
let place, divan, o, page;
before(async () => {
  place = mkdtempSync(join(tmpdir(), 'divan-record-'));
  divan = await startDivan('liver.scn');
  o = await openPage(divan.address, DESK);
  page = o.page;
});
after(async () => { await stopBrowser(); await divan?.stop(); rmSync(place, { recursive: true, force: true }); });

const timeline = () => page.locator('divan-timeline');
const shown = (time) => until(page, (t) => Math.abs(window.divan.stage.time - t) < 1e-9, time);
const downloaded = async (action) => {
  const saved = page.waitForEvent('download');
  await action();
  const file = await saved;
  return { name: file.suggestedFilename(), data: readFileSync(await file.path()) };
};

test('what was recorded is played to the same positions', async () => {
  const seen = [];
  await page.getByRole('button', { name: 'Record' }).click();
  await page.locator('#recorded').waitFor();
  for (let i = 0; i < 6; i++) {
    seen.push({ time: await page.evaluate(() => window.divan.stage.time), x: await positions(page, SKIN, 300) });
    await steps(page, 1);
    assert.equal((await status(page)).step, i + 1);
  }
  await page.locator('#stop-recording').click();
  await until(page, () => window.divan.session.status.player?.frames === 7);
  for (const frame of [2, 5, 0, 3]) {
    await page.evaluate((f) => window.divan.session.change('play', { frame: f }), frame);
    await until(page, (f) => window.divan.session.status.player?.on && window.divan.session.status.player.frame === f, frame);
    await shown(seen[frame].time);
    assert.deepEqual(await positions(page, SKIN, 300), seen[frame].x);
  }
});

test('the slider, the keys and the buttons move through it', async () => {
  await timeline().getByLabel('frame', { exact: true }).fill('4');
  await until(page, () => window.divan.session.status.player.frame === 4);
  await page.locator('.picture').focus();
  await page.keyboard.press('.');
  await until(page, () => window.divan.session.status.player.frame === 5);
  await page.keyboard.press(',');
  await until(page, () => window.divan.session.status.player.frame === 4);
  await timeline().getByRole('button', { name: 'Last frame' }).click();
  await until(page, () => window.divan.session.status.player.frame === 6);
  await timeline().getByLabel('speed').selectOption('0.5');
  await timeline().getByRole('button', { name: 'Play backward' }).click();
  await until(page, () => !window.divan.session.status.player.playing && window.divan.session.status.player.frame === 0);
  await timeline().getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, () => !window.divan.session.status.player.playing && window.divan.session.status.player.frame === 6);
  await becomes(async () => (await status(page)).player.speed, 0.5);
});

test('curves over time, and their table', async () => {
  await timeline().getByRole('button', { name: 'Curves over time' }).click();
  await timeline().getByLabel('field').selectOption('/Liver/dofs.position');
  await timeline().getByLabel('number of the value').fill('1');
  await timeline().getByLabel('number of the value').press('Enter');
  await page.locator('#add-curve').click();
  await timeline().getByLabel('field').selectOption('/.kinetic energy');
  await page.locator('#add-curve').click();
  await timeline().locator('divan-plot canvas').waitFor();
  await timeline().locator('li').nth(1).waitFor();
  await until(page, () => document.querySelector('divan-app').shadowRoot.querySelector('divan-timeline').files[0]?.values.length === 2);
  await settled(page);
  const over = timeline().locator('divan-plot .u-over'), box = await over.boundingBox();
  await over.click({ position: { x: box.width * 0.34, y: 20 } });        // the third of the first six: frame 2
  await until(page, () => window.divan.session.status.player.frame === 2);
  await until(page, () => Math.abs(parseFloat(document.querySelector('divan-app').shadowRoot.querySelector('divan-timeline').shadowRoot.querySelector('divan-plot').shadowRoot.querySelector('.now').style.left) - 100 / 3) < 0.1);
  const csv = await downloaded(() => page.locator('#curves-csv').click());
  const lines = csv.data.toString().trim().split('\n');
  assert.equal(lines[0], 'time,/Liver/dofs.position[1],/.kinetic energy[0]');
  assert.equal(lines.length, 8);
  const last = lines[7].split(',').map(Number), first = lines[1].split(',').map(Number);
  assert.ok(first[2] === 0 && last[2] > 0, lines.join('\n'));
});

test('the simulation goes on from a frame as it did', async () => {
  await page.evaluate(() => window.divan.session.change('play', { frame: 3 }));
  await until(page, () => window.divan.session.status.player.frame === 3);
  await page.locator('#resume').click();
  await until(page, () => !window.divan.session.status.player.on && window.divan.session.status.step === 3);
  await page.locator('.toast', { hasText: 'the very numbers' }).waitFor();
  await steps(page, 3);
  const again = await positions(page, SKIN, 300);
  await page.evaluate(() => window.divan.session.change('play', { frame: 0 }));      // elsewhere, so that the last one has to come
  await shown(0);
  await page.evaluate(() => window.divan.session.change('play', { frame: 6 }));
  await until(page, () => window.divan.session.status.player.on && window.divan.session.status.player.frame === 6);
  await shown((await status(page)).player.time);
  assert.deepEqual(await positions(page, SKIN, 300), again);
});

test('it is saved beside the scene', async () => {
  await timeline().getByRole('button', { name: 'Save the recording next to the scene' }).click();
  await page.locator('.toast', { hasText: 'Recording written' }).waitFor();
  assert.ok(existsSync(join(divan.directory, 'liver-recorded.divr')));
});

test('a picture and a film can be dragged out', async () => {
  await timeline().getByRole('button', { name: 'Picture to drag out of the page' }).click();
  const image = timeline().locator('.taken img');
  await image.waitFor();
  const dragged = await image.evaluate((e) => {
    const data = new DataTransfer();
    e.dispatchEvent(new DragEvent('dragstart', { dataTransfer: data, bubbles: true }));
    return { url: data.getData('DownloadURL'), files: [...data.files].map((f) => [f.name, f.type, f.size]) };
  });
  assert.match(dragged.url, /^image\/png:liver-\d+\.png:blob:/);
  assert.equal(dragged.files[0][1], 'image/png');
  assert.ok(dragged.files[0][2] > 1000);
  await timeline().getByRole('button', { name: 'Film of the recording' }).click();
  await timeline().locator('.taken video').waitFor();
  const film = await downloaded(() => timeline().getByRole('button', { name: /save liver\.webm/ }).click());
  assert.equal(film.data.readUInt32BE(0), 0x1a45dfa3);      // EBML: a webm file
  assert.ok(film.data.length > 1000);
});

test('two recordings are shown side by side, and over each other with their distance', async () => {
  const one = join(place, 'one.divr'), two = join(place, 'two.divr');
  for (const [file, steps] of [[one, 12], [two, 6]]) execFileSync(DIVAN, ['run', join(divan.directory, 'liver.scn'), '-n', String(steps), '--record', file, '--quiet']);
  const both = await startDivan(one, { args: [two] });
  try {
    const second = await openPage(both.address, DESK);
    await until(second.page, () => window.divan.session.status.player?.second === 'two.divr');
    await second.page.evaluate(() => window.divan.session.change('play', { frame: 12 }));
    await until(second.page, () => Math.abs(window.divan.stage.time - 0.12) < 1e-9);
    const middles = () => second.page.evaluate(() => ['', '/second'].map((w) => {
      const { stage } = window.divan, s = stage.shapes.find((x) => x.info.path === `${w}/Liver/Visual/skin` && x.info.group === 'visual'), x = stage.arrays.get(s?.info.positions)?.data ?? [];
      let sum = 0;
      for (let i = 0; i < x.length; i += 3) sum += x[i];
      return (3 * sum) / x.length;
    }));
    await comes(middles, ([a, b]) => b - a > 0.1, 'side by side');
    await second.page.locator('divan-timeline').getByLabel('two recordings').selectOption('over');
    await second.page.locator('divan-legends .legend', { hasText: 'distance' }).waitFor();
    await until(second.page, () => window.divan.session.status.player.together === 'over');
    await until(second.page, () => { const { stage } = window.divan; return stage.shapes.some((s) => s.info.path === '/second/Liver/Visual/skin' && s.info.material?.wireframe); });
    await comes(middles, ([a, b]) => Math.abs(b - a) < 0.02, 'over each other');
    assert.deepEqual(second.problems, []);
    if (process.env.LOOK) await second.page.screenshot({ path: process.env.LOOK });
    await second.context.close();
  } finally { await both.stop(); }
});

test('nothing went wrong on the page', () => {
  assert.deepEqual(o.problems, []);
  assert.deepEqual(o.outside, []);
});
