// Status of a Connection: written when something changed, with an event when readiness changes.
import type { Plugin } from '../../../wire/plugin.ts';
import type { RawResource } from '../../api/definition.ts';
import type { Condition, Reason } from '../../api/shared-api.ts';
import type { Limits } from '../../client/limits.ts';
import type { Blocker } from '../../reconcile/outcome.ts';
import { conditionOf, readStatus } from '../../reconcile/resource/read-conditions.ts';
import { conditionsOf, type Standing, transitionTime } from '../../reconcile/status/conditions.ts';
import { truncated } from '../../reconcile/status/truncate.ts';
import { sameStatus } from '../../reconcile/status/write-policy.ts';
import type { Context, Count } from './connection-context.ts';
import { definitionOf } from './connection-settings.ts';

interface StatusInput {
  readonly standing: Standing;
  /** For an event in place of the message of the condition, which may hold what changes later. */
  readonly note?: string;
  /** What vanished from the service at once. */
  readonly vanished?: string | undefined;
  /** Undefined: taken from the spec, and otherwise from what was used last. */
  readonly place?: { readonly endpoint: string; readonly tenant: string };
  /** The service at this place accepted the credentials. */
  readonly accepted?: boolean;
  readonly plugins?: readonly Plugin[];
  readonly limits?: Limits;
  /** Undefined: not counted yet; status stays as it is. */
  readonly count?: Count | undefined;
  readonly blockedOn?: readonly Blocker[];
}

export async function writeConnectionStatus({ ports, resource }: Context, said: StatusInput): Promise<void> {
  const before = readStatus(resource.status);
  const shown = (resource.status ?? {}) as Record<string, unknown>;
  const { generation } = resource.metadata;
  const now = transitionTime(ports.clock.wall());
  const plugins = said.plugins?.map(({ name, versions }) => ({
    name,
    ...(versions ? { versions: [...versions].sort() } : {}),
  }));
  const status = truncated(definitionOf(resource.kind).status, {
    observedGeneration: generation,
    conditions: conditionsOf(said.standing, before.conditions, { generation, now, vanished: said.vanished }),
    ...placeOf(resource, said.place),
    ...acceptedOf(resource, said),
    ...(plugins && plugins.length > 0 ? { plugins: plugins.sort((a, b) => (a.name < b.name ? -1 : 1)) } : {}),
    ...(said.blockedOn ? { blockedOn: said.blockedOn } : {}),
    ...(said.count ?? lastCount(resource.status)),
    limits: said.limits ? coarse(said.limits) : shown['limits'],
  });
  // The limits change all the time while there is work, and are no reason to write.
  if (sameStatus(shown, { ...status, limits: shown['limits'] })) return;
  const written = await ports.store.writeStatus(resource, status);
  emitVanished(ports, written, { before: before.conditions, after: status.conditions });
  emitReadiness(ports, written, { before: before.conditions, after: status.conditions }, said.note);
}

/** Rounded down to 1, 2, 5, 10, 20, 50 and so on. */
function coarse({ requestsPerSecond, maxInFlight }: Limits): Pick<Limits, 'requestsPerSecond' | 'maxInFlight'> {
  const rounded = (value: number): number => {
    const power = 10 ** Math.floor(Math.log10(value));
    return ([5, 2].find((part) => part * power <= value) ?? 1) * power;
  };
  return { requestsPerSecond: rounded(requestsPerSecond), maxInFlight: rounded(maxInFlight) };
}

interface Change {
  readonly before: readonly Condition[];
  readonly after: readonly Condition[];
}

/** Whenever readiness or its reason changes; and for credentials that stay missing, whatever is missing of them now. */
function emitReadiness({ events }: Context['ports'], regarding: RawResource, { before, after }: Change, note?: string) {
  const next = conditionOf({ conditions: after }, 'Ready');
  if (next === undefined || reportedText(before) === reportedText(after) || isOnItsWay(after)) return;
  const type = next.status === 'True' || next.reason === 'Deleting' ? 'Normal' : 'Warning';
  events.emit({ regarding, type, reason: next.reason, action: 'Connect', note: note ?? next.message });
}

function areMissing(conditions: readonly Condition[]): boolean {
  return conditionOf({ conditions }, 'Ready')?.reason === 'CredentialsMissing';
}

/** A Secret that is applied with its Connection is no trouble, whichever comes first. */
function isOnItsWay(conditions: readonly Condition[]): boolean {
  return areMissing(conditions) && conditionOf({ conditions }, 'Stalled') === undefined;
}

/** What a reader of events knows after these conditions. */
function reportedText(conditions: readonly Condition[]): string {
  const { status, reason, message } = conditionOf({ conditions }, 'Ready') ?? {};
  return JSON.stringify([status, reason, ...(areMissing(conditions) && !isOnItsWay(conditions) ? [message] : [])]);
}

/**
 * Reports that a new generation is being checked, before anything slow is done for it: until then the old status could be taken for that
 * of the new spec. A new object has no status to correct, and one that is being deleted has no new spec. Returns the context with the resource as written.
 */
export async function writeCheckingStatus(context: Context): Promise<Context> {
  const { ports, resource } = context;
  const { generation, deletionTimestamp } = resource.metadata;
  const { observedGeneration, conditions } = readStatus(resource.status);
  if (deletionTimestamp || observedGeneration === -1 || observedGeneration === generation) return context;
  const vanished = conditions.find((one) => one.type === 'MassChange')?.message;
  const standing = { state: 'progressing', reason: 'Provisioning', message: 'trying the new spec' } as const;
  const at = { generation, now: transitionTime(ports.clock.wall()), vanished };
  const written = await ports.store.writeStatus(resource, {
    ...(resource.status as object),
    ...placeOf(resource, undefined),
    observedGeneration: generation,
    conditions: conditionsOf(standing, conditions, at),
  });
  return { ...context, resource: written };
}

/** Once for each mass deletion, whose hash is in the message. */
function emitVanished({ events }: Context['ports'], regarding: RawResource, { before, after }: Change): void {
  const [was, is] = [before, after].map((conditions) => conditionOf({ conditions }, 'MassChange'));
  if (!is || is.message === was?.message) return;
  events.emit({ regarding, type: 'Warning', reason: 'ObjectsVanished', action: 'Observe', note: is.message });
}

function placeOf({ spec, status }: RawResource, place: StatusInput['place']) {
  const { endpoint: wanted, tenantID: tenant } = (spec ?? {}) as Record<string, unknown>;
  const last = (status ?? {}) as Record<string, unknown>;
  if (place !== undefined) return { endpoint: place.endpoint, tenantID: place.tenant };
  return { endpoint: wanted ?? last['endpoint'], tenantID: tenant ?? last['tenantID'] };
}

interface Accepted {
  readonly endpoint?: unknown;
  readonly tenantID?: unknown;
}

function lastAccepted({ status }: RawResource): Accepted | undefined {
  return (status as { readonly accepted?: Accepted } | null | undefined)?.accepted ?? undefined;
}

/** Stays on record through outages and restarts: what was accepted once is not taken for a forgery later. */
function acceptedOf(resource: RawResource, { place, accepted }: StatusInput) {
  const last = accepted && place ? { endpoint: place.endpoint, tenantID: place.tenant } : lastAccepted(resource);
  return last ? { accepted: last } : {};
}

/** According to status, the service accepted this Connection: the one at this place, or any where there is none to name. */
export function wasAccepted(
  resource: RawResource,
  place?: { readonly endpoint: string; readonly tenant: string },
): boolean {
  const last = lastAccepted(resource);
  return last !== undefined && (!place || (last.endpoint === place.endpoint && last.tenantID === place.tenant));
}

/** The status already reports Stalled for this reason and generation. */
export function isStalled({ metadata, status }: RawResource, reason: Reason): boolean {
  const stalled = readStatus(status).conditions.find(({ type }) => type === 'Stalled');
  return stalled?.reason === reason && stalled.observedGeneration === metadata.generation;
}

function lastCount(status: unknown) {
  const { managedCount, unclaimedCount, unclaimed } = (status ?? {}) as Record<string, unknown>;
  return { managedCount, unclaimedCount, unclaimed };
}
