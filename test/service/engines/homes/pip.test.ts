// How an engine is installed with pip, and how it takes the place of one that lacks something.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineSource, PipPackage } from '../../../../src/service/engines/homes/engine-source.ts';
import { findHome } from '../../../../src/service/engines/homes/find.ts';
import { publishTiny } from './tiny-pip.ts';
import { createSearch, hideMaven, putMaven, putTiny, tinySource } from './tiny-source.ts';

const systemPath = process.env['PATH'] ?? '';
const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
if (!hasPip) console.warn('The tests of pip are skipped: there is no python3 with pip');

/** An archive that cannot be reached, at a port where nothing listens. */
const sourceWith = (pip?: PipPackage): EngineSource => ({
  ...tinySource('http://127.0.0.1:9', Buffer.alloc(0)),
  ...(pip !== undefined && { pip }),
});

describe.skipIf(!hasPip)('pip', () => {
  let pip: PipPackage;
  let settings: Readonly<Record<string, string>>;
  beforeEach(async () => {
    ({ pip, settings } = await publishTiny());
  });
  const open = async () => {
    const { search, ...rest } = await createSearch();
    const environment = { PATH: systemPath, ...settings, ...search.environment };
    return { search: { ...search, environment }, ...rest };
  };

  test('installs the parts of the package where they belong, before Maven is tried', async () => {
    await putMaven();
    const { search, cache, lines } = await open();
    const { folder, from } = await findHome(sourceWith(pip), search);
    expect(from).toBe('pip');
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
    expect(found.filter((name) => statSync(join(folder, name)).isFile())).toEqual([
      'RELEASE',
      'bin/tiny',
      'jars/more.jar',
      'jars/tiny.jar',
      'python/tiny/sql.py',
    ]);
    expect(await readFile(join(folder, 'jars/tiny.jar'), 'utf8')).toBe('from pip');
    expect(statSync(join(folder, 'bin/tiny')).mode & 0o777).toBe(0o755);
    expect(found.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(readdirSync(cache)).toEqual(['tiny-1.0']);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^Apache Tiny 1\.0: downloading with pip 0 of 0 MB/),
      'Apache Tiny 1.0: unpacking (0:00)',
    ]);
  });

  test('refuses a package with another digest, and then Maven is tried', async () => {
    await putMaven();
    const { search, lines } = await open();
    const { from } = await findHome(sourceWith({ ...pip, sha256: 'f'.repeat(64) }), search);
    expect(from).toBe('Maven');
    expect(lines.join('\n')).toMatch(
      /not from pip: python3 ended with 1: ERROR: THESE PACKAGES DO NOT MATCH THE HASHES/,
    );
  });

  test('completes an engine in the cache that lacks something, if that is wanted', async () => {
    const { search, cache } = await open();
    const cached = await putTiny(join(cache, 'tiny-1.0'));
    const source = sourceWith(pip);
    expect(source.lacks(cached)).toEqual(['more']);
    expect(await findHome(source, search)).toMatchObject({ from: 'the cache' });
    const wanting = { ...search, methods: ['pip'], completes: true } as const;
    expect(await findHome(source, wanting)).toMatchObject({ folder: cached, from: 'pip' });
    expect([source.lacks(cached), readdirSync(cache)]).toEqual([[], ['tiny-1.0']]);
    // Now there is nothing to complete.
    expect(await findHome(source, wanting)).toMatchObject({ from: 'the cache' });
  });

  test('leaves what is in the cache if it fails, with the reason', async () => {
    const { search, cache } = await open();
    const cached = await putTiny(join(cache, 'tiny-1.0'));
    const source = sourceWith({ ...pip, version: '2.0' });
    await expect(findHome(source, { ...search, methods: ['pip'], completes: true })).rejects.toThrow(
      `- the cache (${cached}): it lacks more\n  - pip: python3 ended with 1: ERROR: Could not find a version`,
    );
    expect(readdirSync(cache)).toEqual(['tiny-1.0']);
    expect(await findHome(source, search)).toMatchObject({ folder: cached, from: 'the cache' });
  });

  test('leaves a folder of the user alone', async () => {
    const { search, cache } = await open();
    const named = await putTiny(join(cache, '..', 'named'));
    await writeFile(join(named, 'mine'), '');
    const environment = { ...search.environment, TINY_HOME: named };
    const wanting = { ...search, environment, methods: ['pip'], completes: true } as const;
    expect(await findHome(sourceWith(pip), wanting)).toMatchObject({ folder: named, from: 'TINY_HOME' });
    expect(readdirSync(named).toSorted()).toEqual(['jars', 'mine']);
  });
});

test('a computer without Python, and an engine that the index does not have, are reported', async () => {
  await hideMaven();
  const { search: usual } = await createSearch();
  const search = { ...usual, environment: { ...usual.environment, PATH: '/nowhere' } };
  const pip = { name: 'tinyspark', version: '1.0', sha256: '', bytes: 0, places: {}, without: [], files: {} };
  await expect(findHome(sourceWith(pip), search)).rejects.toThrow(
    /- pip: cannot run python3: spawn python3 ENOENT\n.*or install pip or Maven, or let this computer reach/s,
  );
  await expect(findHome(sourceWith(), { ...search, methods: ['pip'] })).rejects.toThrow(
    '- pip: the Python package index does not have it',
  );
});
