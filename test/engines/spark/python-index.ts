// An index of Python packages, as pip asks it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Wheel } from './wheels.ts';

/** Serves the wheels as an index, until the test has ended or `close` is called. */
export async function serveIndex(wheels: readonly Wheel[]) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const file = wheels.find(({ name }) => name === basename(url));
    const links = wheels.filter(({ name }) => url === `/simple/${name.split('-')[0]}/`);
    if (file !== undefined) return response.end(file.bytes);
    if (links.length === 0) return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    return response.end(links.map(({ name }) => `<a href="/files/${name}">${name}</a>`).join('\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => server.close();
  onTestFinished(() => void close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`, asked, close };
}
