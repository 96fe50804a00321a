// The hands of a procedure as buttons, for who has no keys or does not know them: held as keys are, lit where the way goes on.
import { html, nothing } from 'lit';
import { Vector3 } from 'three';
import type { Session } from '../session.ts';
import { page } from './part.ts';

const SIDES = ['right', 'left', 'up', 'down', 'front', 'back'];      // in the order of the keys: x, y, z of the scene
const ORDER = [1, 0, 2, 3, 5, 4], ARROWS = ['→', '←', '↑', '↓', '↙', '↗'];

const NOWHERE = 1e-9;      // m
const REST = 0.1;      // s of the scene's time in which a hand has not moved

type Get = (name: string) => string;

export interface Hand { keys: string; name: string }

export function hands(get: Get): Hand[] {
  return get('buttons').split('\n').filter(Boolean).map((line) => ({ keys: line.slice(0, line.indexOf(' ')), name: line.slice(line.indexOf(' ') + 1) }));
}

const numbers = (text: string) => text.split(/\s+/).filter(Boolean).map(Number);

function long(metres: number) {
  const mm = Math.abs(metres) * 1000;
  return `${mm < 10 ? mm.toFixed(1) : mm.toFixed(0)} mm`;
}

// How far a key leads towards the mark (m), 0 when it leads elsewhere.
export function far(get: Get, key: string): number {
  const i = hands(get).find((h) => h.name === get('led') && h.keys.length === 6)?.keys.indexOf(key) ?? -1;
  return i < 0 ? 0 : Math.max(0, (i % 2 ? -1 : 1) * (numbers(get('way'))[i >> 1] ?? 0));
}

export class Keys {
  private held = new Map<string, { way: number; time: number; asked: boolean }>();      // the way that is left, and when; asked for since it was sent
  spent = false;             // the button that leads to the mark has done so and is still held
  used = false;              // a key was pressed here since the procedure began
  private towards = '';      // hand that goes to the mark by all of its keys

  // what the procedure says, and whether it goes on
  constructor(private session: Session, private get: Get, private on: () => boolean, private changed: () => void) {
    // those who have not clicked on the picture: no page of the browser opens instead
    window.addEventListener('keydown', (e) => this.key(e, true), true);
    window.addEventListener('keyup', (e) => this.key(e, false), true);
    window.addEventListener('blur', () => this.leave());
  }

  press(key: string, down: boolean) {
    if (down === this.held.has(key)) return;
    this.takeHands();
    if (down) this.send(key, far(this.get, key)); else { this.held.delete(key); this.session.keyEvent(key.codePointAt(0)!, false); }
    if (down) this.start();
  }

  // Whoever presses anything has all the hands: recorded ones go on no more. A hand is taken by a key that leads it nowhere.
  private takeHands() {
    if (this.used) return;
    this.used = true;
    for (const { keys } of hands(this.get)) {
      if (keys.length !== 6) continue;
      this.session.keyEvent(keys.codePointAt(0)!, true, NOWHERE);
      this.session.keyEvent(keys.codePointAt(0)!, false);
    }
  }

  // The hand straight to the mark, all keys that are lit at once, until it is another's turn: then the button goes out until it is
  // pressed again.
  lead(down: boolean) {
    this.leave();
    if (down) this.takeHands();
    if (this.spent) { this.spent = false; this.changed(); }
    this.towards = down ? this.get('led') : '';
    this.followMark();
  }

  leave() {
    this.towards = '';
    for (const k of [...this.held.keys()]) this.press(k, false);
  }

  get holds() { return this.held.size > 0; }

  // What is asked for from now on tells where the keys have led.
  asks() { for (const last of this.held.values()) last.asked = true; }

  // The mark has gone on while a key was held: so does the hand, once it rests where the key has led it. What was asked for before
  // the key was pressed does not tell.
  goOn() {
    this.followMark();
    const { time } = this.session.status;
    for (const [key, last] of this.held) {
      if (!last.asked) continue;
      const way = far(this.get, key), rests = Math.abs(way - last.way) <= 0.01 * way;
      if (rests && time < last.time + REST) continue;
      if (rests && way > 0) this.send(key, way); else this.held.set(key, { way, time, asked: true });
    }
  }

  private send(key: string, way: number) {
    this.session.keyEvent(key.codePointAt(0)!, true, way);
    this.held.set(key, { way: NaN, time: 0, asked: false });
  }

  private followMark() {
    if (!this.towards) return;
    if (this.towards !== this.get('led')) { this.leave(); this.spent = true; this.changed(); return; }
    for (const key of hands(this.get).find((h) => h.name === this.towards)?.keys ?? '') this.press(key, far(this.get, key) > 0);
  }

  private start() { if (!this.session.status.animating && this.session.editor) this.session.animate(true); }

  private key(e: KeyboardEvent, down: boolean) {
    const key = e.key.toUpperCase(), target = e.composedPath()[0] as HTMLElement;
    if (key.length !== 1 || !(this.on() && hands(this.get).some((h) => h.keys.includes(key))) || e.shiftKey || e.altKey || e.metaKey) return;
    const ours = down ? e.ctrlKey && !target.closest?.('input, textarea, select, [contenteditable]') : this.held.has(key);
    if (!ours) return;
    e.preventDefault();
    e.stopPropagation();      // the picture would send it, too
    this.press(key, down);
  }
}

interface Press { id: string; lit: boolean; title: string; use: (down: boolean) => void; off?: boolean }

function button({ id, lit, title, use, off }: Press, words: string, letters = '', below = '') {
  // a finger or the mouse does not give it the focus: Space stays with the scene
  const hold = (e: PointerEvent) => { e.preventDefault(); (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId); use(true); };
  const leave = () => use(false);
  const typed = (e: KeyboardEvent, down: boolean) => { if (e.key === ' ' || e.key === 'Enter') { e.preventDefault(); e.stopPropagation(); if (!e.repeat) use(down); } };
  return html`<button class="hold ${lit ? 'lit' : ''}" id=${id} title=${title} ?disabled=${off || !page.session.editor} @pointerdown=${hold} @pointerup=${leave} @pointercancel=${leave} @lostpointercapture=${leave} @contextmenu=${(e: Event) => e.preventDefault()}
    @keydown=${(e: KeyboardEvent) => typed(e, true)} @keyup=${(e: KeyboardEvent) => typed(e, false)}><span>${words} <kbd>${letters}</kbd></span><small>${below || nothing}</small></button>`;
}

function about(shown: boolean) {
  const s = page.session;
  if (!s.connection.open) return html`<b>Connection lost.</b> Trying again…`;
  if (!s.editor) return html`<b>You are watching.</b> <button id="procedure-edit" class="solid small" @click=${() => s.edit()}>Take over</button>`;
  if (shown) return html`<b>Recorded hands show it.</b> Any button takes over`;
  return html`Hold what is yellow until it goes out<kbd>, by the mouse or by Ctrl and its letter</kbd>`;
}

export function pad(keys: Keys, get: Get, shown: boolean) {
  const list = hands(get), led = get('led'), next = get('next');
  if (!list.length) return nothing;
  const one = (key: string, lit: boolean, what: string): Press => ({ id: `key-${key}`, lit, title: `${what} (Ctrl + ${key})`, use: (down) => keys.press(key, down) });
  const sides = (hand: Hand) => ORDER.map((i) => {
    const key = hand.keys[i], way = far(get, key);
    return button(one(key, way > 0, `${hand.name} ${SIDES[i]}`), ARROWS[i], key, way > 0 ? long(way) : i > 3 ? SIDES[i] : '');
  });
  const moves = list.filter((h) => h.keys.length === 6), leads = moves.some((h) => [...h.keys].some((k) => far(get, k) > 0));
  return html`<div class="pad" id="procedure-pad"><div class="about" id="procedure-about">${about(shown)}</div>${moves.map((h) => html`<div class="hand ${h.name === led ? 'led' : ''}"><b>${h.name}<kbd>Ctrl +</kbd></b><div class="sides">${sides(h)}</div></div>`)}
    <div class="others">${moves.length ? button({ id: 'procedure-lead', lit: leads && !keys.spent, title: 'all that lead there at once', use: (down) => keys.lead(down), off: !led }, `${led || 'straight'} to the mark`) : nothing}
      ${list.filter((h) => h.keys.length === 1).map((h) => button(one(h.keys, next === h.keys, h.name), h.name, `Ctrl + ${h.keys}`))}</div></div>`;
}

// The mark, over all that lies before it: where the hand is to go.
export class Mark {
  private at: Vector3 | null = null;
  private drawn = false;

  show(get: Get) {
    const [x, y, z] = numbers(get('mark'));
    this.at = get('led') && Number.isFinite(z) ? new Vector3(x, y, z) : null;
    if (page.stage) page.stage.mark = this.at;
    if (!this.drawn && page.stage) { this.drawn = true; page.stage.extras.push(() => { if (this.at) page.stage.overlay.mark(this.at, page.stage.camera.camera); }); }
    page.stage?.redraw(false);
  }
}
