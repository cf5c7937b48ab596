// Downloads from addresses that users name, and not from those that only this program can reach. Every connection is checked, with the addresses to which its
// host name has just been resolved: a name that means something else the next time, or a redirect, leads nowhere else.
import { lookup, reverse } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { callbackify } from 'node:util';
import { Agent, buildConnector, fetch as fetchWith } from 'undici';
import { codeOf } from '../errors.ts';
import { uncompressed } from '../http/bounded.ts';
import { addressList, networkList } from '../http/networks.ts';
import type { systemDownload } from '../system.ts';
import { isInternal, isSpecial, leadsInto, meaningsOf } from './refused-addresses.ts';

/** Networks are in CIDR notation. */
export interface FetchRules {
  /** They take precedence over everything else. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  /**
   * Names and addresses that are refused as well. They are asked for at each connection, because they can change. A name stands for the addresses
   * that it has then.
   */
  readonly deniedHosts?: (() => readonly string[]) | undefined;
  /** The DNS domain of the Kubernetes cluster, if this program runs in it. What is named there as a Service or one of its pods is refused. */
  readonly clusterDomain?: string | undefined;
}

/** How names and addresses are resolved. */
export interface Resolver {
  addressesOf(name: string): Promise<readonly string[]>;
  namesOf(address: string): Promise<readonly string[]>;
}

/** The same message for whatever is or is not there: it tells nobody what there is. */
export class FetchRefusal extends Error {
  constructor() {
    super(
      'its url, endpoint or a redirect leads to an address of this service or its cluster, to a private one about which the DNS server of the cluster cannot say what it is, or to a link-local one: upload the file, or start the service with --allow-fetch-from and its network',
    );
  }
}

const systemResolver: Resolver = {
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  namesOf: (address) => reverse(address),
};

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address.replace(/%.*$/, '')));

/** What a DNS server answers about an address without a name. */
const nameless: readonly string[] = ['ENOTFOUND', 'ENODATA'];
/** What it answers if it does not find out. That is usual for public addresses, whose zones nobody has to serve. */
const unknown: readonly string[] = ['ESERVFAIL', 'EREFUSED'];

/** Whether the address may be a Service after a failed look-up. Throws the cause if it is public and the DNS server said nothing, which can pass. */
function isSuspect(address: string, cause: unknown): boolean {
  const code = cause instanceof Error ? codeOf(cause) : undefined;
  if (code !== undefined && nameless.includes(code)) return false;
  if (isInternal(address)) return true;
  if (code !== undefined && unknown.includes(code)) return false;
  throw cause;
}

const isName = (host: string): boolean => isIP(host) === 0;
const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Rejects with `FetchRefusal` unless a connection to the address of the host is admitted. */
type AddressCheck = (address: string, host: string) => Promise<void>;

function createCheck(
  { allowed, denied, deniedHosts = () => [], clusterDomain }: FetchRules,
  resolver: Resolver,
): AddressCheck {
  const [admitted, refused] = [networkList(allowed), networkList(denied)];
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    if (!isName(host)) return [host];
    try {
      return await resolver.addressesOf(host);
    } catch (cause) {
      if (cause instanceof Error && nameless.includes(codeOf(cause))) return [];
      // It may have the address. That can be known the next time.
      throw cause;
    }
  };
  const isDenied = async (address: string, host: string): Promise<boolean> => {
    const hosts = deniedHosts().map(withoutDot);
    if (hosts.includes(withoutDot(host))) return true;
    const addresses = await Promise.all(hosts.map(addressesOf));
    return leadsInto(addressList([...ownAddresses(), ...addresses.flat()]), address);
  };
  const isNamed = async (address: string): Promise<boolean> => {
    if (clusterDomain === undefined) return false;
    try {
      const names = await resolver.namesOf(address);
      return names.some((name) => withoutDot(name).endsWith(`.svc.${clusterDomain}`));
    } catch (cause) {
      return isSuspect(address, cause);
    }
  };
  return async (address, host) => {
    if (leadsInto(admitted, address)) return;
    if (isSpecial(address) || leadsInto(refused, address)) throw new FetchRefusal();
    if (await isDenied(address, host)) throw new FetchRefusal();
    for (const each of meaningsOf(address)) if (await isNamed(each)) throw new FetchRefusal();
  };
}

/** A dispatcher whose connections are checked before they are made. */
function createAgent(check: AddressCheck, resolver: Resolver): Agent {
  const resolve = async (name: string): Promise<readonly string[]> => {
    const addresses = await resolver.addressesOf(name);
    for (const address of addresses) await check(address, name);
    return addresses;
  };
  const guardedLookup: LookupFunction = (name, { all }, callback) => {
    callbackify(resolve)(name, (error, found) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const addresses = found.map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
  const connect = buildConnector({ lookup: guardedLookup });
  return new Agent({
    connect(options, callback) {
      // Nothing is resolved where the host is an address.
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isName(host)) connect(options, callback);
      else
        callbackify(check)(host, host, (error) =>
          error === null ? connect(options, callback) : callback(error, null),
        );
    },
  });
}

/** Like `systemDownload`, but rejects with `FetchRefusal` if a host leads to an address that is refused. Throws if a network is none. */
export function createGuardedDownload(rules: FetchRules, resolver: Resolver = systemResolver): typeof systemDownload {
  const dispatcher = createAgent(createCheck(rules, resolver), resolver);
  return async (url, how) => {
    try {
      // A server may compress all the same, as it keeps the file. What comes of it is bounded as it is written.
      const headers = { ...how.headers, ...uncompressed };
      const answer = await fetchWith(url, { ...how, headers, dispatcher });
      return { status: answer.status, bytes: answer.body ?? (async function* () {})() };
    } catch (cause) {
      throw refusalIn(cause) ?? cause;
    }
  };
}

const refusalIn = (error: unknown): FetchRefusal | undefined => {
  if (error instanceof FetchRefusal) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((each) => each !== undefined);
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined;
};
