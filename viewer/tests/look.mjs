// Pictures of any scenes in the page, to be looked at: node viewer/tests/look.mjs DIRECTORY SCENE… [--steps 40] [--groups a,b] [--dark] [--phone] [--tab view] [--data D]…
// Each scene is opened, makes some steps and is photographed as it comes, then with force fields (or with --groups). Nothing is written but DIRECTORY.
import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DESK, openPage, PHONE, settled, startDivan, stopBrowser, until } from './browser.mjs';

const { values: options, positionals: [directory, ...scenes] } = parseArgs({ allowPositionals: true, options: {
  steps: { type: 'string', default: '40' }, groups: { type: 'string', default: 'forceFields' }, tab: { type: 'string', default: 'graph' },
  dark: { type: 'boolean', default: false }, phone: { type: 'boolean', default: false }, data: { type: 'string', multiple: true, default: [] }, width: { type: 'string' }, height: { type: 'string' },
} });
if (!directory || !scenes.length) { console.error('look.mjs DIRECTORY SCENE…'); process.exit(1); }
mkdirSync(directory, { recursive: true });

const size = { ...(options.phone ? PHONE : DESK), colorScheme: options.dark ? 'dark' : 'light' };
if (options.width && options.height) size.viewport = { width: Number(options.width), height: Number(options.height) };

async function look(scene) {
  const divan = await startDivan(resolve(scene), { args: options.data.flatMap((d) => ['--data', resolve(d)]) }), name = basename(scene).replace(/\.[^.]*$/, '');
  try {
    const { page, context, problems } = await openPage(divan.address, size, '', 'antialias=1&ratio=1&quality=full');
    await page.evaluate((tab) => window.divan.session.set({ tab }), options.tab);
    const count = Number(options.steps);
    if (count > 0) {
      await page.evaluate((n) => window.divan.session.step(n), count);
      await until(page, (n) => { const { session, stage } = window.divan; return session.diverged || (session.status.step >= n && Math.abs(stage.time - session.status.time) < 1e-9); }, count);
    }
    await settled(page);
    await page.screenshot({ path: join(directory, `${name}.png`) });
    await page.evaluate((groups) => { for (const g of groups) window.divan.session.setGroup(g, true); }, options.groups.split(',').filter(Boolean));
    await page.waitForTimeout(400);
    await settled(page);
    await page.screenshot({ path: join(directory, `${name}-more.png`) });
    console.log(`${scene}: ${problems.length ? problems.join('; ') : 'good'}`);
    await context.close();
  } finally { await divan.stop(); }
}

try { for (const scene of scenes) await look(scene).catch((error) => console.log(`${scene}: ${error.message.split('\n')[0]}`)); } finally { await stopBrowser(); }
