// The arrays of a scene as the frames bring them. Drawables share them: one GPU buffer per array.
import { BufferAttribute, DynamicDrawUsage } from 'three';
import type { Frame } from '../protocol.ts';

export interface Stored {
  data: Float32Array | Uint32Array;
  version: number;               // grows with every change
  attribute: BufferAttribute | null;
}

export class Arrays {
  revision = -1;
  private stored = new Map<number, Stored>();

  // Another revision of the scene replaces all arrays.
  apply(frame: Frame): boolean {
    const fresh = frame.revision !== this.revision;
    if (fresh) { this.stored.clear(); this.revision = frame.revision; }
    for (const { id, data } of frame.chunks) {
      const s = this.stored.get(id);
      if (!s) { this.stored.set(id, { data, version: 1, attribute: null }); continue; }
      if (s.attribute) {
        if (s.data.length === data.length) { s.attribute.array = data; s.attribute.needsUpdate = true; }
        else s.attribute = null;
      }
      s.data = data;
      s.version++;
    }
    return fresh;
  }

  get(id: number | null | undefined): Stored | null {
    return id === null || id === undefined ? null : this.stored.get(id) ?? null;
  }

  // An array with another length gets another attribute: whoever holds the old one asks again.
  attribute(id: number, width: number): BufferAttribute | null {
    const s = this.stored.get(id);
    if (!s) return null;
    if (!s.attribute) {
      s.attribute = new BufferAttribute(s.data, width);
      s.attribute.setUsage(DynamicDrawUsage);
    }
    return s.attribute;
  }

  clear() { this.stored.clear(); this.revision = -1; }
}
