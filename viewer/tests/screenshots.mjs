// The pictures of the README and the documentation, taken of the program: docs/pictures/viewer-*.png. With names, only these.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openPage, ROOT, settled, startDivan, stopBrowser, until } from './browser.mjs';

const PICTURES = join(ROOT, 'docs', 'pictures');
const LIMIT = 150000;

async function shoot(name, scene, options, act) {
  if (process.argv.length > 2 && !process.argv.includes(name)) return;
  const divan = await startDivan(scene);
  const { page, context } = await openPage(divan.address, { reducedMotion: 'reduce', ...options }, '', 'antialias=1&ratio=1&quality=reduced');
  await act(page);
  await page.evaluate(() => { document.activeElement?.blur(); window.divan.session.settings.quality = 'full'; window.divan.stage.applySettings(); });      // software takes seconds for all of the light
  await settled(page);
  await page.waitForTimeout(400);
  const file = join(PICTURES, `${name}.png`);
  await page.screenshot({ path: file, timeout: 120000 });
  await context.close();
  await divan.stop();
  const { size } = statSync(file);
  console.log(`${file}: ${size} bytes`);
  if (size > LIMIT) throw new Error(`${file} has more than ${LIMIT} bytes`);
}

const steps = async (page, count) => {
  await page.evaluate((n) => window.divan.session.step(n), count);
  await until(page, (n) => window.divan.session.status.step >= n && Math.abs(window.divan.stage.time - window.divan.session.status.time) < 1e-9, count);
};

mkdirSync(PICTURES, { recursive: true });
try {
  await shoot('viewer-graph', 'liver.scn', { viewport: { width: 1024, height: 520 }, colorScheme: 'light' }, async (page) => {
    await steps(page, 60);
    await page.evaluate(() => window.divan.session.select('/Liver/TetrahedralCorotationalFEMForceField1'));
    await page.locator('divan-form input[name=youngModulus]').waitFor();
  });
  await shoot('viewer-cut', 'resection.scn', { viewport: { width: 1024, height: 600 }, colorScheme: 'light' }, async (page) => {
    await page.evaluate(() => { const { session, stage, touch } = window.divan; session.set({ panel: false, grid: false }); touch.tools.take('cut'); stage.camera.pose = { ...stage.camera.pose, azimuth: 0.62, elevation: 0.2, target: [0.025, -0.065, 0], distance: 0.57 }; });
    await steps(page, 150);
  });
  await shoot('viewer-cut-grid', 'resection_grid.scn', { viewport: { width: 1024, height: 600 }, colorScheme: 'light' }, async (page) => {
    await page.evaluate(() => { const { session, stage } = window.divan; session.set({ panel: false, grid: false }); stage.camera.pose = { ...stage.camera.pose, azimuth: 0.62, elevation: 0.2, target: [0.025, -0.065, 0], distance: 0.57 }; });
    await steps(page, 60);
  });
  await shoot('viewer-build', 'Gravity.scn', { viewport: { width: 1024, height: 700 }, colorScheme: 'light' }, async (page) => {
    await page.evaluate(async () => {
      const { session, modeler } = window.divan;
      await session.drop('cube.scn', '<Node name="root" dt="0.01" gravity="0 -9.81 0">\n</Node>\n');
      for (const preset of ['floor', 'obstacle', 'soft-block', 'rigid-box']) await modeler.addPreset(preset);
      await modeler.place('/Obstacle', { translate: [-1.3, 0, -0.6], pivot: [0, 0.4, 0] });
      await modeler.place('/Box', { translate: [0.2, 0.6, 0], turn: [0, 0.2, 0.2, 0.96], pivot: [0, 1.4, 0] });
      session.set({ tab: 'build', panel: true });
    });
    await steps(page, 70);
    await page.evaluate(() => { const { session, stage, touch } = window.divan; session.select('/Block'); touch.handles.take('shift'); stage.camera.pose = { ...stage.camera.pose, azimuth: 0.55, elevation: 0.3, target: [0, 0.6, 0], distance: 7 }; });
    await until(page, () => window.divan.touch.handles.handleAt(0));
  });
  await shoot('viewer-stats', 'liver.scn', { viewport: { width: 1024, height: 640 }, colorScheme: 'dark' }, async (page) => {
    await page.locator('#tab-stats').click();
    await page.evaluate(() => window.divan.session.realtime(true, 1));
    await page.evaluate(() => window.divan.session.animate(true));
    await until(page, () => window.divan.session.energy.time.length > 12 && window.divan.session.steps.x.length > 100);
    await page.evaluate(() => window.divan.session.animate(false));
  });
  await shoot('viewer-phone', 'liver.scn', { viewport: { width: 390, height: 690 }, colorScheme: 'light', hasTouch: true }, async (page) => {
    await steps(page, 60);
    await page.locator('#tab-view').click();
  });
} finally { await stopBrowser(); }
