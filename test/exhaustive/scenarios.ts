// The worlds that are checked: what may go wrong in each, and how often. Small ones for every run of the tests, larger ones by hand.
import type { Scenario } from './check.ts';

export const small: readonly Scenario[] = [
  { kind: 'cluster', replicas: 2, bounds: { deletions: 1, ticks: 2 } },
  { kind: 'cluster', replicas: 1, bounds: { losses: 1, crashes: 1, deletions: 1, ticks: 2 } },
  { kind: 'cluster', replicas: 2, bounds: { losses: 1, crashes: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { losses: 1, deletions: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { strangers: 1, deletions: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { deletions: 1, recreations: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { edits: 1, crashes: 1 } },
  { kind: 'cluster', replicas: 1, bounds: { losses: 1, edits: 2 } },
  { kind: 'cluster', replicas: 1, bounds: { refusals: 1, losses: 1, crashes: 1, deletions: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { silences: 1, deletions: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { stales: 1, delays: 1, reuses: 1, losses: 1 } },
  { kind: 'cluster', replicas: 1, bounds: { vanishings: 1, losses: 1, deletions: 1, ticks: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { deletions: 1 }, slowStatus: true },
  { kind: 'template', replicas: 2, bounds: { losses: 1 } },
  { kind: 'template', replicas: 1, bounds: { losses: 1, deletions: 1, ticks: 2 } },
  { kind: 'template', replicas: 1, bounds: { losses: 1, crashes: 1, vanishings: 1, ticks: 1 } },
];

export const large: readonly Scenario[] = [
  { kind: 'cluster', replicas: 2, bounds: { losses: 1, deletions: 1, ticks: 2 } },
  { kind: 'cluster', replicas: 2, bounds: { losses: 1, crashes: 1, deletions: 1, strangers: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { losses: 1, deletions: 1, stales: 1, delays: 1, reuses: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { crashes: 1, deletions: 1, recreations: 1, ticks: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { edits: 2, crashes: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { edits: 1, losses: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { refusals: 1, losses: 1, deletions: 1 } },
  { kind: 'cluster', replicas: 2, bounds: { deletions: 1, ticks: 2 }, slowStatus: true },
  { kind: 'template', replicas: 2, bounds: { losses: 1, deletions: 1, vanishings: 1 } },
  { kind: 'template', replicas: 1, bounds: { losses: 1, crashes: 1, deletions: 1, ticks: 2 } },
  { kind: 'template', replicas: 2, bounds: { deletions: 1, ticks: 2 } },
];
