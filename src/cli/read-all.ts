// Lists all objects of a kind, in pages.
import type { ResourceKind } from '../kube/resource.ts';
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
