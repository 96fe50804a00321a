// What the page asks of recordings: record, play, jump, go on from a moment, curves, pictures and films to take away.
import type { Session } from '../session.ts';
import type { Stage } from '../view/stage.ts';

export interface Track { path: string; field: string; width: number; count: number; unit?: string }
export interface CurveItem { path: string; field: string; index: number }
export interface Curves { time: number[]; values: (number | null)[][] }

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const wanted = new WeakMap<Session, number>();   // speeds that were chosen and are not in the status yet

export class Player {
  private session: Session;
  constructor(session: Session) { this.session = session; }

  get status() { return this.session.status.player; }
  get recording() { return this.session.status.recording !== undefined; }

  record(on = !this.recording) { return this.session.change('record', { on }); }
  show(frame: number) { return this.session.change('play', { frame }); }
  live() { return this.session.change('play', { on: false }); }

  // Of the recording, without its direction: what was chosen last, though the server may not have said so yet.
  private get pace() {
    const now = Math.abs(this.status?.speed ?? 1), chosen = wanted.get(this.session) ?? now;
    if (chosen === now) wanted.delete(this.session);
    return chosen;
  }

  // Forward with a positive direction, backward with a negative one; again pauses.
  run(direction: 1 | -1) {
    const p = this.status, speed = direction * this.pace, same = p && p.on && p.playing && Math.sign(p.speed) === direction;
    return this.session.change('play', { playing: !same, speed });
  }

  toggle() { return this.run(this.status && this.status.speed < 0 ? -1 : 1); }
  pause() { return this.session.change('play', { playing: false }); }

  step(by: number) {
    const p = this.status;
    return p ? this.show(Math.max(0, Math.min(p.frames - 1, p.frame + by))) : null;
  }

  speed(value: number) {
    const p = this.status;
    wanted.set(this.session, value);
    return this.session.change('play', { speed: (p && p.speed < 0 ? -1 : 1) * value, ...(p?.on ? { playing: p.playing } : {}) });
  }

  loop(on: boolean) { return this.session.change('play', { loop: on }); }
  together(how: 'beside' | 'over') { return this.session.change('play', { together: how }); }

  async resume() {
    const p = this.status;
    if (!p) return;
    const answer = await this.session.change<{ same: boolean }>('resume', { frame: p.frame });
    if (answer) this.session.say('The simulation goes on from here', answer.same ? 'with the very numbers that were recorded' : 'close to what was recorded');
  }

  async save(file: string) {
    const answer = await this.session.change<{ file: string }>('save-recording', { file });
    if (answer) this.session.say(`Recording written to ${answer.file}`);
  }

  async tracks(): Promise<Track[]> {
    try { return (await this.session.connection.request<{ tracks: Track[] }>('tracks')).tracks; } catch { return []; }
  }

  async curves(items: CurveItem[]): Promise<Curves[]> {
    try { return (await this.session.connection.request<{ files: Curves[] }>('curves', { items })).files; } catch (error) { this.session.fail(error); return []; }
  }
}

export const curveName = (item: CurveItem, track?: Track) => `${item.path}.${item.field}${track && track.count === 1 ? '' : `[${item.index}]`}`;

// Rows of all curves; of a second recording its columns stand behind those of the first, at the times of the first.
export function table(items: CurveItem[], files: Curves[], names: string[]): string {
  const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
  const head = ['time', ...files.flatMap((_, f) => items.map((i) => quote(curveName(i) + (files.length > 1 ? ` (${names[f]})` : ''))))];
  const lines = files[0].time.map((t, row) => {
    const cells = files.flatMap((file) => { const at = f64At(file.time, t); return file.values.map((v) => v[file === files[0] ? row : at] ?? ''); });
    return [t, ...cells].join(',');
  });
  return [head.join(','), ...lines].join('\n') + '\n';
}

// The last of rising times that is not later; the first when all are.
function f64At(times: number[], t: number): number {
  let low = 0, high = times.length;
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= t + 1e-12 * Math.abs(t)) low = middle + 1; else high = middle; }
  return Math.max(0, low - 1);
}

// Both curves over the times of the first recording.
export function aligned(files: Curves[]): (number | null)[][] {
  const first = files[0];
  return [first.time, ...first.values, ...files.slice(1).flatMap((f) => f.values.map((v) => first.time.map((t) => v[f64At(f.time, t)] ?? null)))];
}

// Plays the recording once from its first frame and films the picture as it is drawn.
export async function film(session: Session, stage: Stage, player: Player): Promise<Blob> {
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((t) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(t));
  if (!type) throw new Error('this browser makes no films');
  await player.show(0);
  const canvas = stage.overlay.element.parentElement!.querySelector<HTMLCanvasElement>('canvas.gl')!;
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: type, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => { if (e.data.size) parts.push(e.data); };
  const ended = new Promise<void>((done) => { recorder.onstop = () => done(); });
  const over = new Promise<void>((done) => {
    let began = false;
    const leave = session.on(['status', 'connection'], () => {
      const p = player.status;
      if (p?.playing) began = true;
      if (!p || !p.on || !session.connection.open || (began && !p.playing) || (!p.playing && p.frame === p.frames - 1)) { leave(); done(); }
    });
  });
  recorder.start();
  await session.change('play', { playing: true, loop: false, speed: Math.abs(player.status?.speed ?? 1) });
  await over;
  // a short film may be over before the encoder has begun: its last picture is drawn until something has come
  for (let i = 0; i < 300 && (i < 3 || !parts.length); i++) {
    stage.redraw(true);
    await new Promise((done) => requestAnimationFrame(done));
    recorder.requestData();
  }
  recorder.stop();
  await ended;
  if (!parts.length) throw new Error('the browser has made no film');
  return new Blob(parts, { type: 'video/webm' });
}
