// What a request to the API server is about, from its path. PURE.
import { memoize } from '../lib/memoize.ts';

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
