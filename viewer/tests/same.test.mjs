// The page and `divan run --picture` draw one scene alike: picture against picture, with all of the light.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as plain } from 'node:test';
import { DESK, openPage, ROOT, startDivan, stopBrowser } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 120000 }, body), W = 320, H = 240;
const DIVAN = process.env.DIVAN ?? join(ROOT, 'build', 'divan');
let directory;
before(() => { directory = mkdtempSync(join(tmpdir(), 'divan-same-')); copyFileSync(join(ROOT, 'scenes/mesh/checks.png'), join(directory, 'checks.png')); });
after(async () => { await stopBrowser(); rmSync(directory, { recursive: true, force: true }); });

// The share of pixels that differ by more than 30 of 255 in a colour, and the mean difference.
const difference = (page, a, b) => page.evaluate(async ([first, second]) => {
  const pixels = async (text) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
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

async function same(file, { far = 0.02, mean = 4, xray = 0, steps = 0 } = {}) {
  const out = join(directory, 'picture.png');
  const said = execFileSync(DIVAN, ['run', file, '-n', String(steps), '--picture', out, '--size', `${W}x${H}`, ...(xray ? ['--xray', String(xray)] : [])], { encoding: 'utf8', stdio: 'pipe' });
  if (/without OpenGL/.test(said)) { console.log('without OpenGL: left out'); return; }
  const divan = await startDivan(file);
  try {
    const { page, context, problems } = await openPage(divan.address, { ...DESK, bypassCSP: true }, '', 'antialias=1&ratio=1&quality=reduced');      // all of the light only for a small picture: software draws it
    const taken = await page.evaluate(async ([w, h, mu, count]) => {
      const { stage, session } = window.divan;
      if (count) {
        await session.connection.request('step', { count });
        while (session.status.step < count) await new Promise((done) => setTimeout(done, 50));
        await stage.frameAt(session.status.time - 1e-9, 60000);
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
    await context.close();
    assert.deepEqual(problems, [], 'the page reported errors');
    assert.ok(found.far <= far && found.mean <= mean, `${(100 * found.far).toFixed(2)} % of the pixels differ, mean ${found.mean.toFixed(2)}`);
  } finally { await divan.stop(); }
}

const scene = (name, text) => { const file = join(directory, `${name}.scn`); writeFileSync(file, text); return file; };
const cube = '<Node name="A"><RegularGridTopology name="g" n="2 2 2" min="-1 -1 -1" max="1 1 1"/><OglModel src="@g" color="0.9 0.9 0.85 1"/></Node>'
  + '<Node name="F"><RegularGridTopology name="g" n="2 1 2" min="-3 -1.5 -3" max="3 -1.5 3"/><OglModel src="@g" color="0.8 0.85 0.9 1"/></Node>';
const lit = (lights) => `<Node gravity="0 -9.81 0">${lights}${cube}</Node>`;

test('an organ in the studio', () => same(join(ROOT, 'scenes', 'liver.scn')));
test('textures, wet and translucent bodies, a line', () => same(join(ROOT, 'scenes', 'looks.scn')));
test('cells of volumes', () => same(join(ROOT, 'scenes', 'OglVolumetricModel.scn')));
test('a directional light', () => same(scene('far', lit('<LightManager/><DirectionalLight direction="-1 -2 -0.5" color="1 0.9 0.7 1"/>'))));
test('a light at a point', () => same(scene('point', lit('<LightManager ambient="0.1 0.1 0.2 1"/><PositionalLight position="3 4 2" color="0.9 0.9 1 1"/>'))));
test('a spot light and a light without shadows', () => same(scene('spot', lit('<LightManager/><SpotLight position="0 6 3" direction="0 -6 -3" cutoff="16"/><DirectionalLight direction="1 -1 0" color="0.4 0.2 0.2 1" shadowsEnabled="0"/>'))));
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
  const divan = await startDivan(scene('bad', `<Node><OglShader fileVertexShaders="good.vert" fileFragmentShaders="bad.frag"/>${cube}</Node>`));
  try {
    const { page, context } = await openPage(divan.address, { ...DESK, bypassCSP: true }, '', 'antialias=1&ratio=1&quality=reduced');
    await page.waitForFunction(() => window.divan.session.log.some((m) => /does not compile/.test(m.text)));
    const text = await page.evaluate(() => window.divan.session.log.find((m) => /does not compile/.test(m.text)).text);
    assert.match(text, /bad[.]frag/);
    assert.match(text, /0:3/);
    assert.ok(await page.evaluate(() => window.divan.stage.shapes.some((s) => s.object.visible)), 'nothing is drawn');
    await context.close();
  } finally { await divan.stop(); }
});
test('X-rays through three balls', () => same(scene('rays', '<Node><VisualPointCloud drawMode="Sphere" position="-1 0 0  1 0 0  0 0.5 1" sphereRadius="1"/></Node>'), { xray: 0.6 }));
const drops = '<Node name="Water"><RegularGridTopology name="d" n="9 5 9" min="-0.8 -0.4 -0.8" max="0.8 0.4 0.8"/><OglFluidModel position="@d.position" spriteRadius="0.16" spriteDiffuseColor="0.1 0.4 0.9 1"/></Node>'
  + '<Node name="Floor"><RegularGridTopology name="g" n="2 1 2" min="-2 -0.6 -2" max="2 -0.6 2"/><OglModel src="@g" color="0.8 0.4 0.3 1"/></Node>';
test('drops of a liquid as one surface', () => same(scene('liquid', `<Node gravity="0 -9.81 0">${drops}</Node>`)));
const vessel = '<Node><MeshTopology position="-1 0 0  1 0 0  1.5 0.5 0" edges="0 1  1 2"/><VesselNetwork radius="0.1" thickness="0.01" cellLength="0.1" sides="24" absorption="12" restPressure="0" inflow="0.02" contrastInflow="0.5" resistance="0"/></Node>';
test('X-rays through a ball and contrast agent', () => same(scene('contrast', `<Node dt="0.5"><DefaultAnimationLoop/>${vessel}<VisualPointCloud drawMode="Sphere" position="0 0.5 0" sphereRadius="0.6"/></Node>`), { xray: 0.8, steps: 6 }));
