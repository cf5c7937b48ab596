// Which proxy, if any, stands between us and a service.
import { BlockList, isIP } from 'node:net';
import { shortestSecret } from './known-secrets.ts';

/** As HTTP_PROXY, HTTPS_PROXY and NO_PROXY have them. May hold a password: never logged. */
export interface Proxies {
  /** For services at http: the URL of a proxy that is spoken to by http or https. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** What is reached without a proxy: `*`, a host, `.suffix`, an address or a block of them, each but the last with `:port` where wanted. */
  readonly none: readonly string[];
}

export interface Proxy {
  readonly origin: string;
  /** For messages: host and port, and no credentials. */
  readonly host: string;
  /** Of the header that it asks for. */
  readonly authorization: string | undefined;
  /** What must never be said. */
  readonly secrets: readonly string[];
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Undefined: none. This machine is never reached through a proxy, which would take its own for it. */
export function proxyFor(origin: string, { http, https, none }: Proxies): Proxy | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const proxy = protocol === 'https:' ? https : http;
  const host = bare(hostname);
  if (proxy === undefined || isLoopback(host)) return undefined;
  const excluded = none.some((entry) => fits(entry.toLowerCase(), host, port || (defaultPorts[protocol] ?? '')));
  return excluded ? undefined : readProxy(proxy);
}

function readProxy(text: string): Proxy {
  const { origin, host, username, password } = new URL(text);
  if (username === '' && password === '') return { origin, host, authorization: undefined, secrets: [] };
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const encoded = Buffer.from(`${user}:${secret}`).toString('base64');
  // With many proxies the name of the user is the key, and the password is nothing.
  const names = [user, username].filter((name) => name.length >= shortestSecret);
  return { origin, host, authorization: `Basic ${encoded}`, secrets: [...names, secret, password, encoded] };
}

/** Without the brackets of IPv6 and the dot that ends a complete name. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/(?<=.)\.$/, '');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || contains(loopback, host);
}

function contains(block: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && block.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

function fits(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inBlock(entry, host);
  const [, bracketed, plain, wantedPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = bare(bracketed ?? plain ?? entry).replace(/^\*(?=\.)/, '');
  if (wanted.startsWith('.')) return host.endsWith(wanted);
  return wanted !== '' && (host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`)));
}

function inBlock(entry: string, host: string): boolean {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  const length = Number(bits);
  if (version === 0 || !Number.isInteger(length) || length < 0 || length > (version === 6 ? 128 : 32)) return false;
  const block = new BlockList();
  block.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  return contains(block, host);
}
