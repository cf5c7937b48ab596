// The optional policy for approvals: who may edit an object does not thereby approve its plan.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, openObjects } from '../../../dev/demo/manifests.ts';
import { NotYet, waitUntil } from '../../../dev/demo/waiting.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { apiVersion, approvePlanAnnotation } from '../../../src/operator/api/shared-api.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { limitMs } from '../../support/patience.ts';
import { repository } from '../support/installation.ts';

const kubeconfig = inject('kubeconfig');
const rbac = 'rbac.authorization.k8s.io';

describe.skipIf(kubeconfig === '')('with the policy for approvals', () => {
  const namespace = `approvals-${Math.random().toString(36).slice(2, 8)}`;
  const pathOf = (plural: string): string => `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
  const path = pathOf('datasources');
  let folder = '';
  let admin: ApiServer;
  let editor: ApiTransport;
  let approver: ApiTransport;
  /** Edits and approves. */
  let lead: ApiTransport;

  beforeAll(async () => {
    await applyCrds(kubeconfig);
    folder = await mkdtemp(join(tmpdir(), 'approvals-'));
    admin = await openApiServer(kubeconfig);
    const objects = openObjects(admin, namespace);
    await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const each of await renderKustomization(join(repository, 'deploy', 'approvals'))) await objects.apply(each);
    for (const each of accounts(namespace)) await objects.apply(each);
    [editor, approver, lead] = await Promise.all([actAs('editor'), actAs('approver'), actAs('lead')]);
    await admin.ask({ method: 'POST', path, body: books('books') });
    // The API server follows new policies a moment later.
    let probes = 0;
    const probe = async () => {
      // One that came through stays, and could be written again.
      const told = await annotate(editor, `probe-${(probes += 1)}`);
      return told.startsWith('refused') || new NotYet(`it is not in force: ${told}`);
    };
    await waitUntil('see the policy in force', probe, { withinMs: limitMs });
    expect(await annotate(editor, null)).toBe('done');
  });
  afterAll(async () => {
    await Promise.all([editor.close(), approver.close(), lead.close(), admin.close()]);
    await rm(folder, { recursive: true });
  });

  async function actAs(name: string): Promise<ApiTransport> {
    const file = join(folder, name);
    await writeAccountKubeconfig(admin, { namespace, name }, file);
    const config = await loadClusterConfig({ kubeconfig: file, environment: {}, clock: systemClock });
    return createTransport({ config, clock: systemClock });
  }

  const books = (name: string, annotations = {}) => ({
    apiVersion,
    kind: 'DataSource',
    metadata: { name, annotations },
    // What is adopted may be observed only.
    spec: { type: 'hdfs', url: 'hdfs://namenode:8020/books', adopt: { name: 'books' } },
  });

  const patch = (who: ApiTransport, body: object, at = `${path}/books`): Promise<string> =>
    told(who.request({ method: 'PATCH', path: at, contentType: 'application/merge-patch+json', body }));
  const annotate = (who: ApiTransport, hash: string | null): Promise<string> =>
    patch(who, { metadata: { annotations: { [approvePlanAnnotation]: hash } } });

  test('an editor edits, and approves nothing', async () => {
    expect(await patch(editor, { spec: { policy: 'Plan' } })).toBe('done');
    expect(await annotate(editor, 'abc')).toMatch(/^refused: .*ask one of them to approve the plan/);
    const made = { method: 'POST', path, body: books('more', { [approvePlanAnnotation]: 'abc' }) } as const;
    expect(await told(editor.request(made))).toMatch(/^refused: /);
  });

  test('who has the verb approves, after which an editor may edit and take it back, but not change it', async () => {
    expect(await annotate(approver, 'abc')).toBe('done');
    expect(await patch(editor, { spec: { suspend: true } })).toBe('done');
    expect(await annotate(editor, 'abcd')).toMatch(/^refused: /);
    expect(await annotate(editor, null)).toBe('done');
  });

  test.each([
    ['Manage', 'Manage'],
    ['the default', null],
  ])('an editor does not get around an approval by %s, neither at once nor by Observe', async (_, policy) => {
    expect(await patch(editor, { spec: { policy: 'Plan' } })).toBe('done');
    expect(await patch(editor, { spec: { policy } })).toMatch(/^refused: .*set spec.policy to Plan/);
    expect(await patch(editor, { spec: { policy: 'Observe', suspend: true } })).toBe('done');
    expect(await patch(editor, { spec: { policy } })).toMatch(/^refused: /);
    expect(await patch(editor, { spec: { policy: 'Plan', suspend: false } })).toBe('done');
    expect(await patch(approver, { spec: { policy } })).toBe('done');
    // What is managed already stays so for everybody, and anybody may have it ask first.
    expect(await patch(editor, { spec: { suspend: false } })).toBe('done');
    expect(await patch(editor, { spec: { policy: 'Plan' } })).toBe('done');
  });

  test.each([
    ['Manage', 'Manage'],
    ['the default', null],
  ])(
    'an editor does not have the runs of a JobSchedule begin without an approval by %s in its template',
    async (_, policy) => {
      const name = `nightly-${policy ?? 'default'}`.toLowerCase();
      const template = { spec: { policy: 'Plan', jobRef: { name: 'words' }, clusterRef: { name: 'etl' } } };
      const spec = { schedule: '0 3 * * *', template };
      const body = { apiVersion, kind: 'JobSchedule', metadata: { name }, spec };
      await admin.ask({ method: 'POST', path: pathOf('jobschedules'), body });
      const set = (who: ApiTransport, changed: object) =>
        patch(who, { spec: changed }, `${pathOf('jobschedules')}/${name}`);
      const policyOf = (value: string | null) => ({ template: { spec: { policy: value } } });
      expect(await set(editor, policyOf(policy))).toMatch(/^refused: .*spec\.template\.spec\.policy/);
      expect(await set(editor, { schedule: '0 4 * * *', suspend: true })).toBe('done');
      expect(await set(lead, policyOf(policy))).toBe('done');
      expect(await set(editor, { suspend: false })).toBe('done');
      expect(await set(editor, policyOf('Plan'))).toBe('done');
    },
  );

  test.each(['Plan', 'Observe'])('an editor does not have a cluster with the policy %s expire', async (policy) => {
    const name = policy.toLowerCase();
    const adopt = policy === 'Observe' ? { adopt: { name }, deletionPolicy: 'Delete' } : {};
    const spec = { policy, clusterTemplateRef: { name: 'small' }, imageRef: { name: 'ubuntu' }, userKeypairID: 'demo' };
    const body = { apiVersion, kind: 'Cluster', metadata: { name }, spec: { ...spec, ...adopt } };
    await admin.ask({ method: 'POST', path: pathOf('clusters'), body });
    const set = (who: ApiTransport, changed: object) => patch(who, { spec: changed }, `${pathOf('clusters')}/${name}`);
    const refused = /^refused: .*remove spec\.lifecycle, ask one of them/;
    for (const lifecycle of [{ deleteAfterSeconds: 60 }, { deleteAt: '2026-01-01T00:00:00Z', onExpiry: 'Release' }])
      expect(await set(editor, { lifecycle })).toMatch(refused);
    expect(await set(lead, { lifecycle: { deleteAfterSeconds: 86_400 }, deletionPolicy: 'Orphan' })).toBe('done');
    for (const changed of [{ deleteAfterSeconds: 60 }, { idleDeleteAfterSeconds: 300 }])
      expect(await set(editor, { lifecycle: changed })).toMatch(refused);
    expect(await set(editor, { deletionPolicy: 'Delete' })).toMatch(refused);
    expect(await set(editor, { suspend: true })).toBe('done');
    expect(await set(editor, { lifecycle: null, deletionPolicy: 'Delete' })).toBe('done');
    expect(await set(editor, { lifecycle: { deleteAfterSeconds: 86_400 } })).toMatch(refused);
  });

  test('an editor sets the lifecycle of a cluster that is managed, and may have it ask first in the same edit', async () => {
    const spec = { clusterTemplateRef: { name: 'small' }, imageRef: { name: 'ubuntu' }, userKeypairID: 'demo' };
    const body = { apiVersion, kind: 'Cluster', metadata: { name: 'managed' }, spec };
    await admin.ask({ method: 'POST', path: pathOf('clusters'), body });
    const set = (changed: object) => patch(editor, { spec: changed }, `${pathOf('clusters')}/managed`);
    expect(await set({ lifecycle: { deleteAfterSeconds: 60 } })).toBe('done');
    expect(await set({ policy: 'Plan', lifecycle: { deleteAfterSeconds: 120 } })).toBe('done');
    expect(await set({ lifecycle: { deleteAfterSeconds: 60 } })).toMatch(/^refused: /);
  });
});

function told(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'done',
    (error: unknown) =>
      String(error).includes('dataprocessing-operator-approvals') ? `refused: ${String(error)}` : String(error),
  );
}

const accounts = (namespace: string): readonly Manifest[] => [
  ...['editor', 'approver', 'lead'].map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } })),
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: 'edits' },
    rules: [{ apiGroups: ['dataprocessing.dev'], resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'edits' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'edits' },
    subjects: ['editor', 'lead'].map((name) => ({ kind: 'ServiceAccount', name, namespace })),
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'approves' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'dataprocessing-operator-approve' },
    subjects: ['approver', 'lead'].map((name) => ({ kind: 'ServiceAccount', name, namespace })),
  },
];
