// The role of the installer is what the manifests need, and nothing else. That it is enough for the API server: least-privilege.long.test.ts.
import { expect, test } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { renderedByKubectl } from '../../deploy/kubectl.ts';
import { helm } from '../../support/kubernetes/helm.ts';
import { installations, installer, objectsIn, rbac, renderCharts } from './installations.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const rules = (installer?.['rules'] ?? []) as readonly Rule[];

/** With a verb: those that rules allow, as `verb group/resource`, with the names of the rules that have some. */
const allowed = (verbs: readonly string[]): readonly string[] =>
  rules
    .filter((rule) => rule.verbs.some((verb) => verbs.includes(verb)))
    .flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs: own }) =>
      own.flatMap((verb) =>
        resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${apiGroups[0]}/${resource} ${name}`)),
      ),
    )
    .toSorted();

const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, 'ie') + (/(x|s)$/.test(kind) ? 'es' : 's');
const isRole = ({ kind }: Manifest): boolean => /^(Cluster)?Role$/.test(kind);

test.skipIf(helm === undefined)('the installer can do what the manifests need, and nothing else', async ({ skip }) => {
  const sets = (await installations()).map(async ([how, folder]) =>
    how === '-k' ? renderedByKubectl(folder, skip) : objectsIn(folder),
  );
  const manifests = [...(await Promise.all(sets)), ...(await renderCharts())].flat();
  const written = manifests.map(
    ({ apiVersion, kind }) => `${/^(.*)\//.exec(apiVersion)?.[1] ?? ''}/${pluralOf(kind)} *`,
  );
  const writes = [...new Set(written)].flatMap((each) => [`create ${each}`, `patch ${each}`]);
  expect(allowed(['create', 'patch'])).toEqual(writes.toSorted());
  // It may grant what it has itself without a right to escalate.
  const escalated = manifests
    .filter((each) => isRole(each) && each.metadata.name !== installer?.metadata.name)
    .map(({ kind, metadata }) => `escalate ${rbac}/${pluralOf(kind)} ${metadata.name}`);
  expect(allowed(['escalate'])).toEqual([...new Set(escalated)].toSorted());
  const references = manifests.flatMap(({ roleRef }) =>
    roleRef === undefined ? [] : [roleRef as { kind: string; name: string }],
  );
  const bound = references.map(({ kind, name }) => `bind ${rbac}/${pluralOf(kind)} ${name}`);
  expect(allowed(['bind'])).toEqual([...new Set(bound)].toSorted());
});
