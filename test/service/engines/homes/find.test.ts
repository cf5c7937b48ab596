// Where engines are looked for, in which order, how they are installed, and what is reported if they are nowhere.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { findHome, findHomes, lookNear } from '../../../../src/service/engines/homes/find.ts';
import { pomOf } from '../../../../src/service/engines/homes/maven.ts';
import { type Habits, serveFile } from '../../../lib/fetch/file-server.ts';
import { cleanEnvironment, temporaryFolder } from '../../../plane/support.ts';
import { limitMs } from '../../../support/patience.ts';
import { createSearch, hideMaven, packTiny, putMaven, putTiny, tinySource } from './tiny-source.ts';

let packed: Buffer;

beforeEach(async () => {
  packed ??= await packTiny();
  await hideMaven();
});

/** An engine that is published, and places that do not have it. */
async function open(habits: Habits = {}, served = packed) {
  const { home, asked } = await serveFile(served, habits);
  const { search, cache, lines } = await createSearch();
  return { source: tinySource(home, packed), search, cache, lines, asked, home };
}

describe('an engine that is there', () => {
  test('is that of the flag first, then that of the variable, then that of the cache', async () => {
    const { source, search, cache, asked } = await open();
    const [given, named] = [await putTiny(await temporaryFolder()), await putTiny(await temporaryFolder())];
    const cached = await putTiny(join(cache, 'tiny-1.0'));
    const environment = { ...search.environment, TINY_HOME: named };
    const find = async (folders: readonly string[], found = search) =>
      (await findHomes([source], folders, found)).map(({ home }) => home);
    expect(await find([given], { ...search, environment })).toEqual([
      { folder: given, version: '1.0', from: '--tiny' },
    ]);
    expect(await find([], { ...search, environment })).toMatchObject([{ folder: named, from: 'TINY_HOME' }]);
    expect(await find([])).toMatchObject([{ folder: cached, from: 'the cache' }]);
    expect(asked).toEqual([]);
  });

  test('is refused if the flag names something else', async () => {
    const { source, search, cache } = await open();
    await putTiny(join(cache, 'tiny-1.0'));
    const given = await temporaryFolder();
    await expect(findHomes([source], [given], search)).rejects.toThrow(
      `cannot use --tiny ${given}: it has no jars/tiny.jar`,
    );
  });

  test('is passed over if the variable names something else', async () => {
    const { source, search, cache } = await open();
    const cached = await putTiny(join(cache, 'tiny-1.0'));
    const environment = { ...search.environment, TINY_HOME: '/usr' };
    expect(await findHome(source, { ...search, environment })).toMatchObject({ folder: cached });
  });
});

describe('an engine of several versions', () => {
  /** Versions 1.0 and 2.0, of which the service needs the first. */
  async function openTwo() {
    const { source, search, cache, asked } = await open();
    const readVersion = (folder: string) => readFileSync(join(folder, 'VERSION'), 'utf8');
    const first = { ...source, lines: ['1'], installed: 'at start', readVersion } as const;
    const sources = [first, { ...first, version: '2.0', lines: ['2'], installed: 'by name' }] as const;
    const put = async (folder: string, version: string) => {
      await writeFile(join(await putTiny(folder), 'VERSION'), version);
      return folder;
    };
    const find = async (...given: readonly string[]) =>
      (await findHomes(sources, given, search)).map(({ home: { version, from } }) => `${version} from ${from}`);
    return { sources, search, cache, asked, put, find };
  }

  test('has all versions that are there, and is not installed then', async () => {
    const { cache, search, put, find, asked } = await openTwo();
    await put(join(cache, 'tiny-2.0'), '2.0');
    expect(await find()).toEqual(['2.0 from the cache']);
    await put(join(cache, 'tiny-1.0'), '1.0');
    expect(await find()).toEqual(['1.0 from the cache', '2.0 from the cache']);
    search.environment['TINY_HOME'] = await put(await temporaryFolder(), '2.7');
    expect(await find()).toEqual(['1.0 from the cache', '2.7 from TINY_HOME']);
    expect(asked).toEqual([]);
  });

  test('has exactly those that the flag names, if it names any', async () => {
    const { cache, put, find } = await openTwo();
    await put(join(cache, 'tiny-1.0'), '1.0');
    const [two, one, other] = await Promise.all(
      ['2.1', '1.5', '1.6'].map(async (version) => put(await temporaryFolder(), version)),
    );
    expect(await find(two ?? '')).toEqual(['2.1 from --tiny']);
    expect(await find(two ?? '', one ?? '')).toEqual(['2.1 from --tiny', '1.5 from --tiny']);
    await expect(find(one ?? '', other ?? '')).rejects.toThrow(
      `cannot use --tiny ${one} and ${other}: both are Tiny 1: name one of them`,
    );
    const none = await put(await temporaryFolder(), '3.0');
    await expect(find(none)).rejects.toThrow(`cannot use --tiny ${none}: it is version 3.0, and Tiny 1 or 2 is needed`);
  });

  test('is one version of it where one is wanted', async () => {
    const { sources, search, put } = await openTwo();
    search.environment['TINY_HOME'] = await put(await temporaryFolder(), '2.7');
    const [first, second] = sources;
    expect(lookNear(second, search.environment)).toMatchObject({ version: '2.7' });
    const tried: string[] = [];
    expect(lookNear(first, search.environment, tried)).toBeUndefined();
    expect(tried.join()).toContain('it is version 2.7, and Tiny 1 is needed');
  });
});

describe('an engine that is missing', () => {
  test('is installed from the archive, with nothing else left in the cache, and is found there afterwards', async () => {
    const { source, search, cache, asked } = await open();
    await mkdir(join(cache, '.part-of-a-killed-process', 'jars'), { recursive: true });
    const home = await findHome(source, search);
    expect(home).toEqual({ folder: join(cache, 'tiny-1.0'), version: '1.0', from: 'the official archive' });
    expect(await readFile(join(home.folder, 'jars', 'tiny.jar'), 'utf8')).toBe('from the archive');
    expect(await readdir(cache)).toEqual(['tiny-1.0']);
    expect(await findHome(source, search)).toMatchObject({ from: 'the cache' });
    expect(asked.length).toBe(1);
  });

  test('is installed with Maven if the archive is corrupt, which is deleted', async () => {
    const { source, search, cache, lines } = await open({}, Buffer.from('a page of a portal'));
    await putMaven();
    const home = await findHome(source, search);
    expect(home).toMatchObject({ from: 'Maven' });
    expect(await readFile(join(home.folder, 'jars', 'tiny.jar'), 'utf8')).toBe('maven\n');
    expect(await readFile(join(home.folder, 'etc', 'RELEASE'), 'utf8')).toBe('Tiny 1.0\n');
    expect(await readdir(cache)).toEqual(['tiny-1.0']);
    expect(lines).toEqual([
      'Apache Tiny 1.0: downloading (0:00)',
      expect.stringMatching(/^Apache Tiny 1.0: not from the official archive: cannot use .* its sha512 is /),
      'Apache Tiny 1.0: installing with Maven (0:00)',
    ]);
  });

  test('replaces a damaged one in the cache', async () => {
    const { source, search, cache } = await open();
    await putTiny(join(cache, 'tiny-1.0'));
    await rm(join(cache, 'tiny-1.0', 'jars', 'tiny.jar'));
    expect(await findHome(source, search)).toMatchObject({ from: 'the official archive' });
  });

  test('is not put in place if it cannot be used', async () => {
    const { source, search, cache } = await open();
    const useless = {
      ...source,
      readVersion: () => {
        throw new Error('it is something else');
      },
    };
    await expect(findHome(useless, search)).rejects.toThrow('the official archive: it is something else');
    expect(await readdir(cache)).toEqual([]);
  });

  test('is reported with all that was tried, and the remedy', async () => {
    const { source, search, cache } = await open({ status: 404 });
    const message = await findHome(source, search).then(String, (error: Error) => error.message);
    const [head, ...lines] = message.split('\n');
    expect(head).toBe('cannot find Apache Tiny 1.0: tried');
    expect(lines).toEqual([
      '  - TINY_HOME: it is not set',
      `  - the cache (${join(cache, 'tiny-1.0')}): it is not there`,
      expect.stringMatching(/^ {2}- the official archive: cannot download .*: the server answered 404 Not Found$/),
      '  - Maven: cannot run mvn: spawn mvn ENOENT',
      'Name the folder of an installation with --tiny or in TINY_HOME, or install Maven, or let this computer reach the official archive.',
    ]);
    expect(await readdir(cache)).toEqual([]);
  });

  test('is reported with what Maven reports', async () => {
    const { source, search } = await open({ status: 404 });
    await putMaven('[ERROR] Could not find artifact org.tiny:tiny-core:jar:1.0');
    await expect(findHome(source, search)).rejects.toThrow(
      '- Maven: mvn ended with 1: [ERROR] Could not find artifact org.tiny:tiny-core:jar:1.0',
    );
  });

  test('is downloaded once if two ask for it at the same time', async () => {
    const { source, search, asked } = await open({ slow: { bytes: 100_000, ms: 50 } });
    const homes = await Promise.all([findHome(source, search), findHome(source, search)]);
    expect(homes.map(({ from }) => from).sort()).toEqual(['the cache', 'the official archive']);
    expect(asked.length).toBe(1);
  });
});

describe('processes', () => {
  const start = (home: string, { cache, hex }: { readonly cache: string; readonly hex: string }) => {
    const script = join(import.meta.dirname, 'find-once.ts');
    const XDG_CACHE_HOME = join(cache, '..', '..');
    const env = cleanEnvironment({ XDG_CACHE_HOME, NO_PROXY: '127.0.0.1', PATH: '/usr/bin:/bin' });
    const child = spawn(process.execPath, [script, home, hex], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = once(child, 'close').then(() => output);
    return { child, ended };
  };

  test('wait for each other, and one of them downloads', async () => {
    const { source, cache, asked, home } = await open({ slow: { bytes: 20_000, ms: 50 } });
    const { hex } = source.archive.digest;
    const outputs = await Promise.all([1, 2].map(() => start(home, { cache, hex }).ended));
    expect(outputs.filter((output) => output.endsWith('found the official archive\n')).length).toBe(1);
    expect(outputs.filter((output) => output.endsWith('found the cache\n')).length).toBe(1);
    expect(outputs.join('')).toMatch(/waiting for process \d+, which is installing engines \(0:0\d\)/);
    expect(asked.length).toBe(1);
  });

  test('that are killed leave a part, where the next one goes on', async () => {
    const { source, cache, asked, home } = await open({ slow: { bytes: 20_000, ms: 50 } });
    const { hex } = source.archive.digest;
    const first = start(home, { cache, hex });
    const part = join(cache, 'tiny-1.0-bin.tgz.part');
    await vi.waitFor(() => expect(statSync(part).size).toBeGreaterThan(50_000), limitMs);
    first.child.kill('SIGKILL');
    await first.ended;
    expect([existsSync(join(cache, 'tiny-1.0')), existsSync(join(cache, 'lock'))]).toEqual([false, true]);
    expect(await start(home, { cache, hex }).ended).toMatch(/found the official archive\n$/);
    expect(asked.map(({ range }) => range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=[5-9]\d{4,}-|^bytes=\d{6,}-/),
    ]);
    expect(await readdir(cache)).toEqual(['tiny-1.0']);
    expect(await readFile(join(cache, 'tiny-1.0', 'jars', 'tiny.jar'), 'utf8')).toBe('from the archive');
  });
});

test('the project for Maven has the dependencies without what is excluded', () => {
  const pom = pomOf('tiny-1.0', tinySource('', Buffer.alloc(0)).maven);
  expect(pom.match(/<dependency>/g)).toHaveLength(2);
  expect(pom).toContain('<artifactId>tiny-core</artifactId>\n      <version>1.0</version>');
  expect(pom).toContain('<exclusion><groupId>org.huge</groupId><artifactId>huge</artifactId></exclusion>');
});
