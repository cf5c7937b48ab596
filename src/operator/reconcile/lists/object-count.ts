// Counts what this installation has in a service, and names what no resource claims. PURE. Nothing is ever deleted because of it.
import type { View } from '../../client/list/view.ts';
import type { RemoteObject } from '../kind.ts';
import { isOfInstallation } from '../ledger/naming.ts';

export interface Unclaimed {
  readonly collection: string;
  readonly id: string;
  readonly name: string;
}

export interface ObjectCount {
  /** Objects that a resource claims. */
  readonly managed: number;
  /** Objects with the tag of this installation that nobody claims. */
  readonly unclaimed: readonly Unclaimed[];
}

export interface Counting {
  readonly installation: string;
  /** The newest list of each collection. */
  readonly views: ReadonlyMap<string, View<RemoteObject>>;
  readonly claimed: (collection: string, idOrName: string) => boolean;
}

export function countObjects({ installation, views, claimed }: Counting): ObjectCount {
  let managed = 0;
  const unclaimed: Unclaimed[] = [];
  for (const [collection, view] of views) {
    for (const { id, name } of view.names()) {
      if (claimed(collection, id) || claimed(collection, name)) managed += 1;
      else if (isOfInstallation(name, installation)) unclaimed.push({ collection, id, name });
    }
  }
  return { managed, unclaimed: unclaimed.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
