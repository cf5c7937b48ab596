// Helm comes from the cache, from the official archive if its digest is the published one, or from a build; else it is said what was tried.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { HELM_VERSION, platformName } from '../../dev/plane/binaries/release.ts';
import { findHelm, helmFolder } from '../../dev/release/helm.ts';
import { tar } from '../plane/binaries/archive-server.ts';
import { temporaryFolder } from '../plane/support.ts';

const archive = gzipSync(
  tar({ [`${platformName()}/LICENSE`]: 'text', [`${platformName()}/helm`]: 'the official one' }),
);
const sha256 = createHash('sha256').update(archive).digest('hex');

let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = { XDG_CACHE_HOME: await temporaryFolder(), HOME: '/nowhere' };
  // Without a path there is no Go.
  vi.stubEnv('PATH', await temporaryFolder());
  vi.stubEnv('NO_PROXY', '127.0.0.1');
});

/** Home of an archive whose published digest is this. */
async function serve(published: string): Promise<string> {
  const file = `helm-v${HELM_VERSION}-${platformName()}.tar.gz`;
  const contents: Readonly<Record<string, string | Buffer>> = {
    [`/${file}`]: archive,
    [`/${file}.sha256sum`]: `${published}  ${file}\n`,
  };
  const server = createServer((request, response) => {
    const content = contents[request.url ?? ''];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('from the cache, without asking anybody', async () => {
  const folder = helmFolder(environment);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'helm'), 'the cached one');
  await chmod(join(folder, 'helm'), 0o755);
  expect(await findHelm({ environment, archiveHome: 'http://127.0.0.1:9' })).toBe(join(folder, 'helm'));
});

test('from the official archive, into the cache', async () => {
  const path = await findHelm({ environment, archiveHome: await serve(sha256) });
  expect(path).toBe(join(helmFolder(environment), 'helm'));
  expect(await readFile(path, 'utf8')).toBe('the official one');
});

test('not from an archive with another digest, and it is said what was tried', async () => {
  const archiveHome = await serve('0'.repeat(64));
  const message = await findHelm({ environment, archiveHome }).then(String, String);
  expect(message).toContain(`cannot find Helm ${HELM_VERSION}: tried`);
  expect(message).toContain(`- the cache (${helmFolder(environment)}): it has no helm`);
  expect(message).toMatch(/- the official archive \(.*\): .*its sha256 is/);
  expect(message).toContain('- go build: cannot run go: spawn go ENOENT');
  expect(message).toContain('Either install Go 1.26 or newer, or let this machine reach the official archive.');
});

test('the module that is built is of the same version', async () => {
  const module = await readFile(join(import.meta.dirname, '../../dev/plane/binaries/modules/helm/go.mod'), 'utf8');
  expect(module).toContain(`helm.sh/helm/v4 v${HELM_VERSION}`);
});
