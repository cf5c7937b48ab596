// Which resources are suspended, only observed, planned, or in a namespace that is not selected, and since when.
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import type { Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import type { Facts, Invariant } from './facts.ts';
import { targetOf } from './happening.ts';

/** Kinds whose `suspend` means something else. */
const others: readonly string[] = ['jobexecutions', 'jobschedules'];

type Restraint = 'suspended' | 'observed' | 'planned' | 'not selected';

export class Suspensions {
  /** By uid, in ms. */
  readonly #since: Readonly<Record<Restraint, Map<string, number>>> = {
    suspended: new Map(),
    observed: new Map(),
    planned: new Map(),
    // By name of the SharedConnection: worlds have one namespace.
    'not selected': new Map(),
  };

  changed({ plural, object, type }: Change, now: number): void {
    const { suspend, policy } = (object.spec ?? {}) as { readonly suspend?: boolean; readonly policy?: string };
    const { uid, name } = object.metadata;
    if (plural === 'sharedconnections') return this.#selected(name, object.spec, now);
    const note = (since: Map<string, number>, holds: boolean): void => {
      if (type === 'DELETED' || !holds) since.delete(uid);
      else if (!since.has(uid)) since.set(uid, now);
    };
    note(this.#since.suspended, suspend === true && !others.includes(plural));
    note(this.#since.observed, policy === 'Observe');
    note(this.#since.planned, policy === 'Plan');
  }

  #selected(name: string, spec: unknown, now: number): void {
    const { namespaces = [] } = (spec ?? {}) as { readonly namespaces?: readonly string[] };
    const since = this.#since['not selected'];
    if (namespaces.length > 0) since.delete(name);
    else if (!since.has(name)) since.set(name, now);
  }

  /** Everybody knows by now that it is so. What is being deleted is only observed, and nothing else. */
  isInForce(is: Restraint, resource: Stored | undefined, { now, behindMs }: Facts['options']): boolean {
    const isLeaving = resource?.metadata.deletionTimestamp !== undefined;
    if (resource === undefined || (is !== 'observed' && isLeaving)) return false;
    const since = this.#since[is].get(is === 'not selected' ? sharedBy(resource) : resource.metadata.uid);
    return since !== undefined && since < now() - behindMs();
  }
}

/** The name of the SharedConnection; empty: it has a Connection of its own. */
function sharedBy({ spec }: Stored): string {
  const { connectionRef } = (spec ?? {}) as {
    readonly connectionRef?: { readonly kind?: string; readonly name: string };
  };
  return connectionRef?.kind === 'SharedConnection' ? connectionRef.name : '';
}

/** Nothing is written to the service for what is suspended, except for its deletion. */
export const I18: Invariant = (facts, happening) => forbidden(facts, happening, 'suspended');

/** Nothing is written to the service for what is only observed, not even for its deletion. */
export const I19: Invariant = (facts, happening) => forbidden(facts, happening, 'observed');

/** With the policy Plan, nothing is written to the service but what was approved, once, except for its deletion. */
export const I20: Invariant = (facts, happening) => forbidden(facts, happening, 'planned');

/** Nothing is written to the service for what a SharedConnection does not select, except for its deletion. */
export const I21: Invariant = (facts, happening) => forbidden(facts, happening, 'not selected');

const forbidden = (facts: Facts, happening: Parameters<Invariant>[1], is: Restraint): string | undefined => {
  if (happening.is !== 'service sent') return undefined;
  const { method, collection, id, name } = targetOf(happening.sent);
  if (method === 'GET') return undefined;
  const resource = collection === 'images' ? registrationOf(facts, id) : madeFor(facts, { id, name });
  if (resource !== undefined && is === 'planned' && facts.approvals.allow(facts, resource, happening.sent))
    return undefined;
  return facts.suspensions.isInForce(is, resource, facts.options)
    ? `${method} of ${collection} ${id ?? name} for ${resource?.metadata.name}, which is ${is}`
    : undefined;
};

const madeFor = (facts: Facts, { id, name }: { readonly id: string | undefined; readonly name: string | undefined }) =>
  facts.resourceOf(name === undefined ? facts.ownerOf(id ?? '') : facts.ownerOfName(name));

/** The one that writes: others claim the same image and wait. */
const registrationOf = (facts: Facts, id: string | undefined): Stored | undefined => {
  const all = facts.options.server.list('imageregistrations');
  const claimants = all.filter(({ spec }) => (spec as { readonly imageID?: string }).imageID === id);
  return claimants.length === 1 && claimants[0]?.metadata.finalizers?.includes(finalizer) ? claimants[0] : undefined;
};
