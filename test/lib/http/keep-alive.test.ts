// Whether the system looks after a connection on which nothing is sent.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { timeoutOptions } from '../../../src/lib/http/http-limits.ts';
import { limitMs } from '../../support/patience.ts';

const table = '/proc/net/tcp';
/** Of the timer of a connection: its next probe. */
const probing = '02';

/** Ports are in hexadecimal digits there. */
const portOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

test.skipIf(!existsSync(table))('a client that sends nothing more is probed', async () => {
  const app = fastify(timeoutOptions({ connections: 10, requestMs: 10_000 }));
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  await once(client, 'connect');
  const [here, there] = [portOf(port), portOf(client.localPort ?? 0)];
  const timerOf = (): string | undefined => {
    const rows = readFileSync(table, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    const row = rows.find(([, local, remote]) => local?.endsWith(`:${here}`) && remote?.endsWith(`:${there}`));
    return row?.[5]?.split(':')[0];
  };
  await vi.waitFor(() => expect(timerOf()).toBe(probing), { interval: 5, timeout: limitMs });
});
