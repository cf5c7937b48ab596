// Nothing goes wrong any more: what a state of the world comes to when its replicas go on taking turns, and whether that is good.
import { currentClaim } from '../../src/operator/reconcile/ledger/ledger.ts';
import type { ResourceFacts } from '../../src/operator/reconcile/resource/facts.ts';
import { brokenIn } from './invariants.ts';
import { existingId, isAdopting } from './model/adoption.ts';
import { factsOf, newest } from './model/api-server.ts';
import { isOthers } from './model/forgers.ts';
import { tickMs } from './model/memory.ts';
import { tidied } from './model/moves.ts';
import { resumed } from './model/outside.ts';
import { approvedAtLast } from './model/policies.ts';
import { nobody, type Referrer } from './model/referrer.ts';
import { replicaMoves } from './model/replicas.ts';
import { ended, isRunning, land, ownerOf, rowsOf } from './model/service.ts';
import { countWanted, isHeld, setterOf } from './model/setter.ts';
import { setterPassMoves } from './model/setter-passes.ts';
import type { Row } from './model/tables.ts';
import { type Bounds, nothing, type Rules, type World } from './model/world.ts';

/** Passes of a replica from the last fault to the end, at most, with a tick between one and the next: longer than a slow retry, and what is approved then. */
const rounds = 18;
/** Then nothing is written any more, for so many. */
const quietRounds = 2;
/** Requests of one pass. */
const longestPass = 30;

/** Why this state does not come to a good end; undefined: it does. `late`: whether requests under way take effect. */
export async function stuck(
  rules: Rules,
  from: World,
  { late, bounds }: { readonly late: boolean; readonly bounds: Bounds },
): Promise<string | undefined> {
  if (from.forged) return undefined;
  const landed = late ? from.flights.reduce((world, flight) => land(rules, world, flight), from) : from;
  const calm = { ...landed, flights: [], left: nothing, referrer: referrerAtLast(rules, landed, late) };
  let world: World = resumed(rules, calm);
  // What it is to adopt has an owner.
  const forUser = [...forUserOf(from.left, bounds), ...(rules.hostile === 'rival' ? ['DuplicateClaim'] : [])];
  let quiet = 0;
  for (let round = 0; round < rounds && quiet < quietRounds; round += 1) {
    const before = stateOf(world);
    world = approvedAtLast(rules, world);
    for (const index of world.replicas.keys()) world = await pass(rules, world, index);
    world = await setterPass(rules, world);
    for (const { id } of rowsOf(rules, world).filter(isRunning)) world = ended(rules, world, id, 'SUCCEEDED');
    const broken = brokenIn(rules, world);
    if (broken) return `${broken}, after all faults`;
    quiet = stateOf(world) === before && unfinished(rules, world, forUser) === undefined ? quiet + 1 : 0;
    world = { ...world, elapsed: world.elapsed + tickMs };
  }
  return quiet < quietRounds ? (unfinished(rules, world, forUser) ?? 'it does not come to rest') : undefined;
}

/** It goes when the template is to go. */
function referrerAtLast(rules: Rules, world: World, late: boolean): Referrer {
  const { open, made } = world.referrer;
  const facts = factsOf(rules, newest(world));
  if (!facts || facts.deleting) return nobody;
  const id = made ?? (open?.request === 'sent' && late ? open.id : undefined);
  return id === undefined ? nobody : { made: id };
}

const stateOf = (world: World): string => `${newest(world)} ${world.rows} ${world.setter}`;

/** What a pass under way still does, or one from its begin to its end. */
async function pass(rules: Rules, from: World, index: number): Promise<World> {
  let world = tidied(rules, from);
  for (let requests = 0; requests < longestPass; requests += 1) {
    const [move] = await replicaMoves(rules, world, index);
    if (!move) throw new Error('a replica has nothing to do');
    if (move.broken !== undefined) throw new Error(move.broken);
    world = tidied(rules, move.world);
    if (rules.passes.at(world.replicas[index]?.course ?? 0).state === 'idle') return world;
  }
  throw new Error('a pass does not end');
}

/** All that passes over the NodeGroup have to do. */
async function setterPass(rules: Rules, from: World): Promise<World> {
  let world = from;
  for (let requests = 0; requests < longestPass; requests += 1) {
    const [move] = await setterPassMoves(rules, world);
    if (!move) return world;
    if (move.broken !== undefined) throw new Error(move.broken);
    world = tidied(rules, move.world);
  }
  throw new Error('the passes over the NodeGroup do not end');
}

/** The reasons to stall that what went wrong may leave, and that only the user can end: their messages say how. */
function forUserOf(left: Bounds, bounds: Bounds): readonly string[] {
  return [
    ...(bounds.vanishings > left.vanishings ? ['ExternalDeleted'] : []),
    // Its content was edited before it was adopted.
    ...(bounds.edits > left.edits ? ['AdoptionMismatch'] : []),
    // Another replica, or a pass that lost its list, can record the row of a refused create before the refusal is in the ledger.
    ...(bounds.refusals > left.refusals ? ['ExternalError'] : []),
    // Whether a run was started is known to nobody then, unless its marker is found. A process that lives on knows what it did not send,
    // also where the API server did not answer.
    ...(isSilent(left, bounds) ? ['OutcomeUnknown'] : []),
    ...(bounds.failures > left.failures || bounds.refusals > left.refusals + 1 ? ['Failed'] : []),
  ];
}

const isSilent = (left: Bounds, bounds: Bounds): boolean =>
  (['losses', 'crashes', 'ticks', 'vanishings'] as const).some((one) => bounds[one] > left[one]);

/** A job that may run twice never waits for its user because of an unknown outcome. */
function isForUser({ resource: { spec } }: ResourceFacts, forUser: readonly string[], reason: string): boolean {
  const mayRepeat = (spec as { readonly onUnknown?: string }).onUnknown === 'Retry';
  return forUser.includes(reason) && !(mayRepeat && reason === 'OutcomeUnknown');
}

function unfinished(rules: Rules, world: World, forUser: readonly string[]): string | undefined {
  const facts = factsOf(rules, newest(world));
  const all = rowsOf(rules, world);
  const isLeft = (id: string): boolean => isOthers(id) || world.freed.includes(ownerOf(id));
  const rows = all.filter((row) => !isLeft(row.id) && row.of === undefined);
  const setter = setterUnfinished(rules, world);
  if (setter !== undefined) return setter;
  if (!facts) return rows.length > 0 ? 'objects are left' : undefined;
  if (facts.deleting) return 'L2: the deletion does not end';
  const says = (type: string) => facts.conditions.some((one) => one.type === type && one.status === 'True');
  const id = facts.ledger.state === 'ours' ? currentClaim(facts.ledger.ledger)?.id : undefined;
  const claims = facts.ledger.state === 'ours' ? facts.ledger.ledger.claims : [];
  const isLost = ({ name, status }: Row) => status !== 'Error' && !claims.some((one) => one.name === name && one.id);
  if (says('Stalled') && rules.kind.identity === 'once' && rows.some(isLost))
    return 'L1: a run is there and not on record';
  if (
    facts.conditions.some(
      ({ type, status, reason }) =>
        type === 'Stalled' && status === 'True' && (isForUser(facts, forUser, reason) || isConflict(all, reason)),
    )
  )
    return undefined;
  if (rules.kind.identity === 'once') return runUnfinished(facts, rows, says('Ready'));
  // Another one is adopted in place of an object of its own; where it is gone before that, nothing is made.
  const adopted = isAdopting(rules) && all.find((row) => row.id === existingId);
  if (isAdopting(rules) && !adopted && id === undefined) return rows.length === 0 ? undefined : 'objects are left';
  if (adopted && id === existingId) rows.push(adopted);
  const wanted = new Set([id, ...(world.referrer.made === undefined ? [] : [world.referrer.made])]);
  if (rows.length !== wanted.size || !rows.every((row) => wanted.has(row.id)))
    return `L1: ${rows.length} objects, and ${id ?? 'none'} is recorded`;
  const count = rows[0]?.node_groups?.find(({ name }) => name === 'worker')?.count;
  const wantedCount = countWanted(setterOf(rules, world).resource, facts.resource);
  if (rules.kind.identity === 'named' && count !== wantedCount) return `L1: ${count} nodes instead of ${wantedCount}`;
  return says('Ready') && facts.observedGeneration === facts.generation ? undefined : 'L1: it does not become Ready';
}

/** Somebody else has the name, as long as he has it. */
function isConflict(rows: readonly Row[], reason: string): boolean {
  return reason === 'NameConflict' && rows.some((row) => isOthers(row.id));
}

/** All attempts but the last have failed, and that one succeeded. */
function runUnfinished(
  { ledger, ended: end }: ResourceFacts,
  rows: readonly Row[],
  ready: boolean,
): string | undefined {
  const claims = ledger.state === 'ours' ? ledger.ledger.claims : [];
  if (rows.some(({ id }) => !claims.some((one) => one.id === id)))
    return `L1: ${rows.length} runs, and not all are recorded`;
  return ready && end?.reason === 'Succeeded' ? undefined : 'L1: it does not end';
}

function setterUnfinished(rules: Rules, world: World): string | undefined {
  const { resource } = setterOf(rules, world);
  if (resource === null) return undefined;
  if (resource.metadata.deletionTimestamp !== undefined) return 'L2: the deletion of the NodeGroup does not end';
  return isHeld(resource) ? undefined : 'L1: the NodeGroup has no effect';
}
