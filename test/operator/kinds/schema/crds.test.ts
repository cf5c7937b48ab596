// The shipped CRDs and permissions on the real API server: taken strictly, with status, columns and explanations that work.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { ServedKind } from '../../../../dev/demo/manifests.ts';
import { defaultStatus, type Manifest, singularName } from '../../../../dev/generate/crd.ts';
import { generate } from '../../../../dev/generate.ts';
import { apiVersion } from '../../../../src/operator/api/shared-api.ts';
import type { Answer } from '../../../support/kubernetes/api-server.ts';
import { limitMs } from '../../../support/patience.ts';
import { definitions, type Kind, openSchemaApi, type SchemaApi } from './api.ts';
import { largest, smallest } from './samples.ts';

const kubeconfig = inject('kubeconfig');
const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..', '..');
const kubectl = async (...flags: readonly string[]) =>
  (await run('kubectl', [`--kubeconfig=${kubeconfig}`, ...flags], { encoding: 'utf8' })).stdout;
const hasKubectl = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
const now = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: now,
});

const files = await generate();

describe.skipIf(kubeconfig === '')('on the API server', () => {
  let api: SchemaApi;
  beforeAll(async () => {
    api = await openSchemaApi(kubeconfig, 'schema-crds');
  });
  afterAll(async () => api?.close());
  const fields = (answer: Answer): Record<string, unknown> => answer.body as Record<string, unknown>;
  const writeStatus = async (path: string, status: object) =>
    api.server.send({ method: 'PATCH', path: `${path}/status?fieldValidation=Strict`, body: { status } });

  test.each([...files.keys()].filter((path) => path.startsWith('crds/') && path.endsWith('.yaml')))(
    '%s, strictly',
    async (path) => {
      const crd = parse(await readFile(join(root, path), 'utf8')) as Manifest;
      const at = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
      const answer = await api.server.apply(at, crd);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { status } = fields(answer) as { status: { conditions: readonly { type: string; status: string }[] } };
      const bad = status.conditions.filter((each) => each.type === 'NonStructuralSchema' || each.status !== 'True');
      expect(bad).toEqual([]);
    },
  );

  test.each(definitions.map(({ kind }) => kind))(
    '%s: a newborn has the status -1, and what it was given',
    async (kind) => {
      const { spec, status } = fields(await api.server.send({ path: await api.create(kind, largest[kind]) }));
      expect(status).toEqual(defaultStatus);
      expect(spec).toEqual(largest[kind]);
    },
  );

  test('nothing is added to a spec', async () => {
    for (const kind of definitions.map((each) => each.kind)) {
      const { spec } = fields(await api.server.send({ path: await api.create(kind, smallest[kind]) }));
      expect(spec).toEqual(smallest[kind]);
    }
  });

  test('a full status is kept as written', async () => {
    const status = {
      id: 'a1',
      externalName: 'analytics-x',
      ledger: JSON.stringify({ v: 1, text: 'x'.repeat(15_000) }),
      observedGeneration: 1,
      conditions: [
        condition('Ready', 'False', 'Scaling', 'x'.repeat(4096)),
        condition('Synced', 'True', 'UpToDate', 'ok'),
      ],
      blockedOn: [{ kind: 'ClusterTemplate', name: 'small', reason: 'DependencyNotReady', message: 'is not there' }],
      externalStatus: 'Waiting',
      statusMessage: '',
      pluginName: 'vanilla',
      bigdataVersion: '1.2.1',
      nodes: '3/5',
      nodeGroups: [
        { name: 'worker', desired: 3, ready: 2, scaledBy: 'workers', autoscaling: { reason: 'AtMaximum', wanted: 3 } },
      ],
      endpoints: [{ target: 'HDFS', name: 'Web UI', url: 'http://10.0.0.1:50070' }],
      instances: Array.from({ length: 50 }, (_, i) => ({
        nodeGroup: 'worker',
        name: `w-${i}`,
        internalIP: '10.0.0.1',
      })),
    };
    const answer = await writeStatus(await api.create('Cluster', smallest.Cluster), status);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(fields(answer)['status']).toEqual(status);
  });

  test('one condition of each type', async () => {
    const ready = condition('Ready', 'True', 'Available', 'ok');
    const path = await api.create('Cluster', smallest.Cluster);
    expect((await writeStatus(path, { conditions: [ready, ready] })).status).toBe(422);
  });

  test('writing status leaves the spec alone, and the other way round', async () => {
    const path = await api.create('Cluster', smallest.Cluster);
    const answer = await api.server.send({
      method: 'PATCH',
      path: `${path}/status`,
      body: { spec: { description: 'x' }, status: { id: 'a1' } },
    });
    expect(fields(answer)).toMatchObject({ spec: smallest.Cluster, status: { id: 'a1' } });
    const changed = await api.server.send({ method: 'PATCH', path, body: { status: { id: 'other' } } });
    expect(fields(changed)).toMatchObject({ status: { id: 'a1' } });
  });

  test('the name of a JobSchedule leaves room for those of its executions', async () => {
    const create = (name: string) =>
      api.server.send({
        method: 'POST',
        path: `/apis/${apiVersion}/namespaces/${api.namespace}/jobschedules?dryRun=All`,
        body: { apiVersion, kind: 'JobSchedule', metadata: { name }, spec: smallest.JobSchedule },
      });
    expect((await create('a'.repeat(52))).status).toBe(201);
    const refused = await create('a'.repeat(53));
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('metadata.name: must have at most 52 characters');
  });

  test('nobody else changes the count of a NodeGroup that is autoscaled', async () => {
    const autoscaling = { maxCount: 9 };
    const path = await api.create('NodeGroup', { ...smallest.NodeGroup, count: 3, autoscaling });
    const patch = (at: string, spec: object) => api.server.send({ method: 'PATCH', path: at, body: { spec } });
    const refused = await patch(`${path}/scale`, { replicas: 5 });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringMatching(/count cannot change while autoscaling is set.*HorizontalPodAutoscaler/),
    ]);
    expect((await patch(path, { autoscaling: { minCount: 2, maxCount: 5 } })).status).toBe(200);
    expect((await patch(path, { autoscaling: null, count: 5 })).status).toBe(200);
    expect((await patch(path, { autoscaling, count: 2 })).status).toBe(200);
  });

  test('kubectl scale and autoscalers see the count, the current one and the pods of a NodeGroup', async () => {
    const path = await api.create('NodeGroup', { ...smallest.NodeGroup, count: 3 });
    await writeStatus(path, { count: 2, selector: 'a=b,c=d' });
    const scaled = async () => fields(await api.server.send({ path: `${path}/scale` }));
    expect(await scaled()).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 2, selector: 'a=b,c=d' } });
    const answer = await api.server.send({
      method: 'PATCH',
      path: `${path}/scale`,
      body: { spec: { replicas: 5 } },
    });
    expect(answer.status).toBe(200);
    expect(fields(await api.server.send({ path }))).toMatchObject({ spec: { count: 5 } });
  });

  describe('columns', () => {
    const table = async (path: string) => {
      const answer = await api.server.send({ path, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
      const { columnDefinitions, rows } = answer.body as {
        columnDefinitions: readonly { name: string; priority: number }[];
        rows: readonly { cells: readonly unknown[] }[];
      };
      const shown = columnDefinitions.map(({ name, priority }, i) => [
        `${name}${priority > 0 ? ' (wide)' : ''}`,
        rows[0]?.cells[i],
      ]);
      return Object.fromEntries(shown.slice(1, -1)) as Record<string, unknown>;
    };

    test('Cluster', async () => {
      const path = await api.create('Cluster', smallest.Cluster);
      const { reason, message } = defaultStatus.conditions[0];
      expect(Object.values(await table(path)).filter((cell) => cell !== null)).toEqual(['Unknown', reason, message]);
      await writeStatus(path, {
        id: 'a1',
        externalStatus: 'Starting',
        nodes: '3/5',
        pluginName: 'vanilla',
        bigdataVersion: '1.2.1',
        conditions: [
          condition('Synced', 'True', 'UpToDate', 'no'),
          condition('Ready', 'False', 'Provisioning', 'busy'),
          condition('TemplateOutdated', 'True', 'NewerRevision', 'another one'),
        ],
      });
      expect(await table(path)).toEqual({
        Ready: 'False',
        Reason: 'Provisioning',
        Status: 'Starting',
        Nodes: '3/5',
        Plugin: 'vanilla',
        Version: '1.2.1',
        'Outdated (wide)': 'True',
        'ID (wide)': 'a1',
        'Message (wide)': 'busy',
      });
    });

    test('JobExecution', async () => {
      const path = await api.create('JobExecution', smallest.JobExecution);
      const conditions = [condition('Ready', 'False', 'Failed', 'no such class')];
      const [job, cluster] = [{ name: 'words' }, { name: 'small' }];
      const termination = { reason: 'Error', exitCode: 3 };
      await writeStatus(path, { id: 'a1', state: 'Failed', job, cluster, duration: '1m30s', termination, conditions });
      expect(await table(path)).toEqual({
        State: 'Failed',
        Reason: 'Failed',
        Job: 'words',
        Cluster: 'small',
        Duration: '1m30s',
        'Exit (wide)': 3,
        'ID (wide)': 'a1',
        'Message (wide)': 'no such class',
      });
    });

    test('NodeGroup', async () => {
      const autoscaling = { minCount: 1, maxCount: 9 };
      const path = await api.create('NodeGroup', { ...smallest.NodeGroup, count: 1, autoscaling });
      const conditions = [
        condition('Ready', 'False', 'Scaling', 'from 2 to 3'),
        condition('ScalingActive', 'True', 'WithinRange', 'the work fills 3 nodes'),
      ];
      await writeStatus(path, { count: 2, wanted: 3, selector: 'a=b', conditions });
      expect(await table(path)).toEqual({
        Ready: 'False',
        Reason: 'Scaling',
        Cluster: 'small',
        Group: 'worker',
        Min: 1,
        Max: 9,
        Wanted: 3,
        Current: 2,
        'Scaling (wide)': 'WithinRange',
        'Message (wide)': 'from 2 to 3',
      });
    });

    test.each<[Kind, object]>([
      ['NodeGroupTemplate', { Plugin: 'vanilla', Version: '1.2.1', Revision: 'abc', 'ID (wide)': 'a1' }],
      ['ClusterTemplate', { Plugin: 'vanilla', Version: '1.2.1', Revision: 'abc', 'ID (wide)': 'a1' }],
      ['ImageRegistration', { Image: 'ubuntu-22.04', User: 'ubuntu', Tags: '["1.2.1","vanilla"]', 'ID (wide)': 'a1' }],
      ['DataSource', { Type: 'hdfs', 'URL (wide)': '/data/in', Revision: 'abc', 'ID (wide)': 'a1' }],
      ['JobBinary', { 'URL (wide)': 'https://files.example.com/a.jar', Revision: 'abc', 'ID (wide)': 'a1' }],
      ['Job', { Type: 'Spark', Revision: 'abc', 'ID (wide)': 'a1' }],
      ['Connection', { Endpoint: 'http://127.0.0.1:8386', Tenant: 'demo' }],
      ['SharedConnection', { Endpoint: 'http://127.0.0.1:8386', Tenant: 'demo' }],
    ])('%s', async (kind, more) => {
      const path = await api.create(kind, smallest[kind]);
      const isConnection = kind === 'Connection' || kind === 'SharedConnection';
      const id = isConnection ? {} : { id: 'a1' };
      const image = { imageName: 'ubuntu-22.04', username: 'ubuntu', tags: ['1.2.1', 'vanilla'] };
      const place = { endpoint: 'http://127.0.0.1:8386', tenantID: 'demo' };
      const own = kind === 'ImageRegistration' ? image : isConnection ? place : { revision: 'abc' };
      await writeStatus(path, { ...id, ...own, conditions: [condition('Ready', 'True', 'Available', 'fine')] });
      expect(await table(path)).toEqual({ Ready: 'True', Reason: 'Available', 'Message (wide)': 'fine', ...more });
    });
  });

  describe('the permissions', () => {
    const user = 'system:serviceaccount:dataprocessing-system:dataprocessing-operator';
    const may = async (verb: string, resource: string, more: object = {}) => {
      const [plural = '', subresource] = resource.split('/');
      const group = /^(secrets|namespaces|configmaps)$/.test(plural)
        ? ''
        : plural === 'events'
          ? 'events.k8s.io'
          : 'dataprocessing.dev';
      const resourceAttributes = { verb, group, resource: plural, subresource, namespace: 'anywhere', ...more };
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, resourceAttributes },
      };
      const answer = await api.server.send({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body,
      });
      return (answer.body as { status: { allowed: boolean } }).status.allowed;
    };
    const paths: Readonly<Record<string, string>> = {
      Namespace: '/api/v1/namespaces/',
      ServiceAccount: '/api/v1/namespaces/dataprocessing-system/serviceaccounts/',
      ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles/',
      ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/',
    };

    beforeAll(async () => {
      for (const each of parseAllDocuments(
        await readFile(join(root, 'deploy', 'all-namespaces', 'rbac.yaml'), 'utf8'),
      )) {
        const manifest = each.toJS() as Manifest;
        const answer = await api.server.apply(`${paths[manifest.kind]}${manifest.metadata.name}`, manifest);
        if (answer.status >= 300) throw new Error(`cannot apply ${manifest.kind}: ${JSON.stringify(answer.body)}`);
      }
      // The API server learns of new roles a moment later.
      await vi.waitUntil(async () => may('get', 'clusters'), { timeout: limitMs });
    });

    test.each(definitions)('$plural', async ({ plural }) => {
      for (const verb of ['list', 'watch', 'patch']) expect(await may(verb, plural), verb).toBe(true);
      expect(await may('get', plural)).toBe(!['connections', 'sharedconnections', 'nodegroups'].includes(plural));
      expect(await may('patch', `${plural}/status`)).toBe(true);
      expect(await may('update', `${plural}/status`)).toBe(false);
      expect(await may('get', `${plural}/status`)).toBe(false);
      expect(await may('update', plural)).toBe(false);
      expect(await may('create', plural)).toBe(['clusters', 'jobs', 'jobexecutions'].includes(plural));
      expect(await may('delete', plural)).toBe(['clusters', 'jobexecutions'].includes(plural));
    });

    test('the rest', async () => {
      for (const verb of ['list', 'watch', 'patch']) expect(await may(verb, 'secrets'), verb).toBe(true);
      for (const verb of ['get', 'create', 'update', 'delete']) expect(await may(verb, 'secrets'), verb).toBe(false);
      for (const verb of ['create', 'patch']) expect(await may(verb, 'events'), verb).toBe(true);
      expect(await may('get', 'namespaces', { name: 'kube-system', namespace: undefined })).toBe(true);
      expect(await may('get', 'namespaces', { name: 'default', namespace: undefined })).toBe(false);
      const anyNamespace = async (verb: string) => may(verb, 'namespaces', { namespace: undefined });
      for (const verb of ['list', 'watch']) expect(await anyNamespace(verb), verb).toBe(true);
      for (const verb of ['patch', 'delete']) expect(await anyNamespace(verb), verb).toBe(false);
      for (const verb of ['get', 'watch']) expect(await may(verb, 'configmaps'), verb).toBe(true);
      for (const verb of ['list', 'create', 'patch']) expect(await may(verb, 'configmaps'), verb).toBe(false);
      expect(await may('get', 'services')).toBe(false);
    });
  });

  /** By them, kubectl knows what is asked for. */
  test.each(definitions)('$plural: the names under which they are served', async (definition) => {
    const { kind, plural, shortName, scope } = definition;
    const { resources } = fields(await api.server.send({ path: `/apis/${apiVersion}` }));
    const served = (resources as readonly ServedKind[]).find(({ name }) => name === plural);
    expect(served).toMatchObject({
      kind,
      singularName: singularName(definition),
      shortNames: [shortName],
      namespaced: scope === undefined,
    });
    expect(served?.categories).toEqual(scope === undefined ? ['dataprocessing'] : undefined);
  });

  describe.skipIf(!hasKubectl)('kubectl', () => {
    test.each([
      ['dpconn.spec.endpoint', 'Base URL of the service'],
      ['dpngt.spec.volumesSize', 'GiB'],
      ['dpct.spec.nodeGroups.count', 'Number of nodes'],
      ['clusters.dataprocessing.dev.spec.nodeGroups', 'scales the cluster'],
      ['dpds.spec.url', 'swift://container/object'],
      ['dpjb.spec.url', 'reads it when a job runs'],
      ['dpjb.spec.content.fileName', 'Required with inline'],
      ['dpjob.spec.interface.location', 'without a gap'],
      ['dpng.spec.count', 'in place of the count in the Cluster'],
      ['dpjs.spec.schedule', 'Example: "30 6 * * MON-FRI"'],
      ['dpjs.spec.template.spec.jobRef', 'Job to run'],
      ['dpc.status.conditions', 'Ready reports whether the object can be used'],
    ])('explain %s', async (field, words) => {
      expect((await kubectl('explain', field)).replaceAll(/\s+/g, ' ')).toContain(words);
    });

    test('get dataprocessing shows all kinds', async () => {
      const shown = definitions.filter(({ scope }) => scope === undefined);
      for (const { kind } of shown) await api.create(kind, smallest[kind]);
      const names = await kubectl('get', 'dataprocessing', '--namespace', api.namespace, '--output', 'name');
      for (const definition of shown) expect(names).toContain(`${singularName(definition)}.dataprocessing.dev/`);
    });

    test('get by short name, and by kind and group', async () => {
      await api.create('Cluster', smallest.Cluster);
      const names = async (what: string) => kubectl('get', what, '--namespace', api.namespace, '--output', 'name');
      const found = await names('dpc');
      expect(found).toMatch(/^cluster\.dataprocessing\.dev\//);
      expect(await names('Cluster.dataprocessing.dev')).toBe(found);
    });

    test(`the group is served as ${apiVersion}`, async () => {
      expect(await kubectl('api-resources', '--api-group=dataprocessing.dev', '--no-headers')).toContain(apiVersion);
    });
  });
});
