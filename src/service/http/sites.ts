// Keeps web pages out: what a browser sends for a page of another site, and what comes under a name that is not the service's own.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusal.ts';

/** Under which names the service may be called. */
export interface HostNames {
  /** Besides loopback and the address that is listened on. */
  readonly allowed: readonly string[];
  /** All others, too. */
  readonly any: boolean;
}

const mapped = '::ffff:';
/** An IPv4 address that came in over a socket for both families is the same address. */
const plain = (address: string): string => (address.startsWith(mapped) ? address.slice(mapped.length) : address);

/** Whether nobody but this machine can come in there. */
export function isLoopback(host: string): boolean {
  const name = plain(host.toLowerCase());
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Undefined: that is no `name`, and no `name:port`. */
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

/** Browsers say of every request that may change something for which page it is. */
function isOwnOrigin(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  return page !== null && page.host !== '' && page.host === addressOf(host, page.protocol)?.host;
}

const forbidden = (message: string): Refusal => new Refusal([403, 'FORBIDDEN'], message, 'framework');

/** Throws a 403. Who names no host, and no origin, is no browser. */
export function checkSite({ headers, socket }: IncomingMessage, names: HostNames): void {
  const { host = '', origin } = headers;
  if (host !== '' && !isOwnName(host, socket.localAddress ?? '', names)) {
    throw forbidden('cannot take request: the service has no such name as in Host; --allowed-host gives it one');
  }
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (isForeign || (origin !== undefined && !isOwnOrigin(origin, host))) {
    throw forbidden('cannot take request: a page of another site sends it');
  }
}

/** Must be mounted before everything that lets somebody in. */
export function mountSites(app: FastifyInstance, names: HostNames): void {
  app.addHook('onRequest', (request, _reply, done) => {
    checkSite(request.raw, names);
    done();
  });
}
