// What has to be hit now and then for the simulation to mean anything, and a plan in words.
import { isDeepStrictEqual } from 'node:util';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { currentClaim, type Ledger, openAttempts } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ClusterRecord, Records } from '../../../src/service/model/records/records.ts';
import type { Change } from '../api/api-server.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { approvedIn, planIn } from '../judge/approvals.ts';
import type { Facts } from '../judge/facts.ts';
import type { Happening } from '../judge/happening.ts';
import { clusterOf, isHeld } from '../judge/node-groups.ts';
import { scheduledAt, scheduleOf } from '../judge/schedules.ts';
import { type Plan, startWall } from './plan.ts';

/** Beginnings of what worlds report. */
const wanted: readonly string[] = [
  'api answers 409',
  'api answers 410',
  'api answers 429',
  'api answers 500',
  'api answers 503',
  'api loses answer of PATCH clusters',
  'api loses request of PATCH',
  'api loses answer of PUT leases',
  'cut off from api',
  'cut off from service',
  'crash',
  'crash of the leader',
  'stop of the leader',
  'pause of the leader',
  'lease lost',
  'succession',
  'watch lags',
  'service is slow',
  'service loses POST refused',
  'service loses POST before',
  'service loses POST after',
  'service loses POST late',
  'service loses PUT late',
  'service loses DELETE after',
  'service error after insert',
  'service error row',
  'service failed delete',
  'service failed scale',
  'service listLagMs',
  'service names',
  'service refused create',
  'service shape framework',
  'service shape identity',
  'service shape proxy',
  'service shape service',
  'service shape tenant',
  'service stuck',
  'service text',
  'service too many requests',
  'service truncated',
  'unknown status',
  'several attempts open',
  'a late create',
  'a row left by a refused create',
  'deleted while an attempt is open',
  'deleted while scaling',
  'vanished',
  'obeyed ExternalDeleted',
  'orphaned',
  'a new revision',
  'a revision is collected',
  'TemplateOutdated',
  'NameConflict',
  'a fixed name',
  'an image is registered',
  'OwnershipUnconfirmed',
  'ConnectionChanged',
  'MassChange',
  'accepted a loss',
  'found again',
  'recreate',
  'restore from here',
  'restore from elsewhere',
  'lose ledger',
  'copy',
  'a ledger changes hands',
  'a mirror becomes the ledger',
  'a run vanished',
  'a run was stopped',
  'a run has a cluster of its own',
  'the cluster of a run is deleted',
  'obeyed ExternalDeleted of a run',
  'obeyed OutcomeUnknown of a run',
  'a run of unknown outcome is repeated',
  'a file is stored',
  'a schedule starts a run',
  'a schedule catches up',
  'a schedule deletes a run',
  'a schedule goes with runs',
  'a schedule waits for its run',
  'a schedule is suspended',
  'DuplicateClaim',
  'a count is left',
  'another NodeGroup takes over',
  'a NodeGroup outlives its Cluster',
  'suspended before a write',
  'suspended while ready',
  'a plan is approved',
  'another plan is approved than waits',
  'obeyed PlanPending',
  'an approved plan is carried out',
];

/** What was never hit. */
export function missingProbes(hits: ReadonlyMap<string, number>): readonly string[] {
  const names = [...hits.keys()];
  return wanted.filter((probe) => !names.some((name) => name.startsWith(probe)));
}

export function addHits(total: Map<string, number>, hits: ReadonlyMap<string, number>): void {
  for (const [what, times] of hits) total.set(what, (total.get(what) ?? 0) + times);
}

export function describePlan({ steps, faults, ...rest }: Plan): string {
  return [
    `  ${JSON.stringify(rest)}`,
    ...steps.map(({ at, deed }) => `  ${at} ms: ${JSON.stringify(deed)}`),
    ...faults.map(({ at, ms, trouble }) => `  ${at} ms, for ${ms} ms: ${JSON.stringify(trouble)}`),
  ].join('\n');
}

/** States that are rare and worth having been in. */
export function noticed(facts: Facts, happening: Happening): readonly string[] {
  if (happening.is === 'service changed') return noticedInService(happening);
  if (happening.is !== 'kubernetes changed') return [];
  const { object, before } = happening.change;
  const ledger = facts.ledgerOf(object);
  const open = (ledger?.claims ?? []).map(openAttempts);
  const leaves = object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
  const seen: readonly (readonly [boolean, string])[] = [
    [open.some((count) => count > 1), 'several attempts open'],
    [leaves && open.some((count) => count > 0), 'deleted while an attempt is open'],
    [leaves && ledger?.change !== undefined, 'deleted while scaling'],
    [isOwn(object) && before === undefined, 'a run has a cluster of its own'],
    [isOwn(object) && leaves, 'the cluster of a run is deleted'],
    ...noticedOfLedger(happening.change, facts),
    ...noticedOfSchedule(happening, facts),
    ...noticedOfNodeGroup(happening, facts),
    ...noticedOfSuspension(happening.change),
    [before !== undefined && wasApproved(before) && planIn(object) === undefined, 'an approved plan is carried out'],
    [
      happening.change.type === 'DELETED' && (ledger?.claims ?? []).some(({ name }) => facts.orphans.has(name)),
      'orphaned',
    ],
  ];
  return [...seen.flatMap(([is, what]) => (is ? [what] : [])), ...newlySaid(happening.change)];
}

const isOwn = ({ metadata }: Stored): boolean => metadata.ownerReferences !== undefined;

type Seen = readonly (readonly [boolean, string])[];

const isPrivate = (ledger: Ledger | undefined, of: string): boolean =>
  ledger?.claims.some(({ role, id, collection }) => role === 'private' && id !== undefined && collection === of) ??
  false;

/** Without a word of the user about this one run. */
function isRepeated({ spec }: Stored, was: Ledger | undefined, is: Ledger | undefined): boolean {
  const { onUnknown } = (spec ?? {}) as { readonly onUnknown?: string };
  const [former, current] = [currentClaim(was), currentClaim(is)];
  return onUnknown === 'Retry' && openAttempts(former) > 0 && current !== undefined && current.name !== former?.name;
}

function noticedOfLedger({ object, before }: Change, facts: Facts): Seen {
  const [was, is] = [facts.ledgerOf(before), facts.ledgerOf(object)];
  const former = (ledger: Ledger | undefined) =>
    ledger?.claims.filter((claim) => claim.role !== 'private' && claim !== currentClaim(ledger)).length ?? 0;
  const text = (one: Stored | undefined) => one?.metadata.annotations?.[ledgerAnnotation];
  return [
    [former(is) > former(was), 'a new revision'],
    [isRepeated(object, was, is), 'a run of unknown outcome is repeated'],
    [is !== undefined && former(is) < former(was), 'a revision is collected'],
    [isPrivate(is, 'cluster-templates'), 'a fixed name'],
    [isPrivate(is, 'job-binary-internals') && !isPrivate(was, 'job-binary-internals'), 'a file is stored'],
    [was !== undefined && is !== undefined && was.uid !== is.uid, 'a ledger changes hands'],
    [text(before) === undefined && text(object) !== undefined && was !== undefined, 'a mirror becomes the ledger'],
  ];
}

function noticedOfSuspension({ object, before }: Change): Seen {
  const isTold = (one: Stored | undefined, ready: string) => {
    const conditions = one === undefined ? [] : conditionsOf(one);
    const isPaused = conditions.some(({ type }) => type === 'Paused');
    return isPaused && conditions.some(({ type, reason }) => type === 'Ready' && reason === ready);
  };
  return [
    [isTold(object, 'Suspended') && !isTold(before, 'Suspended'), 'suspended before a write'],
    [isTold(object, 'Available') && !isTold(before, 'Available'), 'suspended while ready'],
  ];
}

/** Its user has approved what waits. */
const wasApproved = (object: Stored): boolean => {
  const hash = planIn(object)?.hash;
  return hash !== undefined && hash === approvedIn(object);
};

function noticedOfSchedule(
  { change: { type, plural, object, before }, by }: Extract<Happening, { readonly is: 'kubernetes changed' }>,
  facts: Facts,
): Seen {
  if (plural === 'jobschedules') {
    const says = (one: Stored | undefined, text: string) =>
      one !== undefined && conditionsOf(one).some(({ message }) => message.includes(text));
    const told = (text: string) => says(object, text) && !says(before, text);
    return [
      [told('waits for the end of'), 'a schedule waits for its run'],
      [told('suspended'), 'a schedule is suspended'],
    ];
  }
  const schedule = scheduleOf(object);
  if (schedule === undefined) return [];
  const [isMade, wasLeaving] = [before === undefined, before?.metadata.deletionTimestamp !== undefined];
  const leaves = !wasLeaving && (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined);
  const isThere = facts.options.server.list('jobschedules').some(({ metadata }) => metadata.uid === schedule.uid);
  return [
    [isMade, 'a schedule starts a run'],
    [isMade && startWall + facts.options.now() - scheduledAt(object) > 30_000, 'a schedule catches up'],
    [leaves && by !== undefined && isThere, 'a schedule deletes a run'],
    [leaves && !isThere, 'a schedule goes with runs'],
  ];
}

function noticedOfNodeGroup(
  { change: { plural, object, before }, by }: Extract<Happening, { readonly is: 'kubernetes changed' }>,
  { options: { server } }: Facts,
): Seen {
  if (plural === 'clusters')
    return [
      [by !== undefined && before !== undefined && !isDeepStrictEqual(before.spec, object.spec), 'a count is left'],
    ];
  if (plural !== 'nodegroups') return [];
  const was = conditionsOf(before ?? object).some(({ reason }) => reason === 'DuplicateClaim');
  return [
    [was && isHeld(object) && !isHeld(before), 'another NodeGroup takes over'],
    [isHeld(object) && clusterOf(server, object) === undefined, 'a NodeGroup outlives its Cluster'],
  ];
}

const refusals: readonly string[] = ['DuplicateClaim', 'NameConflict', 'OwnershipUnconfirmed', 'ConnectionChanged'];
const told: readonly string[] = ['TemplateOutdated', 'MassChange'];

/** Conditions that were not there before. */
function newlySaid({ object, before }: Change): readonly string[] {
  const said = (one: Stored | undefined): readonly string[] => {
    const { conditions = [] } = (one?.status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
    };
    return conditions.flatMap(({ type, reason }) => {
      if (type === 'Ready' && refusals.includes(reason)) return [reason];
      return told.includes(type) ? [type] : [];
    });
  };
  if (object.status === before?.status) return [];
  const old = said(before);
  return said(object).filter((what) => !old.includes(what));
}

const strangeWords: readonly string[] = ['Humming', 'Dozing'];

function noticedInService({ kind, after }: Extract<Happening, { readonly is: 'service changed' }>): readonly string[] {
  if (after === undefined) return [];
  if (kind === 'images') return (after as Records['images']).username === undefined ? [] : ['an image is registered'];
  const { status = '', node_groups = [] } = after as Partial<ClusterRecord>;
  const empty = kind === 'clusters' && node_groups.every(({ instances }) => instances.length === 0);
  const seen: readonly (readonly [boolean, string])[] = [
    [strangeWords.includes(status), 'unknown status'],
    [status === 'Error' && empty, 'a row left by a refused create'],
  ];
  return seen.flatMap(([is, what]) => (is ? [what] : []));
}
