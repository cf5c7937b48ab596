// One state of the world: what Kubernetes, the service, the network and two overlapping replicas hold, and what may still go wrong.
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import { resourceOf } from '../../operator/reconcile/support.ts';
import { adopts, existingRow } from './adoption.ts';
import { rowsOfVictim } from './forgers.ts';
import { tickMs } from './memory.ts';
import { Passes } from './passes.ts';
import type { Policy } from './policies.ts';
import { nobody, type Referrer } from './referrer.ts';
import { noSetter } from './setter.ts';
import { createTables, type Row, type Tables } from './tables.ts';

/** How often each thing may happen on one path. */
export interface Bounds {
  readonly crashes: number;
  /** Answers of the service that get lost; the request takes effect before, later, or never. */
  readonly losses: number;
  /** Requests that the service refuses, or that never reach it. */
  readonly refusals: number;
  /** Answers of the API server that get lost after the write. */
  readonly silences: number;
  readonly deletions: number;
  readonly edits: number;
  /** The user suspends the resource, or resumes it. */
  readonly suspensions: number;
  /** An administrator no longer selects the namespace for the SharedConnection, or selects it again. */
  readonly selections: number;
  /** The user sets another policy. */
  readonly policies: number;
  /** The user approves a plan that was shown at any time. */
  readonly approvals: number;
  /** The user no longer states what is adopted, once it is. */
  readonly unstatings: number;
  readonly recreations: number;
  /** Creates of somebody else that refer to the template. */
  readonly referrals: number;
  /** What the user does with a NodeGroup: makes, scales or deletes it. */
  readonly setters: number;
  readonly strangers: number;
  /** Objects that somebody else deletes in the service. */
  readonly vanishings: number;
  /** Somebody else scales a cluster in the service. */
  readonly drifts: number;
  /** Runs that end without success. */
  readonly failures: number;
  readonly ticks: number;
  /** Lists whose answer takes long, so that anything may happen after they were read. */
  readonly delays: number;
  /** Passes that begin with a version from a cache that is behind. */
  readonly stales: number;
  /** Passes that use the list of an earlier one. */
  readonly reuses: number;
  /** Writes of the ledger annotation by somebody else. */
  readonly forgeries: number;
  /** Writes of the status by somebody else. */
  readonly mirrors: number;
}

/** Nothing goes wrong, and time stands still. */
export const nothing: Bounds = {
  crashes: 0,
  losses: 0,
  refusals: 0,
  silences: 0,
  deletions: 0,
  edits: 0,
  suspensions: 0,
  selections: 0,
  policies: 0,
  approvals: 0,
  unstatings: 0,
  recreations: 0,
  referrals: 0,
  setters: 0,
  strangers: 0,
  vanishings: 0,
  drifts: 0,
  failures: 0,
  ticks: 0,
  delays: 0,
  stales: 0,
  reuses: 0,
  forgeries: 0,
  mirrors: 0,
};

export type Chance = keyof Bounds;

/** A request that the service has and whose sender waits no more: it may take effect until then, or never. */
export type Flight = { readonly until: number; readonly uid: string } & (
  | {
      readonly post: string;
      readonly counts: Readonly<Record<string, number>>;
      readonly of?: 'templates';
      /** The template to start from. */
      readonly from?: string;
    }
  | { readonly put: string; readonly counts: Readonly<Record<string, number>> }
  | { readonly delete: string }
);

export interface Replica {
  readonly course: number;
  /** One after a crash is another one. Always 0 where nothing that they write tells processes apart. */
  readonly process: number;
  /** How many versions its cache is behind. */
  readonly lag: number;
  /** What it would write upon is the newest version. */
  readonly current: boolean;
  /** The answer that is on its way to it. */
  readonly late?: string;
}

export interface World {
  /** Since the start, in ms. */
  readonly elapsed: number;
  /** Versions of the resource that a replica may still see, the newest last. */
  readonly versions: readonly number[];
  readonly replicas: readonly Replica[];
  readonly rows: number;
  readonly flights: readonly Flight[];
  readonly referrer: Referrer;
  readonly setter: number;
  /** Objects made in the service so far. */
  readonly made: number;
  /** Somebody else wrote into the resource: what becomes of its own object is not ours to promise, what becomes of others' is. */
  readonly forged: boolean;
  /** The newest generation that a change was sent for. */
  readonly changed: number;
  /** What that change was to lead to. */
  readonly target: string;
  /** Requests that were sent for that change. */
  readonly puts: number;
  /** Markers of the runs that the service may have been asked for. */
  readonly asked: readonly string[];
  /** Markers of runs that somebody deleted in the service before they failed. */
  readonly vanished: readonly string[];
  /** Plans that a status has shown, as long as the user may still approve one. */
  readonly shown: readonly number[];
  /** Plans that the user has approved, and that were not carried out yet. */
  readonly granted: readonly number[];
  /** An event has told that an object is adopted. */
  readonly isAdoptionTold: boolean;
  /** Uids of resources that were deleted while they were only observed: their objects stay. */
  readonly freed: readonly string[];
  readonly left: Bounds;
}

export interface Rules {
  readonly kind: Kind;
  readonly tables: Tables;
  readonly passes: Passes;
  readonly quarantineMs: number;
  /** Versions that a cache may be behind. */
  readonly lag: number;
  /** Somebody else may delete objects in the service. */
  readonly vanishing: boolean;
  /** A status is written as soon as its pass wants to, without anything in between. */
  readonly promptStatus: boolean;
  /** What the user may set. */
  readonly policies: readonly Policy[];
  /** coveted: somebody else has an object in the service. rival: somebody else claims whatever the resource has. */
  readonly hostile: 'coveted' | 'rival' | undefined;
}

/** Over after two ticks, and not after one. */
const quarantineMs = 1.5 * tickMs;

/** `others`: kinds whose objects may refer to one of this kind. */
export function createRules(
  kind: Kind,
  others: readonly Kind[],
  options: Pick<Rules, 'lag' | 'promptStatus' | 'vanishing' | 'hostile' | 'policies'>,
): Rules {
  const tables = createTables();
  return {
    kind,
    tables,
    passes: new Passes({ kind, others, tables, quarantineMs, hostile: options.hostile }),
    quarantineMs,
    ...options,
  };
}

export function firstWorld(
  rules: Rules,
  spec: unknown,
  options: { readonly bounds: Bounds; readonly replicas: number },
): World {
  const { kind, tables, passes } = rules;
  return {
    elapsed: 0,
    versions: [tables.versions.numberOf(resourceOf({ kind, spec, metadata: { uid: uidOf(1) } }))],
    replicas: Array.from({ length: options.replicas }, (_one, index) => freshReplica(rules, passes.fresh, index)),
    rows: tables.rows.numberOf(firstRows(rules, spec)),
    flights: [],
    referrer: nobody,
    setter: tables.setters.numberOf(noSetter),
    made: 0,
    forged: false,
    changed: 0,
    target: '',
    puts: 0,
    asked: [],
    vanished: [],
    shown: [],
    granted: [],
    isAdoptionTold: false,
    freed: [],
    left: options.bounds,
  };
}

function firstRows({ kind, hostile }: Rules, spec: unknown): readonly Row[] {
  if (adopts(spec)) return [existingRow(kind, spec)];
  return hostile === 'coveted' ? rowsOfVictim(kind, spec) : [];
}

function freshReplica({ kind }: Rules, course: number, process: number): Replica {
  return { course, process: kind.identity === 'once' ? process : 0, lag: 0, current: false };
}

/** What starts in place of a replica that crashed: the highest number is always in use. */
export const restarted = (rules: Rules, { replicas }: World): Replica =>
  freshReplica(rules, rules.passes.fresh, 1 + Math.max(...replicas.map(({ process }) => process)));

export function spend(world: World, chance: Chance): World {
  return { ...world, left: { ...world.left, [chance]: world.left[chance] - 1 } };
}

export function uidOf(incarnation: number): string {
  return `uid${incarnation}`;
}

/** Equal for states that nothing can tell apart; replicas have no names but those of their processes. */
export function keyOf(world: World): string {
  const replicas = world.replicas.map(
    ({ course, process, lag, current, late = '' }) => `${course}@${process}.${lag}${current ? '!' : ''}${late}`,
  );
  const flights = world.flights.map((flight) => JSON.stringify(flight));
  return [
    world.elapsed,
    world.versions.join('.'),
    replicas.sort().join(' '),
    world.rows,
    flights.sort().join(' '),
    JSON.stringify(world.referrer),
    world.setter,
    world.made,
    world.changed,
    world.target,
    world.puts,
    world.asked.join(','),
    world.vanished.join(','),
    world.shown.join('.'),
    world.granted.join('.'),
    world.freed.join(),
    world.isAdoptionTold,
    world.forged,
    Object.values(world.left).join('.'),
  ].join('|');
}
