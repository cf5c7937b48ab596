// Protects against web pages: refuses requests that a browser sends for another site, and requests under a foreign host name.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../model/refusal.ts';

/** The host names under which the service accepts requests. */
export interface HostNames {
  /** Names besides loopback and the address that the service listens on. */
  readonly allowed: readonly string[];
  /** Whether any name is accepted. */
  readonly any: boolean;
}

const mapped = '::ffff:';
/** A dual-stack socket reports IPv4 addresses in a mapped form. */
const plain = (address: string): string => (address.startsWith(mapped) ? address.slice(mapped.length) : address);

/** Whether only this machine can connect to the address. */
export function isLoopback(host: string): boolean {
  const name = plain(host.toLowerCase());
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Undefined if the text is neither `name` nor `name:port`. */
function addressOf(host: string, protocol = 'http:'): URL | undefined {
  const url = hostForm.test(host) ? URL.parse(`${protocol}//${host}`) : null;
  return url ?? undefined;
}

const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

function isOwnName(host: string, localAddress: string, { allowed, any }: HostNames): boolean {
  if (any) return true;
  const url = addressOf(host);
  if (url === undefined) return false;
  const name = nameOf(url);
  return isLoopback(name) || name === plain(localAddress) || allowed.includes(name);
}

/** Browsers send the origin of the page with every request that can change something. */
function isOwnOrigin(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  return page !== null && page.host !== '' && page.host === addressOf(host, page.protocol)?.host;
}

const forbidden = (message: string): Refusal => Refusal.by('otherSite', message);

/** Throws a 403. A request without host and origin does not come from a browser. */
function checkSite({ headers, socket }: IncomingMessage, names: HostNames): void {
  const { host = '', origin } = headers;
  if (host !== '' && !isOwnName(host, socket.localAddress ?? '', names)) {
    throw forbidden('cannot take request: the name in Host is not allowed; add it with --allowed-host');
  }
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (isForeign || (origin !== undefined && !isOwnOrigin(origin, host))) {
    throw forbidden('cannot take request: a page of another site sends it');
  }
}

/** Must be mounted before the authentication. */
export function mountSites(app: FastifyInstance, names: HostNames): void {
  app.addHook('onRequest', (request, _reply, done) => {
    checkSite(request.raw, names);
    done();
  });
}
