// The paths of collections and objects in the API server.

import { memoize } from '../../lib/memoize.ts';
import type { Key } from '../reconcile/ports.ts';

export interface ResourceKind {
  readonly kind: string;
  /** `group/version`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly plural: string;
  /** For list and watch. An object that no longer matches counts as deleted. */
  readonly fieldSelector?: string;
}

/** Without `namespace`, the path for all namespaces. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return namespace === undefined
    ? `${root}/${kind.plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

export function objectPath(kind: ResourceKind, key: Pick<Key, 'namespace' | 'name'>, subresource?: 'status'): string {
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The object of a request, for messages and metrics. */
interface RequestTarget {
  /** The plural, with the subresource if there is one: `clusters/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export const targetOf = memoize((path: string): RequestTarget => {
  const parts = path.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  // `/api/v1/namespaces/x` is the namespace itself. It is a scope only if something follows.
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined;
  const [plural = path, name, subresource] = namespace === undefined ? rest : rest.slice(2);
  return { resource: subresource === undefined ? plural : `${plural}/${subresource}`, namespace, name };
});

/** `clusters/status team-a/etl`, for messages. */
export function targetText(path: string): string {
  const { resource, namespace, name } = targetOf(path);
  const place = [namespace, name].filter((part) => part !== undefined).join('/');
  return place === '' ? resource : `${resource} ${place}`;
}
