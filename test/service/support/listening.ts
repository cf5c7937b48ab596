// Which ports of machines are in use, as the kernel tells it.
import { existsSync, readFileSync } from 'node:fs';

/** Ports at which something listens at addresses of these beginnings, such as `127.77.3.`. */
export function portsAt(networks: readonly string[]): readonly number[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter(existsSync).map((file) => readFileSync(file, 'utf8'));
  return tables
    .flatMap((table) => [...table.matchAll(/([0-9A-F]{8}):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /g)])
    .filter(([, address = '']) => networks.some((network) => textOf(address).startsWith(network)))
    .map(([, , port = '']) => Number.parseInt(port, 16));
}

/** The kernel writes addresses backwards, in hexadecimal. */
const textOf = (address: string): string =>
  (address.match(/../g) ?? [])
    .toReversed()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
