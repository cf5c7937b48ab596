// Packages are resolved once for each set, and are what they were when they are used again.
import nodeFs, { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, type FileHandle, open as openFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PackageCache } from '../../../../src/service/engines/packages/package-cache.ts';
import { mayPass } from '../../../../src/service/model/disk/transient.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { limitMs } from '../../../support/patience.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';
import { createSearch } from '../homes/tiny-source.ts';

const repository = 'https://maven.example/central?a=1&b=2';
const set = { coordinates: ['org.a:a:1'], provided: ['org.spark:*'] };
const going = () => new AbortController().signal;

/** A Maven that does this with the folder `$to` for jars. It keeps its command lines, its project and its settings. */
async function open(script: string, cache?: string) {
  const programs = await temporaryFolder();
  cache ??= await temporaryFolder();
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

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The test of a full volume is skipped: ${problem}`);

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

  test('that were changed, or of which one is missing, are installed again', async () => {
    const { packages, calls, left } = await open(two);
    const [file = '', other = ''] = await packages.resolve(set, going());
    await writeFile(file, 'something else');
    expect(await packages.resolve(set, going())).toEqual([file, other]);
    expect(await readFile(file, 'utf8')).toBe('one\n');
    await rm(other);
    expect(await packages.resolve(set, going())).toEqual([file, other]);
    expect(await calls()).toHaveLength(3);
    expect(await left()).toHaveLength(1);
  });

  test.each(['', '{"a-1.jar":"ab', 'null', '{"a-1.jar":null}'])(
    'whose list a power loss has left as %j are installed again',
    async (text) => {
      const { packages, calls } = await open(two);
      const installed = await packages.resolve(set, going());
      await writeFile(join(dirname(dirname(installed[0] ?? '')), 'digests.json'), text);
      expect(await packages.resolve(set, going())).toEqual(installed);
      expect(await packages.resolve(set, going())).toEqual(installed);
      expect(await calls()).toHaveLength(2);
    },
  );

  test('that a power loss has damaged are not installed again from what it has damaged, too', async () => {
    const kept =
      'kept="$to/../../repository/a.jar"; mkdir -p "$(dirname "$kept")"; [ -e "$kept" ] || echo one > "$kept"';
    const { packages, cache } = await open(`${kept}; cp "$kept" "$to"`);
    const [file = ''] = await packages.resolve(set, going());
    for (const lost of [file, join(cache, 'repository', 'a.jar')]) await writeFile(lost, '');
    expect(await packages.resolve(set, going())).toEqual([file]);
    expect(await readFile(file, 'utf8')).toBe('one\n');
  });

  test('are durable before their folder gets its name, and so is the name before they are used', async () => {
    const { packages, cache } = await open(two);
    const isNamed = () => readdirSync(cache).some((name) => /^[\da-f]{64}$/.test(name));
    const synced: string[] = [];
    const note = (file: number): void => {
      const path = readlinkSync(`/proc/self/fd/${file}`);
      if (path.startsWith(cache)) synced.push(`${isNamed()} ${relative(cache, path).replace(/^\.part-[^/]*/, 'part')}`);
    };
    const sync = nodeFs.fsyncSync;
    vi.spyOn(nodeFs, 'fsyncSync').mockImplementation((file) => (note(file), sync(file)));
    const handle = await openFile(cache);
    const handles = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    handles.mockImplementation(function (this: FileHandle) {
      note(this.fd);
      return this.datasync();
    });
    await handle.close();
    onTestFinished(() => void vi.restoreAllMocks());
    await packages.resolve(set, going());
    const before = ['part/jars/a-1.jar', 'part/jars/b-2.jar', 'part/jars', 'part/digests.json.new', 'part'];
    expect(synced).toEqual([...before.map((each) => `false ${each}`), 'true ']);
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

  test.each([
    ['where it keeps what it gets', 'truncate -s 2400M "$to/../../repository/a.jar"'],
    ['with the jars', 'truncate -s 2400M "$to/a.jar"'],
  ])('that are too large are refused while Maven writes them, %s', async (_where, script) => {
    const { packages, left } = await open(`mkdir -p "$to/../../repository"; ${script}; exec sleep 600`);
    await expect(packages.resolve(set, going())).rejects.toThrow('take more than 1073741824 bytes: name fewer');
    expect(await left()).toEqual([]);
  });

  test.each([
    ['that Maven meets', '[ERROR] Could not transfer artifact: No space left on device'],
    [
      'that Maven reports after much else',
      `${'[ERROR] more\n'.repeat(9)}[ERROR] java.io.IOException: Disk quota exceeded`,
    ],
  ])('a full disk %s is none of their faults: they can be tried again', async (_what, text) => {
    const { packages, left } = await open(`printf '${text}\n'; exit 1`);
    const failure = await packages.resolve(set, going()).catch((error: unknown) => error);
    expect(mayPass(failure)).toBe(true);
    expect(await left()).toEqual([]);
  });

  test.skipIf(problem !== undefined)('a full disk that no program has reported is found', async () => {
    const small = smallVolume('4m');
    const { packages } = await open('cat /dev/zero > "$to/a.jar" 2>&-; exit 1', small.folder);
    const failure = await packages.resolve(set, going()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining(`the volume of ${small.folder} is full`) });
    expect(mayPass(failure)).toBe(true);
    expect(small.free()).toBeGreaterThan(3 * 1024 ** 2);
  });

  test('that are not in the repository fail for good', async () => {
    const { packages } = await open('echo "[ERROR] no such artifact"; exit 1');
    expect(mayPass(await packages.resolve(set, going()).catch((error: unknown) => error))).toBe(false);
  });

  test('are not got for a run that was killed before they were looked for', async () => {
    const { packages, calls } = await open('exit 1');
    const killed = new AbortController();
    const waiting = packages.resolve(set, killed.signal);
    killed.abort(new Error('it was killed'));
    await expect(waiting).rejects.toThrow('it was killed');
    await expect(packages.resolve(set, going())).rejects.toThrow('cannot get packages');
    expect(await calls()).toHaveLength(1);
  });

  test('are not waited for by a run that is killed', async () => {
    const { packages, cache } = await open(`while [ ! -e ${'"$to"'}/../../go ]; do sleep 0.05; done; ${two}`);
    const killed = new AbortController();
    const waiting = packages.resolve(set, killed.signal);
    const other = packages.resolve(set, going());
    await vi.waitFor(() => expect(existsSync(join(cache, 'lock'))).toBe(true), { interval: 1, timeout: limitMs });
    killed.abort(new Error('it was killed'));
    await expect(waiting).rejects.toThrow('it was killed');
    await writeFile(join(cache, 'go'), '');
    expect((await other).every(existsSync)).toBe(true);
  });
});
