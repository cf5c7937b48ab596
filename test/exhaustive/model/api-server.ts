// The API server of the model: one resource, compare-and-set of whole versions, caches that lag.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { type ResourceFacts, readResource } from '../../../src/operator/reconcile/resource/facts.ts';
import { transitionTime } from '../../../src/operator/reconcile/status/conditions.ts';
import { installation, wall } from '../../operator/reconcile/support.ts';
import type { Call } from './passes.ts';
import { noted } from './policies.ts';
import type { Rules, World } from './world.ts';

export function newest(world: World): number {
  return world.versions.at(-1) ?? 0;
}

/** A new version, unless it says what the last one says. All caches are one further behind then, those that were at the bound no more. */
export function written(rules: Rules, world: World, resource: RawResource | null): World {
  const version = rules.tables.versions.numberOf(resource);
  if (version === newest(world)) return world;
  const replicas = world.replicas.map((replica) => ({
    ...replica,
    lag: Math.min(replica.lag + 1, rules.lag),
    current: false,
  }));
  return { ...world, versions: [...world.versions, version], replicas };
}

/** The user wants another spec. */
export function respecified(rules: Rules, world: World, spec: unknown): World {
  const resource = rules.tables.versions.at(newest(world));
  if (!resource) return world;
  const metadata = { ...resource.metadata, generation: resource.metadata.generation + 1 };
  return written(rules, world, { ...resource, metadata, spec });
}

/** One write of a replica upon the version that it holds. */
export function writeOf(rules: Rules, world: World, index: number): { readonly answer: string; readonly world: World } {
  const replica = world.replicas[index];
  const resource = rules.tables.versions.at(newest(world));
  const course = replica && rules.passes.at(replica.course);
  if (!replica || course?.state !== 'busy') throw new Error('cannot write: no pass is under way');
  const { call } = course;
  if (!resource && call.call === 'release') return { answer: 'ok', world };
  if (!resource || !replica.current) return { answer: 'store conflict', world };
  const after = noted(rules, world, written(rules, world, appliedOnce(resource, call)), course);
  const replicas = after.replicas.with(index, { ...replica, lag: 0, current: true });
  return { answer: call.call === 'release' ? 'ok' : `version ${newest(after)}`, world: { ...after, replicas } };
}

const results = new WeakMap<RawResource, WeakMap<Call, { readonly after: RawResource | null }>>();

/** The same request upon the same version comes again in many worlds. */
function appliedOnce(resource: RawResource, call: Call): RawResource | null {
  const known = results.get(resource) ?? new WeakMap<Call, { readonly after: RawResource | null }>();
  const result = known.get(call) ?? { after: applied(resource, call) };
  results.set(resource, known.set(call, result));
  return result.after;
}

function applied(resource: RawResource, call: Call): RawResource | null {
  const { metadata } = resource;
  switch (call.call) {
    case 'claim': {
      const annotations = { ...metadata.annotations, [ledgerAnnotation]: call.ledger };
      return { ...resource, metadata: { ...metadata, finalizers: [finalizer], annotations } };
    }
    case 'status':
      return { ...resource, status: timeless(call.status) };
    case 'release':
      if (metadata.deletionTimestamp === undefined) return { ...resource, metadata: { ...metadata, finalizers: [] } };
      return null;
    default:
      throw new Error(`${call.call} is no write`);
  }
}

/** Transition times matter only to deadlines that lie beyond the last tick. */
function timeless(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const conditions = status.conditions as readonly object[];
  return { ...status, conditions: conditions.map((one) => ({ ...one, lastTransitionTime: transitionTime(wall) })) };
}

const known = new WeakMap<RawResource, ResourceFacts>();

/** Of a version, read once. */
export function factsOf({ kind, tables }: Rules, version: number): ResourceFacts | undefined {
  const resource = tables.versions.at(version);
  if (!resource) return undefined;
  const facts = known.get(resource) ?? readResource(kind, resource, installation);
  known.set(resource, facts);
  return facts;
}
