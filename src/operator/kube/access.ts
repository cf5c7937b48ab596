// Which of the watched namespaces are readable.
import type { SourceHealth } from '../../kube/watch/source-record.ts';

/**
 * followed: everything is readable. lost: it was readable before. unread: some kind was never readable, so the content of the namespace
 * is unknown.
 */
export type Access = 'followed' | 'lost' | 'unread';

export interface NamespaceAccess {
  readonly namespace: string;
  readonly access: Access;
  /** Kinds that may not be read there, sorted. */
  readonly forbidden: readonly string[];
}

/**
 * One entry for each namespace that is watched by name, sorted; empty if all namespaces are watched. Each is independent, so losing one
 * does not affect the others.
 */
export function accessOf(sources: readonly SourceHealth[]): readonly NamespaceAccess[] {
  const names = new Set(sources.flatMap(({ namespace }) => namespace ?? []));
  return [...names].sort().map((namespace) => {
    const denied = sources.filter((one) => one.namespace === namespace && one.forbidden);
    const access = denied.length === 0 ? 'followed' : denied.every(({ synced }) => synced) ? 'lost' : 'unread';
    return { namespace, access, forbidden: denied.map(({ kind }) => kind).sort() };
  });
}

/** The first lists of all readable sources have arrived, and at least one source is readable. */
export function isSynced(sources: readonly SourceHealth[]): boolean {
  const isLeftOut = ({ namespace, forbidden }: SourceHealth): boolean => namespace !== undefined && forbidden;
  return sources.some(({ synced }) => synced) && sources.every((one) => one.synced || isLeftOut(one));
}
