// The paths of all routes with their versions, and the refusal of unknown paths and methods.
import type { FastifyRequest } from 'fastify';
import type { Dialect } from '../../../wire/dialect.ts';
import { Refusal } from '../../model/refusal.ts';
import { endpoints } from '../../resources/all-routes.ts';
import type { Endpoint } from '../../resources/endpoints/endpoint.ts';

const versions = ['v1.0', 'v1.1'] as const;
const versionsOf = ({ version }: Endpoint) => (version === undefined ? versions : [version]);

/** Late upstream also serves every route without the tenant. */
const needsTenant = (dialect: Dialect): boolean => dialect !== 'sahara';

/** The paths under which the endpoint is mounted. */
export const urlsOf = (dialect: Dialect, endpoint: Endpoint): readonly string[] =>
  versionsOf(endpoint).flatMap((version) => [
    `/${version}/:tenant/${endpoint.path}`,
    ...(needsTenant(dialect) ? [] : [`/${version}/${endpoint.path}`]),
  ]);

type Paths = readonly { readonly method: Endpoint['method']; readonly pattern: RegExp }[];

/** The patterns of existing paths, to distinguish a wrong method from a wrong path. */
const pathsOf = (dialect: Dialect): Paths =>
  endpoints.map((endpoint) => {
    const below = endpoint.path.replaceAll(/:\w+/g, '[^/]+');
    const tenant = needsTenant(dialect) ? '[^/]+/' : '([^/]+/)?';
    return { method: endpoint.method, pattern: new RegExp(`^/(${versionsOf(endpoint).join('|')})/${tenant}${below}$`) };
  });
const known: Readonly<Record<Dialect, Paths>> = {
  neutral: pathsOf('neutral'),
  sahara: pathsOf('sahara'),
  savanna: pathsOf('savanna'),
};

/** Upstream's tenant filter refuses paths that are too short to contain a tenant. */
function isTooShort(dialect: Dialect, path: string): boolean {
  const segments = path.split('/').slice(1);
  const least = { neutral: 0, sahara: 2, savanna: 3 }[dialect];
  return segments.slice(0, least).filter((segment) => segment !== '').length < least;
}

/** The refusal of a request whose path or method does not exist. */
export function refuseUnknown(dialect: Dialect, request: FastifyRequest): Refusal {
  const path = request.url.split('?')[0] ?? '';
  const missing = `cannot find ${path}`;
  if (isTooShort(dialect, path)) return Refusal.by('shortPath', missing);
  const methods = known[dialect].filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return Refusal.by('unknownPath', missing);
  const text = `cannot ${request.method} ${path}: the methods are ${methods.join(', ')}`;
  return Refusal.by('unknownMethod', text);
}
