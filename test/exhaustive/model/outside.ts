// What happens without the operator: time, the user, strangers, late requests, crashes.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { resourceOf, templateSpec, wall } from '../../operator/reconcile/support.ts';
import { isExisting, unstatingMoves } from './adoption.ts';
import { newest, respecified, written } from './api-server.ts';
import { forgerMoves, isOthers } from './forgers.ts';
import { tickMs } from './memory.ts';
import type { Move } from './moves.ts';
import { approvalMoves, policyMoves, withPolicy } from './policies.ts';
import { referrerMoves } from './referrer.ts';
import { flightOf, sent } from './replicas.ts';
import { isSelected, withSelection } from './selection.ts';
import { ended, isRunning, isTaken, land, ownerOf, put, remove, rowsOf, stranger, withRows } from './service.ts';
import { type Replica, type Rules, restarted, spend, uidOf, type World } from './world.ts';

export function outsideMoves(rules: Rules, world: World): Move[] {
  return [
    ...ticks(rules, world),
    ...landings(rules, world),
    ...crashes(rules, world),
    ...users(rules, world),
    ...others(rules, world),
    ...drifts(rules, world),
    ...ends(rules, world),
    ...referrerMoves(rules, world),
    ...forgerMoves(rules, world),
  ];
}

/**
 * Reads, status writes and releases are answered within their tick; ledger writes, writes of the service and delayed lists may take
 * longer. Requests end: no tick passes that would make one older than the quarantine.
 */
function ticks(rules: Rules, world: World): readonly Move[] {
  if (world.left.ticks === 0 || world.replicas.some((replica) => isQuick(rules, replica))) return [];
  const elapsed = world.elapsed + tickMs;
  const sent = world.replicas.flatMap((replica) => flightOf(rules, replica) ?? []);
  const { open } = world.referrer;
  const named = open?.request === 'sent' ? [{ until: open.since + rules.quarantineMs }] : [];
  if ([...world.flights, ...sent, ...named].some(({ until }) => until <= elapsed)) return [];
  return [{ label: 'a minute passes', world: { ...spend(world, 'ticks'), elapsed } }];
}

function isQuick({ passes }: Rules, { course, late }: Replica): boolean {
  const busy = passes.at(course);
  if (busy.state === 'idle' || late !== undefined) return false;
  return ['list', 'get', 'read', 'status', 'release'].includes(busy.call.call);
}

function landings(rules: Rules, world: World): readonly Move[] {
  return world.flights.flatMap((flight, index) => {
    const on = { ...world, flights: world.flights.toSpliced(index, 1) };
    const what =
      'post' in flight
        ? `POST of ${flight.post}`
        : 'put' in flight
          ? `PUT of ${flight.put}`
          : `DELETE of ${flight.delete}`;
    return [
      { label: `the late ${what} takes effect`, world: land(rules, on, flight) },
      { label: `the late ${what} never takes effect`, world: on },
    ];
  });
}

function crashes(rules: Rules, world: World): readonly Move[] {
  if (world.left.crashes === 0) return [];
  return world.replicas.flatMap((replica, index) => {
    if (replica.course === rules.passes.fresh) return [];
    const flight = replica.late === undefined ? flightOf(rules, replica) : undefined;
    const replicas = world.replicas.with(index, restarted(rules, world));
    const flights = flight ? [...world.flights, flight] : world.flights;
    const label = `${'AB'[index]} crashes and starts again`;
    const after = (before: World): World => ({ ...spend(before, 'crashes'), replicas });
    const busy = rules.passes.at(replica.course);
    if (busy.state !== 'busy' || busy.call.call !== 'put') return [{ label, world: { ...after(world), flights } }];
    return [
      { label: `${label} before it sent anything`, world: after(world) },
      { label, world: { ...after(sent(rules, world, busy)), flights } },
    ];
  });
}

/** A run ends at some time. */
function ends(rules: Rules, world: World): readonly Move[] {
  return rowsOf(rules, world)
    .filter(isRunning)
    .flatMap(({ id }) => [
      { label: `${id} succeeds`, world: ended(rules, world, id, 'SUCCEEDED') },
      ...(world.left.failures === 0
        ? []
        : [{ label: `${id} fails`, world: ended(rules, spend(world, 'failures'), id, 'FAILED') }]),
    ]);
}

// --- the user ------------------------------------------------------------------------------------------------------------

function users(rules: Rules, world: World): readonly Move[] {
  const resource = rules.tables.versions.at(newest(world));
  if (!resource) return recreations(rules, world);
  if (resource.metadata.deletionTimestamp !== undefined) return policyMoves(rules, world, resource);
  const moves: Move[] = [
    ...policyMoves(rules, world, resource),
    ...approvalMoves(rules, world, resource),
    ...unstatingMoves(rules, world),
  ];
  if (world.left.deletions > 0) {
    const deletionTimestamp = new Date(wall).toISOString();
    const held = (resource.metadata.finalizers ?? []).length > 0;
    const generation = resource.metadata.generation + 1;
    const after = held ? { ...resource, metadata: { ...resource.metadata, generation, deletionTimestamp } } : null;
    moves.push({ label: 'the user deletes the resource', world: written(rules, spend(world, 'deletions'), after) });
  }
  if (world.left.edits > 0)
    for (const { label, spec } of edits(rules, resource))
      moves.push({ label, world: respecified(rules, spend(world, 'edits'), spec) });
  if (world.left.suspensions > 0)
    moves.push({
      label: isSuspended(resource) ? 'the user resumes it' : 'the user suspends it',
      world: suspended(rules, spend(world, 'suspensions'), !isSuspended(resource)),
    });
  if (world.left.selections > 0)
    moves.push({
      label: `the namespace is selected ${isSelected(resource) ? 'no longer' : 'again'}`,
      world: selected(rules, spend(world, 'selections'), !isSelected(resource)),
    });
  return moves;
}

const isSuspended = ({ spec }: RawResource): boolean => (spec as { readonly suspend?: boolean }).suspend === true;

const isObserved = ({ spec }: RawResource): boolean => (spec as { readonly policy?: string }).policy === 'Observe';

function suspended(rules: Rules, world: World, suspend: boolean): World {
  const { suspend: _before, ...spec } = (rules.tables.versions.at(newest(world))?.spec ?? {}) as { suspend?: boolean };
  return respecified(rules, world, suspend ? { ...spec, suspend } : spec);
}

function selected(rules: Rules, world: World, isNow: boolean): World {
  const resource = rules.tables.versions.at(newest(world));
  return resource ? written(rules, world, withSelection(resource, isNow)) : world;
}

/** As it is at last: its user resumes what is suspended, and manages what is observed; and the namespace is selected. A deletion waits for none of that. */
export function resumed(rules: Rules, world: World): World {
  const resource = rules.tables.versions.at(newest(world));
  if (!resource || resource.metadata.deletionTimestamp !== undefined) return world;
  const active = isSuspended(resource) ? suspended(rules, world, false) : world;
  const managed = isObserved(resource) ? withPolicy(rules, active, 'Manage') : active;
  return isSelected(resource) ? managed : selected(rules, managed, true);
}

/** Of a template the user wants another content: one of before, or a new one. */
function edits({ kind }: Rules, { spec }: RawResource) {
  if (kind.identity !== 'content') return [{ label: 'the user edits the counts', spec: edited(spec) }];
  const now = Number((spec as { readonly flavorID: string }).flavorID);
  const first = Number(templateSpec.flavorID);
  return Array.from({ length: now - first + 2 }, (_one, index) => first + index)
    .filter((flavor) => flavor !== now)
    .map((flavor) => ({
      label: `the user edits the flavor to ${flavor}`,
      spec: { ...(spec as object), flavorID: `${flavor}` },
    }));
}

function edited(spec: unknown) {
  const { nodeGroups } = spec as { readonly nodeGroups: readonly { readonly name: string; readonly count: number }[] };
  const grown = nodeGroups.map((group) => (group.name === 'worker' ? { ...group, count: group.count + 1 } : group));
  return { ...(spec as object), nodeGroups: grown };
}

function recreations(rules: Rules, world: World): readonly Move[] {
  if (world.left.recreations === 0) return [];
  const first = rules.tables.versions.at(0);
  if (!first) return [];
  const after = resourceOf({ kind: rules.kind, spec: first.spec, metadata: { uid: uidOf(2) } });
  return [
    {
      label: 'the user creates a resource of the same name',
      world: written(rules, spend(world, 'recreations'), after),
    },
  ];
}

/** The stranger's object has the name that the user has fixed for his. */
function isFixed({ tables }: Rules, world: World): boolean {
  const { spec } = tables.versions.at(newest(world)) ?? {};
  return (spec as { readonly name?: string } | undefined)?.name === 'etl';
}

// --- others in the service -----------------------------------------------------------------------------------------------

function others(rules: Rules, world: World): readonly Move[] {
  const rows = rowsOf(rules, world);
  const moves: Move[] = [];
  if (world.left.strangers > 0 && !isTaken(rows, 'etl')) {
    const row = { id: `${stranger}-1`, name: 'etl', status: 'Active' };
    moves.push({
      label: 'a stranger makes an object called etl',
      world: withRows(rules, spend(world, 'strangers'), [...rows, row]),
    });
  }
  if (isFixed(rules, world) && rows.some((row) => ownerOf(row.id) === stranger))
    moves.push({
      label: 'the stranger deletes its object',
      world: withRows(
        rules,
        world,
        rows.filter((row) => ownerOf(row.id) !== stranger),
      ),
    });
  if (world.left.vanishings > 0)
    for (const { id, name, info } of rows.filter((row) => !isUntouched(row.id))) {
      const after = remove(rules, spend(world, 'vanishings'), id).world;
      const vanished = info === undefined || info.status === 'FAILED' ? [] : [name];
      moves.push({
        label: `somebody deletes ${id} in the service`,
        world: { ...after, vanished: [...after.vanished, ...vanished] },
      });
    }
  return moves;
}

/** As clusters are made at first, so that what was carried out once has to be done again. */
const firstCount = 2;

function drifts(rules: Rules, world: World): readonly Move[] {
  if (world.left.drifts === 0 || rules.kind.identity !== 'named') return [];
  return rowsOf(rules, world)
    .filter(({ id, of, status }) => of === undefined && status === 'Active' && !isUntouched(id))
    .map(({ id }) => ({
      label: `somebody scales ${id} to ${firstCount} in the service`,
      world: put(rules, spend(world, 'drifts'), { id, counts: { worker: firstCount } }).world,
    }));
}

const isUntouched = (id: string): boolean => isOthers(id) && !isExisting(id);
