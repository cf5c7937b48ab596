// The namespaces of tenants, whatever tenants are called.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTenantNamespaces } from '../../../../src/service/backends/pods/tenant-namespaces.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tenants.yaml');
  writeFileSync(file, text);
  return file;
}

test('a tenant has the namespace of the file, and every other one has that of the service', () => {
  const { namespaceOf } = readTenantNamespaces(fileWith('tenants: {team-a: clusters-a, toString: clusters-b}'), 'data');
  expect(namespaceOf('team-a')).toBe('clusters-a');
  expect(namespaceOf('toString')).toBe('clusters-b');
  for (const name of ['team-b', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf', ''])
    expect(namespaceOf(name)).toBe('data');
  expect(readTenantNamespaces(undefined, 'data').namespaceOf('constructor')).toBe('data');
});

test('a name that cannot be kept is refused, and not dropped', () => {
  expect(() => readTenantNamespaces(fileWith('tenants: {__proto__: clusters-a}'), 'data')).toThrow(
    'it has the key __proto__, which cannot be used: choose another name',
  );
});
