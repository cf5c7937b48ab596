// Where the service is, and the path of each resource below it.

export interface Address {
  readonly origin: string;
  /** The path of the endpoint, without a slash at its end. */
  readonly base: string;
}

/** Throws a TypeError that says what is wrong with the endpoint, and never repeats it: it may hold a password. */
export function parseEndpoint(endpoint: string): Address {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) throw new TypeError('the endpoint is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('the endpoint is neither http nor https');
  }
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the endpoint must not have a user or a password');
  if (url.search !== '' || url.hash !== '') throw new TypeError('the endpoint must not have a query or a fragment');
  return { origin: url.origin, base: url.pathname.replace(/\/+$/, '') };
}

/** Dots alone would address another resource than the one that is meant, and so would nothing at all. */
export function isSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..';
}

export function joinPath(segments: readonly string[]): string {
  return `/${segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join('/')}`;
}
