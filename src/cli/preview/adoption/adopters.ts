// Which resources are to adopt an object of the service, and have not recorded it yet. PURE.
import { adoptedTarget } from '../../../operator/reconcile/ledger/adoption.ts';
import { type ConnectionName, type Observed, usesConnection } from '../../observed.ts';
import type { Claimed } from '../../service/claims.ts';
import type { ReadCollection, ServiceRow } from '../../service/collections.ts';

interface Given {
  readonly read: readonly ReadCollection[];
  readonly claimed: Pick<Claimed, 'owners' | 'byUid'>;
  readonly connection: ConnectionName;
  /** Of the Connection. */
  readonly namespace: string;
}

/** By `kind/id`. What has recorded an object adopts no other one. */
export function adoptersOf({ read, claimed, connection, namespace }: Given): ReadonlyMap<string, Observed> {
  const settled = new Set(claimed.owners.values());
  const waiting = [...claimed.byUid.values()].filter((one) => !settled.has(one));
  const found = waiting.flatMap((resource): readonly (readonly [string, Observed])[] => {
    const rows = read.find(({ kind }) => kind === resource.kind)?.rows ?? [];
    const id = wantedId(resource, rows, usesConnection(resource, connection, namespace));
    return id === undefined ? [] : [[`${resource.kind}/${id}`, resource]];
  });
  return new Map(found);
}

/** A name says nothing about the objects of another service, and none is adopted if several have it. */
function wantedId(resource: Observed, rows: readonly ServiceRow[], isOfService: boolean): string | undefined {
  const target = adoptedTarget(resource);
  const isIdentified = target?.given !== undefined && 'id' in target.given;
  if (target === undefined || !(isIdentified || isOfService)) return undefined;
  const [row, ...others] = rows.filter(({ id, name, fields }) => target.isMet({ ...fields, id, name }));
  return others.length > 0 ? undefined : row?.id;
}
