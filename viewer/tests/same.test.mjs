// The page and `divan run --picture` draw one scene alike: picture against picture, with all of the light.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as plain } from 'node:test';
import { DESK, difference, golden, openPage, ROOT, startDivan, stopBrowser, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 180000 }, body), W = 320, H = 240;
const DIVAN = process.env.DIVAN ?? join(ROOT, 'build', 'divan');
let directory;
before(() => { directory = mkdtempSync(join(tmpdir(), 'divan-same-')); copyFileSync(join(ROOT, 'scenes/mesh/checks.png'), join(directory, 'checks.png')); });
after(async () => { await stopBrowser(); await divan?.stop(); rmSync(directory, { recursive: true, force: true }); });

// One page sees all the scenes, one after the other.
let divan, opened;
async function open(file) {
  if (!opened) {
    divan = await startDivan(file, { args: ['--data', directory, '--data', join(ROOT, 'scenes')] });
    opened = await openPage(divan.address, { ...DESK, bypassCSP: true }, '', 'antialias=1&ratio=0.25&quality=reduced');      // all of the light only for a small picture: software draws it
  } else {
    const { revision } = await opened.page.evaluate(() => window.divan.session.scene);
    await opened.page.evaluate((f) => { window.divan.session.set({ quality: 'reduced' }); return window.divan.session.openFile(f); }, file);
    await until(opened.page, ([f, r]) => { const { session, stage } = window.divan; return f.endsWith(session.hello.scene.split('/').at(-1)) && session.scene?.revision > r && stage.arrays.revision === session.scene.revision && !session.busy && stage.fitted && stage.complete(); }, [file, revision]);
  }
  return opened;
}

async function same(file, { far = 0.02, mean = 4, xray = 0, steps = 0, kept = '' } = {}) {
  const out = join(directory, 'picture.png');
  const said = execFileSync(DIVAN, ['run', file, '-n', String(steps), '--picture', out, '--size', `${W}x${H}`, ...(xray ? ['--xray', String(xray)] : [])], { encoding: 'utf8', stdio: 'pipe' });
  if (/without OpenGL/.test(said)) { console.log('without OpenGL: left out'); return; }
  const { page, problems } = await open(file);
  const taken = await page.evaluate(async ([w, h, mu, count]) => {
    const { stage, session } = window.divan;
    if (count) {
      await session.connection.request('step', { count });
      while (session.status.step < count) await new Promise((done) => setTimeout(done, 50));
      await stage.frameAt(session.status.time - 1e-9, 60000);
      while (!stage.complete()) await new Promise((done) => requestAnimationFrame(done));
    }
    stage.resize(w, h, 1);
    session.set({ grid: false, axes: false, quality: 'full', xray: mu });
    stage.applySettings();
    stage.resetView();
    const bytes = new Uint8Array(await (await stage.picture(w, h)).arrayBuffer());
    let text = '';
    for (const b of bytes) text += String.fromCharCode(b);
    return btoa(text);
  }, [W, H, xray, steps]);
  const found = await difference(page, taken, readFileSync(out).toString('base64'));
  console.log(`${file}: ${(100 * found.far).toFixed(2)} % of the pixels differ, mean ${found.mean.toFixed(2)} of 255`);
  if (process.env.KEEP) { writeFileSync(`${process.env.KEEP}-page.png`, Buffer.from(taken, 'base64')); writeFileSync(`${process.env.KEEP}-run.png`, readFileSync(out)); }
  assert.deepEqual(problems, [], 'the page reported errors');
  assert.ok(found.far <= far && found.mean <= mean, `${(100 * found.far).toFixed(2)} % of the pixels differ, mean ${found.mean.toFixed(2)}`);
  if (kept) await golden(page, kept, taken);
  return { page, taken, run: readFileSync(out).toString('base64') };
}

// The colours of pictures where points of the scene are.
const coloursAt = (page, pictures, points) => page.evaluate(async ([list, where]) => {
  const all = [];
  for (const data of list) {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const c = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
    c.drawImage(image, 0, 0);
    all.push(where.map((p) => { const q = window.divan.stage.project(p); return [...c.getImageData(Math.floor(q.x), Math.floor(q.y), 1, 1).data.slice(0, 3)]; }));
  }
  return all;
}, [pictures, points]);
const apart = (a, b) => Math.max(...a.flatMap((c, i) => c.map((v, k) => Math.abs(v - b[i][k]))));

const scene = (name, text) => { const file = join(directory, `${name}.scn`); writeFileSync(file, text); return file; };
const cube = '<Node name="A"><RegularGridTopology name="g" n="2 2 2" min="-1 -1 -1" max="1 1 1"/><OglModel src="@g" color="0.9 0.9 0.85 1"/></Node>'
  + '<Node name="F"><RegularGridTopology name="g" n="2 1 2" min="-3 -1.5 -3" max="3 -1.5 3"/><OglModel src="@g" color="0.8 0.85 0.9 1"/></Node>';
const lit = (lights) => `<Node gravity="0 -9.81 0">${lights}${cube}</Node>`;

test('an organ in the studio', () => same(join(ROOT, 'scenes', 'liver.scn')));
test('textures, wet and translucent bodies, a line', () => same(join(ROOT, 'scenes', 'looks.scn')));
// What lets light through: a box around a box around a solid one, a pane through all of them, and balls, in two orders.
const hull = (name, r, colour) => `<Node name="${name}"><RegularGridTopology name="g" n="2 2 2" min="-${r} -${r} -${r}" max="${r} ${r} ${r}"/><OglModel src="@g" color="${colour}"/></Node>`;
const pane = (name, places, colour) => `<Node name="${name}"><OglModel position="${places}" quads="0 1 2 3" color="${colour}"/></Node>`;
const inside = [hull('A', 1.5, '0.2 0.4 1 0.3'), hull('B', 1, '1 0.3 0.2 0.4'), hull('C', 0.4, '0.2 0.9 0.3 1'), pane('D', '-1.8 -0.2 -1.8  1.8 -0.2 -1.8  1.8 0.3 1.8  -1.8 0.3 1.8', '1 0.9 0.2 0.5')];
test('translucent bodies inside and through each other, in any order', async () => {
  const points = [[0, 0, 0.4], [0.3, 0.3, 0.4], [-0.7, 0.5, 1], [0.7, -0.6, 1], [1.2, 1.2, 1.5], [-1.2, -1.2, 1.5], [1.5, 0.6, 0.3], [0.2, 1.5, 0.1]], taken = [];
  for (const [name, list] of [['inside', inside], ['outside', inside.toReversed()], ['mixed', [inside[1], inside[3], inside[0], inside[2]]]]) {
    const found = await same(scene(name, `<Node gravity="0 -9.81 0">${list.join('')}</Node>`), { far: 0.005, mean: 2 });
    if (!found) return;
    const [a, b] = await coloursAt(found.page, [found.taken, found.run], points);
    console.log(`${name}: the page and the program differ by ${apart(a, b)} of 255 at ${points.length} points`);
    assert.ok(apart(a, b) <= 6, `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
    taken.push(found.taken);
    const other = await difference(found.page, taken[0], found.taken);
    assert.ok(other.far === 0 && other.mean < 0.02, `the order of the scene is seen: ${JSON.stringify(other)}`);
  }
});
test('panes that cross have the colour of the nearer one over the farther one, left and right', async () => {
  const panes = [pane('A', '-1.5 -1 1  1.5 -1 -1  1.5 1 -1  -1.5 1 1', '1 0.2 0.1 0.6'), pane('B', '-1.5 -1 -1  1.5 -1 1  1.5 1 1  -1.5 1 -1', '0.1 0.3 1 0.45')];
  const look = '<BackgroundSetting color="0 0 0 1"/><InteractiveCamera position="0.9 0.7 6" lookAt="0 0 0"/>', points = [[-0.9, -0.4], [-0.7, 0.6], [-0.4, 0.2], [0.4, 0.2], [0.7, 0.6], [0.9, -0.4]].map(([x, y]) => [x, y, Math.abs(x) / 1.5]), alpha = [0.6, 0.45];
  const shots = [];
  for (const [name, list] of [['one', [panes[0]]], ['two', [panes[1]]], ['both', panes], ['turned', panes.toReversed()]]) {
    const found = await same(scene(`cross-${name}`, `<Node gravity="0 -9.81 0">${look}<Node name="F"><OglModel position="-1.5 -1 -1.2  1.5 1 1.2  1.5 1 1.2" triangles="0 1 2"/></Node>${list.join('')}</Node>`), { far: 0.005, mean: 2 });
    if (!found) return;
    shots.push(await coloursAt(found.page, [found.taken, found.run], points));
  }
  const [first, second, ...both] = shots;
  for (const seen of both) for (const where of [0, 1]) {      // the page, and the program
    const wanted = points.map(([x], i) => { const [front, back, a] = x < 0 ? [first, second, alpha[0]] : [second, first, alpha[1]]; return front[where][i].map((v, k) => v + (1 - a) * back[where][i][k]); });
    console.log(`${where ? 'program' : 'page'}: ${apart(seen[where], wanted).toFixed(1)} of 255 from what follows from each alone`);
    assert.ok(apart(seen[where], wanted) <= 2, `${JSON.stringify(seen[where])} is not ${JSON.stringify(wanted)}`);
  }
});
test('a solid block in water in a tank of glass', () => same(join(ROOT, 'scenes', 'fluid', 'floating_block.scn'), { steps: 50, far: 0.002, mean: 1.2 }));
test('cells of volumes', () => same(join(ROOT, 'scenes', 'OglVolumetricModel.scn')));
test('a directional light', () => same(scene('far', lit('<LightManager/><DirectionalLight direction="-1 -2 -0.5" color="1 0.9 0.7 1"/>')), { kept: 'light-directional' }));
test('a light at a point', () => same(scene('point', lit('<LightManager ambient="0.1 0.1 0.2 1"/><PositionalLight position="3 4 2" color="0.9 0.9 1 1"/>')), { kept: 'light-positional' }));
test('a spot light and a light without shadows', () => same(scene('spot', lit('<LightManager/><SpotLight position="0 6 3" direction="0 -6 -3" cutoff="16"/><DirectionalLight direction="1 -1 0" color="0.4 0.2 0.2 1" shadowsEnabled="0"/>')), { kept: 'light-spot' }));
test('labels on the picture and texts in the scene', () => same(scene('labels', `<Node gravity="0 -9.81 0"><OglLabel prefix="Young " label="3000" suffix=" Pa" x="12" y="12" fontsize="18" color="0.7 0.1 0.1 1"/><OglLabel label="readable" x="12" y="200" fontsize="14" selectContrastingColor="1"/>
  <Visual3DText text="up" position="-0.4 1.3 0" scale="0.7" color="0.1 0.3 0.6 1"/>${cube}</Node>`), { far: 0.03, mean: 5, kept: 'labels' }));      // each side has a font of its own: same places and sizes, other strokes
test('axes, a grid and a box', () => same(scene('lines', `<Node gravity="0 -9.81 0"><LineAxis size="5"/><VisualGrid plane="y" size="6" nbSubdiv="6"/>${cube}</Node>`)));
test('a plane cuts the picture open', () => same(scene('cut', `<Node gravity="0 -9.81 0"><ClipPlane position="0.2 0 0" normal="-1 0 0"/>${cube}</Node>`)));
const organ = (x, more) => `<Node name="n${x}">${more}<OglModel filename="${join(ROOT, 'scenes/mesh/organ-surface.obj')}" scale="4" translation="${x} 0 0" color="0.5 0.7 0.9 1"/></Node>`;
const shader = (name) => `<OglShader fileVertexShaders="${join(ROOT, `scenes/shaders/${name}.vert`)}" fileFragmentShaders="${join(ROOT, `scenes/shaders/${name}.frag`)}"/>`;
const wave = `${shader('wave')}<OglFloatVariable id="height" value="0.02"/><OglFloatVariable id="waves" value="9"/><OglFloatVector3Variable id="stripes" value="0.9 0.6 0.4  0.3 0.4 0.8"/>`
  + `<OglTexture2D id="picture" texture2DFilename="checks.png" repeat="1"/><OglShaderDefineMacro id="HAS_TEXTURE"/>`;
test('programs of the scene', () => same(scene('programs', `<Node gravity="0 -9.81 0">${organ(-0.8, wave)}${organ(0.8, '<OglShader/>')}</Node>`)));
test('programs of the scene with its lights', () => same(scene('lamps', `<Node gravity="0 -9.81 0"><LightManager/><PositionalLight position="3 4 2"/><SpotLight position="0 6 3" direction="0 -6 -3" cutoff="30" color="1 0.3 0.3 1"/>`
  + `${organ(-0.8, wave + '<OglIntVariable id="lamps" value="2"/>')}${organ(0.8, '<OglShader turnOn="0"/>')}</Node>`)));
test('volumes that swallow light, with a body in them', () => same(join(ROOT, 'scenes', 'volume_fog.scn')));
test('a program that works on the finished picture, and a volume in slices', () => same(join(ROOT, 'scenes', 'depth_of_field.scn')));
test('a second picture inside the first', () => same(scene('inset', `<Node gravity="0 -9.81 0"><OglViewport screenPosition="-130 -100" screenSize="120 90" cameraPosition="0 0.4 6" fovy="40"/>${cube}</Node>`)));
test('a lens that bends the picture', () => same(scene('lens', `<Node gravity="0 -9.81 0"><LensDistortion k1="0.2" k2="0.05"/>${cube}</Node>`)));
test('blood that runs down and smoke that rises', () => same(join(ROOT, 'scenes', 'cautery.scn'), { steps: 60 }));
test('a program that does not compile is told with its line, and the scene goes on', async () => {
  writeFileSync(join(directory, 'good.vert'), 'void main() { gl_Position = ftransform(); }\n');
  writeFileSync(join(directory, 'bad.frag'), '// one\n// two\nvoid main() { gl_FragColor = vec4(oops); }\n');
  const { page } = await open(scene('bad', `<Node><OglShader fileVertexShaders="good.vert" fileFragmentShaders="bad.frag"/>${cube}</Node>`));
  await until(page, () => window.divan.session.log.some((m) => /does not compile/.test(m.text)));
  const text = await page.evaluate(() => window.divan.session.log.find((m) => /does not compile/.test(m.text)).text);
  assert.match(text, /bad[.]frag/);
  assert.match(text, /0:3/);
  assert.ok(await page.evaluate(() => window.divan.stage.shapes.some((s) => s.object.visible)), 'nothing is drawn');
  opened.problems.length = 0;      // the browser tells it, too
});
const numbers = Array.from({ length: 50 }, (_, i) => i % 5).join(' ');
test('numbers in colours of the scene, and a body that stands elsewhere', () => same(scene('maps', `<Node gravity="0 -9.81 0"><Node name="A"><OglColorMap colorScheme="Blue to Red" paletteSize="5" legendTitle="height (mm)" legendRangeScale="1000"/>
  <RegularGridTopology name="g" n="5 5 2" min="0 0 0" max="1 1 0.3"/><DataDisplay src="@g" pointData="${numbers}" userRange="0 5"/></Node>
  <Node name="B"><VisualTransform transform="1.5 0 0 0 0 0.3826834 0.9238795"/><RegularGridTopology name="g" n="2 2 2" min="0 0 0" max="0.6 0.6 0.6"/><OglModel src="@g" color="0.8 0.5 0.3 1"/></Node></Node>`)));
test('X-rays through three balls', () => same(scene('rays', '<Node><VisualPointCloud drawMode="Sphere" position="-1 0 0  1 0 0  0 0.5 1" sphereRadius="1"/></Node>'), { xray: 0.6 }));
const drops = '<Node name="Water"><RegularGridTopology name="d" n="9 5 9" min="-0.8 -0.4 -0.8" max="0.8 0.4 0.8"/><OglFluidModel position="@d.position" spriteRadius="0.16" spriteDiffuseColor="0.1 0.4 0.9 1"/></Node>'
  + '<Node name="Floor"><RegularGridTopology name="g" n="2 1 2" min="-2 -0.6 -2" max="2 -0.6 2"/><OglModel src="@g" color="0.8 0.4 0.3 1"/></Node>';
test('a cube of pictures in a mirror, before the picture of a background', () => same(join(ROOT, 'scenes', 'mirror.scn')));
test('the picture of a background in its own size, with what is seen through', () => same(scene('wall', `<Node gravity="0 -9.81 0"><BackgroundSetting color="0.9 0.8 0.7 1" image="checks.png"/><Node name="A"><RegularGridTopology name="g" n="2 2 2" min="-1 -1 -1" max="1 1 1"/><OglModel src="@g" color="0.2 0.5 0.9 0.5"/></Node></Node>`)));
test('drops of a liquid as one surface', () => same(scene('liquid', `<Node gravity="0 -9.81 0">${drops}</Node>`)));
const vessel = '<Node><MeshTopology position="-1 0 0  1 0 0  1.5 0.5 0" edges="0 1  1 2"/><VesselNetwork radius="0.1" thickness="0.01" cellLength="0.1" sides="24" absorption="12" restPressure="0" inflow="0.02" contrastInflow="0.5" resistance="0"/></Node>';
test('X-rays through a ball and contrast agent', () => same(scene('contrast', `<Node dt="0.5"><DefaultAnimationLoop/>${vessel}<VisualPointCloud drawMode="Sphere" position="0 0.5 0" sphereRadius="0.6"/></Node>`), { xray: 0.8, steps: 6 }));
