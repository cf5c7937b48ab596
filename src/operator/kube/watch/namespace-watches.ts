// Which of the namespaces that the operator is to watch it may read: each is judged by itself, so that losing one costs only that one. PURE.
import type { SourceHealth } from './source-record.ts';

/**
 * followed: nothing is forbidden there. lost: it was read before and may not be read any more. unread: some kind of it could never be
 * read, so what it holds is not known.
 */
export type Access = 'followed' | 'lost' | 'unread';

export interface NamespaceAccess {
  readonly namespace: string;
  readonly access: Access;
  /** Kinds that may not be read there, in the order of their names. */
  readonly forbidden: readonly string[];
}

/** One for each namespace that is watched by name, in the order of their names; none where all are watched at once. */
export function accessOf(sources: readonly SourceHealth[]): readonly NamespaceAccess[] {
  const names = new Set(sources.flatMap(({ namespace }) => namespace ?? []));
  return [...names].sort().map((namespace) => {
    const denied = sources.filter((one) => one.namespace === namespace && one.forbidden);
    const access = denied.length === 0 ? 'followed' : denied.every(({ synced }) => synced) ? 'lost' : 'unread';
    return { namespace, access, forbidden: denied.map(({ kind }) => kind).sort() };
  });
}

/** The first lists are there of all that may be read, and there is something that may. */
export function isSynced(sources: readonly SourceHealth[]): boolean {
  const isLeftOut = ({ namespace, forbidden }: SourceHealth): boolean => namespace !== undefined && forbidden;
  return sources.some(({ synced }) => synced) && sources.every((one) => one.synced || isLeftOut(one));
}
