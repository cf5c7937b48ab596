// Where binaries are looked for, in which order, and what is said when they are nowhere.
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cacheFolder,
  collect,
  findBinaries,
  findNodeBinaries,
  type Search,
} from '../../../dev/plane/binaries/binaries.ts';
import { type BinaryName, NODE_BINARIES, REQUIRED_BINARIES } from '../../../dev/plane/binaries/release.ts';
import type { Source } from '../../../dev/plane/binaries/sources.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { temporaryFolder } from '../support.ts';
import { serveArchive } from './archive-server.ts';

let search: Search & { readonly environment: NodeJS.ProcessEnv };
let cache: string;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const environment = { XDG_CACHE_HOME: await temporaryFolder(), HOME: '/nowhere' };
  // Nothing listens there, so the archive is out of reach unless a test serves one.
  const [port] = await pickPorts(1);
  search = { environment, archiveHome: `http://127.0.0.1:${port}/tools`, onProgress: (line) => void lines.push(line) };
  cache = cacheFolder(environment);
  // And without a path there is no Go.
  vi.stubEnv('PATH', await temporaryFolder());
  vi.stubEnv('NO_PROXY', '127.0.0.1');
});

async function put(folder: string, ...names: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), `${name} of ${folder}`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

/** A go that writes its arguments into the file that it was told to build. */
async function putGo(): Promise<void> {
  const folder = await temporaryFolder();
  const script = 'if [ "$1" = build ]; then while [ "$1" != -o ]; do shift; done; echo "$3" > "$2"; chmod 755 "$2"; fi';
  await writeFile(join(folder, 'go'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'go'), 0o755);
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
}

describe('findBinaries', () => {
  it('prefers KUBEBUILDER_ASSETS to the cache', async () => {
    const assets = await put(await temporaryFolder(), 'etcd', 'kube-apiserver');
    await put(cache, 'etcd', 'kube-apiserver');
    const environment = { ...search.environment, KUBEBUILDER_ASSETS: assets };
    expect(await findBinaries({ ...search, environment })).toEqual({
      etcd: join(assets, 'etcd'),
      'kube-apiserver': join(assets, 'kube-apiserver'),
    });
  });

  it('completes the assets from the cache', async () => {
    const assets = await put(await temporaryFolder(), 'etcd', 'kube-apiserver');
    await put(cache, 'etcd', 'kube-apiserver', 'kube-controller-manager');
    const environment = { ...search.environment, KUBEBUILDER_ASSETS: assets };
    expect(await findBinaries({ ...search, environment, controllerManager: true })).toMatchObject({
      etcd: join(assets, 'etcd'),
      'kube-controller-manager': join(cache, 'kube-controller-manager'),
    });
  });

  it('asks nobody else when the cache has all', async () => {
    await put(cache, 'etcd', 'kube-apiserver');
    const { home, asked } = await serveArchive();
    await findBinaries({ ...search, archiveHome: home });
    expect([asked, lines]).toEqual([[], []]);
  });

  it('overlooks a file that cannot be executed', async () => {
    await put(cache, 'etcd', 'kube-apiserver');
    await chmod(join(cache, 'etcd'), 0o644);
    await expect(findBinaries(search)).rejects.toThrow('cannot find etcd:');
  });

  it('fills the cache from the archive, and leaves nothing else there', async () => {
    await put(cache, '.part-of-a-killed-run');
    const { home } = await serveArchive();
    await findBinaries({ ...search, archiveHome: home });
    expect((await readdir(cache)).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(await readdir(dirname(cache))).toHaveLength(1);
  });

  it('builds with Go what it gets nowhere else', async () => {
    await putGo();
    const { home } = await serveArchive();
    const found = await findBinaries({ ...search, archiveHome: home, controllerManager: true });
    expect(await readFile(found['kube-controller-manager'] ?? '', 'utf8')).toMatch(/cmd\/kube-controller-manager\n$/);
    expect(await readFile(found.etcd, 'utf8')).toContain('echo etcd');
    const [label, size] = lines.slice(-2);
    expect(label).toMatch(/^kube-controller-manager: building from source with Go, about .* \(0:00\)$/);
    expect(size).toMatch(/^kube-controller-manager: built, \d+ MB \(0:00\)$/);
  });

  it('builds everything when the digest of the archive is wrong', async () => {
    await putGo();
    const { home } = await serveArchive('0'.repeat(128));
    const found = await findBinaries({ ...search, archiveHome: home });
    expect(await readFile(found['kube-apiserver'], 'utf8')).toMatch(/cmd\/kube-apiserver\n$/);
    expect(lines.join('\n')).toContain('its sha512 is');
  });

  it('goes on without a controller manager, and says so', async () => {
    await put(cache, 'etcd', 'kube-apiserver');
    const found = await findBinaries({ ...search, controllerManager: true });
    expect(Object.keys(found).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(lines.at(-1)).toMatch(/^kube-controller-manager: going on without it\n[^]*go build: cannot run go/);
  });

  it('lists all that it tried, why each failed, and what helps', async () => {
    const message: string = await findBinaries(search).then(String, String);
    expect(message).toContain('cannot find etcd and kube-apiserver: tried');
    expect(message).toContain('- KUBEBUILDER_ASSETS: it is not set');
    expect(message).toContain(`- the cache (${cache}): it has no etcd and no kube-apiserver`);
    expect(message).toMatch(/- the official archive \(.*\): cannot download .*envtest-releases.yaml: .*ECONNREFUSED/);
    expect(message).toContain('- go build: cannot run go: spawn go ENOENT');
    expect(message).toContain('Either install Go 1.26 or newer, or ');
  });

  it('builds all that a node needs', async () => {
    await putGo();
    await put(cache, 'etcd', 'kube-apiserver');
    const found = await findNodeBinaries(search);
    expect(Object.keys(found).toSorted()).toEqual([...REQUIRED_BINARIES, ...NODE_BINARIES].toSorted());
    expect(await readFile(found.kubelet, 'utf8')).toMatch(/cmd\/kubelet\n$/);
    expect(lines.join('\n')).toMatch(/^kubelet: built, \d+ MB \(0:00\)$/m);
  });

  it('requires all that a node needs, and names the archive to nobody whom it cannot help', async () => {
    await put(cache, 'etcd', 'kube-apiserver', 'kube-scheduler', 'kubelet', 'kube-proxy', 'pause');
    const message: string = await findNodeBinaries(search).then(String, String);
    expect(message).toContain('cannot find kube-controller-manager and coredns: tried');
    expect(message).toContain('Either install Go 1.26 or newer, or put kube-controller-manager and coredns into a ');
  });

  it('lets one of two runs do the work', async () => {
    const { home, asked } = await serveArchive();
    await Promise.all([1, 2].map(async () => findBinaries({ ...search, archiveHome: home })));
    expect(asked).toHaveLength(2);
  });
});

describe('collect', () => {
  it('asks each source for what the earlier ones did not have, and stops when all is there', async () => {
    const asked: (readonly BinaryName[])[] = [];
    const source = (name: BinaryName): Source => ({
      name,
      find: async (missing) => {
        asked.push(missing);
        return { [name]: name };
      },
    });
    const { found } = await collect(REQUIRED_BINARIES, [source('kube-apiserver'), source('etcd'), source('etcd')]);
    expect(found).toEqual({ etcd: 'etcd', 'kube-apiserver': 'kube-apiserver' });
    expect(asked).toEqual([['etcd', 'kube-apiserver'], ['etcd']]);
  });
});

describe('cacheFolder', () => {
  it('is below XDG_CACHE_HOME when that is absolute, else below the home', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toMatch(/^\/x\/dataprocessing-operator\/kubernetes\/1\./);
    expect(cacheFolder({ XDG_CACHE_HOME: 'x', HOME: '/h' })).toMatch(/^\/h\/\.cache\/dataprocessing-operator\//);
    expect(cacheFolder({ HOME: '/h' })).toMatch(/^\/h\/\.cache\//);
  });
});
