// The official archive is taken when its digest is the published one, and never otherwise.
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ArchiveRequest,
  chooseArchive,
  downloadArchive,
  type Index,
} from '../../../dev/plane/binaries/archive.ts';
import { KUBERNETES_VERSION, platformName } from '../../../dev/plane/binaries/release.ts';
import { readTar } from '../../../dev/plane/binaries/tar.ts';
import { temporaryFolder } from '../support.ts';
import { serveArchive, tar } from './archive-server.ts';

const lines: string[] = [];

async function requestFrom(home: string): Promise<ArchiveRequest> {
  const progress = (line: string): void => void lines.push(line);
  const folder = await temporaryFolder();
  const downloads = await temporaryFolder();
  return { home, version: KUBERNETES_VERSION, platform: platformName(), folder, downloads, progress };
}

describe('downloadArchive', () => {
  it('unpacks the two programs of the plane, ready to run', async () => {
    const request = await requestFrom((await serveArchive()).home);
    expect([...(await downloadArchive(request))].sort()).toEqual(['etcd', 'kube-apiserver']);
    expect((await readdir(request.folder)).sort()).toEqual(['etcd', 'kube-apiserver']);
    expect(execFileSync(join(request.folder, 'etcd'), { encoding: 'utf8' })).toBe('etcd\n');
    expect(lines.at(-1)).toMatch(/downloading the official archive.* \(0:0\d\)$/);
  });

  it('refuses an archive whose digest is not the published one, and writes nothing', async () => {
    const request = await requestFrom((await serveArchive('0'.repeat(128))).home);
    await expect(downloadArchive(request)).rejects.toThrow(/its sha512 is [0-9a-f]{128}, published is 0{128}/);
    expect(await readdir(request.folder)).toEqual([]);
  });

  it('names the address that does not answer as it should', async () => {
    const { home } = await serveArchive();
    const request = await requestFrom(`${home}/nowhere`);
    await expect(downloadArchive(request)).rejects.toMatchObject({
      message: `cannot download ${home}/nowhere/raw/HEAD/envtest-releases.yaml`,
      cause: { message: 'the server answered 404 Not Found' },
    });
  });

  it('refuses a list that it does not understand', async () => {
    const request = await requestFrom((await serveArchive('md5:d41d8cd9')).home);
    await expect(downloadArchive(request)).rejects.toThrow(/^cannot read the list of archives: [^]*hash$/);
  });
});

describe('chooseArchive', () => {
  const entry = (version: string, platform = 'linux-amd64'): [string, Index['releases'][string]] => [
    `v${version}`,
    { [`envtest-v${version}-${platform}.tar.gz`]: { hash: version } },
  ];
  const choose = (...entries: [string, Index['releases'][string]][]): string =>
    chooseArchive({ releases: Object.fromEntries(entries) }, '1.36.3', 'linux-amd64').version;

  it('takes the very version', () => {
    expect(choose(entry('1.36.2'), entry('1.36.3'), entry('1.36.10'))).toBe('v1.36.3');
  });

  it('else takes the newest patch, by number and not by letter', () => {
    expect(choose(entry('1.36.9'), entry('1.36.10'), entry('1.36.2'))).toBe('v1.36.10');
  });

  it('never takes a preview, another minor version or another platform', () => {
    const wrong = [entry('1.36.0-rc.1'), entry('1.37.0'), entry('1.3.6'), entry('1.36.3', 'linux-arm64')];
    expect(() => choose(...wrong)).toThrow('none is published for 1.36 on linux-amd64');
    expect(choose(...wrong, entry('1.36.0'))).toBe('v1.36.0');
  });
});

describe('readTar', () => {
  it('yields files with their content, and no folders', () => {
    const files = [...readTar(tar({ 'a/': '', 'a/b': 'x'.repeat(513), 'a/c': '' }))];
    expect(files.map(({ path, content }) => [path, content.length])).toEqual([
      ['a/b', 513],
      ['a/c', 0],
    ]);
  });

  it('refuses an archive that is cut off', () => {
    expect(() => [...readTar(tar({ a: 'x'.repeat(2000) }).subarray(0, 1024))]).toThrow('it is cut off');
  });
});
