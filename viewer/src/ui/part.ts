// A part of the page: renders again when one of its topics was touched.
import { LitElement } from 'lit';
import type { Modeler } from '../modeler.ts';
import type { Session } from '../session.ts';
import type { Topic } from '../topics.ts';
import type { Stage } from '../view/stage.ts';
import type { Touch } from '../view/touch.ts';
import { shared } from './styles.ts';

// The one session of the page and its picture; the app makes them before any part is rendered.
export const page: { session: Session; stage: Stage; touch: Touch; modeler: Modeler } = {} as any;

export abstract class Part extends LitElement {
  static override styles = [shared];
  protected topics: Topic[] = [];
  private leave: (() => void) | null = null;

  protected get session() { return page.session; }
  protected get stage() { return page.stage; }
  protected get modeler() { return page.modeler; }

  override connectedCallback() {
    super.connectedCallback();
    this.leave = this.session.on(this.topics, () => this.requestUpdate());
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.leave?.();
  }

  protected find<T extends Element>(selector: string): T { return this.renderRoot.querySelector(selector) as T; }

  // keys of a menu: up and down go round, Escape and Tab close it
  protected walkMenu(e: KeyboardEvent, close: () => void) {
    const items = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button:not(:disabled)')];
    const i = items.indexOf((this.renderRoot as ShadowRoot).activeElement as HTMLElement);
    if (e.key === 'Escape' || e.key === 'Tab') close();
    else if (e.key === 'ArrowDown') items[(i + 1) % items.length].focus();
    else if (e.key === 'ArrowUp') items[(i + items.length - 1) % items.length].focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}

export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2));
  return String(Number(value.toPrecision(digits)));
}

export function download(name: string, content: Blob | string, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function baseName(session: Session): string {
  return (session.hello?.scene ?? 'scene').split('/').pop()!.replace(/\.[^.]*$/, '') || 'scene';
}
