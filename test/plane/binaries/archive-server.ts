// A server on loopback that publishes one small archive, the way the official ones are published.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished, vi } from 'vitest';
import { KUBERNETES_VERSION, platformName } from '../../../dev/plane/binaries/release.ts';

export const archiveFile = `envtest-v${KUBERNETES_VERSION}-${platformName()}.tar.gz`;

/** A tar archive of files with 0755 and the content given. */
export function tar(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(512);
    header.write(path, 0);
    header.write('0000755\0', 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
    header.write(path.endsWith('/') ? '5' : '0', 156);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export const officialArchive = gzipSync(
  tar({
    'controller-tools/envtest/': '',
    'controller-tools/envtest/etcd': '#!/bin/sh\necho etcd\n',
    'controller-tools/envtest/kubectl': '#!/bin/sh\necho kubectl\n',
    'controller-tools/envtest/kube-apiserver': '#!/bin/sh\necho kube-apiserver\n',
  }),
);

export interface ArchiveServer {
  readonly home: string;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
}

/** Serves the archive until the end of the test; `published` is what the list says about it. */
export async function serveArchive(published = sha512(officialArchive)): Promise<ArchiveServer> {
  const asked: string[] = [];
  const list = `releases:\n  v${KUBERNETES_VERSION}:\n    ${archiveFile}: {hash: ${published}, selfLink: ignored}\n`;
  const contents: Readonly<Record<string, string | Buffer>> = {
    '/tools/raw/HEAD/envtest-releases.yaml': list,
    [`/tools/releases/download/envtest-v${KUBERNETES_VERSION}/${archiveFile}`]: officialArchive,
  };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const content = contents[request.url ?? ''];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  return { home: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools`, asked };
}

export function sha512(content: Buffer): string {
  return createHash('sha512').update(content).digest('hex');
}
