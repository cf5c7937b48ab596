// Which resources are suspended, and since when.
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import type { Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import type { Facts, Invariant } from './facts.ts';
import { targetOf } from './happening.ts';

/** Kinds whose `suspend` means something else. */
const others: readonly string[] = ['jobexecutions', 'jobschedules'];

export class Suspensions {
  /** By uid, in ms. */
  readonly #since = new Map<string, number>();

  changed({ plural, object, type }: Change, now: number): void {
    const { uid } = object.metadata;
    const { suspend } = (object.spec ?? {}) as { readonly suspend?: boolean };
    if (type === 'DELETED' || suspend !== true || others.includes(plural)) this.#since.delete(uid);
    else if (!this.#since.has(uid)) this.#since.set(uid, now);
  }

  /** Everybody knows by now that it is suspended, and it stays. */
  isInForce(resource: Stored | undefined, { now, behindMs }: Facts['options']): boolean {
    if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return false;
    const since = this.#since.get(resource.metadata.uid);
    return since !== undefined && since < now() - behindMs();
  }
}

/** Nothing is written to the service for what is suspended, except for its deletion. */
export const I18: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, collection, id, name } = targetOf(happening.sent);
  if (method === 'GET') return undefined;
  const resource = collection === 'images' ? registrationOf(facts, id) : madeFor(facts, { id, name });
  return facts.suspensions.isInForce(resource, facts.options)
    ? `${method} of ${collection} ${id ?? name} for ${resource?.metadata.name}, which is suspended`
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
