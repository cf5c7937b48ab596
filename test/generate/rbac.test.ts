// The exact permissions of the operator in both variants, and of users.
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../dev/generate/crd.ts';
import {
  approveRole,
  clusterPermissions,
  leasePermissions,
  namespacedPermissions,
  userRoles,
} from '../../dev/generate/rbac.ts';
import type { AnyDefinition } from '../../src/operator/api/definition.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const [connection, tree, flower] = ['connections', 'trees', 'flowers'].map((plural) => ({ plural }) as AnyDefinition);
const kinds = [tree, flower].filter((one) => one !== undefined);
const created = kinds.slice(1);
const deleted = kinds.slice(0, 1);
/** In no namespace. */
const sky = { plural: 'skies', scope: 'Cluster' } as AnyDefinition;
const definitions = connection === undefined ? kinds : [connection, sky, ...kinds];
/** Its policy is in a template. */
const garden = { plural: 'gardens' } as AnyDefinition;
const registered = { definitions, kinds, planned: kinds, templates: [garden], created, deleted };

const linesOf = (manifest: Manifest | undefined): readonly string[] =>
  ((manifest?.['rules'] ?? []) as readonly Rule[]).flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
    resources.map((resource) => [apiGroups.join(), resource, ...resourceNames, verbs.join(' ')].join(' | ')),
  );

const namespaced = [
  'dataprocessing.dev | connections | list watch patch',
  'dataprocessing.dev | trees | list watch patch',
  'dataprocessing.dev | flowers | list watch patch',
  'dataprocessing.dev | trees | get',
  'dataprocessing.dev | flowers | get',
  'dataprocessing.dev | flowers | create',
  'dataprocessing.dev | trees | delete',
  'dataprocessing.dev | connections/status | patch',
  'dataprocessing.dev | trees/status | patch',
  'dataprocessing.dev | flowers/status | patch',
  ' | secrets | list watch patch',
  ' | configmaps | get watch',
  'events.k8s.io | events | create patch',
];

const clusterWide = [
  ...namespaced.flatMap((line) =>
    line.startsWith('dataprocessing.dev | connections') ? [line, line.replace('connections', 'skies')] : [line],
  ),
  ' | namespaces | kube-system | get',
  ' | namespaces | list watch',
];

describe.each([
  ['Cluster', clusterPermissions(registered), clusterWide],
  ['', namespacedPermissions(registered), namespaced],
] as const)('the %sRole', (scope, manifests, lines) => {
  const [role, binding] = manifests;

  test('is bound to the account', () => {
    expect(manifests.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
      [`${scope}Role`, 'dataprocessing-operator', undefined],
      [`${scope}RoleBinding`, 'dataprocessing-operator', undefined],
    ]);
    expect(binding).toMatchObject({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: `${scope}Role`, name: 'dataprocessing-operator' },
      subjects: [{ kind: 'ServiceAccount', name: 'dataprocessing-operator', namespace: 'dataprocessing-system' }],
    });
  });

  test('allows exactly these, and nothing else', () => {
    expect(linesOf(role)).toEqual(lines);
  });
});

test('the lease is one, in the namespace of the operator', () => {
  const [role, binding] = leasePermissions();
  const metadata = { name: 'dataprocessing-operator-lease', namespace: 'dataprocessing-system' };
  expect(role).toMatchObject({ kind: 'Role', metadata });
  expect(binding).toMatchObject({
    kind: 'RoleBinding',
    metadata,
    roleRef: { kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'dataprocessing-operator', namespace: 'dataprocessing-system' }],
  });
  expect(linesOf(role)).toEqual([
    'coordination.k8s.io | leases | dataprocessing-operator | get update',
    'coordination.k8s.io | leases | create',
  ]);
});

test('users read everything with view, and change specs with edit', () => {
  const roles = userRoles(registered);
  expect(roles.map(({ metadata }) => [metadata.name, ...intoOf(metadata.labels ?? {})])).toEqual([
    ['dataprocessing-operator-view', 'view', 'edit', 'admin'],
    ['dataprocessing-operator-edit', 'edit', 'admin'],
  ]);
  expect(linesOf(roles[0])).toEqual([
    ...['connections', 'trees', 'flowers'].map((plural) => `dataprocessing.dev | ${plural} | get list watch`),
    ...['connections', 'trees', 'flowers'].map((plural) => `dataprocessing.dev | ${plural}/status | get`),
  ]);
  expect(linesOf(roles[1])).toEqual(
    ['connections', 'trees', 'flowers'].map(
      (plural) => `dataprocessing.dev | ${plural} | create delete deletecollection patch update`,
    ),
  );
});

test('who approves plans patches what has them, and nothing else', () => {
  const role = approveRole(registered);
  expect([role.metadata.name, ...intoOf(role.metadata.labels ?? {})]).toEqual([
    'dataprocessing-operator-approve',
    'admin',
  ]);
  expect(linesOf(role)).toEqual([
    ...['trees', 'flowers'].map((plural) => `dataprocessing.dev | ${plural} | approve patch`),
    'dataprocessing.dev | gardens | approve',
  ]);
});

const intoOf = (labels: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(labels).flatMap((label) => /aggregate-to-(.*)/.exec(label)?.[1] ?? []);
