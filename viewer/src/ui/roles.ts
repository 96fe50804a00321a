// Colours by which components are told apart in the tree.
const COLOURS: Record<string, string> = {
  state: '#4a7dd6', mass: '#9a6fd0', force: '#3fae78', mapping: '#5aa9e6', topology: '#c98a2b', solver: '#d0574f', 'linear solver': '#d0574f',
  visual: '#d977b0', collision: '#e8a33d', constraint: '#e0486a', projective: '#e0486a', engine: '#2aa6a0', loader: '#8a93a3', loop: '#b04a5a',
};

export function roleColour(role: string): string {
  if (COLOURS[role]) return COLOURS[role];
  for (const [name, colour] of Object.entries(COLOURS)) if (role.includes(name)) return colour;
  let h = 0;
  for (const c of role) h = (h * 31 + c.charCodeAt(0)) % 360;
  return `hsl(${h} 35% 55%)`;
}
