// The list of what is in the image has every package that the programs need, and none for development alone.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { billOfMaterials, type LockFile } from '../../dev/image/packages.ts';
import { writeBom } from '../../dev/image/sbom.ts';
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');

interface Component {
  readonly name: string;
  readonly purl: string;
}

test('the packages of the lock file, each once', () => {
  const integrity = `sha512-${Buffer.from([1, 2]).toString('base64')}`;
  const lock: LockFile = {
    name: 'us',
    version: '1.0.0',
    packages: {
      '': { version: '1.0.0' },
      'node_modules/@a/b': { version: '2.0.0', license: 'MIT', integrity },
      'node_modules/c': { version: '3.0.0' },
      'node_modules/d/node_modules/c': { version: '3.0.0' },
      'node_modules/e': { version: '4.0.0', dev: true },
    },
  };
  const ref = 'pkg:npm/%40a/b@2.0.0';
  expect(billOfMaterials(lock).components).toEqual([
    {
      type: 'library',
      'bom-ref': ref,
      name: '@a/b',
      version: '2.0.0',
      purl: ref,
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: '0102' }],
    },
    { type: 'library', 'bom-ref': 'pkg:npm/c@3.0.0', name: 'c', version: '3.0.0', purl: 'pkg:npm/c@3.0.0' },
  ]);
});

test('packages of npm and Debian, and Node', async () => {
  const debian = { name: 'libc6', version: '2.36-9', architecture: 'amd64', sha256: '00' } as const;
  const contents = { root, node: '24.0.0', packages: [debian] };
  const text = await writeBom(contents);
  const { serialNumber, components } = JSON.parse(text) as {
    readonly serialNumber: string;
    readonly components: readonly Component[];
  };
  expect(await writeBom(contents)).toBe(text);
  expect(serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(packageJson.dependencies), 'ajv', 'node', 'libc6']));
  expect(names.filter((name) => ['vitest', 'typescript', 'rolldown', 'oxlint'].includes(name))).toEqual([]);
  expect(components.map(({ purl }) => purl)).toContain('pkg:deb/debian/libc6@2.36-9?arch=amd64');
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  expect(names.length).toBe(billOfMaterials(lock).components.length + 2);
});
