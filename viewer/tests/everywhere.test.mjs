// For every hand and every eye: fingers on a tablet, the keyboard alone, less motion, colours.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test as plain } from 'node:test';
import { becomes, comes, DESK, openEmpty, openPage, pictureBox, ROOT, settled, startDivan, startEmpty, stopBrowser, surfacePlace, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body);
const TABLET = { viewport: { width: 1024, height: 768 }, colorScheme: 'light', hasTouch: true, isMobile: true, reducedMotion: 'reduce' };
after(stopBrowser);

const has = (page, path) => until(page, (p) => window.divan.session.nodes.has(p) || window.divan.session.objects.has(p), path);
// Moves of fingers come with the next picture.
const pose = async (page) => { await settled(page); return page.evaluate(() => window.divan.stage.camera.pose); };

// Fingers: a list of [x, y] for each of them.
async function fingers(o) {
  const client = await o.context.newCDPSession(o.page);
  const send = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  return { down: (p) => send('touchStart', p), move: (p) => send('touchMove', p), lift: () => send('touchEnd', []) };
}

describe('fingers on a tablet', () => {
  test('two zoom about the place between them, shift, and turn when they are twisted; the one that stays turns', async () => {
    const divan = await startDivan('liver.scn');
    const o = await openPage(divan.address, TABLET), { page } = o, touch = await fingers(o);
    const box = await pictureBox(page), x = box.x + 0.62 * box.width, y = box.y + 0.4 * box.height;
    // what is between the fingers stays between them
    const under = () => page.evaluate(([px, py]) => { const { stage } = window.divan, c = stage.camera, r = c.ray((2 * px) / stage.width - 1, 1 - (2 * py) / stage.height); return c.onPlane(r, c.target).toArray(); }, [x - box.x, y - box.y]);
    const start = await pose(page), at = await under();
    await touch.down([[x - 40, y], [x + 40, y]]);
    for (let i = 1; i <= 8; i++) await touch.move([[x - 40 - 10 * i, y], [x + 40 + 10 * i, y]]);
    await touch.lift();
    const near = await pose(page), now = await under();
    assert.ok(Math.abs(near.distance / start.distance - 40 / 120) < 0.02, `three times as near: ${near.distance / start.distance}`);
    assert.ok(Math.hypot(...now.map((v, i) => v - at[i])) < 0.02 * start.distance, `${at} stays, not ${now}`);
    assert.ok(Math.abs(near.azimuth - start.azimuth) < 1e-6, 'nothing turns');
    // both the same way
    await touch.down([[x - 40, y], [x + 40, y]]);
    for (let i = 1; i <= 8; i++) await touch.move([[x - 40 + 10 * i, y], [x + 40 + 10 * i, y]]);
    await touch.lift();
    const shifted = await pose(page);
    assert.ok(Math.hypot(...shifted.target.map((v, i) => v - near.target[i])) > 0.02 * near.distance);
    assert.ok(Math.abs(shifted.distance - near.distance) < 1e-3 * near.distance);
    // a quarter turn
    await touch.down([[x - 90, y], [x + 90, y]]);
    for (let i = 1; i <= 12; i++) { const a = (i * Math.PI) / 24; await touch.move([[x - 90 * Math.cos(a), y - 90 * Math.sin(a)], [x + 90 * Math.cos(a), y + 90 * Math.sin(a)]]); }
    const turned = await pose(page);
    assert.ok(Math.abs(turned.azimuth - shifted.azimuth - Math.PI / 2) < 0.05, `clockwise, as the fingers: ${turned.azimuth - shifted.azimuth}`);
    // one is lifted, the other goes on and turns
    await page.evaluate(() => { const { touch } = window.divan, [, id] = [...touch.pointers.keys()]; touch.element.dispatchEvent(new PointerEvent('pointerup', { pointerId: id, pointerType: 'touch', bubbles: true })); });
    for (let i = 1; i <= 5; i++) await touch.move([[x + 20 * i, y - 90], [x, y + 90]]);
    await touch.lift();
    const last = await pose(page);
    assert.ok(Math.abs(last.azimuth - turned.azimuth) > 0.1, 'the finger that stays turns');
    assert.ok(Math.abs(last.distance - turned.distance) < 1e-3 * turned.distance);
    await settled(page);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('a finger builds, chooses, holds and animates', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address, TABLET), { page } = o, touch = await fingers(o);
    await page.locator('#empty').getByRole('button', { name: 'Floor', exact: true }).tap();
    await has(page, '/Floor');
    await page.locator('[data-preset=soft-block]').tap();
    await has(page, '/Block');
    await until(page, () => window.divan.session.selection === '/Block' && window.divan.stage.shapes.some((s) => s.info.path === '/Block/Look/look' && s.object.visible));
    // points: the left half of the block, then the upper half as well
    await page.locator('divan-build-tab details[aria-label="choose points"] summary').tap();
    await page.getByRole('button', { name: 'Box', exact: true }).tap();
    await page.evaluate(() => window.divan.stage.fit(true));
    await settled(page);
    const b = await pictureBox(page), drag = async (x0, y0, x1, y1) => {
      const p = (x, y) => [b.x + x * b.width, b.y + y * b.height];
      await touch.down([p(x0, y0)]);
      for (let i = 1; i <= 6; i++) await touch.move([p(x0 + ((x1 - x0) * i) / 6, y0 + ((y1 - y0) * i) / 6)]);
      await touch.lift();
    };
    const chosen = () => page.evaluate(() => window.divan.modeler.chosen?.points.length ?? 0);
    await drag(0.02, 0.02, 0.5, 0.98);
    await until(page, () => window.divan.modeler.chosen?.points.length > 0);
    const half = await chosen();
    await page.getByLabel('what a drag chooses').selectOption('more');
    await drag(0.02, 0.02, 0.98, 0.5);
    await until(page, (n) => window.divan.modeler.chosen?.points.length > n, half);
    const more = await chosen();
    await page.getByLabel('what a drag chooses').selectOption('less');
    await drag(0.02, 0.02, 0.98, 0.5);
    await until(page, (n) => window.divan.modeler.chosen?.points.length < n, more);
    await page.locator('#chosen', { hasText: `${await chosen()} points` }).waitFor();
    // Chromium may take a touch soon after a drag for the end of a gesture, and then makes no click of it: a finger would tap again
    const held = () => page.evaluate(() => [...window.divan.session.objects.values()].some((x) => x.class === 'FixedProjectiveConstraint'));
    for (let tries = 0; tries < 3 && !(await held()); tries++) {
      await page.getByRole('button', { name: 'Hold', exact: true }).tap();
      await page.waitForFunction(() => [...window.divan.session.objects.values()].some((x) => x.class === 'FixedProjectiveConstraint'), null, { timeout: 15000 }).catch(() => {});
    }
    assert.ok(await held(), 'a FixedProjectiveConstraint');
    // the menu of a row, without a right button and without a long press: it moves the node
    await page.getByRole('tab', { name: 'Graph' }).tap();
    await page.getByRole('searchbox', { name: 'Search the graph' }).fill('block');
    await page.locator('[data-path="/Block"]').tap();
    await page.locator('#more').tap();
    await page.getByRole('menuitem', { name: 'Move up' }).tap();
    await until(page, () => window.divan.session.graph.nodes[0].name === 'Block');
    // links can be made: their buttons are there without a mouse over them
    await page.getByRole('searchbox', { name: 'Search the graph' }).fill('elasticity');
    await page.locator('[data-path="/Block/elasticity"]').tap();
    await becomes(() => page.locator('[data-field=youngModulus]').getByRole('button').first().evaluate((e) => getComputedStyle(e).visibility), 'visible');
    await page.getByRole('button', { name: 'Animate' }).tap();
    await until(page, () => window.divan.session.status.step > 3);
    await page.getByRole('button', { name: 'Animate' }).tap();
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('with the hand of the toolbar a finger pulls', async () => {
    const divan = await startDivan('liver.scn');
    const o = await openPage(divan.address, TABLET), { page } = o, touch = await fingers(o);
    await page.getByRole('button', { name: 'Drag pulls instead of turning' }).tap();
    await until(page, () => window.divan.touch.touching);
    const place = await surfacePlace(page, '/Liver/Visual/skin');      // while nothing moves: it is there when the finger comes
    await touch.down([[place.x, place.y]]);
    await until(page, () => window.divan.touch.grabbed);
    await page.evaluate(() => window.divan.session.animate(true));
    const held = await comes(() => page.evaluate(() => window.divan.stage.heldPoint()?.toArray() ?? null), (p) => p, 'the point that is held');
    for (let i = 1; i <= 6; i++) await touch.move([[place.x + 20 * i, place.y]]);
    await until(page, (from) => { const p = window.divan.stage.heldPoint(); return p && Math.hypot(p.x - from[0], p.y - from[1], p.z - from[2]) > 0.01; }, held);
    await touch.lift();
    await until(page, () => !window.divan.touch.grabbed);
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });
});

describe('the keyboard alone', () => {
  test('builds the soft cube, drops it on a floor, undoes, saves and opens it again', async () => {
    const divan = await startEmpty();
    const o = await openEmpty(divan.address), { page } = o, press = (k) => page.keyboard.press(k);
    const focused = () => page.evaluate(() => { let a = document.activeElement; while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement; return `${a?.dataset?.preset ?? ''}|${a?.className ?? ''}|${a?.getAttribute('aria-label') ?? ''}|${a?.textContent?.trim().slice(0, 30) ?? ''}`; });
    // Tab until something has the focus
    const reach = async (what, most = 80, key = 'Tab') => {
      for (let i = 0; i < most; i++) { if (what.test(await focused())) return; await press(key); }
      assert.fail(`${what} is not reached; the focus is at ${await focused()}`);
    };
    await press('4');
    await page.locator('[data-preset=floor]').waitFor();
    await reach(/^floor\|/);
    await press('Enter');
    await has(page, '/Floor');
    await reach(/^soft-block\|/, 20, 'Shift+Tab');
    await press('Enter');
    await has(page, '/Block');
    await until(page, () => window.divan.session.selection === '/Block');
    // softer, in its form
    await press('/');
    await page.locator('divan-tree input:focus').waitFor();
    await page.keyboard.type('elasticity');
    await press('Enter');
    await until(page, () => window.divan.session.selection === '/Block/elasticity' && window.divan.session.object);
    await reach(/\|youngModulus\|/, 120);
    const before = await page.evaluate(() => window.divan.session.object.fields.find((f) => f.name === 'youngModulus').value.trim());
    await press('Control+A');
    await page.keyboard.type('2e4');
    await press('Enter');
    await until(page, () => Number(window.divan.session.object?.fields.find((f) => f.name === 'youngModulus')?.value) === 2e4);
    await press('Escape');                                   // out of the field, to the picture
    await until(page, () => document.querySelector('divan-app').shadowRoot.activeElement?.className.includes('picture'));
    await press('Control+z');
    await until(page, (v) => window.divan.session.object?.fields.find((f) => f.name === 'youngModulus')?.value.trim() === v, before);
    await press('Control+Shift+Z');
    await until(page, () => Number(window.divan.session.object?.fields.find((f) => f.name === 'youngModulus')?.value) === 2e4);
    // it falls
    await press('Space');
    await until(page, () => window.divan.session.status.step > 70);
    await press('Space');
    await until(page, () => !window.divan.session.status.animating && Math.abs(window.divan.stage.time - window.divan.session.status.time) < 1e-9);
    const low = (await (await page.waitForFunction(() => {
      const { stage, session } = window.divan, s = stage.shapes.find((x) => x.info.path === '/Block/Look/look' && x.info.group === 'visual');
      const d = s && session.scene.revision === stage.arrays.revision && stage.arrays.get(s.info.positions)?.data;
      return d?.length ? { y: Math.min(...d.filter((_, k) => k % 3 === 1)) } : null;
    })).jsonValue()).y;
    assert.ok(low > -0.06 && low < 0.2, `it lies on the floor, at ${low}`);
    // placed by numbers: half a metre higher
    await press('r');
    await until(page, () => window.divan.session.status.step === 0);
    await page.evaluate(() => window.divan.session.select('/Block'));
    await press('4');
    await reach(/\|Shift y\|/, 120);
    await press('Control+A');
    await page.keyboard.type('0.5');
    await press('Enter');
    await until(page, () => /move|shift|place/i.test(window.divan.session.status.lastEdit ?? ''));
    // points of it, held: a cursor draws the box
    await until(page, () => { const { stage, session } = window.divan; return session.status.scene === session.scene.revision && stage.arrays.revision === session.scene.revision && stage.shapes.some((s) => s.info.path === '/Block/Look/look' && s.object.visible); });
    await press('Escape');
    await press('a');
    await press('t');
    for (let i = 0; i < 20; i++) await press('ArrowLeft');
    for (let i = 0; i < 20; i++) await press('ArrowUp');
    await press('Enter');
    for (let i = 0; i < 40; i++) await press('ArrowRight');
    for (let i = 0; i < 40; i++) await press('ArrowDown');
    await press('Enter');
    await until(page, () => window.divan.modeler.chosen?.points.length > 0);
    await press('Escape');
    await press('Escape');
    await press('4');
    await reach(/\|Hold$/, 120);
    await press('Enter');
    await until(page, () => [...window.divan.session.objects.values()].some((x) => x.class === 'FixedProjectiveConstraint'));
    await press('Escape');
    await press('Control+z');
    await until(page, () => ![...window.divan.session.objects.values()].some((x) => x.class === 'FixedProjectiveConstraint'));
    // saved under a name
    await press('Control+s');
    await page.locator('divan-dialogs input:focus').waitFor();
    await press('Control+A');
    await page.keyboard.type('cube');
    await press('Enter');
    await until(page, () => /cube\.scn$/.test(window.divan.session.hello.scene) && window.divan.session.status.unsaved === false);
    const file = join(divan.directory, 'cube.scn');
    assert.ok(existsSync(file) && /youngModulus="2e4"|youngModulus="20000"/.test(readFileSync(file, 'utf8')));
    await press('Escape');
    await press('Tab');                                      // the picture takes keys with Ctrl for the scene
    await press('Control+o');
    await page.locator('divan-dialogs input:focus').waitFor();
    await page.keyboard.type('cube');
    await page.getByRole('button', { name: /^cube\.scn/ }).waitFor();
    await press('Enter');
    await until(page, () => window.divan.session.status.step === 0 && window.divan.session.status.ready && /cube\.scn$/.test(window.divan.session.hello.scene));
    await has(page, '/Block');
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('the menu opens at the cursor, and its rows are walked', async () => {
    const divan = await startDivan('liver.scn');
    const o = await openPage(divan.address), { page } = o;
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    const place = await surfacePlace(page, '/Liver/Visual/skin');
    for (let i = 0; i < Math.round(Math.abs(place.ny) / 0.04); i++) await page.keyboard.press(place.ny > 0 ? 'ArrowUp' : 'ArrowDown');
    await page.keyboard.press('Shift+F10');
    await page.locator('divan-menu button:focus', { hasText: 'Select' }).waitFor();
    await page.keyboard.press('Enter');
    await until(page, () => window.divan.session.selection.startsWith('/Liver'));
    await o.context.close();
    assert.deepEqual(o.problems, []);
    await divan.stop();
  });

  test('every key that does something is on the page of shortcuts', async () => {
    const divan = await startDivan('liver.scn');
    const o = await openPage(divan.address), { page } = o;
    const keys = await page.evaluate(() => Object.keys(document.querySelector('divan-app').actions()));
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
    const listed = await page.evaluate(() => [...document.querySelector('divan-app').shadowRoot.querySelector('divan-dialogs').shadowRoot.querySelectorAll('kbd')].map((k) => k.textContent));
    const names = { ' ': 'Space', Escape: 'Esc' };
    const missing = keys.filter((k) => !listed.includes(names[k] ?? (k.length === 1 ? k.toUpperCase() : k)));
    assert.deepEqual(missing, [], 'these keys are not listed');
    assert.ok(keys.length > 30, `${keys.length} keys`);
    await o.context.close();
    await divan.stop();
  });
});

test('less motion: the camera jumps where it would glide, and nothing turns or fades', async () => {
  const divan = await startDivan('liver.scn');
  const { page, context } = await openPage(divan.address, { ...DESK, reducedMotion: 'no-preference' });
  // the camera shall go by a metre: how much of it is left after one picture
  const left = () => page.evaluate(() => new Promise((done) => {
    const { stage } = window.divan;
    stage.follower.offset.set(1, 0, 0);
    stage.follower.went = performance.now() - 16;
    stage.draw();
    done(stage.follower.offset.length());
  }));
  const spins = () => page.evaluate(async () => {
    window.divan.session.busyWith('thinking');
    await document.querySelector('divan-app').updateComplete;
    while (!document.querySelector('divan-app').shadowRoot.querySelector('.spin')) await new Promise((done) => requestAnimationFrame(done));
    const name = getComputedStyle(document.querySelector('divan-app').shadowRoot.querySelector('.spin')).animationName;
    window.divan.session.busyWith('');
    return name;
  });
  assert.ok(await left() > 0.3, 'it glides');
  assert.equal(await spins(), 'spin');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await until(page, () => matchMedia('(prefers-reduced-motion: reduce)').matches);
  assert.equal(await left(), 0);
  assert.equal(await spins(), 'none');
  const moving = await page.evaluate(() => {
    const found = [];
    const walk = (root) => { for (const e of root.querySelectorAll('*')) { const s = getComputedStyle(e); if (s.animationName !== 'none' || s.transitionDuration.split(', ').some((d) => parseFloat(d) > 0)) found.push(e.tagName); if (e.shadowRoot) walk(e.shadowRoot); } };
    walk(document);
    return found;
  });
  assert.deepEqual(moving, []);
  await context.close();
  await divan.stop();
});

// --- colours: what eyes without one kind of cones see (Viénot, Brettel and Mollon 1999; for blue Brettel's half planes, flattened) ---

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  'no green': [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  'no blue': [[1, 0.14461, -0.14461], [0, 0.85924, 0.14076], [0, 0.85924, 0.14076]],
};
function lab([r, g, b]) {
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const seen = (rgb, m) => lab(m.map((row) => Math.max(0, row[0] * linear(rgb[0]) + row[1] * linear(rgb[1]) + row[2] * linear(rgb[2]))));
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

test('in maps for every eye values far apart never look alike; the one that is not says so', async () => {
  const divan = await startDivan('liver.scn');
  const { page, context } = await openPage(divan.address);
  await page.keyboard.press('2');
  await page.locator('divan-view-tab option[value=viridis]').first().waitFor({ state: 'attached' });
  const maps = await page.evaluate(async () => {
    const { session } = window.divan, out = {};
    const options = [...document.querySelector('divan-app').shadowRoot.querySelector('divan-view-tab').shadowRoot.querySelectorAll('option')].filter((o) => ['viridis', 'cividis', 'turbo', 'cool to warm', 'grey'].includes(o.value));
    for (const o of options) out[o.value] = { safe: !/not for/.test(o.textContent) };
    session.notify('settings');
    return out;
  });
  assert.deepEqual(Object.keys(maps).sort(), ['cividis', 'cool to warm', 'grey', 'turbo', 'viridis']);
  const text = readFileSync(join(ROOT, 'viewer/src/view/colours.ts'), 'utf8');
  const worst = {}, rising = {};
  for (const name of Object.keys(maps)) {
    const list = text.match(new RegExp(`(?:'${name}'|\\b${name}): \\[([^\\]]*)\\]`))[1], stops = list.match(/[0-9a-f]{6}/g).map((h) => [0, 2, 4].map((k) => parseInt(h.slice(k, k + 2), 16) / 255));
    const at = (t) => { const x = t * (stops.length - 1), i = Math.min(Math.floor(x), stops.length - 2); return stops[i].map((v, k) => v + (x - i) * (stops[i + 1][k] - v)); };
    worst[name] = Infinity;
    rising[name] = Object.values(EYES).every((m) => Array.from({ length: 20 }, (_, i) => seen(at((i + 1) / 20), m)[0] - seen(at(i / 20), m)[0]).every((d) => d > 0));
    for (const m of Object.values(EYES)) for (let i = 0; i <= 20; i++) for (let j = i + 5; j <= 20; j++) worst[name] = Math.min(worst[name], apart(seen(at(i / 20), m), seen(at(j / 20), m)));       // a quarter of the range apart
  }
  console.log('least difference of values a quarter apart, in Lab:', Object.entries(worst).map(([n, v]) => `${n} ${v.toFixed(1)}`).join(', '));
  for (const [name, { safe }] of Object.entries(maps)) if (safe) assert.ok(worst[name] > 12, `${name}: ${worst[name]}`);
  assert.deepEqual(rising, { viridis: true, cividis: true, turbo: false, 'cool to warm': false, grey: true }, 'brighter is more');
  assert.equal(maps.turbo.safe, false);       // bright in the middle: both ends look alike without colours
  await context.close();
  await divan.stop();
});
