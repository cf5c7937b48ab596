// Krew takes the manifest of a release, by its own validator.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { KREW_VERSION } from '../../dev/plane/binaries/release.ts';
import { plugin } from '../../dev/release/artifacts.ts';
import { krewManifest } from '../../dev/release/plugin.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { repository } from '../e2e/support/installation.ts';
import { temporaryFolder } from '../plane/support.ts';
import { runCommand } from '../support/command.ts';
import { findValidator, validate } from './krew.ts';

const validator = await findValidator();
const { version } = packageJson;
const downloadUrl = 'https://example.com/releases/';
const good = krewManifest({ version, name: 'plugin.tar.gz', sha256: 'a'.repeat(64), downloadUrl });

describe.skipIf(validator === undefined)('the validator of Krew', () => {
  test('takes what a release has', async () => {
    const folder = await temporaryFolder();
    await plugin({ root: repository, folder, version, downloadUrl, print: () => {} });
    const judged = await validate(validator, join(folder, 'dataprocessing.yaml'));
    expect(judged).toMatchObject({ code: 0, errors: expect.stringContaining('structural validation OK') });
    expect(judged.errors).not.toContain('install');
    // What it would look for in the plugin that it installs.
    const { output } = await runCommand('tar', ['-tzf', join(folder, `kubectl-dataprocessing-${version}.tar.gz`)])
      .ended;
    expect(output.split('\n')).toEqual(expect.arrayContaining(['LICENSE', 'kubectl-dataprocessing.js']));
  });

  test.each<[string, string, string, string]>([
    ['no short description', 'shortDescription:', 'description2:', 'description'],
    ['a version that is none', `version: v${version}`, 'version: newest', 'failed to parse plugin version'],
    ['a digest that is none', 'aaaaaaaa', 'zzzzzzzz', '`sha256` value'],
    ['a selector that is none', 'key: os', 'key: system', 'key "system" not supported'],
    ['another name', 'name: dataprocessing', 'name: other', 'plugin should be named "dataprocessing", not "other"'],
  ])('refuses %s', async (_what, from, to, error) => {
    expect(good).toContain(from);
    const file = join(await temporaryFolder(), 'dataprocessing.yaml');
    await writeFile(file, good);
    expect(await validate(validator, file)).toMatchObject({ code: 0 });
    await writeFile(file, good.replace(from, to));
    const { code, errors } = await validate(validator, file);
    expect(code).toBeGreaterThan(0);
    expect(errors).toContain(error);
  });
});

describe('without Go and an empty cache', () => {
  const search = async (more: NodeJS.ProcessEnv) => {
    vi.stubEnv('PATH', await temporaryFolder());
    return findValidator({ XDG_CACHE_HOME: await temporaryFolder(), HOME: '/nowhere', ...more });
  };

  test('it is skipped, and the reason is told', async () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await search({})).toBeUndefined();
    expect(told.mock.calls.join('')).toMatch(/SKIPPING every test .*Krew[\s\S]*go build: cannot run go/);
  });

  test('CI fails', async () => {
    await expect(search({ CI: 'true' })).rejects.toThrow(
      /cannot find validate-krew-manifest .*\n.*the cache[\s\S]*go build/,
    );
  });
});

test('the module that is built is of the same version', async () => {
  const module = await readFile(join(repository, 'dev/plane/binaries/modules/krew/go.mod'), 'utf8');
  expect(module).toContain(`sigs.k8s.io/krew v${KREW_VERSION}`);
});
