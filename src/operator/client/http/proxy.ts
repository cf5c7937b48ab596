// Chooses the proxy for a service.
import { BlockList, isIP } from 'node:net';
import { shortestSecret } from './known-secrets.ts';

/** The values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Never logged, because they may contain passwords. */
export interface Proxies {
  /** For http services. The URL of the proxy is http or https. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts without a proxy: `*`, a host, `.suffix` or an address, optionally with `:port`, or a CIDR block. */
  readonly none: readonly string[];
}

export interface Proxy {
  readonly origin: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** The value of the header Proxy-Authorization. */
  readonly authorization: string | undefined;
  /** Texts to redact. */
  readonly secrets: readonly string[];
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Loopback addresses never use a proxy, because the proxy would connect to itself. */
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
  // Some proxies use an API key as user, without a password.
  const names = [user, username].filter((name) => name.length >= shortestSecret);
  return { origin, host, authorization: `Basic ${encoded}`, secrets: [...names, secret, password, encoded] };
}

/** Without the brackets of IPv6 and without a trailing dot. */
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
