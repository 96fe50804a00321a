// The hands of a procedure as buttons, for who has no keys or does not know them: held as keys are, lit where the way goes on.
import { html, nothing } from 'lit';
import { Vector3 } from 'three';
import type { Session } from '../session.ts';
import { page } from './part.ts';

const SIDES = ['right', 'left', 'up', 'down', 'front', 'back'];      // in the order of the keys: x, y, z of the scene
const ORDER = [1, 0, 2, 3, 5, 4], ARROWS = ['→', '←', '↑', '↓', '↙', '↗'];

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

export class Keys {
  private held = new Set<string>();

  constructor(private session: Session, private letters: () => string) {
    // those who have not clicked on the picture: no page of the browser opens instead
    window.addEventListener('keydown', (e) => this.key(e, true), true);
    window.addEventListener('keyup', (e) => this.key(e, false), true);
    window.addEventListener('blur', () => { for (const k of [...this.held]) this.press(k, false); });
  }

  press(key: string, down: boolean) {
    if (down === this.held.has(key)) return;
    if (down) this.held.add(key); else this.held.delete(key);
    this.session.keyEvent(key.codePointAt(0)!, down);
    if (down) this.start();
  }

  private start() { if (!this.session.status.animating && this.session.editor) this.session.animate(true); }

  private key(e: KeyboardEvent, down: boolean) {
    const key = e.key.toUpperCase(), target = e.composedPath()[0] as HTMLElement;
    if (key.length !== 1 || !this.letters().includes(key) || e.shiftKey || e.altKey || e.metaKey) return;
    if (!down) { if (this.held.has(key)) this.press(key, false); return; }
    if (!e.ctrlKey || target.closest?.('input, textarea, select, [contenteditable]')) return;
    if (target.closest?.('.picture')) { this.start(); return; }      // it sends the key itself
    e.preventDefault();
    e.stopPropagation();
    this.press(key, true);
  }
}

function button(keys: Keys, key: string, lit: boolean, words: string, title: string, below = '') {
  const hold = (e: Event) => { e.preventDefault(); (e.currentTarget as HTMLElement).focus(); if ('pointerId' in e) (e.currentTarget as HTMLElement).setPointerCapture((e as PointerEvent).pointerId); keys.press(key, true); };
  const leave = () => keys.press(key, false);
  const typed = (e: KeyboardEvent, down: boolean) => { if (e.key === ' ' || e.key === 'Enter') { e.preventDefault(); e.stopPropagation(); keys.press(key, down); } };
  return html`<button class="hold ${lit ? 'lit' : ''}" id="key-${key}" title="${title} (Ctrl + ${key})" @pointerdown=${hold} @pointerup=${leave} @pointercancel=${leave} @lostpointercapture=${leave} @contextmenu=${(e: Event) => e.preventDefault()}
    @keydown=${(e: KeyboardEvent) => typed(e, true)} @keyup=${(e: KeyboardEvent) => typed(e, false)}><span>${words} <kbd>${key}</kbd></span><small>${below || nothing}</small></button>`;
}

export function pad(keys: Keys, get: Get) {
  const list = hands(get), way = numbers(get('way')), led = get('led'), next = get('next');
  if (!list.length) return nothing;
  const sides = (hand: Hand) => ORDER.map((i) => {
    const far = hand.name === led ? (i % 2 ? -1 : 1) * (way[i >> 1] ?? 0) : 0;
    return button(keys, hand.keys[i], far > 0, ARROWS[i], `${hand.name} ${SIDES[i]}`, far > 0 ? long(far) : i > 3 ? SIDES[i] : '');
  });
  return html`<div class="pad" id="procedure-pad">${list.filter((h) => h.keys.length === 6).map((h) => html`<div class="hand ${h.name === led ? 'led' : ''}"><b>${h.name}</b><div class="sides">${sides(h)}</div></div>`)}
    <div class="others">${list.filter((h) => h.keys.length === 1).map((h) => button(keys, h.keys, next === h.keys, h.name, h.name))}</div>
    <div class="about">Hold a button, or Ctrl and its letter</div></div>`;
}

// The mark, over all that lies before it: where the hand is to go.
export class Mark {
  private at: Vector3 | null = null;
  private drawn = false;

  show(get: Get) {
    const [x, y, z] = numbers(get('mark'));
    this.at = get('led') && Number.isFinite(z) ? new Vector3(x, y, z) : null;
    if (!this.drawn && page.stage) { this.drawn = true; page.stage.extras.push(() => { if (this.at) page.stage.overlay.mark(this.at, page.stage.camera.camera); }); }
    page.stage?.redraw(false);
  }
}
