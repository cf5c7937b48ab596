// A custom resource as a pass sees it: each part read leniently, so that its object can be deleted whatever the spec contains.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';
import type { RawResource } from '../../api/definition.ts';
import { lifecycle } from '../../api/lifecycle.ts';
import {
  approvePlanAnnotation,
  type Condition,
  conditionReasons,
  deletionPolicies,
  externalDeleteAnswers,
  finalizer,
  ledgerAnnotation,
  policies,
  reconcileAnnotations,
  recreateAnnotation,
  runAgainAnnotation,
} from '../../api/shared-api.ts';
import type { Kind, LifecycleSettings, OwnedCounts } from '../kind/kind.ts';
import { type AdoptedTarget, adoptedTarget } from '../ledger/adoption.ts';
import { allegedClaims, type Rights } from '../ledger/alleged.ts';
import { type Claim, type LedgerState, recordedLedger } from '../ledger/ledger.ts';
import { type NameInput, namedBy } from '../ledger/name-origin.ts';
import type { Identity } from '../ledger/naming.ts';
import type { RunEnd } from '../outcome.ts';
import { type Key, keyOf } from '../pass-ports.ts';
import { conditionOf, readStatus } from './read-conditions.ts';
import { connectionOf, ledgerOf, ledgerTexts } from './references.ts';

export type ParsedSpec =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

export interface ResourceFacts {
  readonly key: Key;
  readonly resource: RawResource;
  readonly generation: number;
  readonly deleting: boolean;
  /** It has our finalizer. */
  readonly hasFinalizer: boolean;
  /** It has both our finalizer and the ledger annotation. */
  readonly hasFinalizerAndLedger: boolean;
  /** It never had anything of ours: no annotation, mirror, finalizer or status. Then nothing can be in the service. */
  readonly neverManaged: boolean;
  readonly ledger: LedgerState;
  /** Claims of the ledger that this resource cannot have come by honestly: nothing is done for them. */
  readonly foreign: readonly Claim[];
  /** Those of `foreign` on what was there before, or was made in another namespace, and the resource may not take: they count as nothing. */
  readonly alleged: readonly Claim[];
  readonly connection: Key;
  readonly deletionPolicy: (typeof deletionPolicies)[number] | undefined;
  /** Plan: nothing is written to the service without approval. Observe: nothing is written there. */
  readonly policy: (typeof policies)[number];
  /** The existing object that the spec asks for. */
  readonly adopt: AdoptedTarget | undefined;
  /** The hash of the plan that a user approves. */
  readonly approvedPlan: string | undefined;
  /** The operator writes nothing to the service for it, except for its deletion. */
  readonly isSuspended: boolean;
  readonly onExternalDelete: (typeof externalDeleteAnswers)[number];
  /** With the counts that others own. */
  readonly spec: ParsedSpec;
  /** Counts that others own were changed since the status was written. */
  readonly isRecounted: boolean;
  /** When the object expires; undefined: never. */
  readonly lifecycle: LifecycleSettings | undefined;
  /** What generated names are made of. */
  readonly identity: Identity;
  /** The name that the spec fixes. */
  readonly fixedName: string | undefined;
  /** The id that the spec gives. */
  readonly givenId: string | undefined;
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
  readonly progressDeadlineMs: number;
  readonly createdAt: number;
  /** The id in the annotation that asks for a replacement. */
  readonly recreate: string | undefined;
  /** The marker in the annotation that asks for another run. */
  readonly runAgain: string | undefined;
  /** How the run ended, according to the status. The first end counts, whatever the service reports later. */
  readonly ended: { readonly reason: RunEnd; readonly message: string; readonly at: number } | undefined;
  /** The value of the annotation that requests a poll. */
  readonly requestedAt: string | undefined;
  /** The requested poll was made: status echoes the annotation. */
  readonly isRequestHandled: boolean;
}

const defaultDeadlineSeconds = 3600;
/** A cluster that vanished took its data with it, and a run must not happen twice. */
const defaultAnswers = { named: 'Report', once: 'Report', content: 'Recreate', given: 'Recreate' } as const;

const noCounts: OwnedCounts = new Map();

export function readResource(kind: Kind, resource: RawResource, installation: string, owned = noCounts): ResourceFacts {
  const { metadata } = resource;
  const [annotation, mirror] = ledgerTexts(resource, ledgerAnnotation);
  const hasFinalizer = metadata.finalizers?.includes(finalizer) ?? false;
  const { observedGeneration, conditions } = readStatus(resource.status);
  const ledger = ledgerOf(resource, installation);
  const rough = roughSpec.safeParse(resource.spec).data;
  const spec = countedSpec(kind, specOf(kind, resource), owned);
  return {
    key: keyOf(resource),
    resource,
    generation: metadata.generation,
    deleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer,
    hasFinalizerAndLedger: hasFinalizer && annotation !== undefined,
    neverManaged: annotation === undefined && mirror === undefined && !hasFinalizer && observedGeneration === -1,
    ledger,
    ...doubtfulClaims(kind, { resource, installation }, ledger),
    connection: connectionOf(resource),
    ...policyOf(kind, rough),
    adopt: kind.identity === 'once' || kind.identity === 'given' ? undefined : adoptedTarget(resource),
    approvedPlan: metadata.annotations?.[approvePlanAnnotation],
    spec,
    isRecounted: kind.identity === 'named' && spec.ok && kind.counts.isNew(spec.value, resource.status),
    // What is only observed is never deleted.
    lifecycle: rough?.policy === 'Observe' ? undefined : lifecycleIn(kind, resource, spec),
    identity: identityOf(spec, { resource, installation }),
    fixedName: spec.ok && kind.identity === 'named' ? kind.fixedName.of(spec.value) : undefined,
    givenId: spec.ok && kind.identity === 'given' ? kind.givenId(spec.value) : undefined,
    observedGeneration,
    conditions,
    progressDeadlineMs: (rough?.progressDeadlineSeconds ?? defaultDeadlineSeconds) * 1000,
    recreate: metadata.annotations?.[recreateAnnotation],
    runAgain: metadata.annotations?.[runAgainAnnotation],
    ended: endIn(conditions),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    ...readRequest(resource),
  };
}

/** The same of a resource with these rights alone. */
export function within(rights: Rights, kind: Kind, facts: ResourceFacts, installation: string): ResourceFacts {
  const alleged = allegedClaims(kind, { resource: facts.resource, installation }, facts.ledger, rights);
  return alleged.length === 0 ? facts : { ...facts, alleged, foreign: [...facts.foreign, ...alleged] };
}

type Restraints = Pick<ResourceFacts, 'deletionPolicy' | 'policy' | 'isSuspended' | 'onExternalDelete'>;

function policyOf({ identity }: Kind, rough: z.output<typeof roughSpec> | undefined): Restraints {
  return {
    deletionPolicy: rough?.deletionPolicy,
    policy: rough?.policy ?? 'Manage',
    // A run that is suspended is cancelled.
    isSuspended: identity !== 'once' && rough?.suspend === true,
    onExternalDelete: rough?.onExternalDelete ?? defaultAnswers[identity],
  };
}

/** Of a spec that cannot be read in other parts, too: its object expires nevertheless. */
function lifecycleIn(kind: Kind, { spec: raw }: RawResource, spec: ParsedSpec): LifecycleSettings | undefined {
  if (kind.identity !== 'named') return undefined;
  const read = spec.ok ? spec.value : expiringSpec.safeParse(raw).data;
  return read && kind.lifecycle.of(read);
}

/** The spec with the counts that others own. */
export function countedSpec(kind: Kind, spec: ParsedSpec, owned: OwnedCounts): ParsedSpec {
  if (kind.identity !== 'named' || !spec.ok || owned.size === 0) return spec;
  return { ok: true, value: kind.counts.of(spec.value, owned) };
}

function identityOf(spec: ParsedSpec, { resource, installation }: Omit<NameInput, 'ledger'>): Identity {
  const { name, uid } = resource.metadata;
  const base = spec.ok ? spec.value['name'] : undefined;
  return { name: typeof base === 'string' ? base : name, uid, installation };
}

type Doubtful = Pick<ResourceFacts, 'foreign' | 'alleged'>;

function doubtfulClaims(kind: Kind, naming: Omit<NameInput, 'ledger'>, state: LedgerState): Doubtful {
  const ledger = recordedLedger(state);
  const foreign = ledger?.claims.filter((claim) => namedBy(kind, { ...naming, ledger }, claim) === undefined);
  return { foreign: foreign ?? [], alleged: [] };
}

const runEnds: readonly string[] = [...conditionReasons.Complete, ...conditionReasons.Failed];

/** The condition Complete or Failed of a run that is over. `at`: wall-clock ms, NaN if the condition has no time. */
export function endIn(conditions: readonly Condition[]): ResourceFacts['ended'] {
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  if (!end || !runEnds.includes(end.reason)) return undefined;
  return { reason: end.reason as RunEnd, message: end.message, at: Date.parse(end.lastTransitionTime) };
}

/**
 * Whether what was decided for one version of a resource must be decided anew for a later one; `now` is undefined if the resource is gone. Writes of labels,
 * statuses and the ledger are no reason, so that a resource that is written all the time is not decided on for ever.
 */
export function isOutdated(decided: RawResource, now: RawResource | undefined): boolean {
  return now === undefined || decisiveText(decided) !== decisiveText(now);
}

/** A deletion reads only the policies of the spec, so no other edit holds it up. */
function decisiveText({ metadata, spec }: RawResource): string {
  const { uid, generation, deletionTimestamp, finalizers, annotations } = metadata;
  const { policy, deletionPolicy } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify(
    deletionTimestamp === undefined
      ? [uid, generation, annotations?.[recreateAnnotation], annotations?.[approvePlanAnnotation]]
      : [uid, 'deleting', policy, deletionPolicy, finalizers?.includes(finalizer)],
  );
}

/** The longest value that status echoes. */
const requestLimit = 256;

function readRequest({ metadata, status }: RawResource): Pick<ResourceFacts, 'requestedAt' | 'isRequestHandled'> {
  const asked = reconcileAnnotations.map((name) => metadata.annotations?.[name]).find((value) => value !== undefined);
  const requestedAt = asked?.slice(0, requestLimit);
  const handled = (status as { lastHandledReconcileAt?: unknown } | null | undefined)?.lastHandledReconcileAt;
  return { requestedAt, isRequestHandled: requestedAt === undefined || requestedAt === handled };
}

const roughSpec = z.object({
  deletionPolicy: z.enum(deletionPolicies).optional().catch(undefined),
  // One that cannot be read must not permit more than it may have meant to.
  policy: z.enum(policies).optional().catch('Plan'),
  suspend: z.boolean().optional().catch(undefined),
  onExternalDelete: z.enum(externalDeleteAnswers).optional().catch(undefined),
  progressDeadlineSeconds: z.number().positive().optional().catch(undefined),
});

/** A lifecycle with all that restrains it: what cannot be read must not let anything go. */
const expiringSpec = z.object({
  lifecycle,
  policy: z.enum(policies).optional(),
  suspend: z.boolean().optional(),
  deletionPolicy: z.enum(deletionPolicies).optional(),
});

/** By schema, because tests may read one spec as that of several kinds. */
const parsers = memoize((schema: Kind['definition']['spec']) => memoize((spec: object) => parseSpec(schema, spec)));

/** The spec as its kind reads it. */
export function specOf({ definition }: Kind, { spec }: RawResource): ParsedSpec {
  const isObject = typeof spec === 'object' && spec !== null;
  return isObject ? parsers(definition.spec)(spec) : parseSpec(definition.spec, spec);
}

function parseSpec(schema: Kind['definition']['spec'], spec: unknown): ParsedSpec {
  const parsed = schema.safeParse(spec ?? {});
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, message: specProblems(parsed.error, 3) };
}

/** What is wrong with a spec, each after the path of its field. `most`: how many problems are told. */
export function specProblems({ issues }: z.ZodError, most = 1): string {
  const problems = issues
    .slice(0, most)
    .map(({ path, message }) => `spec${path.map((part) => `.${String(part)}`).join('')}: ${message}`);
  return problems.join('; ');
}

/** Ready for the spec as it is now. */
export function isReady(facts: ResourceFacts): boolean {
  const ready = conditionOf(facts, 'Ready');
  return ready?.status === 'True' && facts.observedGeneration === facts.generation;
}

/** Ready for this generation, or it was until it could no longer be observed. */
export function wasObserved(facts: ResourceFacts): boolean {
  const ready = conditionOf(facts, 'Ready');
  return isReady(facts) || (ready?.status === 'Unknown' && ready.reason === 'ObservationFailed');
}
