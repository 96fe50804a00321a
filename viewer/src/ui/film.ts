// A film as numbered pictures in one tar file: the simulation makes a step for each, so no picture is lost.
import type { Session } from '../session.ts';
import type { Stage } from '../view/stage.ts';

function tarHeader(name: string, size: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(512), text = new TextEncoder();
  const put = (s: string, at: number) => block.set(text.encode(s), at);
  put(name, 0);
  put('0000644\0', 100); put('0000000\0', 108); put('0000000\0', 116);
  put(size.toString(8).padStart(11, '0') + '\0', 124);
  put('00000000000\0', 136);
  put('        ', 148);
  put('0', 156);
  put('ustar\0', 257); put('00', 263);
  let sum = 0;
  for (const b of block) sum += b;
  put(sum.toString(8).padStart(6, '0') + '\0 ', 148);
  return block;
}

export function tar(files: { name: string; data: Blob }[]): Blob {
  const parts: BlobPart[] = [];
  for (const { name, data } of files) {
    parts.push(tarHeader(name, data.size), data);
    if (data.size % 512) parts.push(new Uint8Array(512 - (data.size % 512)));
  }
  parts.push(new Uint8Array(1024));
  return new Blob(parts, { type: 'application/x-tar' });
}

export class Film {
  done = 0;
  running = false;
  private stop = false;

  cancel() { this.stop = true; }

  async make(session: Session, stage: Stage, frames: number, steps: number, progress: () => void): Promise<Blob | null> {
    const { pictureWidth: width, pictureHeight: height } = session.settings;
    const files: { name: string; data: Blob }[] = [];
    this.running = true; this.stop = false; this.done = 0;
    try {
      if (session.status.animating) await session.animate(false);
      for (let i = 0; i < frames && !this.stop; i++) {
        files.push({ name: `${String(i).padStart(5, '0')}.png`, data: await stage.picture(width, height) });
        this.done = i + 1;
        progress();
        if (i + 1 === frames) break;
        const until = stage.time + (steps - 0.5) * session.status.dt;
        if (!await session.step(steps)) break;
        await stage.frameAt(until);
      }
    } catch (error) { session.fail(error); } finally { this.running = false; progress(); }
    return files.length ? tar(files) : null;
  }
}
