// The versions of Kubernetes that a plane can run are those that its modules pin.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chosenVersion, KUBERNETES_MODULES } from '../../../dev/plane/binaries/release.ts';

const modules = join(import.meta.dirname, '../../../dev/plane/binaries/modules');

test.each(Object.entries(KUBERNETES_MODULES))('Kubernetes %s is built from the module %s', async (version, folder) => {
  expect(await readFile(join(modules, folder, 'go.mod'), 'utf8')).toContain(`k8s.io/kubernetes v${version}`);
});

test('the newest is the default, and PLANE_KUBERNETES chooses another one that is pinned', () => {
  expect(chosenVersion({})).toBe('1.36.3');
  expect(chosenVersion({ PLANE_KUBERNETES: '1.30.14' })).toBe('1.30.14');
  expect(() => chosenVersion({ PLANE_KUBERNETES: '1.2' })).toThrow(
    "PLANE_KUBERNETES must be one of 1.36.3, 1.30.14, not '1.2'",
  );
});
