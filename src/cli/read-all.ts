// Lists all objects of a kind, in pages, and those of several kinds.
import { ApiError } from '../kube/api-error.ts';
import type { ResourceKind } from '../kube/resource.ts';
import { messageOf } from '../lib/errors.ts';
import type { Objects } from './objects.ts';
import type { Observed } from './observed.ts';

export interface KindList {
  readonly kind: string;
  readonly items: readonly Observed[];
  /** There are more, which were not read. */
  readonly isPartial: boolean;
}

const pageSize = 500;
const mostPages = 40;

/** All objects of a kind, up to 20,000. Rejects with ApiError. */
export async function readAll(objects: Objects, kind: ResourceKind, everywhere: boolean): Promise<KindList> {
  const items: Observed[] = [];
  let next: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const ask = { limit: pageSize, everywhere, ...(next === undefined ? {} : { continue: next }) };
    const found = await objects.page<Observed>(kind, ask);
    items.push(...found.items);
    next = found.next;
    if (next === undefined) break;
  }
  return { kind: kind.kind, items, isPartial: next !== undefined };
}

/** A kind that could not be read, and why. */
export interface UnreadKind {
  readonly kind: string;
  readonly why: string;
  /** It is of the whole cluster, which is not for most users: nothing is wrong. */
  readonly isExpected?: true;
}

export interface KindLists {
  readonly lists: readonly KindList[];
  readonly unread: readonly UnreadKind[];
}

/** Never rejects: what cannot be read is told. */
export async function readKinds(
  objects: Objects,
  kinds: readonly ResourceKind[],
  everywhere: boolean,
): Promise<KindLists> {
  const read = async (kind: ResourceKind) =>
    readAll(objects, kind, everywhere).catch((error: unknown) => unreadKind(kind, error));
  const results = await Promise.all(kinds.map(read));
  return { lists: results.filter((one) => 'items' in one), unread: results.filter((one) => 'why' in one) };
}

function unreadKind({ kind, plural, clusterScoped = false }: ResourceKind, error: unknown): UnreadKind {
  if (clusterScoped && error instanceof ApiError && error.status === 403)
    return { kind, why: `no role of yours allows "list" on ${plural}`, isExpected: true };
  return { kind, why: messageOf(error) };
}
