// What all shapes share: the look of the picture, the class, helpers.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, MeshPhongMaterial, Object3D, RepeatWrapping, SRGBColorSpace, TextureLoader, type Texture } from 'three';
import type { Drawable, Given, Material } from '../protocol.ts';
import { Arrays } from './arrays.ts';
import type { Program } from './program.ts';

export interface Look {
  wireframe: boolean; normals: boolean; smooth: boolean;
  pointSize: number; arrowScale: number; pixelRatio: number;
  colourMap: string;
  diagonal: number;             // of the scene's box
  accent: Color;
  pixel: { perspective: boolean; size: number };   // of a pixel, in metres: at a distance of 1 m, or anywhere
  selected: (path: string) => boolean;
  opacity: (path: string) => number;
  range: (shape: Shape, low: number, high: number) => [number, number];
  loaded: () => void;           // a texture arrived: draw again
  program: (shader: number, material: Material) => Program | null;   // of the scene; null: it cannot be used
  attributes: (shader: number) => Given[];
}

export const MOST_INSTANCES = 100000;

export abstract class Shape {
  readonly info: Drawable;
  readonly object: Object3D;
  protected seen = new Map<number, number>();
  low = Infinity; high = -Infinity;   // of `values`
  constructor(info: Drawable, object: Object3D) { this.info = info; this.object = object; object.visible = false; }

  // True when an array of this shape changed since the last call.
  protected changed(arrays: Arrays, ids: (number | null | undefined)[]): boolean {
    let any = false;
    for (const id of ids) {
      const s = arrays.get(id);
      if (!s || id === null || id === undefined) continue;
      if (this.seen.get(id) !== s.version) { this.seen.set(id, s.version); any = true; }
    }
    return any;
  }

  protected present(arrays: Arrays, ids: (number | null | undefined)[]): boolean {
    return ids.every((id) => id === null || id === undefined || arrays.get(id) !== null);
  }

  abstract update(arrays: Arrays, look: Look): void;
  abstract dispose(): void;
  pickable(): boolean { return this.object.visible; }
  get swallows(): boolean { return false; }      // a volume that is drawn by what it lets through
  get flows(): [number, number] | null { return null; }   // drops of a liquid: how far its surface is smoothed, also in depth
  // The faces of elements stand in for a surface where no visual model is shown.
  get isBody(): boolean { return this.info.group === 'forceFields' && this.info.kind === 'triangles' && this.info.values == null; }
}

export function colour(values: number[] | undefined, fallback: string): Color {
  const c = new Color(fallback);
  if (values && values.length >= 3) c.setRGB(values[0], values[1], values[2], SRGBColorSpace);
  return c;
}

export function keep<T extends Object3D>(object: T): T { object.frustumCulled = false; return object; }

// Pictures that are on their way; whoever makes a picture of the scene waits for them, those that never come included.
const coming = new Set<Promise<void>>();
let scenes = 0;                   // a page remembers what came from an address, and a scene that is read again may have another picture in that file
export function fetchTexture(address: string, loaded: () => void): Texture {
  let texture!: Texture;
  const arrived: Promise<void> = new Promise<void>((done) => { texture = new TextureLoader().load(`${address}?${scenes}`, () => { loaded(); done(); }, undefined, () => done()); }).finally(() => coming.delete(arrived));
  coming.add(arrived);
  return texture;
}
export const texturesComing = () => coming.size > 0;
export async function texturesCome() { while (coming.size) await Promise.all(coming); }

const pictures = new Map<string, Texture>();
export function picture(address: string, loaded: () => void): Texture {
  let texture = pictures.get(address);
  if (!texture) {
    texture = fetchTexture(address, loaded);
    texture.colorSpace = SRGBColorSpace;
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.anisotropy = 4;
    pictures.set(address, texture);
  }
  return texture;
}
export function forgetPictures() { scenes++; for (const t of pictures.values()) t.dispose(); pictures.clear(); }

// A surface is let through as far as its own look and the user want it.
export function fade(m: MeshPhongMaterial, alpha: number) {
  const through = alpha < 0.999;
  if (m.transparent !== through) { m.transparent = through; m.needsUpdate = true; }
  m.opacity = alpha;
  m.depthWrite = !through;
  m.forceSinglePass = true;      // sides are told apart by their depths
}

// The position array of a geometry with room for `count` numbers, drawn up to there.
export function sized(geometry: BufferGeometry, count: number, name = 'position'): Float32Array {
  let a = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (!a || a.array.length < count) {
    geometry.dispose();
    a = new BufferAttribute(new Float32Array(Math.ceil(count * 1.3 / 3) * 3), 3);
    a.setUsage(DynamicDrawUsage);
    geometry.setAttribute(name, a);
  }
  if (name === 'position') geometry.setDrawRange(0, count / 3);
  a.needsUpdate = true;
  return a.array as Float32Array;
}
