// Addresses in all their forms, and the networks that they lead into.
import { describe, expect, test } from 'vitest';
import { isInternal, isSpecial, leadsInto } from '../../../src/lib/fetch/refused-addresses.ts';
import { addressList, isNetwork, networkList } from '../../../src/lib/http/networks.ts';

const special = `
127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 224.0.0.1 239.255.255.250 255.255.255.255 240.0.0.1
:: ::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 fd00:ec2::254
100.100.100.200 168.63.129.16 192.0.0.192 ::ffff:100.100.100.200
`;
/** Mapped, compatible, translated, NAT64 and 6to4. */
const embedded = `
::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe 0:0:0:0:0:ffff:127.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe::1
`;
const usual = `
192.0.2.1 10.1.2.3 8.8.8.8 128.0.0.1 169.253.1.1 223.255.255.255 2001:db8::1
fd00::1 fc00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1 2600::7f00:1
`;
const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/);

describe('an address', () => {
  test.each(wordsOf(special + embedded))('%s leads back', (address) => expect(isSpecial(address)).toBe(true));
  test.each(wordsOf(usual))('%s leads elsewhere', (address) => expect(isSpecial(address)).toBe(false));
});

test.each(
  wordsOf('10.0.0.1 172.31.0.1 192.168.1.1 100.64.0.1 100.127.255.255 fc00::1 fd12::1 ::ffff:10.0.0.1 64:ff9b::a00:1'),
)('%s may stay inside', (address) => expect(isInternal(address)).toBe(true));

test.each(wordsOf('8.8.8.8 172.32.0.1 192.169.0.1 100.128.0.1 2001:db8::1 fe80::1 ::ffff:8.8.8.8'))(
  '%s leads outside',
  (address) => expect(isInternal(address)).toBe(false),
);

test.each([
  ['10.96.0.0/12', '10.96.0.1', true],
  ['10.96.0.0/12', '10.112.0.1', false],
  ['10.96.0.0/12', '::ffff:10.96.0.1', true],
  ['10.96.0.0/12', '64:ff9b::a60:1', true],
  ['10.0.0.7/32', '10.0.0.7', true],
  ['fd00:1::/32', 'fd00:1::9', true],
  ['fd00:1::/32', '10.0.0.1', false],
])('the network %s contains %s: %s', (network, address, contains) => {
  expect(leadsInto(networkList([network]), address)).toBe(contains);
});

test('a network has an address and as many bits as fit', () => {
  for (const good of ['10.0.0.0/8', '0.0.0.0/0', '::/0', 'fd00::/128'])
    expect([good, isNetwork(good)]).toEqual([good, true]);
  for (const bad of ['10.0.0.0', '10.0.0/8', '10.0.0.0/33', '999.0.0.0/8', 'fd00::/129', 'a/8', '/8', ''])
    expect([bad, isNetwork(bad)]).toEqual([bad, false]);
  expect(() => networkList(['10.0.0.0/33'])).toThrow('10.0.0.0/33 is not a network such as 10.0.0.0/8');
});

test('a list of addresses has each of them in all its forms, and leaves out what is no address', () => {
  const list = addressList(['10.0.0.1', 'fd00:0:0::1', 'plane.example', '']);
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fd00::1']) expect(leadsInto(list, address)).toBe(true);
  for (const address of ['10.0.0.2', 'fd00::2']) expect(leadsInto(list, address)).toBe(false);
});
