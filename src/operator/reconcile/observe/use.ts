// Whether anything uses the object of a resource: runs in Kubernetes, and the work that the service reports.
import type { RawResource } from '../../api/definition.ts';
import type { NamedKind } from '../kind/kind.ts';
import { currentClaim } from '../ledger/ledger.ts';
import type { Key } from '../pass-ports.ts';
import type { PassState } from '../pass-state.ts';
import { endIn } from '../resource/facts.ts';
import {
  announcement,
  held,
  isAnnounced,
  type LifecycleFinding,
  lifecycleOf,
  type Use,
  type UseMemory,
} from '../resource/lifecycle.ts';
import { readStatus } from '../resource/read-conditions.ts';
import { isRunOn, placeOfId } from '../resource/runs-on.ts';

/** A load is read with each poll, and services ask engines seldom. */
const freshPolls = 2;
const leastFreshMs = 15_000;
/** So long without an observation, what happened meanwhile is not known. */
const gapPolls = 5;
const leastGapMs = 5 * 60_000;
/** When one that is held back is tried again. */
const heldMs = 30_000;

/** What becomes of the object by itself; undefined: nothing. Remembers what it finds. */
export function noteLifecycle(pass: PassState): LifecycleFinding | undefined {
  const { kind, facts, memory, ports } = pass;
  const { lifecycle: settings } = facts;
  if (kind.identity !== 'named' || settings === undefined || facts.deleting || pass.ledger?.expired) {
    memory.use = undefined;
    return undefined;
  }
  const id = currentClaim(pass.ledger)?.id;
  const loadReported = isLoadReported(pass, kind);
  const runs = runsOn(pass);
  const use = useOf(pass, kind, { loadReported, runs });
  memory.use = noteQuiet(pass, use);
  const ends = runs.flatMap((run) => endIn(readStatus(run.status).conditions)?.at ?? []);
  const ranUntil = Math.max(0, ...ends.filter((at) => !Number.isNaN(at)));
  const input = { facts, settings, id, use, ranUntil, loadReported, now: pass.now() };
  const known = lifecycleOf({ ...input, memory: memory.use });
  memory.use = { ...memory.use, announced: announcedNow(pass, known) };
  const found = lifecycleOf({ ...input, memory: memory.use });
  return found.isDue && !ports.mayExpire(facts.key) ? held(found, heldMs) : found;
}

function remoteOf({ ledger, view }: PassState) {
  const id = currentClaim(ledger)?.id;
  return id === undefined ? undefined : view?.byId(id);
}

function isLoadReported(pass: PassState, kind: NamedKind): boolean {
  const { id, loadReported } = (pass.facts.resource.status ?? {}) as Readonly<Record<string, unknown>>;
  const remote = remoteOf(pass);
  const isKnown = loadReported === true && id === currentClaim(pass.ledger)?.id;
  return (
    isKnown ||
    pass.memory.use?.load !== undefined ||
    (remote !== undefined && kind.lifecycle.work(remote) !== undefined)
  );
}

/** Whatever is not known is not idle. */
function useOf(
  pass: PassState,
  kind: NamedKind,
  { loadReported, runs }: { readonly loadReported: boolean; readonly runs: readonly RawResource[] },
): Use {
  const remote = remoteOf(pass);
  const isUsed = isInUse(pass, runs);
  if (isUsed !== false) return isUsed === undefined ? 'unknown' : 'in use';
  if (remote === undefined || kind.health(remote).state !== 'ready') return 'unknown';
  if (!loadReported) return 'idle';
  const work = kind.lifecycle.work(remote);
  if (work === undefined) return 'unknown';
  if (work.isBusy) return 'in use';
  const { memory } = pass;
  const now = pass.now();
  const seenAt = memory.use?.load?.observedAt === work.observedAt ? memory.use.load.seenAt : now.monotonic;
  memory.use = { ...memory.use, load: { observedAt: work.observedAt, seenAt } };
  // A load is as old as its time says, and at least as old as it has been unchanged here: clocks differ.
  const ageMs = Math.max(now.wall - Date.parse(work.observedAt), now.monotonic - seenAt);
  return ageMs <= Math.max(freshPolls * pass.steadyMs(), leastFreshMs) ? 'idle' : 'unknown';
}

/** A run that has not ended refers to it, whether it was started or not. Undefined: not all runs are known. */
export function isInUse(pass: PassState, runs = runsOn(pass)): boolean | undefined {
  const { ports } = pass;
  if (!runKinds(pass).every((kind) => ports.store.synced(kind))) return undefined;
  return runs.some((run) => endIn(readStatus(run.status).conditions) === undefined);
}

function runKinds({ ports }: PassState): readonly string[] {
  return [...ports.kinds.values()].flatMap(({ identity, definition }) =>
    identity === 'once' ? [definition.kind] : [],
  );
}

function runsOn(pass: PassState): readonly RawResource[] {
  return runsNaming(pass, currentClaim(pass.ledger)?.id);
}

/** Runs that name it, or this id of the service, in its namespace; also those whose spec cannot be read. */
export function runsNaming(pass: PassState, id?: string): readonly RawResource[] {
  const { ports, facts } = pass;
  const { namespace, name } = facts.key;
  const places: readonly Key[] = [facts.key, ...(id === undefined ? [] : [placeOfId(namespace, id)])];
  return runKinds(pass).flatMap((kind) =>
    places.flatMap((place) =>
      [...ports.store.list(kind, place)].filter(
        (run) => run.metadata.namespace === namespace && isRunOn(run, { name, id }),
      ),
    ),
  );
}

function noteQuiet(pass: PassState, use: Use): UseMemory {
  const { use: before } = pass.memory;
  const now = pass.now();
  if (use === 'in use') return { ...before, quiet: undefined };
  if (use === 'unknown') return { ...before };
  const gapMs = Math.max(gapPolls * pass.steadyMs(), leastGapMs);
  const lasts = before?.quiet !== undefined && now.monotonic - before.quiet.seenAt <= gapMs;
  return { ...before, quiet: { since: lasts ? before.quiet.since : now, seenAt: now.monotonic } };
}

function announcedNow({ memory, facts, ports }: PassState, { expiry }: LifecycleFinding): UseMemory['announced'] {
  if (!expiry?.isNear || !isAnnounced(facts, expiry)) return undefined;
  const what = announcement(expiry);
  const before = memory.use?.announced;
  return before?.what === what ? before : { what, since: ports.clock.monotonic() };
}
