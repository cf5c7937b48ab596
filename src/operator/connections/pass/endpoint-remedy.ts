// What may be wrong with the endpoint of a Connection when its service cannot be used. PURE.
import type { ServiceError } from '../../../wire/errors/errors.ts';

interface Addressed {
  readonly endpoint: string;
  /** The service accepted this Connection before, so its endpoint was right. */
  readonly accepted: boolean;
}

/** Undefined if nothing suggests that the endpoint is wrong. */
export function endpointRemedy(error: ServiceError, { endpoint, accepted }: Addressed): string | undefined {
  if (error.category === 'malformed' && (error.status === 404 || error.status === 405)) return pathRemedy(endpoint);
  const isSilent = error.category === 'unreachable' && error.status === undefined && /\bbroke\b/.test(error.why);
  if (isSilent && !accepted && endpoint.startsWith('http:'))
    return 'If the service uses TLS, use https:// in spec.endpoint';
  return undefined;
}

function pathRemedy(endpoint: string): string | undefined {
  const { origin, pathname } = new URL(endpoint);
  if (pathname === '/') return undefined;
  const version = /\/v\d+(\.\d+)?(\/|$)/.exec(pathname);
  if (version === null)
    return `spec.endpoint has the path ${pathname}: if the service is not below it, set spec.endpoint to ${origin}`;
  const base = origin + pathname.slice(0, version.index);
  return `spec.endpoint must be without ${pathname.slice(version.index)}, because the operator adds version and tenant: set it to ${base}`;
}
