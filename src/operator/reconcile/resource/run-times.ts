// When a run began and ended, by the clock of the operator. PURE.
//
// Services write these times with their own clock, and a real Sahara in the local time of its host, without a zone. So the operator notes when it first
// sees a run under way, and when it first sees it over. Both are kept in the status, where the next process of the operator finds them.

import type { RunProgress } from '../kind/run-types.ts';
import type { Claim } from '../ledger/ledger.ts';
import type { ResourceFacts } from './facts.ts';

/** In ms since 1970, in whole seconds. Undefined: not yet, or unknown. */
export interface RunTimes {
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

interface SeenRun {
  readonly facts: Pick<ResourceFacts, 'resource' | 'createdAt'>;
  readonly now: { readonly wall: number };
}

/** The times of the run that the claim stands for and the service has just reported. */
export function runTimes(
  at: SeenRun,
  { name }: Pick<Claim, 'name'>,
  { state, ranMs, waitsInQueue }: RunProgress,
): RunTimes {
  // Also one that was admitted before, and is back in the queue: its program has not begun.
  if (waitsInQueue === true) return {};
  const before = recordedTimes(at, name);
  const now = possible(at, at.now.wall);
  const startedAt = before.startedAt ?? (state === 'running' ? now : undefined);
  if (state === 'queued' || state === 'running' || state === 'stopping') return { startedAt };
  const endedAt = before.endedAt ?? now ?? at.now.wall;
  // It was never seen under way. The difference between two times of the service depends neither on its clock nor on its zone.
  return { startedAt: startedAt ?? possible(at, endedAt - (ranMs ?? Number.NaN)), endedAt };
}

/** The times of the same run in the status. An earlier version of the operator copied the times of the service there. */
function recordedTimes(at: SeenRun, name: string): RunTimes {
  const { externalName, startTime, completionTime } = (at.facts.resource.status ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (externalName !== name) return {};
  const read = (text: unknown) => (typeof text === 'string' ? possible(at, Date.parse(text)) : undefined);
  return { startedAt: read(startTime), endedAt: read(completionTime) };
}

/** No run begins before its resource was created, and none is seen in the future. The creation time is of the API server's clock, which ours may be behind. */
function possible({ facts: { createdAt }, now }: SeenRun, ms: number): number | undefined {
  if (Number.isNaN(ms)) return undefined;
  const earliest = createdAt <= now.wall ? createdAt : 0;
  return Math.floor(Math.min(Math.max(ms, earliest), now.wall) / 1000) * 1000;
}
