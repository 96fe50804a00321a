// Colour maps as textures of 256 colours, and the colours of groups.
import { ClampToEdgeWrapping, DataTexture, LinearFilter, SRGBColorSpace } from 'three';
import type { Group } from '../protocol.ts';

// control colours, evenly spaced
const MAPS: Record<string, string[]> = {
  viridis: ['440154', '482878', '3e4a89', '31688e', '26828e', '1f9e89', '35b779', '6dcd59', 'b4de2c', 'fde725'],
  cividis: ['00204d', '123570', '3b496c', '575d6d', '707173', '8a8779', 'a59c74', 'c3b369', 'e1cc55', 'ffea46'],
  turbo: ['30123b', '4662d7', '36aaf9', '1ae4b6', '72fe5e', 'c8ef34', 'faba39', 'f66b19', 'cb2a04', '7a0403'],
  'cool to warm': ['3b4cc0', '6788ee', '9abbff', 'c9d7f0', 'edd1c2', 'f7a889', 'e26952', 'b40426'],
  grey: ['202020', 'f0f0f0'],
};

export const MAP_NAMES = Object.keys(MAPS);
// Brightness alone tells the values apart, or blue from red: for every eye.
export const SAFE_MAPS = new Set(['viridis', 'cividis', 'cool to warm', 'grey']);

function colourAt(stops: string[], t: number): [number, number, number] {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2), f = x - i;
  const part = (s: string, k: number) => parseInt(s.slice(2 * k, 2 * k + 2), 16);
  return [0, 1, 2].map((k) => part(stops[i], k) * (1 - f) + part(stops[i + 1], k) * f) as [number, number, number];
}

const textures = new Map<string, DataTexture>();

// A map of the scene gets a name of its own.
export function sceneMap(colours: string[]): string {
  const name = `scene ${colours.join('')}`;
  MAPS[name] ??= colours;
  return name;
}

export function mapTexture(name: string): DataTexture {
  let texture = textures.get(name);
  if (!texture) {
    const stops = MAPS[name] ?? MAPS.viridis;
    const data = new Uint8Array(256 * 4);
    for (let i = 0; i < 256; i++) data.set([...colourAt(stops, i / 255), 255], 4 * i);
    texture = new DataTexture(data, 256, 1);
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = texture.minFilter = LinearFilter;
    texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
    texture.needsUpdate = true;
    textures.set(name, texture);
  }
  return texture;
}

export function mapStops(name: string): string[] { return (MAPS[name] ?? MAPS.viridis).map((c) => '#' + c); }
export function mapGradient(name: string): string { return `linear-gradient(to right, ${mapStops(name).join(', ')})`; }

// of bodies for which nobody chose a colour, as src/view/draw.c has them
export const PALETTE: [number, number, number][] = [[0.851, 0.529, 0.455], [0.416, 0.647, 0.663], [0.851, 0.718, 0.494], [0.490, 0.580, 0.769], [0.576, 0.706, 0.545], [0.663, 0.498, 0.659], [0.753, 0.424, 0.310], [0.561, 0.639, 0.702]];

export const GROUP_COLOURS: Record<Group, string> = {
  visual: '#b8bec9', behavior: '#4a7dd6', velocities: '#2aa6a0', forces: '#e0633c', collision: '#e8a33d', bounds: '#a678d8',
  mappings: '#5aa9e6', mechanicalMappings: '#7c8ce0', forceFields: '#3fae78', interactions: '#e0486a', contacts: '#d6336c',
};

export const GROUPS: { name: Group; label: string; help: string }[] = [
  { name: 'visual', label: 'Visual models', help: 'surfaces with materials and textures' },
  { name: 'behavior', label: 'Points and frames', help: 'degrees of freedom of the mechanical states' },
  { name: 'velocities', label: 'Velocities', help: 'arrows at the degrees of freedom' },
  { name: 'forces', label: 'Forces', help: 'arrows at the degrees of freedom' },
  { name: 'collision', label: 'Collision models', help: 'spheres, lines and triangles that collide' },
  { name: 'bounds', label: 'Bounding trees', help: 'boxes around bodies, and those of the trees of collision models' },
  { name: 'mappings', label: 'Visual mappings', help: 'from a mechanical state to what is drawn' },
  { name: 'mechanicalMappings', label: 'State mappings', help: 'between mechanical states' },
  { name: 'forceFields', label: 'Force fields', help: 'elements, springs, stress in colours' },
  { name: 'interactions', label: 'Interactions', help: 'springs between bodies' },
  { name: 'contacts', label: 'Contacts', help: 'where bodies touch, with normals' },
];
