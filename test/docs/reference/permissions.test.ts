// The table of docs/concepts/security.md on what RBAC grants is computed from what kustomize and Helm render.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, readManifests } from '../../../dev/demo/manifests.ts';
import { repository, writeOverlay } from '../../e2e/support/installation.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
interface Grant extends Rule {
  /** `*` means all of them. */
  readonly namespace: string;
}

const kustomized = async (folder: string) => renderKustomization(join(repository, 'deploy', folder));

async function namespaced(): Promise<readonly Manifest[]> {
  const base = await mkdtemp(join(tmpdir(), 'permissions-'));
  onTestFinished(async () => rm(base, { recursive: true }));
  await writeOverlay(join(base, 'team-a'), 'team-a');
  return renderKustomization(join(base, 'team-a'));
}

/** The role of the installer comes without a binding, because the account is the user's. */
async function installer(): Promise<readonly Manifest[]> {
  const manifests = await readManifests(join(repository, 'deploy', 'installer', 'role.yaml'));
  const bindings = manifests.map(({ kind, metadata: { name } }) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${kind}Binding`,
    metadata: { name },
    roleRef: { kind, name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'ci' }],
  }));
  return [...manifests, ...bindings];
}

const two = { watchNamespaces: ['dataprocessing-demo', 'team-b'], installation: 'tests' };
const withClusters = {
  'service.enabled': true,
  'service.tenantNamespaces': { b: 'clusters-b' },
  'service.clusterNamespaces': ['clusters-c'],
};

/** As the page names them. */
const installations: Readonly<Record<string, () => Promise<readonly Manifest[]>>> = {
  deploy: async () => kustomized('.'),
  'deploy/quickstart': async () => kustomized('quickstart'),
  'deploy/namespaced': namespaced,
  'deploy/bundled-service': async () => kustomized('bundled-service'),
  'deploy/installer': installer,
  'watchAllNamespaces=true': async () => render(),
  watchNamespaces: async () => render(two),
  'service.enabled=true': async () => render({ ...two, ...withClusters }),
  'service.provisioner=simulated': async () =>
    render({ ...two, 'service.enabled': true, 'service.provisioner': 'simulated' }),
};

const accounts: Readonly<Record<string, string>> = {
  Operator: 'dataprocessing-operator',
  'Bundled service': 'dataprocessing-service',
  Installer: 'dataprocessing-operator-installer',
};

/** What the places of the page are, by installation. */
const places: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'all namespaces': Object.fromEntries(Object.keys(installations).map((each) => [each, ['*']])),
  'the namespaces that it watches': {
    'deploy/namespaced': ['team-a'],
    watchNamespaces: ['dataprocessing-demo', 'team-b'],
    'service.enabled=true': ['dataprocessing-demo', 'team-b'],
    'service.provisioner=simulated': ['dataprocessing-demo', 'team-b'],
  },
  'its namespace, and those of its clusters': {
    'deploy/quickstart': ['dataprocessing-demo'],
    'service.enabled=true': ['clusters-b', 'clusters-c', 'dataprocessing-demo'],
  },
  nowhere: Object.fromEntries(Object.keys(installations).map((each) => [each, []])),
};

function grantsOf(manifests: readonly Manifest[], account: string): readonly Grant[] {
  const bindings = manifests.filter(({ kind, subjects }) => {
    const names = ((subjects ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
    return kind.endsWith('RoleBinding') && names.includes(account);
  });
  return bindings.flatMap(({ kind, metadata, roleRef }) => {
    const { kind: roleKind, name } = roleRef as { readonly kind: string; readonly name: string };
    const role = manifests.find(
      (each) =>
        each.kind === roleKind &&
        each.metadata.name === name &&
        (roleKind === 'ClusterRole' || each.metadata.namespace === metadata.namespace),
    );
    const namespace = kind === 'ClusterRoleBinding' ? '*' : (metadata.namespace ?? '');
    return ((role?.['rules'] ?? []) as readonly Rule[]).map((rule) => ({ ...rule, namespace }));
  });
}

const sorted = (words: readonly string[]): readonly string[] => [...new Set(words)].toSorted();
const cellOf = (words: readonly string[]): string => sorted(words).join(', ') || 'nothing';

const verbsOn = (grants: readonly Grant[], resource: string): string =>
  cellOf(grants.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs));

const runners = ['pods', 'pods/exec', 'deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'];
/** By which programs are started. The custom resources `jobs` start none in Kubernetes. */
const startedBy = (grants: readonly Grant[]): string =>
  cellOf(
    grants
      .filter(({ apiGroups, verbs }) => apiGroups[0] !== 'dataprocessing.dev' && verbs.includes('create'))
      .flatMap(({ resources }) => resources.filter((each) => runners.includes(each))),
  );

/** The columns from Secrets on, and where. The Lease is in a namespace of its own, and holds nothing. */
function describeGrants(grants: readonly Grant[]) {
  const relevant = grants.filter(({ resources }) => !resources.includes('leases'));
  return {
    where: sorted(relevant.map(({ namespace }) => namespace)),
    cells: [verbsOn(relevant, 'secrets'), verbsOn(relevant, 'configmaps'), startedBy(relevant)],
  };
}

const page = await readFile(join(repository, 'docs', 'concepts', 'security.md'), 'utf8');
const [, section = ''] = page.split('\n## What RBAC grants\n');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!Account)\w/.test(line))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
const claims = rows.flatMap(([account = '', installed = '', where = '', ...cells]) =>
  installed.split(', ').map((installation) => ({ account, installation, where, cells })),
);

test.skipIf(helm === undefined)('each row of the table is what is rendered', async () => {
  for (const { account, installation, where, cells } of claims) {
    const manifests = await installations[installation]?.();
    const found = describeGrants(grantsOf(manifests ?? [], accounts[account] ?? ''));
    const wanted = { where: places[where]?.[installation], cells };
    expect([account, installation, found]).toEqual([account, installation, wanted]);
  }
});

test.skipIf(helm === undefined)('whatever is rendered for an account is in the table', async () => {
  const rendered: string[] = [];
  for (const [installation, make] of Object.entries(installations)) {
    const manifests = await make();
    for (const [account, name] of Object.entries(accounts))
      if (grantsOf(manifests, name).length > 0) rendered.push(`${account}: ${installation}`);
    const known = new Set(Object.values(accounts));
    const subjects = manifests.flatMap(({ subjects: bound }) => (bound ?? []) as readonly { readonly name: string }[]);
    expect(subjects.filter(({ name }) => !known.has(name))).toEqual([]);
  }
  const told = claims.map(({ account, installation }) => `${account}: ${installation}`);
  expect(told).toEqual(expect.arrayContaining(rendered));
  expect(new Set(told).size).toBe(told.length);
});

test.skipIf(helm === undefined)('the page adds the reviews of tokens and permissions, and nothing else', async () => {
  const bindingsOf = async (values: Readonly<Record<string, unknown>>) =>
    (await render({ ...two, ...values }))
      .filter(({ kind }) => kind.endsWith('RoleBinding'))
      .map(({ kind, metadata, roleRef }) => `${kind} ${metadata.name} ${(roleRef as { readonly name: string }).name}`);
  const usual = await bindingsOf({});
  const binding = 'ClusterRoleBinding dataprocessing-operator-web-dataprocessing-system system:auth-delegator';
  expect(sorted(await bindingsOf({ 'web.enabled': true }))).toEqual(sorted([...usual, binding]));
  expect(section).toContain('`web.enabled=true`');
});

test.skipIf(helm === undefined)('no role of users names Secrets', async () => {
  const roles =
    (await installations['deploy']?.())?.filter(({ metadata }) => /-(view|edit)$/.test(metadata.name)) ?? [];
  expect(roles).toHaveLength(2);
  const resources = roles.flatMap(({ rules }) => (rules as readonly Rule[]).flatMap((rule) => rule.apiGroups));
  expect(sorted(resources)).toEqual(['dataprocessing.dev']);
});
