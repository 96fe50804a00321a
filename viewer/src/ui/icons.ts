// Icons drawn for this page: 16 units wide, lines 1.5 thick.
import { svg, html } from 'lit';

const PATHS: Record<string, ReturnType<typeof svg>> = {
  play: svg`<path d="M5 3.2v9.6l8-4.8z" fill="currentColor" stroke-linejoin="round"/>`,
  pause: svg`<path d="M5 3.5v9M11 3.5v9" stroke-width="2.6"/>`,
  step: svg`<path d="M3.5 3.5v9l6-4.5z" fill="currentColor" stroke-linejoin="round"/><path d="M12.5 3.5v9" stroke-width="2"/>`,
  reset: svg`<path d="M3.2 8a4.9 4.9 0 1 0 1.6-3.6"/><path d="M3 2.5v3.2h3.2"/>`,
  open: svg`<path d="M2 12.5v-9h4l1.5 2H14v7z" stroke-linejoin="round"/>`,
  reload: svg`<path d="M12.8 6.5A5 5 0 0 0 3.5 6M3.2 9.5a5 5 0 0 0 9.3.5"/><path d="M13 3v3.5H9.5M3 13V9.5h3.5"/>`,
  home: svg`<path d="M2.5 7.5 8 3l5.5 4.5M4 6.8V13h8V6.8" stroke-linejoin="round"/>`,
  save: svg`<path d="M4 2.5h8v11L8 10.8 4 13.5z" stroke-linejoin="round"/>`,
  fit: svg`<path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3"/><circle cx="8" cy="8" r="2"/>`,
  ortho: svg`<path d="M2.5 5.5h7.5v8H2.5zM2.5 5.5l3.5-3h7.5v8L10 13.5M10 5.5l3.5-3" stroke-linejoin="round"/>`,
  wire: svg`<path d="M8 2 14 12.5H2zM8 2v10.5M5 7.2h6M5 7.2l3 5.3 3-5.3" stroke-linejoin="round"/>`,
  camera: svg`<path d="M2 4.5h3l1-1.5h4l1 1.5h3v8H2z" stroke-linejoin="round"/><circle cx="8" cy="8.3" r="2.4"/>`,
  hand: svg`<path d="M5 8V4a1 1 0 0 1 2 0V3a1 1 0 0 1 2 0v1a1 1 0 0 1 2 0v1.3a1 1 0 0 1 2 0V9.500a4.5 4.5 0 0 1-4.5 4.500c-2 0-3-.8-4-2.300L2.8 9.300A1 1 0 0 1 4.3 8z" stroke-linejoin="round"/>`,
  blade: svg`<path d="M13.5 2.500 6 10l-1.500-1.500z" fill="currentColor" fill-opacity=".18" stroke-linejoin="round"/><path d="m5.2 9.200-3 4.300 4.300-3"/>`,
  incise: svg`<path d="M2 5.500c4-2.500 8-2.500 12 0M2 11c4-1.200 8-1.200 12 0"/><path d="M8 3.800 6.800 6.500 8 9.200l1.2-2.700z" fill="currentColor" stroke="none"/>`,
  carve: svg`<path d="M2 6h3.200a2.900 2.900 0 0 0 5.600 0H14v7H2z" stroke-linejoin="round"/><circle cx="8" cy="4.600" r="1.400" fill="currentColor" stroke="none"/>`,
  erase: svg`<path d="M8 2.500 13.500 12.500h-11z" stroke-linejoin="round" stroke-dasharray="2 1.800"/><path d="m6.3 7.800 3.400 3.400M9.7 7.800l-3.400 3.400"/>`,
  refine: svg`<path d="M8 2.500 13.500 12.500h-11zM8 12.500 5.2 7.500h5.600z" stroke-linejoin="round"/>`,
  undo: svg`<path d="M4 6.500h5.500a3.300 3.300 0 0 1 0 6.600H6"/><path d="M6.500 3.500 3.500 6.500l3 3"/>`,
  sun: svg`<circle cx="8" cy="8" r="2.8"/><path d="M8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.4 3.400l1 1M11.6 11.600l1 1M3.4 12.600l1-1M11.6 4.400l1-1"/>`,
  moon: svg`<path d="M13 9.800A5.5 5.5 0 0 1 6.2 3 5.5 5.5 0 1 0 13 9.800z" stroke-linejoin="round"/>`,
  auto: svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 2.500a5.5 5.5 0 0 1 0 11z" fill="currentColor" stroke="none"/>`,
  help: svg`<circle cx="8" cy="8" r="6"/><path d="M6.2 6.300A1.8 1.8 0 1 1 8 8.300v.8"/><path d="M8 11.300v.1" stroke-width="1.8"/>`,
  panel: svg`<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M9.8 3v10"/>`,
  log: svg`<path d="M2.5 4h11M2.5 8h11M2.5 12h7"/>`,
  close: svg`<path d="m4 4 8 8M12 4l-8 8"/>`,
  search: svg`<circle cx="7" cy="7" r="4.2"/><path d="m10.2 10.2 3.3 3.3"/>`,
  more: svg`<path d="M8 3.500v.1M8 8v.1M8 12.400v.1" stroke-width="2.2"/>`,
  plot: svg`<path d="M2.5 2.500v11h11"/><path d="m4.5 10.5 2.5-3.5 2.5 2 3.5-5" stroke-linejoin="round"/>`,
  download: svg`<path d="M8 2.500v7.500M4.8 7 8 10.2 11.2 7M2.5 13.500h11"/>`,
  trash: svg`<path d="M3 4.500h10M6.5 4.500v-2h3v2M4.3 4.500l.7 9h6l.7-9" stroke-linejoin="round"/>`,
  star: svg`<path d="m8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.100L8 11.300l-3.7 2 .8-4.100L2 6.300l4.2-.5z" stroke-linejoin="round"/>`,
  plus: svg`<path d="M8 3v10M3 8h10"/>`,
  eye: svg`<path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" stroke-linejoin="round"/><circle cx="8" cy="8" r="1.8"/>`,
  blind: svg`<path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" stroke-linejoin="round" opacity=".6"/><path d="m3 13 10-10"/>`,
  power: svg`<path d="M8 2v5.500M4.8 4.200a5 5 0 1 0 6.4 0"/>`,
  clock: svg`<circle cx="8" cy="8" r="5.8"/><path d="M8 4.500V8l2.5 1.5"/>`,
  folder: svg`<path d="M2 12.500v-9h4l1.5 2H14v7z" fill="currentColor" fill-opacity=".15" stroke-linejoin="round"/>`,
  file: svg`<path d="M4 2h5l3 3v9H4zM9 2v3h3" stroke-linejoin="round"/>`,
  picture: svg`<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="m2.5 11 3.5-3.5 2.5 2.5 2-1.5 3 2.5"/><circle cx="10.5" cy="6" r="1"/>`,
};

export function icon(name: string) {
  return html`<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" aria-hidden="true">${PATHS[name]}</svg>`;
}
