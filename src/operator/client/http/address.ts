// The address of a service, the paths below it, and their templates for metrics.
import { routes } from '../../../wire/routes.ts';

export interface Address {
  readonly origin: string;
  /** The path of the endpoint, without a trailing slash. */
  readonly base: string;
}

/** Throws a TypeError that names the problem but not the endpoint, which may contain a password. */
export function parseEndpoint(endpoint: string): Address {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) throw new TypeError('the endpoint is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('the endpoint must start with http:// or https://');
  }
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the endpoint must not contain a user or a password');
  if (url.search !== '' || url.hash !== '') throw new TypeError('the endpoint must not contain a query or a fragment');
  return { origin: url.origin, base: url.pathname.replace(/\/+$/, '') };
}

/** An empty segment or one of dots would address another resource. */
export function isSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..';
}

export function joinPath(segments: readonly string[]): string {
  return `/${segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join('/')}`;
}

/** What the operator does with an object beside reading, changing and deleting it. */
const actions = ['/images/{id}/tag', '/images/{id}/untag', '/jobs/{id}/execute', '/job-executions/{id}/cancel'];

/** All paths that the operator requests, after the tenant. */
export const templates: readonly string[] = Object.values(routes)
  .flatMap((route) => (route === routes.plugins ? [`/${route.path}`] : [`/${route.path}`, `/${route.path}/{id}`]))
  .concat(actions);

const parts: readonly (readonly [template: string, parts: readonly string[]])[] = templates.map((template) => [
  template,
  template.slice(1).split('/'),
]);

/** `other` for any other path. */
export function templateOf(segments: readonly string[]): string {
  const fits = (expected: readonly string[]): boolean =>
    expected.length === segments.length &&
    expected.every((part, index) => part.startsWith('{') || part === segments[index]);
  return parts.find(([, expected]) => fits(expected))?.[0] ?? 'other';
}
