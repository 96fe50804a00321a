// Tools for hearts: a lead of a pacemaker, or a lesion, where the tissue is touched while the scene runs.
import type { GraphNode } from '../protocol.ts';

export type TherapyName = 'pace' | 'ablate';
export const THERAPIES: { name: TherapyName; icon: string; key: string; title: string; hint: string }[] = [
  { name: 'pace', icon: 'bolt', key: 'H', title: 'Pace', hint: 'click the heart: a lead there beats with it, or gives one pulse where nothing beats' },
  { name: 'ablate', icon: 'burn', key: 'S', title: 'Ablate', hint: 'click or drag over the heart: nothing is conducted any more in the circle, and as deep as its radius; [ and ] change it' },
];
const EXCITABLE = ['EikonalSolver', 'MonodomainSolver'];

// Whether something in the scene can be excited: else these tools are not offered.
export function hasHeart(graph: GraphNode | null): boolean {
  return !!graph && (graph.objects.some((o) => EXCITABLE.includes(o.class)) || graph.nodes.some(hasHeart));
}
