// Which setting of a Connection may be wrong when its service cannot be used. PURE.
import type { ServiceError } from '../../../wire/errors/service-error.ts';

interface Tried {
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** The service accepted this Connection before, so its endpoint was right. */
  readonly accepted: boolean;
}

/** Undefined if nothing suggests that a setting is wrong. */
export function settingsRemedy(error: ServiceError, { endpoint, timeoutMs, accepted }: Tried): string | undefined {
  if (error.category === 'malformed' && (error.status === 404 || error.status === 405)) return pathRemedy(endpoint);
  if (error.category !== 'unreachable' || error.status !== undefined) return undefined;
  if (error.why.endsWith('did not answer in time'))
    return `Check spec.endpoint, and whether the service runs. If it needs more than ${timeoutMs / 1000} s for an answer, raise spec.timeoutSeconds`;
  if (/\bbroke\b/.test(error.why) && !accepted && endpoint.startsWith('http:'))
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
