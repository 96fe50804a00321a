// A procedure on the screen, with the real program: what is to be done, hints, warnings, the score, and the report at the end.
import assert from 'node:assert/strict';
import { after, before, describe, test as plain } from 'node:test';
import { comes, DESK, FAST, PHONE, openPage, settled, startBrowser, startDivan, stopBrowser, until } from './browser.mjs';

const test = (name, body) => plain(name, { timeout: 400000 }, body);
// what is written there, as soon as it is
const says = (page, id, words) => comes(() => page.locator(`#${id}`).textContent(), (text) => words.test(text), `${id} does not say ${words}`);
after(stopBrowser);

describe('a procedure', () => {
  let divan;
  before(async () => { divan = await startDivan('anatomy/resection/scene.scn'); });
  after(async () => { await divan?.stop(); });

  test('leads through its steps and reports at the end', async () => {
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor();
    await says(page, 'procedure', /Resection of a segment/);
    await says(page, 'procedure-now', /Step 1 of 4: Grasp the segment/);
    await says(page, 'procedure-hint', /Lead the steel grasper into the left end of the liver/);
    await says(page, 'procedure', /Show me \(Space\)/);
    await says(page, 'procedure-values', /remaining \(ml\): 1273/);
    await says(page, 'procedure-score', /^100$/);
    assert.equal(await page.locator('#procedure-report').count(), 0);
    assert.equal(await page.locator('#procedure-undo').count(), 0);
    await until(page, () => window.divan.session.editor);
    const high = async () => (await page.locator('#procedure').boundingBox()).height, first = await high();
    await page.evaluate(() => {
      const { session, stage } = window.divan, drawn = stage.onDrawn;
      window.blank = 0;      // pictures without the liver: it is cut while they are drawn
      stage.onDrawn = (time) => { drawn?.(time); if (!stage.shapes.some((s) => s.object.visible && s.info.path.startsWith('/Body/liver'))) window.blank++; };
      session.step(330);
    });
    await page.locator('#procedure-now', { hasText: 'Step 3 of 4' }).waitFor({ timeout: 180000 });
    // a stroke of the cautery can be undone
    await page.waitForFunction(() => window.divan.session.status.undo > 0 && window.divan.session.status.step === 330, null, { timeout: 180000 });
    assert.equal(await page.evaluate(() => window.blank), 0, 'the liver is there while it is cut');
    // less is said in some steps than in others: the picture and the buttons do not jump
    assert.ok(await high() >= first, `the card was ${first} high, and is ${await high()}`);
    assert.equal(await page.evaluate(() => { const { stage } = window.divan, before = stage.frames; stage.resize(stage.width, stage.height - 9, stage.ratio); return stage.frames - before; }), 1, 'a picture of another size is drawn at once, not empty until the next frame');
    await page.locator('#procedure-undo').click();
    await page.locator('#procedure-now', { hasText: 'Step 2 of 4' }).waitFor({ timeout: 30000 });
    const second = await high();
    await page.evaluate(() => window.divan.session.step(1300));
    await page.locator('#procedure-report').waitFor({ timeout: 200000 });
    await says(page, 'procedure-now', /Done\. Score: \d/);
    await says(page, 'procedure-values', /resected \(ml\): 33\d/);
    await says(page, 'procedure-report', /4\. Take the segment away: done at/);
    await says(page, 'procedure-report', /score \d/);
    assert.ok(await high() >= second, `the card was ${second} high, and is ${await high()} at the end`);
    const saved = page.waitForEvent('download');
    await page.locator('#procedure-save').click();
    assert.equal((await saved).suggestedFilename(), 'report.txt');
    await page.evaluate(() => window.divan.session.reset());
    await page.locator('#procedure-now', { hasText: 'Step 1 of 4' }).waitFor();
    await context.close();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('fits on a telephone, and covers nothing of the picture', async () => {
    const { page, context } = await openPage(divan.address, PHONE);
    await page.locator('#procedure').waitFor();
    await until(page, () => !window.divan.session.settings.panel);
    await settled(page);
    const box = await page.locator('#procedure').boundingBox(), picture = await page.locator('.picture').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `from ${box.x} to ${box.x + box.width}`);
    assert.ok(picture.y + picture.height <= box.y + 1, `the picture ends at ${picture.y + picture.height}, the card begins at ${box.y}`);
    assert.ok(picture.height > 250, `the picture is ${picture.height} high`);
    for (const key of 'DARFCELJIKOUBG') {
      const { width, height } = await page.locator(`#key-${key}`).boundingBox();
      assert.ok(width >= 44 && height >= 44, `${key} is ${width} by ${height}`);
    }
    // a small one, upright and on its side: the picture and all buttons are there, and none covers what is said
    for (const [width, height] of [[360, 640], [844, 390]]) {
      await page.setViewportSize({ width, height });
      await settled(page);
      const picture = await page.locator('.picture').boundingBox(), words = await page.locator('#procedure .words').boundingBox();
      assert.ok(picture.height > 200 && picture.width > 300, `${width} x ${height}: the picture is ${picture.width} by ${picture.height}`);
      assert.ok(words.width > 300 && words.height > 60, `${width} x ${height}: what is said has ${words.width} by ${words.height}`);
      const below = await page.locator('#procedure-pad').boundingBox(), last = await page.locator('#key-G').boundingBox();
      assert.ok(words.y + words.height <= below.y + 1, `${width} x ${height}: the words end at ${words.y + words.height}, the buttons begin at ${below.y}`);
      assert.ok(last.x + last.width <= width && last.y + last.height <= height, `${width} x ${height}: the last button ends at ${last.y + last.height}`);
    }
    await context.close();
  });
});

describe('the buttons of a procedure', () => {
  // who sees nothing but what is lit, with the mouse
  test('that are lit lead the grasper to the liver', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('.hold.lit').first().waitFor();
    await until(page, () => window.divan.session.editor);
    const hold = async (key, released) => {
      const { x, y, width, height } = await page.locator(`#key-${key}`).boundingBox();
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      await released();
      await page.mouse.up();
    };
    const later = async (seconds) => { const from = await page.evaluate(() => window.divan.session.status.time); await until(page, (t) => window.divan.session.status.time > t, from + seconds); };
    // held much longer than it takes: each stops where it led to. The liver sinks meanwhile, so that one may be lit again.
    const opposite = Object.fromEntries(['LJ', 'IK', 'OU'].flatMap(([a, b]) => [[a, b], [b, a]]));
    const next = async () => (await page.locator('.hold.lit').first().getAttribute('id')).slice(-1);
    let holds = 0;
    for (let key; (key = await next()) !== 'G'; holds++) {
      assert.ok(holds < 12, `${key} is lit after ${holds} buttons that were held until they went out`);
      await hold(key, async () => { await page.locator(`#key-${key}:not(.lit)`).waitFor(); await later(0.5); });
      assert.equal(await page.locator(`#key-${opposite[key]}.lit`).count(), 0, `${key} has led too far`);
    }
    assert.ok(holds >= 3, `${holds} buttons were lit`);
    assert.equal(await page.locator('.hold.lit').count(), 1);
    await hold('G', () => page.locator('#procedure-now', { hasText: 'Step 2 of 4' }).waitFor());
    // the button that was held has no use for Space
    await page.keyboard.press('Space');
    await says(page, 'procedure-start', /Go on \(Space\)/);
    assert.equal(await page.evaluate(() => window.divan.session.status.animating), false);
    const watcher = await openPage(divan.address, DESK);
    await watcher.page.locator('#procedure-edit').waitFor();
    assert.equal(await watcher.page.locator('#watching').count(), 0, 'the card says it: nothing covers the picture');
    await watcher.page.locator('#key-L').waitFor();
    assert.equal(await watcher.page.locator('.hold:not([disabled]), #procedure .solid:not([disabled]):not(#procedure-edit)').count(), 0, 'who watches has nothing to press but a button to take over');
    await watcher.context.close();
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  // a telephone far away: what comes, comes late
  test('lead no farther than the mark where the answers are late', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const context = await (await startBrowser()).newContext(DESK), page = await context.newPage();
    await page.addInitScript(() => { window.WebSocket = class extends WebSocket { set onmessage(take) { super.onmessage = (e) => setTimeout(() => take(e), 700); } }; });
    await page.goto(`${divan.address}?${FAST}`);
    await until(page, () => window.divan?.session?.editor);
    for (const [key, back] of ['LJ', 'IK']) {
      await page.locator(`#key-${key}.lit`).hover();
      const from = await page.evaluate(() => window.divan.session.status.time);
      await page.mouse.down();
      await until(page, (t) => window.divan.session.status.time > t, from + 5);
      await page.mouse.up();
      assert.equal(await page.locator(`#key-${key}.lit, #key-${back}.lit`).count(), 0, `${key} does not end at the mark`);
    }
    await context.close();
    await divan.stop();
  });

  // one pointer can hold one button: it leads along all axes
  test('of one press lead straight to the mark', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context, problems } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.editor);
    await page.locator('#procedure-lead.lit', { hasText: 'grasper to the mark' }).hover();
    const edge = await page.locator('#key-G').boundingBox(), card = await page.locator('#procedure').boundingBox();
    assert.ok(edge.x + edge.width <= card.x + card.width, 'the buttons beside it stay within the card');
    await page.mouse.down();
    await page.locator('#key-G.lit').waitFor();
    await page.mouse.up();
    assert.equal(await page.locator('.hold.lit').count(), 1, 'the hand is at the mark, on every axis');
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('have keys, also where the picture was not clicked', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await page.locator('#key-U').waitFor();
    await until(page, () => window.divan.session.editor);
    const back = () => page.locator('#key-U small').textContent();
    const before = parseFloat(await back());
    await page.keyboard.down('Control');
    await page.keyboard.down('u');
    await comes(back, (t) => !(parseFloat(t) > before - 10), 'the grasper does not go to the back');
    await page.keyboard.up('u');
    await page.keyboard.up('Control');
    assert.equal(await page.evaluate(() => window.divan.session.status.animating), true);
    await context.close();
    await divan.stop();
  });
});

describe('the other procedures', () => {
  for (const [scene, title, now, hint] of [
    ['anatomy/liver/scene.scn', /Lift the edge of the liver/, /Step 1 of 4: Grasp the lower edge/, /to the yellow mark at the edge/],
    ['anatomy/abdomen/scene.scn', /Show the gall bladder/, /Step 1 of 5: Look at the gall bladder/, /Lead the tip of the black laparoscope/],
    ['anatomy/cataract/scene.scn', /Capsulorhexis/, /Step 1 of 5: Pierce the capsule/, /Lead the tip of the needle/],
    ['anatomy/resection/grid.scn', /Resection of a segment with a wire/, /Step 1 of 3: Grasp the segment/, /yellow mark/]]) {
    test(`${scene} says what to do`, async () => {
      const divan = await startDivan(scene);
      const { page, context, problems } = await openPage(divan.address, DESK);
      await page.locator('#procedure').waitFor({ timeout: 60000 });
      await says(page, 'procedure', title);
      await says(page, 'procedure-now', now);
      await says(page, 'procedure-hint', hint);
      await context.close();
      await divan.stop();
      assert.deepEqual(problems, [], 'the page reported errors');
    });
  }
});

describe('what a stranger sees of a procedure', () => {
  const covered = (page) => page.evaluate(() => {
    const { stage } = window.divan, at = stage.project(stage.mark.toArray()), [x, y, w, h] = stage.insets[0];
    return at.x > x && at.x < x + w && stage.height - at.y > y && stage.height - at.y < y + h;
  });
  // the mark where a point of the picture is (-1 to 1)
  const markAt = async (page, x, y) => {
    await page.evaluate(([u, v]) => { const { stage } = window.divan, { origin, direction } = stage.camera.ray(u, v); stage.mark.copy(origin).addScaledVector(direction, 0.3); }, [x, y]);
    await settled(page);
  };

  test('is the patient and the card, the panel when it is asked for, and that is remembered', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context, problems } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor();
    await until(page, () => window.divan.session.editor);
    assert.equal(await page.locator('aside.panel').count(), 0, 'the panel is closed');
    await page.getByRole('button', { name: 'Panel', exact: true }).click();
    await page.locator('aside.panel').waitFor();
    await page.reload();
    await page.locator('#procedure').waitFor();
    await page.locator('aside.panel').waitFor();
    await page.getByRole('button', { name: 'Panel', exact: true }).click();
    await page.locator('aside.panel').waitFor({ state: 'detached' });
    await until(page, () => window.divan.session.editor);
    await page.evaluate(() => window.divan.session.drop('plain.scn', '<Node><MechanicalObject position="0 0 0"/></Node>'));
    await page.locator('#procedure').waitFor({ state: 'detached' });
    await page.locator('aside.panel').waitFor();
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('is a mark that no inset covers, and an arrow where the mark is beside the picture', async () => {
    const divan = await startDivan('anatomy/abdomen/scene.scn');
    const { page, context, problems } = await openPage(divan.address, { ...PHONE, viewport: { width: 360, height: 740 } });
    await until(page, () => window.divan.stage.mark && window.divan.stage.insets.length === 1);
    await settled(page);
    assert.equal(await covered(page), false, 'of the first step');
    const home = await page.evaluate(() => { const { stage } = window.divan, [x, y, w, h] = stage.insets[0]; return { x: 2 * (x + w / 2) / stage.width - 1, y: 2 * (y + h / 2) / stage.height - 1, share: (w * h) / (stage.width * stage.height), insets: [...stage.insets[0]] }; });
    assert.ok(home.share <= 0.161, `the inset takes ${home.share} of the picture`);
    await markAt(page, home.x, home.y);
    assert.equal(await covered(page), false, 'beneath its own place');
    assert.notDeepEqual(await page.evaluate(() => [...window.divan.stage.insets[0]]), home.insets);
    await markAt(page, -0.9, 0.9);
    assert.deepEqual(await page.evaluate(() => [...window.divan.stage.insets[0]]), home.insets, 'it comes back');
    const drawnAs = await page.evaluate(async () => {
      const { overlay } = window.divan.stage, seen = [], arrow = overlay.arrow;
      overlay.arrow = (...at) => { seen.push(at); arrow.apply(overlay, at); };
      return new Promise((done) => { window.divan.seenArrows = seen; done(seen.length); });
    });
    assert.equal(drawnAs, 0);
    await markAt(page, 1.6, 0);
    const [x, y, turn] = await page.evaluate(() => window.divan.seenArrows.at(-1));
    const width = await page.evaluate(() => window.divan.stage.width);
    assert.ok(x > width - 20 && x < width && y > 0 && Math.abs(turn) < 0.3, `an arrow at ${x}, ${y}, turned by ${turn}`);
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });

  test('is who moves the hands, and that the button to the mark goes out when another hand is next', async () => {
    const divan = await startDivan('anatomy/abdomen/scene.scn');
    const { page, context, problems } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.editor);
    await says(page, 'procedure-about', /Hold what is yellow/);
    await page.locator('#procedure-start').click();
    await says(page, 'procedure-about', /Recorded hands show it/);
    const watcher = await openPage(divan.address, DESK);
    await says(watcher.page, 'procedure-about', /You are watching/);
    await watcher.page.locator('#procedure-edit').click();
    await until(watcher.page, () => /another viewer edits/.test(window.divan.session.toast?.text ?? ''));
    await watcher.context.close();
    await page.locator('#procedure-anew').click();
    await until(page, () => window.divan.session.status.time < 0.5);
    await page.locator('#procedure-lead.lit', { hasText: 'laparoscope' }).hover();
    await page.mouse.down();
    await page.locator('#procedure-lead:not(.lit)', { hasText: 'grasper' }).waitFor();
    await says(page, 'procedure-about', /Hold what is yellow/);
    await page.mouse.up();
    await page.locator('#procedure-lead.lit', { hasText: 'grasper' }).waitFor();
    await says(page, 'key-G', /close the jaws/);
    await page.locator('#key-G').click();
    await says(page, 'key-G', /open the jaws/);
    await context.close();
    await divan.stop();
    assert.deepEqual(problems, [], 'the page reported errors');
  });
});

describe('a connection that is lost', () => {
  test('leaves the card where it is, lets the hand rest, and comes back', async () => {
    const divan = await startDivan('anatomy/liver/scene.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.editor);
    await page.locator('#key-L small', { hasText: 'mm' }).waitFor();
    const far = async () => parseFloat(await page.locator('#key-L small').textContent()), before = await far();
    await page.locator('#key-J').hover();
    await page.mouse.down();
    await comes(far, (mm) => mm > before + 5, 'the grasper does not go to the left');
    divan.child.kill('SIGSTOP');      // it does not answer, so that the connection is first being closed, then lost
    await page.evaluate(() => {      // gone, until it is let in again
      const { connection } = window.divan.session, connect = connection.connect;
      connection.connect = () => {};
      window.back = () => { connection.connect = connect; connection.connect(); };
      connection.socket.close();
    });
    await page.evaluate(() => new Promise((done) => { window.divan.session.notify('status'); setTimeout(done, 500); }));
    await says(page, 'procedure-about', /Connection lost/);
    divan.child.kill('SIGCONT');
    assert.equal(await page.locator('.hold:not([disabled])').count(), 0, 'there is nothing to press');
    await page.mouse.up();
    await page.evaluate(() => window.back());
    await until(page, () => window.divan.session.editor);
    await says(page, 'procedure-about', /Hold what is yellow/);
    const rests = await far(), time = await page.evaluate(() => window.divan.session.status.time);
    await until(page, (t) => window.divan.session.status.time > t, time + 1);
    assert.ok(Math.abs(await far() - rests) < 1.5, `the grasper goes on from ${rests} to ${await far()} mm`);
    await page.locator('#procedure-lead.lit').waitFor();
    await context.close();
    await divan.stop();
  });
});

describe('a procedure that fails', () => {
  test('says why', async () => {
    const divan = await startDivan('anatomy/cataract/wrong.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await page.locator('#procedure').waitFor({ timeout: 60000 });
    await until(page, () => window.divan.session.editor);
    await page.evaluate(() => window.divan.session.step(420));
    await page.locator('#procedure-now', { hasText: 'Failed: The tear has run out' }).waitFor({ timeout: 300000 });
    await says(page, 'procedure-report', /failed at \d.*: The tear has run out/);
    await context.close();
    await divan.stop();
  });
});

describe('a scene without one', () => {
  test('has no card', async () => {
    const divan = await startDivan('liver.scn');
    const { page, context } = await openPage(divan.address, DESK);
    await until(page, () => window.divan.session.graph && window.divan.session.status.ready);
    await settled(page);
    assert.equal(await page.locator('#procedure').count(), 0);
    await context.close();
    await divan.stop();
  });
});
