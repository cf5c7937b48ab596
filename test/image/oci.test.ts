// Images as OCI archives: what other programs read from them, and that the same content is the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../dev/image/folder.ts';
import { type Image, writeImage } from '../../dev/image/oci.ts';
import { type TarEntry, writeTar } from '../../dev/image/tar.ts';
import { temporaryFolder } from '../plane/support.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Lets the tar of this computer unpack an archive, and returns the folder. */
async function unpack(archive: Buffer): Promise<string> {
  const folder = await temporaryFolder();
  execFileSync('tar', ['-x', '-p', '-f', '-', '-C', folder], { input: archive });
  return folder;
}

async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  return Buffer.concat(await collect(writeTar(entries)));
}

const list = (archive: Buffer): string =>
  execFileSync('tar', ['-t', '-v', '--numeric-owner', '-f', '-'], {
    input: archive,
    encoding: 'utf8',
    env: { TZ: 'UTC' },
  });

describe('a tar archive', () => {
  it.skipIf(process.platform !== 'linux')(
    'has folders, files and links that GNU tar reads, without times and users of this computer',
    async () => {
      const source = join(await temporaryFolder(), 'program');
      await writeFile(source, 'x'.repeat(1_000));
      await chmod(source, 0o700);
      const archive = await tarOf([
        { kind: 'folder', path: 'data', mode: 0o777, owner: 65532 },
        { kind: 'file', path: 'data/greeting', content: 'hello' },
        { kind: 'link', path: 'data/link', target: 'greeting' },
        { kind: 'copy', path: 'program', source },
      ]);
      expect(list(archive).trimEnd().replaceAll(/ +/g, ' ').split('\n')).toEqual([
        'drwxrwxrwx 65532/65532 0 1970-01-01 00:00 data/',
        '-rw-r--r-- 0/0 5 1970-01-01 00:00 data/greeting',
        'lrwxrwxrwx 0/0 0 1970-01-01 00:00 data/link -> greeting',
        '-rwxr-xr-x 0/0 1000 1970-01-01 00:00 program',
      ]);
      expect(await readFile(join(await unpack(archive), 'data', 'link'), 'utf8')).toBe('hello');
    },
  );

  it.each([1, 80, 86, 87, 88, 99, 100, 101, 200, 900, 990])('keeps a name of %i bytes', async (length) => {
    // A file system takes 255 bytes for each part of a path.
    const path = 'a'.repeat(length).replace(/(.{99})./g, '$1/');
    expect(list(await tarOf([{ kind: 'file', path, content: '' }]))).toContain(` ${path}\n`);
    const link = list(await tarOf([{ kind: 'link', path: 'link', target: path }]));
    expect(link).toContain(` link -> ${path}\n`);
  });

  it('keeps a name that is not ASCII', async () => {
    const folder = await unpack(await tarOf([{ kind: 'file', path: 'größe', content: '' }]));
    expect(await readdir(folder)).toEqual(['größe']);
  });

  it('refuses to copy what is no file', async () => {
    const source = await temporaryFolder();
    await expect(tarOf([{ kind: 'copy', path: 'x', source }])).rejects.toThrow(`cannot add ${source} to an archive`);
  });
});

describe('a folder as a layer', () => {
  async function tree(): Promise<string> {
    const folder = await temporaryFolder();
    for (const name of ['b', 'a', 'skipped']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'b', 'file'), 'content');
    await symlink('b/file', join(folder, 'link'));
    return folder;
  }

  it('has its content in order, below the folders of its place', async () => {
    const includes = (path: string): boolean => path !== 'skipped';
    const entries = await collect(entriesOf(await tree(), { at: 'usr/lib', owner: 7, includes }));
    expect(entries.map(({ kind, path, owner }) => `${kind} ${path} ${owner}`)).toEqual([
      'folder usr 7',
      'folder usr/lib 7',
      'folder usr/lib/a 7',
      'folder usr/lib/b 7',
      'copy usr/lib/b/file 7',
      'link usr/lib/link 7',
    ]);
  });

  it('gives the same bytes whenever the files were written', async () => {
    const [one, other] = [await tree(), await tree()];
    await utimes(join(other, 'b', 'file'), 1, 1);
    await chmod(join(other, 'b', 'file'), 0o640);
    const archives = [one, other].map(async (folder) => tarOf(await collect(entriesOf(folder))));
    const [first, second] = await Promise.all(archives);
    expect(first).toEqual(second);
  });
});

describe('an image', () => {
  const layer: readonly TarEntry[] = [{ kind: 'file', path: 'hello', content: 'world' }];
  const image: Image = {
    name: 'localhost/hello:1',
    layers: [layer, [{ kind: 'folder', path: 'data' }], layer],
    config: { Entrypoint: ['/hello'], User: '65532:65532' },
    architecture: 'amd64',
  };

  async function archiveOf(of: Image): Promise<{ digest: string; bytes: Buffer }> {
    const folder = await temporaryFolder();
    const digest = await writeImage(of, join(folder, 'new', 'image.tar'));
    expect(await readdir(join(folder, 'new'))).toEqual(['image.tar']);
    return { digest, bytes: await readFile(join(folder, 'new', 'image.tar')) };
  }

  it('leads from its index to layers whose digests are right', async () => {
    const { digest, bytes } = await archiveOf(image);
    const folder = await unpack(bytes);
    const blob = async (of: string): Promise<Buffer> => {
      const content = await readFile(join(folder, 'blobs', of.replace(':', '/')));
      expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).toBe(of);
      return content;
    };
    const json = async (of: string) => JSON.parse((await blob(of)).toString());
    const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'));
    expect(index.manifests).toMatchObject([
      { digest, annotations: { 'io.containerd.image.name': 'localhost/hello:1' } },
    ]);
    const manifest = await json(digest);
    const config = await json(manifest.config.digest);
    expect(config).toMatchObject({ architecture: 'amd64', os: 'linux', config: image.config });
    const layers: { digest: string; size: number }[] = manifest.layers;
    const unpacked = await Promise.all(layers.map(async (each) => gunzipSync(await blob(each.digest))));
    const digests = unpacked.map((content) => `sha256:${createHash('sha256').update(content).digest('hex')}`);
    expect(config.rootfs).toEqual({ type: 'layers', diff_ids: digests });
    expect(unpacked.map((content) => list(content).trim().split(' ').at(-1))).toEqual(['hello', 'data/', 'hello']);
  });

  it('is the same bytes for the same content, and others for another', async () => {
    const [first, second] = [await archiveOf(image), await archiveOf(image)];
    expect(first.bytes.equals(second.bytes)).toBe(true);
    expect((await archiveOf({ ...image, config: {} })).digest).not.toBe(first.digest);
  });

  it('leaves nothing when a layer fails', async () => {
    const folder = await temporaryFolder();
    const missing: TarEntry = { kind: 'copy', path: 'x', source: join(folder, 'missing') };
    await expect(writeImage({ ...image, layers: [[missing]] }, join(folder, 'image.tar'))).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });
});
