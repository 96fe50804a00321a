// What the browser tests share: Debian's Chromium without a network beyond this machine, and the program under test.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIVAN = process.env.DIVAN ?? join(ROOT, 'build', 'divan');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none'];

export const DESK = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' };
export const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true, reducedMotion: 'reduce' };

let browser = null;

export async function startBrowser() {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  return browser;
}

export async function stopBrowser() { await browser?.close(); browser = null; }

// A copy of the scenes, so that nothing is written next to the originals.
function scenesCopy() {
  const place = mkdtempSync(join(tmpdir(), 'divan-view-'));
  const copy = (from, to) => {
    mkdirSync(to, { recursive: true });
    for (const e of readdirSync(from, { withFileTypes: true })) {
      if (e.isDirectory()) copy(join(from, e.name), join(to, e.name)); else copyFileSync(join(from, e.name), join(to, e.name));
    }
  };
  copy(join(ROOT, 'scenes'), place);
  return place;
}

// Starts `divan view` on a scene of scenes/, or on one with an absolute path where it stands, and waits for its address.
export async function startDivan(scene, { port = 0, args = [] } = {}) {
  if (!existsSync(DIVAN)) throw new Error(`${DIVAN} is not there: make build first, or set DIVAN`);
  const directory = isAbsolute(scene) ? '' : scenesCopy();
  const child = spawn(DIVAN, ['view', directory ? join(directory, scene) : scene, '--no-browser', '--port', String(port), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  let output = '';
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address within 30 s:\n${output}`)), 30000);
    const read = (data) => { output += data; const found = output.match(/http:\/\/\S+\//); if (found) { clearTimeout(timer); resolve(found[0]); } };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => { clearTimeout(timer); reject(new Error(`divan view ended with ${code}:\n${output}`)); });
  });
  return {
    address, directory, child,
    async stop() {
      process.off('exit', end);
      const gone = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.signalCode === null) { child.kill('SIGTERM'); await gone; }
      if (directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

// A page in a context of its own; a message of the page's console at level error fails the test that looks at `problems`.
// `key` is that of an earlier page: the new one takes up its rights.
export async function openPage(address, options = DESK, key = '', query = 'antialias=0&ratio=1&quality=reduced') {
  const context = await (await startBrowser()).newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage(), problems = [], outside = [];
  page.setDefaultTimeout(20000);
  if (key) await page.addInitScript((k) => sessionStorage.setItem('divan.key', k), key);
  page.on('console', (m) => { if (m.type() === 'error') problems.push(m.text()); });
  page.on('pageerror', (e) => problems.push(String(e.stack ?? e)));
  page.on('request', (r) => { if (!r.url().startsWith(new URL(address).origin) && !/^(data|blob):/.test(r.url())) outside.push(r.url()); });
  await page.goto(`${address}?${query}`);
  await drawn(page);
  return { page, context, problems, outside };
}

// Until something of the scene is on the picture.
export async function drawn(page) {
  await page.waitForFunction(() => window.divan?.stage?.shapes.some((s) => s.object.visible));
}

export async function settled(page) {
  await page.evaluate(() => new Promise((done) => { window.divan.stage.redraw(true); requestAnimationFrame(() => requestAnimationFrame(done)); }));
}

export const status = (page) => page.evaluate(() => ({ ...window.divan.session.status }));

// The first numbers of the positions of a drawable.
export const positions = (page, path, count = 30) => page.evaluate(([wanted, n]) => {
  const { stage } = window.divan, shape = stage.shapes.find((s) => s.info.path === wanted && s.object.visible);
  return Array.from(stage.arrays.get(shape.info.positions).data.slice(0, n));
}, [path, count]);

export const until = (page, test, argument) => page.waitForFunction(test, argument);

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
