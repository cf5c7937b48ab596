// The addresses that lead back into a computer or its surroundings. PURE.
import { type BlockList, isIP } from 'node:net';
import { familyOf, networkList } from '../http/networks.ts';

/** Loopback, link-local, unspecified, multicast and reserved addresses, and those of the metadata services of clouds that are none of these. */
const special = networkList([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
]);

/** Addresses that mean something else in each network: RFC 1918, carrier-grade NAT and unique local IPv6. */
const internal = networkList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']);

/** The eight numbers of an IPv6 address without a zone. */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_text, ...bytes: readonly string[]) => {
    const [one = 0, two = 0, three = 0, four = 0] = bytes.map(Number);
    return `${(one * 256 + two).toString(16)}:${(three * 256 + four).toString(16)}`;
  });
  const [before = '', after] = hex.split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [read(before), read(after ?? '')];
  const between = after === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: between }, () => 0), ...last];
}

/** IPv6 networks whose addresses end in an IPv4 address to which they lead, and where it begins, in groups of 16 bits. */
const embedding: readonly (readonly [network: BlockList, at: number])[] = [
  [networkList(['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48']), 6],
  [networkList(['2002::/16']), 1],
];

/** The addresses that a connection to this one can arrive at: itself, and the IPv4 address that is part of it. */
export function meaningsOf(given: string): readonly string[] {
  const address = given.replace(/%.*$/, '');
  if (isIP(address) !== 6) return [address];
  const [, at] = embedding.find(([network]) => network.check(address, 'ipv6')) ?? [];
  if (at === undefined) return [address];
  const [high = 0, low = 0] = groupsOf(address).slice(at);
  return [address, [high >> 8, high & 255, low >> 8, low & 255].join('.')];
}

/** Whether a connection to the address may arrive in one of the networks. */
export const leadsInto = (networks: BlockList, address: string): boolean =>
  meaningsOf(address).some((each) => networks.check(each, familyOf(each)));

/** Whether a connection to the address may arrive at this computer, at its link, or at many computers. */
export const isSpecial = (address: string): boolean => leadsInto(special, address);

/** Whether a connection to the address may stay in the network of this computer, such as that of a Kubernetes cluster. */
export const isInternal = (address: string): boolean => leadsInto(internal, address);
