// The addresses of a node, and the pair of interfaces that connects its network to the computer's.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { enterNamespaces } from './namespaces.ts';

const run = promisify(execFile);

/** Only the node itself knows these two ranges: they exist once for each node. */
export const POD_RANGE = '10.0.1.0/24';
export const DNS_ADDRESS = '10.0.0.10';

export interface Link {
  /** The name of the interface on this computer. */
  readonly name: string;
  /** The address of this computer, which pods reach. */
  readonly host: string;
  /** The address of the node, which this computer reaches. */
  readonly node: string;
}

/**
 * A network of two addresses that no interface of this computer has.
 *
 * 198.18.0.0/15 is reserved for benchmarks of networks (RFC 2544), so it leads nowhere on a real network.
 */
export function chooseLink(taken: readonly string[] = localAddresses(), random = randomInt): Link {
  for (;;) {
    const number = random(2 ** 15);
    const first = number * 4;
    const address = (offset: number): string =>
      [198, 18 + (first >> 16), (first >> 8) & 255, (first & 255) + offset].join('.');
    const link = { name: `plane-${number}`, host: address(1), node: address(2) };
    if (!taken.includes(link.host)) return link;
  }
}

function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** Connects the network of process `init` with this computer's. Both ends vanish with that network. */
export async function connectNetworks(link: Link, init: number): Promise<void> {
  const inside = async (...line: readonly string[]): Promise<void> => runLine(enterNamespaces(init, line));
  await runLine(['ip', 'link', 'add', link.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(init)]);
  await runLine(['ip', 'address', 'add', `${link.host}/30`, 'dev', link.name]);
  await runLine(['ip', 'link', 'set', link.name, 'up']);
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'address', 'add', `${link.node}/30`, 'dev', 'eth0');
  await inside('ip', 'link', 'set', 'eth0', 'up');
  // A ClusterIP belongs to no interface: without a route the kernel refuses to send to it, and kube-proxy never sees it.
  await inside('ip', 'route', 'add', 'default', 'via', link.host);
  // An open connection keeps a network alive after its processes: where the other side is gone for good, the kernel
  // would send the last segment again and again for almost two minutes before both ends vanish.
  await inside('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/tcp_orphan_retries');
  // This computer has no route to the pods, so they use the address of the node.
  const masquerade = ['-t', 'nat', '-A', 'POSTROUTING', '-s', POD_RANGE, '-o', 'eth0', '-j', 'MASQUERADE'];
  await inside('iptables', ...masquerade);
}

async function runLine([command = '', ...args]: readonly string[]): Promise<void> {
  await run(command, args);
}
