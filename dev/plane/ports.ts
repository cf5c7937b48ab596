// Picks free loopback ports.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take the local ports of outgoing connections: such a connection of any process
 * could otherwise sit on our port while the API server restarts.
 */
const [LOWEST, HIGHEST] = [20_000, 30_000];
const ATTEMPTS = 100;

/** Different free ports. Another process may take one before it is used, so a start must be ready to pick again. */
export async function pickPorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; ports.size < count; attempt += 1) {
    if (attempt === ATTEMPTS) throw new Error(`cannot find ${count} free ports between ${LOWEST} and ${HIGHEST}`);
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
