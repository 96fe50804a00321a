// The messages between the page and `divan view`, as docs/viewer.md describes them.

export interface Status {
  time: number; step: number; dt: number;
  animating: boolean; realtime: boolean; factor: number;
  rate: number; rtf: number; msPerStep: number;
  graph: number; scene: number;
  editor: boolean; clients: number;
  ready?: boolean;               // false: the scene could not be started
  compat?: 'none' | 'sofa';      // sofa: as SOFA does it, its mistakes included
  labels?: string[];             // texts of the scene's labels, as they are now
  viewports?: Viewport[];        // second pictures inside the first, as they are now
  camera?: Looks['camera'];      // of a scene whose camera follows a path, where it is now
  undo?: number;                 // strokes of tools that can be undone
  editable?: boolean;            // the scene's text can be edited
  edits?: number; undone?: number; unsaved?: boolean;      // what was done to it, what was undone, what the file does not have
  lastEdit?: string; lastUndone?: string;                  // in words
  pull?: number;                 // force of the spring that pulls, N
  recording?: number;            // frames of the recording that is being made, and its bytes
  recorded?: number;
  player?: PlayerStatus;         // a recording that can be played
}

// `on`: it is shown in place of the scene. The speed is negative backward.
export interface PlayerStatus {
  on: boolean; frames: number; frame: number; time: number; from: number; to: number; step: number; speed: number; playing: boolean; loop: boolean;
  name: string; second?: string; together?: 'beside' | 'over';
}

export interface Hello {
  key: string; editor: boolean; version: string; scene: string; title: string;
  view: Record<string, unknown> | null;
  status: Status;
}

export type Group = 'visual' | 'behavior' | 'velocities' | 'forces' | 'collision' | 'bounds' | 'mappings'
  | 'mechanicalMappings' | 'forceFields' | 'interactions' | 'contacts';

export interface ArrayInfo { id: number; kind: 'f32' | 'u32'; width: number; count: number; dynamic: boolean }

export interface Material {
  ambient?: number[]; diffuse?: number[]; specular?: number[]; emissive?: number[];
  shininess?: number; texture?: string | null; wireframe?: boolean;
}

export interface Drawable {
  id: number; group: Group; kind: 'triangles' | 'lines' | 'points' | 'vectors' | 'spheres' | 'frames' | 'boxes';
  path: string;
  positions: number; indices?: number | null; second?: number | null; values?: number | null; label?: string | null;
  texcoords?: number | null; radius?: number | null; scale?: number; radii?: number | null; frames?: number | null; sizes?: number | null; paint?: number | null;
  material?: Material | null;
  parts?: { first: number; count: number; material: Material }[];   // of the indices, each with a look of its own
  hidden?: boolean;              // its node's display flags say so
  aside?: boolean;               // is not looked at when the camera is placed
  faced?: boolean;               // lines of elements whose faces hide them
  attenuation?: number;          // of a volume that swallows light, 1/m
  liquid?: [number, number];     // spheres of a liquid: metres over which its surface is smoothed, and in depth
  absorption?: number;           // of X-rays, 1/m for a value of 1
  directed?: boolean;            // arrows in the colours of their directions: red along x, green along y, blue along z
  shader?: number;               // program of the scene that draws it
  range?: [number, number];      // of the values, where the scene chooses it
  map?: ColourMap;               // that the scene chooses for the values
}

// Colours that the scene chooses for numbers, evenly apart, with the title of their legend and the factor of its numbers.
export interface ColourMap { colours: string[]; title: string; scale: number; hidden: boolean }

// What the scene itself wants drawn.
export interface Flags { groups: Group[]; wireframe: boolean; normals: boolean }

// What the scene says about the picture as a whole.
export interface Light { kind: 'directional' | 'point' | 'spot'; color: number[]; direction?: number[]; position?: number[]; fixed?: boolean; cutoff?: number; lookat?: boolean; shadow?: boolean }
export interface Label { x: number; y: number; size: number; color: number[]; contrast: boolean }
// A second picture: pixels from the lower left corner (negative: from the other one), and its camera.
export interface Viewport { x: number; y: number; width: number; height: number; position: number[]; orientation: number[]; fovy: number }
export interface Looks {
  viewports?: Viewport[]; lens?: [number, number];
  background?: number[]; picture?: string; ambient?: number[]; lights?: Light[]; labels?: Label[]; planes?: { position: number[]; normal: number[] }[];
  camera?: { position: number[]; lookAt?: number[]; orientation?: number[]; distance?: number; ortho: boolean };
  texts?: { text: string; position: number[]; scale: number; color: number[] }[];      // in the scene, facing whoever looks
  up?: number;      // the axis that stands upright
}

// A program of the scene, translated for WebGL 2, and what it is given: arrays of numbers, pictures.
export interface Given { name: string; kind: 'float' | 'int' | 'matrix'; rows: number; columns: number; transpose: boolean; array: number }
export interface ShaderInfo {
  path: string; vertex: string | null; fragment: string | null; geometry: boolean; files: string[];
  uniforms: Given[]; attributes: Given[]; samplers: { name: string; file: string | null; cube?: (string | null)[]; repeat: boolean; smooth: boolean; srgb: boolean }[];
}

// A program of the scene that works on the finished picture; depths go from 0 to 1 between the two distances.
export interface PostInfo { shader: number; near: number; far: number }

export interface SceneInfo { arrays: ArrayInfo[]; drawables: Drawable[]; shaders?: ShaderInfo[]; scales?: (ColourMap & { low: number; high: number })[]; post?: PostInfo; box: [number[], number[]] | null; revision: number; flags?: Flags | null; looks?: Looks | null }

export interface GraphObject {
  name: string; path: string; class: string; role: string; template?: string; failed?: boolean; messages?: number;
}

export interface GraphNode { name: string; path: string; active: boolean; nodes: GraphNode[]; objects: GraphObject[] }

// Components of one type that the file names and that do not exist; the path is that of the first one's node.
export interface Missing { class: string; path: string; file?: string; line?: number; count: number }

export interface Message {
  level: 'info' | 'note' | 'warning' | 'error';
  text: string; advice?: string; path?: string; file?: string; line?: number;
}

export interface Field {
  name: string; type: string; unit?: string; help?: string; value: string; size: number; cut: boolean;
  initial?: string; changed?: boolean; readOnly?: boolean; looks?: boolean; link?: string | null; options?: string[] | null;
  least?: string | null; most?: string | null;
}

export interface ObjectInfo {
  path: string; class: string; role: string; help?: string; template?: string; file?: string; line?: number;
  messages?: Message[]; fields: Field[];
}

// Two collision models that touch.
export interface Touch {
  first: string; second: string; count: number;
  distance: number | null;       // of the nearest contact; below 0 where they push
  force: number | null;          // N, null: nothing answers them
  since: number;                 // step
}

// The solver of constraints: errors over the iterations of its last solve, and of each step the time, rows, iterations,
// error and largest force (N).
export interface Solves { path: string; values: number[]; steps: [number, number, number, number, number][] }

// A soft robot, or chambers of a heart: what is plotted together has one group and unit, and of each step the time and the values.
export interface RobotColumn { label: string; group: 'error' | 'effector' | 'force' | 'stroke' | 'pressure' | 'volume'; unit: string }
export interface Robot { columns: RobotColumn[]; steps: (number | null)[][] }

export interface Stats {
  steps?: [number, number][];
  timers?: Record<string, number>;
  energy?: { kinetic: number; potential: number } | null;
  convergence?: { path: string; values: number[] }[];
  constraints?: Solves | null;
  robot?: Robot | null;
  watch?: number[][];
  inventory?: Record<string, number>;
  touches?: Touch[];
}

export interface WatchItem { path: string; field: string; index: number }
export interface Hit { point: number[]; path: string; index: number; model: string; width?: number }

export interface Chunk { id: number; data: Float32Array | Uint32Array }
export interface Frame { number: number; time: number; revision: number; chunks: Chunk[] }

const MAGIC = 0x31465644;

// The arrays of a frame are views of the message: nothing is copied.
export function parseFrame(buffer: ArrayBuffer): Frame {
  const head = new DataView(buffer);
  if (buffer.byteLength < 24 || head.getUint32(0, true) !== MAGIC) throw new Error('not a frame');
  const frame: Frame = {
    number: head.getUint32(4, true), time: head.getFloat64(8, true), revision: head.getUint32(16, true), chunks: [],
  };
  const chunks = head.getUint32(20, true);
  let at = 24;
  for (let i = 0; i < chunks; i++) {
    if (at + 16 > buffer.byteLength) throw new Error('a frame ends early');
    const id = head.getUint32(at, true), kind = head.getUint32(at + 4, true), count = head.getUint32(at + 8, true);
    at += 16;
    if (at + 4 * count > buffer.byteLength) throw new Error('a frame ends early');
    frame.chunks.push({ id, data: kind === 0 ? new Float32Array(buffer, at, count) : new Uint32Array(buffer, at, count) });
    at += 4 * count;
  }
  return frame;
}
