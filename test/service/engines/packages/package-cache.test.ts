// Packages are resolved once for each set, and are what they were when they are used again.
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PackageCache } from '../../../../src/service/engines/packages/package-cache.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { createSearch } from '../homes/tiny-source.ts';

const repository = 'https://maven.example/central?a=1&b=2';
const set = { coordinates: ['org.a:a:1'], provided: ['org.spark:*'] };
const going = () => new AbortController().signal;

/** A Maven that does this with the folder `$to` for jars. It keeps its command lines, its project and its settings. */
async function open(script: string) {
  const [programs, cache] = [await temporaryFolder(), await temporaryFolder()];
  const reads = `for each; do case "$each" in -DoutputDirectory=*) to="\${each#*=}";; esac; done
echo "$@" >> ${programs}/calls; cp "$(dirname "$to")/pom.xml" "$(dirname "$to")/settings.xml" ${programs}; mkdir -p "$to"`;
  await writeFile(join(programs, 'mvn'), `#!/bin/sh\n${reads}\n${script}\n`);
  await chmod(join(programs, 'mvn'), 0o755);
  vi.stubEnv('PATH', [programs, '/usr/bin', '/bin'].join(delimiter));
  const { search } = await createSearch();
  const packages = new PackageCache({ ...search, cache, repository });
  const calls = async () => (await readFile(join(programs, 'calls'), 'utf8')).trim().split('\n');
  const left = async () => (await readdir(cache)).filter((name) => !['lock', 'repository'].includes(name));
  return { packages, cache, programs, calls, left };
}

const two = 'echo one > "$to/a-1.jar"; echo two > "$to/b-2.jar"';

describe('packages', () => {
  test('come from the repository alone, with what they need, and are kept for the next run', async () => {
    const { packages, cache, programs, calls, left } = await open(two);
    const found = await Promise.all([packages.resolve(set, going()), packages.resolve(set, going())]);
    expect(found[0]?.map((path) => basename(path))).toEqual(['a-1.jar', 'b-2.jar']);
    expect(found[1]).toEqual(found[0]);
    expect(await packages.resolve(set, going())).toEqual(found[0]);
    const [call = '', ...others] = await calls();
    expect(others).toEqual([]);
    expect(call).toContain(`-Dmaven.repo.local=${join(cache, 'repository')} `);
    expect(call).toMatch(/--settings (\S+) --global-settings \1 /);
    const [pom, settings] = await Promise.all(
      ['pom.xml', 'settings.xml'].map((name) => readFile(join(programs, name), 'utf8')),
    );
    expect(pom).toContain('<exclusion><groupId>org.spark</groupId><artifactId>*</artifactId></exclusion>');
    expect(settings).toContain('<mirrorOf>*</mirrorOf><url>https://maven.example/central?a=1&amp;b=2</url>');
    expect(await left()).toHaveLength(1);
  });

  test('of another set are others', async () => {
    const { packages, calls } = await open(two);
    const [one] = await packages.resolve(set, going());
    const [other] = await packages.resolve({ ...set, coordinates: ['org.a:a:2'] }, going());
    expect(one).not.toBe(other);
    expect(await calls()).toHaveLength(2);
  });

  test('that were changed are refused with the remedy, also if one is missing', async () => {
    const { packages } = await open(two);
    const [file = ''] = await packages.resolve(set, going());
    const why = `${file} is not what was installed: delete the folder ${dirname(dirname(file))}`;
    await writeFile(file, 'something else');
    await expect(packages.resolve(set, going())).rejects.toThrow(why);
    await rm(file);
    await expect(packages.resolve(set, going())).rejects.toThrow(why);
  });

  test.each([
    [
      'echo "[ERROR] no such artifact"; exit 1',
      'cannot get packages org.a:a:1: mvn ended with 1: [ERROR] no such artifact',
    ],
    ['true', 'cannot get packages org.a:a:1: they contain no jar'],
    [
      'for i in $(seq 301); do echo > "$to/$i.jar"; done',
      'they are 301 jars of 301 bytes, and 300 of 1073741824 bytes',
    ],
    ['truncate -s 1100M "$to/a.jar"', 'they are 1 jars of 1153433600 bytes'],
  ])('that Maven does not get with %j are refused, and nothing is left', async (script, why) => {
    const { packages, left } = await open(script);
    await expect(packages.resolve(set, going())).rejects.toThrow(why);
    expect(await left()).toEqual([]);
  });

  test('are not waited for by a run that is killed', async () => {
    const { packages, cache } = await open(`while [ ! -e ${'"$to"'}/../../go ]; do sleep 0.05; done; ${two}`);
    const killed = new AbortController();
    const waiting = packages.resolve(set, killed.signal);
    const other = packages.resolve(set, going());
    killed.abort(new Error('it was killed'));
    await expect(waiting).rejects.toThrow('it was killed');
    await writeFile(join(cache, 'go'), '');
    expect((await other).every(existsSync)).toBe(true);
  });
});
