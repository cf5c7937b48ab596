// Counts what this installation has in a service, and names what no resource claims. PURE. Nothing is ever deleted because of it.
import type { View } from '../../client/list/list-view.ts';
import type { RemoteObject } from '../kind/kind.ts';
import { isOfInstallation } from '../ledger/naming.ts';

export interface Unclaimed {
  readonly collection: string;
  readonly id: string;
  readonly name: string;
}

export interface ObjectCount {
  /** Objects that a resource claims. */
  readonly managed: number;
  /** Objects with the tag of this installation that no resource names. */
  readonly unclaimed: readonly Unclaimed[];
}

export interface CountInput {
  readonly installation: string;
  /** The newest list of each collection. */
  readonly views: ReadonlyMap<string, View<RemoteObject>>;
  /** Whether a resource claims it at an address of this service. */
  readonly claimed: (collection: string, idOrName: string) => boolean;
  /** Whether any resource names it, at whatever address: that may be another one of the same service. */
  readonly named: (collection: string, object: Pick<RemoteObject, 'id' | 'name'>) => boolean;
}

export function countObjects({ installation, views, claimed, named }: CountInput): ObjectCount {
  let managed = 0;
  const unclaimed: Unclaimed[] = [];
  for (const [collection, view] of views) {
    for (const { id, name } of view.names()) {
      if (claimed(collection, id) || claimed(collection, name)) managed += 1;
      else if (!isOfInstallation(name, installation)) continue;
      else if (named(collection, { id, name })) managed += 1;
      else unclaimed.push({ collection, id, name });
    }
  }
  return { managed, unclaimed: unclaimed.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
