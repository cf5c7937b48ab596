// What the roles of users grant, in the manifests and in the chart: no status, which has proofs of ownership, and nothing cluster-wide.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../dev/generate/crd.ts';
import { repository } from '../e2e/support/installation.ts';

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const aggregated = /aggregate-to-(view|edit|admin)"?: /;
const files = (await readdir(join(repository, 'deploy'), { recursive: true })).filter((path) => path.endsWith('.yaml'));
const texts = await Promise.all(
  files.map(async (path) => [path, await readFile(join(repository, 'deploy', path), 'utf8')] as const),
);
const roles = texts
  .filter(([, text]) => aggregated.test(text))
  .flatMap(([path, text]) =>
    parseAllDocuments(withoutTemplates(text))
      .map((document) => document.toJS() as Manifest | null)
      .flatMap((role) => (role?.kind === 'ClusterRole' ? [{ path, name: role.metadata.name, role }] : [])),
  );

/** What Helm puts in are labels and conditions. */
function withoutTemplates(text: string): string {
  return text.replaceAll(/^.*\{\{.*\n/gm, '');
}

test('they are these, in both', () => {
  const names = ['approve', 'edit', 'view'].map((name) => `dataprocessing-operator-${name}`);
  for (const isChart of [true, false])
    expect(
      roles
        .filter(({ path }) => path.startsWith('helm/') === isChart)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(names);
});

describe.each(roles)('$name of $path', ({ role }) => {
  const grants = (role['rules'] as readonly Rule[]).flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ resource, verb }))),
  );

  test('names what it grants: `*` includes the subresources', () => {
    expect(JSON.stringify(role['rules'])).not.toContain('*');
  });

  test('writes no subresource but scale, and no SharedConnection', () => {
    const writes = grants.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
    const wrong = writes.filter(({ resource }) => /\/(?!scale$)|^sharedconnections/.test(resource));
    expect(wrong).toEqual([]);
  });
});
