// What must hold of each scale of an autoscaled group: it follows a load that its process has seen, and that was fresh, within the bounds.
import type { Replica } from '../world/replica.ts';
import type { Bounds } from './plan.ts';

/** A load as one process received it. */
export interface Seen {
  readonly by: Replica;
  readonly at: number;
  readonly wantedNodes: number;
  readonly busyNodes: number;
  /** How old it was. */
  readonly ageMs: number;
}

export interface Scale {
  readonly by: Replica;
  readonly at: number;
  readonly target: number;
  /** What was asked for before, and what the service has. */
  readonly before: number;
  readonly has: number;
  /** When this process started. */
  readonly bornAt: number;
}

interface Known {
  readonly seen: readonly Seen[];
  /** Those that the operator may go by, the newest last. */
  readonly bounds: readonly Bounds[];
}

/** From the answer with the load to the request that follows it: a slow API server is in between. */
const delayMs = 45_000;
const pollMs = 33_000;
/** What the operator takes for fresh, and by how much clocks are off. */
const freshMs = 17_000;
/** Without a load for so long, the quiet time begins anew: two polls of the Connection, on a slow clock. */
const gapMs = 62_000;

export function brokenBy(scale: Scale, { seen: all, bounds }: Known): string | undefined {
  const { target, before, at, by } = scale;
  const seen = all.filter((one) => one.by === by && one.at <= at);
  const words = `PUT of ${target} nodes after ${before}`;
  if (!bounds.some(({ minCount, maxCount }) => target >= minCount && target <= maxCount))
    return `${words}: outside of ${JSON.stringify(bounds)}`;
  // The same request once more, and what the bounds alone ask for.
  if (target === before || bounds.some((limits) => movesInto(limits, scale))) return undefined;
  const lately = seen.filter(
    (one) => one.at >= at - delayMs - pollMs && one.ageMs + Math.max(0, at - delayMs - one.at) <= freshMs,
  );
  if (lately.length === 0) return `${words}: no fresh load was seen`;
  if (!lately.some(({ busyNodes }) => target >= Math.min(busyNodes, ...bounds.map(({ maxCount }) => maxCount))))
    return `${words}: below what is busy`;
  if (target > before)
    return lately.some((one) => bounds.some((limits) => filled(one, limits) === target))
      ? undefined
      : `${words}: no load fills them`;
  return wrongStep(scale, seen, bounds) ?? tooSoon(scale, seen, bounds);
}

const movesInto = ({ minCount, maxCount }: Bounds, { target, before }: Scale): boolean =>
  (target === minCount && before < minCount) || (target === maxCount && before > maxCount);

const filled = ({ wantedNodes, busyNodes }: Seen, { minCount, maxCount }: Bounds): number =>
  Math.min(maxCount, Math.max(minCount, wantedNodes, busyNodes));

function wrongStep(
  { target, before, has }: Scale,
  seen: readonly Seen[],
  bounds: readonly Bounds[],
): string | undefined {
  if (target >= Math.min(before - 1, has)) return undefined;
  return `PUT of ${target} nodes after ${before} of ${has}: more than one step, by ${JSON.stringify(seen.at(-1))} and ${JSON.stringify(bounds)}`;
}

/** No load within the quiet time has filled what was asked for. What came last may be of after the decision. */
function tooSoon(
  { target, before, at, bornAt }: Scale,
  seen: readonly Seen[],
  bounds: readonly Bounds[],
): string | undefined {
  const quietMs = Math.min(...bounds.map(({ scaleDownAfterSeconds }) => scaleDownAfterSeconds)) * 1_000;
  // Clocks of processes run up to a fiftieth faster.
  const since = at - quietMs * 0.98;
  if (bornAt > since) return `PUT of ${target} nodes after ${before}: its process is younger than the quiet time`;
  const times = [since, ...seen.filter((one) => one.at > since).map((one) => one.at), at];
  if (times.some((time, index) => time - (times[index - 1] ?? time) > gapMs + delayMs))
    return `PUT of ${target} nodes after ${before}: nothing was known for a while, in ${times.join(', ')}`;
  const full = seen.find(
    (one) => one.at > since && one.at < at - delayMs && bounds.every((limits) => filled(one, limits) >= before),
  );
  return (
    full &&
    `PUT of ${target} nodes after ${before}: ${(at - full.at) / 1_000} s ago ${JSON.stringify({ ...full, by: 0 })}`
  );
}

/** Two scales in opposite directions within the quiet time, although neither the work nor the bounds have changed since some time before the first of them. */
export function flapping(
  scale: Pick<Scale, 'target' | 'before' | 'at'>,
  scales: readonly Pick<Scale, 'target' | 'before' | 'at'>[],
  { changes, bounds }: { readonly changes: readonly number[]; readonly bounds: readonly Bounds[] },
): string | undefined {
  const signOf = ({ target, before }: Pick<Scale, 'target' | 'before'>) => Math.sign(target - before);
  const last = scales.findLast((one) => signOf(one) !== 0);
  const quietMs = Math.min(...bounds.map(({ scaleDownAfterSeconds }) => scaleDownAfterSeconds)) * 1_000;
  const { at, target, before } = scale;
  if (last === undefined || signOf(last) * signOf(scale) >= 0 || at - last.at >= quietMs) return undefined;
  // What came then may have been noticed by the first of them.
  const since = last.at - delayMs - pollMs;
  if (changes.some((time) => time > since && time <= at)) return undefined;
  return `PUT of ${target} nodes after ${before}, ${(at - last.at) / 1_000} s after one of ${last.target} nodes after ${last.before}: nothing has changed since`;
}
