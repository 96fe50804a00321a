// What the browser tests share: Debian's Chromium without a network beyond this machine, and the program under test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { chromium } from 'playwright-core';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIVAN = process.env.DIVAN ?? join(ROOT, 'build', 'divan');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none'];

export const DESK = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' };
export const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true, reducedMotion: 'reduce' };

const PATIENCE = 60000;      // of whatever is waited for: only what never comes takes so long

let browser = null;

export async function startBrowser() {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  return browser;
}

export async function stopBrowser() { await browser?.close(); browser = null; }

// A directory as scenes/ for one scene and `more` of them, so that nothing is written next to the originals: what is read only is linked.
function scenesCopy(scene, more) {
  const place = mkdtempSync(join(tmpdir(), 'divan-view-')), own = dirname(scene);
  const link = (folder) => {      // the folders beside those on the way to the scene
    for (const e of readdirSync(join(ROOT, 'scenes', folder), { withFileTypes: true })) {
      const name = join(folder, e.name);
      if (!e.isDirectory() || name === own) continue;
      if (!own.startsWith(`${name}/`)) symlinkSync(join(ROOT, 'scenes', name), join(place, name));
      else { mkdirSync(join(place, name)); link(name); }
    }
  };
  link('');
  if (own !== '.') cpSync(join(ROOT, 'scenes', own), join(place, own), { recursive: true });
  for (const name of [scene, ...more]) cpSync(join(ROOT, 'scenes', name), join(place, name));
  return place;
}

// Starts `divan view` on a scene of scenes/, or on one with an absolute path where it stands, and waits for its address.
export async function startDivan(scene, { port = 0, args = [], more = [] } = {}) {
  const directory = isAbsolute(scene) ? '' : scenesCopy(scene, more);
  const divan = await begin(['view', directory ? join(directory, scene) : scene, '--no-browser', '--port', String(port), ...args]);
  return { ...divan, directory, async stop() { await divan.stop(); if (directory) rmSync(directory, { recursive: true, force: true }); } };
}

// The program, as soon as it tells its address.
async function begin(args, options = {}) {
  if (!existsSync(DIVAN)) throw new Error(`${DIVAN} is not there: make build first, or set DIVAN`);
  const child = spawn(DIVAN, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  let output = '';
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address within ${PATIENCE / 1000} s:\n${output}`)), PATIENCE);
    const read = (data) => { output += data; const found = output.match(/http:\/\/\S+\//); if (found) { clearTimeout(timer); resolve(found[0]); } };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => { clearTimeout(timer); reject(new Error(`divan view ended with ${code}:\n${output}`)); });
  });
  for (const part of [child, child.stdout, child.stderr]) part.unref();      // of a test that failed and did not stop it: it ends with the tests
  return {
    address, child,
    async stop() {
      child.ref();
      process.off('exit', end);
      const gone = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.signalCode === null) { child.kill('SIGTERM'); await gone; }
    },
  };
}

// What is drawn is drawn by the processor: the page with its controls as large as ever, the picture in it of few pixels. Tests that
// look at pixels ask for all of them (ratio=1), or for a picture of a size.
export const FAST = 'antialias=0&ratio=0.25&quality=reduced';

async function newPage(address, options) {
  const context = await (await startBrowser()).newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage(), problems = [], outside = [];
  page.setDefaultTimeout(PATIENCE);
  page.on('console', (m) => { if (m.type() === 'error') problems.push(m.text()); });
  page.on('pageerror', (e) => problems.push(String(e.stack ?? e)));
  page.on('request', (r) => { if (!r.url().startsWith(new URL(address).origin) && !/^(data|blob):/.test(r.url())) outside.push(r.url()); });
  return { page, context, problems, outside };
}

// A page in a context of its own; a message of the page's console at level error fails the test that looks at `problems`.
// `key` is that of an earlier page: the new one takes up its rights.
export async function openPage(address, options = DESK, key = '', query = FAST) {
  const opened = await newPage(address, options);
  if (key) await opened.page.addInitScript((k) => sessionStorage.setItem('divan.key', k), key);
  await opened.page.goto(`${address}?${query}`);
  await drawn(opened.page);
  return opened;
}

// `divan view` without a scene, in a directory of its own.
export async function startEmpty(args = [], env = process.env) {
  const directory = mkdtempSync(join(tmpdir(), 'divan-build-'));
  const divan = await begin(['view', '--no-browser', '--port', '0', ...args], { cwd: directory, env });
  return { ...divan, directory, async stop() { await divan.stop(); rmSync(directory, { recursive: true, force: true }); } };
}

// A page of it, which may edit; nothing is drawn yet.
export async function openEmpty(address, options = DESK) {
  const opened = await newPage(address, options);
  await opened.page.goto(`${address}?${FAST}`);
  await until(opened.page, () => window.divan?.session?.editor && window.divan.session.graph);
  return opened;
}

// Until all that is to be shown of the scene is on the picture, and the camera looks at it.
export async function drawn(page) {
  await page.waitForFunction(() => {
    const { session, stage } = window.divan ?? {};
    return session?.graph && session.scene && stage?.arrays.revision === session.scene.revision && stage.complete() && stage.fitted;
  });
  await settled(page);
}

export async function settled(page) {
  await page.evaluate(() => new Promise((done) => { window.divan.stage.redraw(true); requestAnimationFrame(() => requestAnimationFrame(done)); }));
}

export const status = (page) => page.evaluate(() => ({ ...window.divan.session.status }));

// The first numbers of the positions of a drawable, as soon as they have come.
export const positions = async (page, path, count = 30) => (await page.waitForFunction(([wanted, n]) => {
  const { stage, session } = window.divan, shape = stage.arrays.revision === session.scene?.revision && stage.shapes.find((s) => s.info.path === wanted && s.object.visible);
  const data = shape && stage.arrays.get(shape.info.positions)?.data;
  return data ? Array.from(data.slice(0, n)) : null;
}, [path, count])).jsonValue();

export const until = (page, test, argument) => page.waitForFunction(test, argument);

// What `read` gives, as soon as it passes. Most of what a page shows comes from another program and comes when it comes: it is read again
// until it is right, and fails with what it was at last.
export async function comes(read, passes, words = 'it never came') {
  for (const end = Date.now() + PATIENCE; ;) {
    const value = await read();
    if (passes(value)) return value;
    if (Date.now() > end) assert.fail(`${words}: ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

export async function becomes(read, wanted, words) {
  let last;
  try { return await comes(async () => (last = await read()), (value) => isDeepStrictEqual(value, wanted)); } catch { assert.deepEqual(last, wanted, words); }
}

// A message on the page that has these words: what it says and advises.
export const said = async (page, part) => (await page.waitForFunction((p) => { const t = window.divan.session.toast; return t?.text.includes(p) ? { text: t.text, advice: t.advice ?? '' } : null; }, part)).jsonValue();

// Steps are made, and the picture shows the last of them.
export async function steps(page, n) {
  const to = await page.evaluate((k) => { const { session } = window.divan, at = session.status.step + k; session.step(k); return at; }, n);
  await until(page, (k) => { const { session, stage } = window.divan; return session.diverged || (session.status.step >= k && Math.abs(stage.time - session.status.time) < 1e-9); }, to);
}

// Where the middle of the view's element is, and how large it is, in pixels of the page.
export async function pictureBox(page) { return page.locator('.picture').boundingBox(); }

// A place on the page where a ray meets the surface of a drawable: the middle of the triangle that faces the viewer and is nearest to the picture's centre.
export const surfacePlace = (page, path) => page.evaluate((wanted) => {
  const { stage } = window.divan, box = document.querySelector('divan-app').shadowRoot.querySelector('.picture').getBoundingClientRect();
  for (let r = 0; r < 0.9; r += 0.05) for (let a = 0; a < 6.28; a += 0.5) {
    const x = r * Math.cos(a), y = r * Math.sin(a), hit = stage.pick(x, y);
    if (hit && (!wanted || hit.shape.info.path === wanted)) return { x: box.left + (x * 0.5 + 0.5) * box.width, y: box.top + (0.5 - y * 0.5) * box.height, point: hit.point.toArray(), nx: x, ny: y };
  }
  return null;
}, path);

// The share of pixels that differ by more than 30 of 255 in a colour, and the mean difference, of two PNG as base64.
export const difference = (page, a, b) => page.evaluate(async ([first, second]) => {
  const pixels = async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
    const c = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
    c.drawImage(image, 0, 0);
    return c.getImageData(0, 0, image.width, image.height).data;
  };
  const [p, q] = [await pixels(first), await pixels(second)];
  if (p.length !== q.length) return { far: 1, mean: 255 };
  let far = 0, sum = 0;
  for (let i = 0; i < p.length; i += 4) {
    const d = Math.max(Math.abs(p[i] - q[i]), Math.abs(p[i + 1] - q[i + 1]), Math.abs(p[i + 2] - q[i + 2]));
    sum += d;
    if (d > 30) far++;
  }
  return { far: (4 * far) / p.length, mean: (4 * sum) / p.length };
}, [a, b]);

// A picture is as it was when somebody looked at it and kept it (GOLDEN=write).
const GOLDEN = join(ROOT, 'viewer', 'tests', 'golden');
export async function golden(page, name, taken, tolerance = 0.02) {
  const file = join(GOLDEN, `${name}.png`);
  if (process.env.GOLDEN === 'write') { mkdirSync(GOLDEN, { recursive: true }); writeFileSync(file, Buffer.from(taken, 'base64')); return; }
  const found = await difference(page, taken, readFileSync(file).toString('base64'));
  if (found.far > tolerance) writeFileSync(join(GOLDEN, `${name}.failed.png`), Buffer.from(taken, 'base64'));
  assert.ok(found.far <= tolerance, `${name}: ${(100 * found.far).toFixed(2)} % of the pixels differ (mean ${found.mean.toFixed(2)} of 255)`);
}
