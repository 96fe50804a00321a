// What a frame of a large lattice costs the page, apart from drawing: node viewer/tests/pace.mjs [--side 43] [--frames 60] [--draw]
// A cube of side^3 masses (43: 984,440 springs) falls on a plane. Times of the page's own work for a frame: taking it apart (decode),
// then places, normals and uploads (update). Calls that draw do nothing unless --draw is given: without a graphics processor they
// are all one would measure. Prints the least, the median and the longest of the frames, in milliseconds.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DESK, openPage, startBrowser, startDivan, stopBrowser } from './browser.mjs';

const { values: options } = parseArgs({ options: { side: { type: 'string', default: '43' }, frames: { type: 'string', default: '60' }, draw: { type: 'boolean', default: false } } });
const side = Number(options.side), wanted = Number(options.frames), size = 0.01 * (side - 1), directory = mkdtempSync(join(tmpdir(), 'divan-pace-'));
const scene = join(directory, 'lattice.scn');
writeFileSync(scene, `<Node dt="0.0002" gravity="0 -9.81 0"><VoxelLattice name="v" cell="0.01" boxes="0 0 0 ${size} ${size} ${size}"/>
  <MechanicalObject name="dofs" position="@v.position"/>
  <SpringLattice name="lattice" springs="@v.edges" weights="@v.weights" shares="@v.shares" volume="@v.volume" youngModulus="3e5" massDensity="1000"
    integrator="euler" precision="float"/>
  <LatticeContact plane="0 1 0 0"/></Node>`);

// In the page, before anything else of it runs: clocks around messages and pictures.
function watch(draws) {
  const pace = window.pace = { bytes: [], decode: [], update: [], upload: 0, uploads: [], triangles: 0 };
  const gl = WebGL2RenderingContext.prototype;
  for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
    const call = gl[name];
    gl[name] = function (...given) {
      if (name === 'drawElements') pace.triangles = Math.max(pace.triangles, given[1] / 3);
      return draws ? call.apply(this, given) : undefined;
    };
  }
  for (const name of ['bufferData', 'bufferSubData']) {
    const call = gl[name];
    gl[name] = function (...given) { const began = performance.now(), result = call.apply(this, given); pace.upload += performance.now() - began; return result; };
  }
  const message = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
  let fresh = false;
  Object.defineProperty(WebSocket.prototype, 'onmessage', { ...message, set(handler) {
    message.set.call(this, (event) => {
      const began = performance.now();
      handler.call(this, event);
      if (typeof event.data === 'string') return;
      pace.decode.push(performance.now() - began);
      pace.bytes.push(event.data.byteLength);
      fresh = true;
    });
  } });
  const ask = window.requestAnimationFrame;
  let shown = -1, counts = false;   // all work of one picture, if there was a frame before it
  window.requestAnimationFrame = (handler) => ask.call(window, (time) => {
    if (time !== shown) {
      shown = time;
      counts = fresh;
      fresh = false;
      if (counts) { pace.update.push(0); pace.uploads.push(0); }
    }
    const began = performance.now();
    pace.upload = 0;
    handler(time);
    if (!counts) return;
    pace.update[pace.update.length - 1] += performance.now() - began;
    pace.uploads[pace.uploads.length - 1] += pace.upload;
  });
}

const row = (name, list) => {
  const sorted = [...list].sort((a, b) => a - b);
  console.log(`${name.padEnd(34)} ${[sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]].map((t) => t.toFixed(2).padStart(8)).join(' ')}`);
};

const divan = await startDivan(scene);
try {
  const browser = await startBrowser(), make = browser.newContext.bind(browser);
  browser.newContext = async (...given) => { const context = await make(...given); await context.addInitScript(watch, options.draw); return context; };
  const { page } = await openPage(divan.address, DESK, '', 'antialias=0&ratio=1&quality=reduced');
  page.setDefaultTimeout(300000);
  await page.evaluate(() => window.divan.session.step(100000));
  await page.waitForFunction((n) => window.pace.update.length > n + 5, wanted, { timeout: 300000 });
  const { bytes, decode, update, uploads, triangles } = await page.evaluate(() => window.pace);
  const kept = (list) => list.slice(5, 5 + wanted);   // the first ones set things up
  console.log(`a lattice of ${side}^3 masses: ${triangles} triangles are shown, ${(kept(bytes).reduce((a, b) => Math.max(a, b), 0) / 1000).toFixed(0)} kB a frame; ${options.draw ? 'with' : 'without'} drawing`);
  console.log(`${'of '.concat(wanted, ' frames, ms').padEnd(34)}    least   median  longest`);
  row('decode', kept(decode));
  row('update (places, normals, uploads)', kept(update));
  row('  of it uploads', kept(uploads));
} finally {
  await stopBrowser();
  await divan.stop();
  rmSync(directory, { recursive: true, force: true });
}
