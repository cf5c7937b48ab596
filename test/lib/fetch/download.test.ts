// A file is in place only if it is complete and has the published digest, however it arrives.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DownloadOptions, download } from '../../../src/lib/fetch/download.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { temporaryFolder } from '../../plane/support.ts';
import { digestOf, serveFile } from './file-server.ts';

const content = randomBytes(300_000);
const digest = digestOf(content);
const foreign = randomBytes(300_000);

/** A clock on which pauses take no time. */
const options: DownloadOptions = {
  clock: { ...systemClock, after: (_ms, callback) => systemClock.after(0, callback) },
  onProgress: () => undefined,
};

/** Downloads into a new folder, and returns what is in it afterwards. */
async function run(urls: readonly string[], { part }: { readonly part?: Buffer } = {}) {
  const folder = await temporaryFolder();
  const file = join(folder, 'file');
  if (part !== undefined) await writeFile(`${file}.part`, part);
  const failure = await download({ urls, digest }, file, options).then(
    () => undefined,
    (error: Error) => error,
  );
  const names = await readdir(folder);
  return { file, names, failure, complete: names.includes('file') && (await readFile(file)).equals(content) };
}

describe('a download', () => {
  it('puts the file in place and nothing else', async () => {
    const { home, asked } = await serveFile(content);
    expect(await run([`${home}/a`])).toMatchObject({ complete: true, names: ['file'], failure: undefined });
    expect(asked).toEqual([{ path: '/a', range: undefined }]);
  });

  it('goes on where an earlier one was interrupted', async () => {
    const { home, asked } = await serveFile(content);
    const { complete } = await run([`${home}/a`], { part: content.subarray(0, 100_000) });
    expect([complete, asked]).toEqual([true, [{ path: '/a', range: 'bytes=100000-' }]]);
  });

  it('goes on at once after the connection is cut', async () => {
    const { home, asked } = await serveFile(content, { cutAfter: 70_000, cuts: 3 });
    expect((await run([`${home}/a`])).complete).toBe(true);
    expect(asked.map(({ range }) => range)).toEqual([
      undefined,
      ...asked.slice(1).map(() => expect.stringMatching(/^bytes=[1-9]\d*-$/)),
    ]);
    expect(asked.length).toBe(4);
  });

  it('keeps what has arrived when the server is cut off for good', async () => {
    const { home } = await serveFile(content, { cutAfter: 1000, cuts: 1 });
    const { home: gone } = await serveFile(content, { status: 503 });
    const { names, failure } = await run([`${gone}/a`]);
    expect([names, failure?.message]).toEqual([[], `cannot download ${gone}/a`]);
    expect((await run([`${gone}/a`, `${home}/a`])).complete).toBe(true);
  });

  it('starts again where the server does not know ranges', async () => {
    const { home } = await serveFile(content, { ignoresRange: true });
    expect((await run([`${home}/a`], { part: content.subarray(0, 100_000) })).complete).toBe(true);
  });

  it('takes a part that is complete', async () => {
    const { home } = await serveFile(content);
    expect((await run([`${home}/a`], { part: content })).complete).toBe(true);
  });

  it('drops a part that is longer than the file', async () => {
    const { home } = await serveFile(content);
    expect((await run([`${home}/a`], { part: Buffer.concat([content, content]) })).complete).toBe(true);
  });

  it.each([
    ['of a server', foreign, undefined],
    ['whose beginning is of another file', content, foreign.subarray(0, 1000)],
  ])('refuses and deletes a file %s with another digest', async (_name, served, part) => {
    const { home } = await serveFile(served);
    const { names, failure } = await run([`${home}/a`], part === undefined ? {} : { part });
    expect(names).toEqual([]);
    expect(failure?.message).toMatch(/^cannot use http.*\/a: its sha512 is [0-9a-f]{128}, published is [0-9a-f]{128}$/);
  });

  it('asks the next address after one that is wrong, refuses or does not answer', async () => {
    const [wrong, refusing, right] = [
      await serveFile(foreign),
      await serveFile(content, { status: 404 }),
      await serveFile(content),
    ];
    const urls = [`${wrong.home}/a`, `${refusing.home}/a`, 'http://127.0.0.1:1/a', `${right.home}/a`];
    expect((await run(urls)).complete).toBe(true);
    const { failure } = await run(urls.slice(0, 3));
    expect(failure?.message).toMatch(
      /its sha512 is .*the server answered 404 Not Found; cannot download .*ECONNREFUSED/s,
    );
  });

  it('follows redirects', async () => {
    const { home } = await serveFile(content);
    const moved = createServer((_, response) => response.writeHead(302, { location: `${home}/there` }).end());
    await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
    const address = moved.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect((await run([`http://127.0.0.1:${port}/a`])).complete).toBe(true);
    moved.close();
  });

  it('does not ask for a file that is there, and replaces a damaged one', async () => {
    const { home, asked } = await serveFile(content);
    const { file } = await run([`${home}/a`]);
    await download({ urls: [`${home}/a`], digest }, file, options);
    expect(asked.length).toBe(1);
    await writeFile(file, 'damaged');
    await download({ urls: [`${home}/a`], digest }, file, options);
    expect((await readFile(file)).equals(content)).toBe(true);
  });

  it('reports how far it is', async () => {
    const { home } = await serveFile(content, { slow: { bytes: 100_000, ms: 20 } });
    const seen: (readonly [number, number | undefined])[] = [];
    const onProgress = (received: number, total: number | undefined) => void seen.push([received, total]);
    const file = join(await temporaryFolder(), 'file');
    await writeFile(`${file}.part`, content.subarray(0, 50_000));
    await download({ urls: [`${home}/a`], digest }, file, { ...options, onProgress });
    expect([seen[0], seen.at(-1)]).toEqual([
      [50_000, content.length],
      [content.length, content.length],
    ]);
    expect(seen.length).toBeGreaterThan(3);
  });
});
