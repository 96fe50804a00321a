// What the page remembers from one visit to the next, in the browser's own store.
import type { Group } from './protocol.ts';

export interface Settings {
  theme: 'auto' | 'light' | 'dark';
  groups: Group[];
  wireframe: boolean; normals: boolean; indices: boolean;
  axes: boolean; grid: boolean; box: boolean; smooth: boolean;
  background: string;          // '' follows the theme
  colourMap: string;
  rangeMode: 'grow' | 'frame' | 'fixed'; rangeLow: number; rangeHigh: number;
  arrowScale: number; pointSize: number;
  circle: number;              // radius of what tools touch, pixels
  quality: 'auto' | 'full' | 'reduced';      // shadows and ambient occlusion
  xray: number;                // 1/m: as X-rays see it; 0: not
  ortho: boolean; up: 'x' | 'y' | 'z'; follow: boolean;
  pauseHidden: boolean;
  stiffness: number;           // of the pulling spring; 0 leaves it to the program
  pictureWidth: number; pictureHeight: number; fixedSize: boolean;
  filmFrames: number; filmSteps: number;
  panel: boolean; panelWidth: number; tab: string;
  besideCard: boolean;         // the panel is open where a procedure has its card
  log: boolean; logLevel: string;
  favourites: string[];
  fine: boolean;
  treeShare: number;
}

export const DEFAULT_GROUPS: Group[] = ['visual', 'interactions'];

const INITIAL: Settings = {
  theme: 'auto',
  groups: DEFAULT_GROUPS,
  wireframe: false, normals: false, indices: false,
  axes: true, grid: true, box: false, smooth: true,
  background: '',
  colourMap: 'viridis',
  rangeMode: 'grow', rangeLow: 0, rangeHigh: 1,
  arrowScale: 1, pointSize: 6,
  circle: 22,
  quality: 'auto', xray: 0,
  ortho: false, up: 'y', follow: true,
  pauseHidden: true,
  stiffness: 0,
  pictureWidth: 1280, pictureHeight: 720, fixedSize: false,
  filmFrames: 100, filmSteps: 1,
  panel: true, panelWidth: 380, tab: 'graph',
  besideCard: false,
  log: false, logLevel: 'info',
  favourites: [],
  fine: false,
  treeShare: 0.5,
};

const PLACE = 'divan.settings';

export function loadSettings(): Settings {
  try {
    const stored = JSON.parse(localStorage.getItem(PLACE) ?? '{}');
    const kept: any = { ...INITIAL };
    for (const key of Object.keys(INITIAL) as (keyof Settings)[]) {
      if (typeof stored[key] === typeof INITIAL[key] && Array.isArray(stored[key]) === Array.isArray(INITIAL[key])) kept[key] = stored[key];
    }
    return kept;
  } catch { return { ...INITIAL }; }
}

export function storeSettings(settings: Settings) {
  try { localStorage.setItem(PLACE, JSON.stringify(settings)); } catch { /* private mode: nothing is kept */ }
}
