// What is kept of objects that are listed: there can be thousands of them, and the API server tells some 10 kB of each. PURE.
import type { RawResource } from '../../../../kube/resource.ts';
import type { KubeObject, ObjectKind } from './api.ts';
import { watchedKind } from './watched-kinds.ts';

/** Enough to find the object again, and to know what it belongs to. */
export const keptOf = ({ metadata: { name, namespace, labels } }: KubeObject): KubeObject => ({
  metadata: { name, namespace, ...(labels && { labels }) },
});

/** As much as of those that are watched, so that both can be compared. */
export function asWatched<T extends KubeObject>(kind: ObjectKind): (object: T) => T {
  const { keep } = watchedKind(kind);
  return (object) => keep(object as unknown as RawResource) as unknown as T;
}
