// Networks in CIDR notation. PURE.
import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';
export const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether the text is a network such as 10.0.0.0/8 or fd00::/8. */
export function isNetwork(text: string): boolean {
  const [, address = '', bits = ''] = /^([\da-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 6 ? 128 : 32);
}

/** Networks as a list that can be asked. Throws if one of them is none. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    if (!isNetwork(network)) throw new Error(`${network} is not a network such as 10.0.0.0/8`);
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** Addresses as a list that can be asked. What is no address is left out. */
export function addressList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of addresses) if (isIP(address) !== 0) list.addAddress(address, familyOf(address));
  return list;
}
