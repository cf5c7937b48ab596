// The plugin of kubectl on a real API server: broken situations that are really set up, and what is in a service.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { writeKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import type { Printer } from '../../../src/cli/output/run-output.ts';
import { readDocuments } from '../../../src/kube/yaml/documents.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { approvePlanAnnotation } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/definitions.ts';
import { limitMs } from '../../support/patience.ts';
import { foreignJob } from '../../support/service/runs.ts';
import { runCluster, specs, tokenAuth, tokenSecret, World } from '../support/world.ts';
import { runPlugin, type Told, userWhoMay } from './run-plugin.ts';

const kubeconfig = inject('kubeconfig');
const lease = 'dataprocessing-operator';

describe.skipIf(kubeconfig === '')('the plugin of kubectl', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.create({ token: 'open-sesame' });
    await world.apply('Secret', 'token', tokenSecret);
    await world.apply('Secret', 'wrong', { ...tokenSecret, stringData: { token: 'open-barley' } });
    await runCluster(world, tokenAuth);
    world.records.put('jobs', 'demo', foreignJob);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const run = (args: readonly string[], path?: string, ask?: Printer['ask']): Promise<Told> =>
    runPlugin(args, { namespace: world.namespace, path, ask });

  /** The operator of the world has no Lease, so only one that is there by accident could be found elsewhere. */
  const why = (object: string, path?: string) =>
    run(['why', object, '-o', 'json', '--operator-namespace', world.namespace], path);

  async function expectCause(object: string, cause: string, text: RegExp | string): Promise<void> {
    const found = async () => JSON.parse((await why(object)).output) as { readonly cause: object };
    const matching = {
      cause: { cause, text: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text) },
    };
    await expect.poll(found, { timeout: limitMs }).toMatchObject(matching);
  }

  test('nothing is wrong', async () => {
    const told = await run(['why', 'dpc/etl', '--operator-namespace', world.namespace]);
    expect([told.code, told.output]).toEqual([0, expect.stringContaining(`Cluster ${world.namespace}/etl is ready`)]);
    await expectCause('dpc/etl', 'Available', 'the service has what the spec asks for');
  });

  test('an object that is not there, and one that the user may not read', async () => {
    expect(await why('cluster/elt')).toMatchObject({ code: 1, output: expect.stringContaining('did you mean etl?') });
    const user = await writeKubeconfig(inject('planeDirectory'), { name: 'plugin-nobody', groups: [] });
    const told = await why('cluster/etl', user);
    expect(told).toMatchObject({ code: 1, output: expect.stringContaining('you may not read Cluster etl') });
    expect(told.output).toContain('"state": "forbidden"');
  });

  test('templates and Connections that are missing, or do not work', async () => {
    await world.apply('Cluster', 'no-template', { ...specs.cluster, clusterTemplateRef: { name: 'smal' } });
    await expectCause('dpc/no-template', 'NotFound', /^ClusterTemplate smal does not exist in namespace/);
    await world.apply('Cluster', 'no-connection', { ...specs.ofJobs, connectionRef: { name: 'none' } });
    await expectCause('dpc/no-connection', 'NotFound', /^Connection none does not exist/);
    await world.apply('Connection', 'no-secret', {
      endpoint: world.service.url,
      tenantID: 'demo',
      auth: { type: 'Token', secretRef: { name: 'gone' } },
    });
    await world.apply('Cluster', 'no-secret', { ...specs.ofJobs, connectionRef: { name: 'no-secret' } });
    await expectCause('dpc/no-secret', 'CredentialsMissing', /^Connection no-secret: .*Secret gone/);
  });

  test('a wrong token, and a service that is down, two objects away from a run', async () => {
    await world.apply('Connection', 'refused', {
      endpoint: world.service.url,
      tenantID: 'demo',
      auth: { type: 'Token', secretRef: { name: 'wrong' } },
    });
    await world.apply('Cluster', 'refused', { ...specs.ofJobs, connectionRef: { name: 'refused' } });
    await expectCause('dpc/refused', 'Unauthorized', /^Connection refused: .*Secret wrong/);
    await world.apply('Connection', 'down', { endpoint: 'http://127.0.0.1:1', tenantID: 'demo' });
    await world.apply('Cluster', 'down', { ...specs.ofJobs, connectionRef: { name: 'down' } });
    await world.apply('JobExecution', 'down', {
      jobID: foreignJob.id,
      clusterRef: { name: 'down' },
      connectionRef: { name: 'down' },
    });
    await expectCause('dpje/down', 'UpstreamError', /^Connection down: .*127\.0\.0\.1:1/);
  });

  test('a spec that cannot work, and a NodeGroup that waits for its Cluster', async () => {
    await world.apply('Cluster', 'strange', { ...specs.ofJobs, pluginName: 'strange' });
    await world.apply('NodeGroup', 'strange', { clusterRef: { name: 'strange' }, nodeGroup: 'all', count: 1 });
    await expectCause('dpc/strange', 'ExternalRejected', /strange/);
    await expectCause('dpng/strange', 'ExternalRejected', /strange/);
  });

  test('what is missing at the end of a chain, and what the user may not read of it', async () => {
    const [worker] = specs.small.nodeGroups;
    await world.apply('ClusterTemplate', 'hollow', {
      ...specs.small,
      nodeGroups: [{ ...worker, nodeGroupTemplateRef: { name: 'none' } }],
    });
    await world.apply('Cluster', 'hollow', { ...specs.cluster, clusterTemplateRef: { name: 'hollow' } });
    await expectCause('dpc/hollow', 'NotFound', /^NodeGroupTemplate none does not exist/);
    await world.apply('JobExecution', 'adrift', {
      jobID: foreignJob.id,
      clusterRef: { name: 'no-connection' },
      connectionRef: { name: 'none' },
    });
    await expectCause('dpje/adrift', 'NotFound', /^Connection none does not exist/);
    await world.apply('DataSource', 'locked', {
      type: 's3',
      url: 's3a://data/in',
      credentialsSecretRef: { name: 'gone' },
    });
    await expectCause('dpds/locked', 'DependencyNotReady', /Secret gone/);
    const path = await userWhoMay(world, 'reader', { resources: ['clusters'], verbs: ['get'] });
    const told = await why('dpc/no-connection', path);
    expect(JSON.parse(told.output)).toMatchObject({
      cause: { cause: 'NotReadable', text: expect.stringContaining('Its user reports: ') },
    });
  });

  test('a spec that does not fit its template, and objects that wait for their user', async () => {
    const nobody = [{ name: 'nobody', count: 1 }];
    await world.apply('Cluster', 'misfit', { ...specs.cluster, nodeGroups: nobody });
    await expectCause('dpc/misfit', 'InvalidSpec', /nodeGroups/);
    await world.apply('JobBinary', 'paused', { ...specs.program, suspend: true });
    await expectCause('dpjb/paused', 'Suspended', /suspend/);
    expect((await why('dpjb/paused')).code).toBe(0);
    await world.apply('JobBinary', 'unapproved', { ...specs.program, policy: 'Plan' });
    await expectCause('dpjb/unapproved', 'PlanPending', /waiting for the approval/);
    await world.apply('Cluster', 'grouped', specs.ofJobs);
    const count = { clusterRef: { name: 'grouped' }, nodeGroup: 'all', count: 1 };
    await world.apply('NodeGroup', 'first', count);
    await world.ready('NodeGroup', 'first');
    await world.apply('NodeGroup', 'second', count);
    await expectCause('dpng/second', 'DuplicateClaim', /NodeGroup first/);
  });

  /** As another client of the service. */
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${world.service.url}/v1.0/demo/${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': 'open-sesame' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, { readonly id: string }>>);
  };

  test('what is in the service is not as expected: a name that is taken, objects of others, and one that vanished', async () => {
    const groups = specs.ofJobs.nodeGroups.map(({ name, count, flavorID, nodeProcesses }) => ({
      name,
      count,
      flavor_id: flavorID,
      node_processes: nodeProcesses,
    }));
    const { cluster: taken } = await ask('POST', 'clusters', {
      name: 'taken',
      plugin_name: specs.ofJobs.pluginName,
      bigdata_version: specs.ofJobs.bigdataVersion,
      default_image_id: specs.ofJobs.defaultImageID,
      user_keypair_id: 'demo',
      node_groups: groups,
    });
    await world.apply('Cluster', 'taken', { ...specs.ofJobs, name: 'taken' });
    await expectCause('dpc/taken', 'NameConflict', taken?.id ?? 'an id');
    await world.delete('Cluster', 'taken');
    await ask('DELETE', `clusters/${taken?.id}`);
    const id = '00000000-0000-4000-8000-000000000000';
    await world.apply('JobBinary', 'seeker', { ...specs.program, adopt: { id } });
    await expectCause('dpjb/seeker', 'ExternalNotFound', id);
    await world.apply('Job', 'other', { ...specs.job, adopt: { id: foreignJob.id } });
    await world.apply('JobBinary', 'program', specs.program);
    const { status } = await world.ready('JobBinary', 'program');
    await expectCause('dpjob/other', 'AdoptionMismatch', /spec\.type is Java/);
    await world.apply('JobBinary', 'thief', { ...specs.program, adopt: { id: status?.id } });
    await expectCause('dpjb/thief', 'DuplicateClaim', /program/);
    await world.apply('Connection', 'fast', {
      endpoint: world.service.url,
      tenantID: 'demo',
      pollSeconds: 1,
      ...tokenAuth,
    });
    await world.apply('Cluster', 'lost', { ...specs.ofJobs, connectionRef: { name: 'fast' } });
    await ask('DELETE', `clusters/${(await world.ready('Cluster', 'lost')).status?.id}`);
    await expectCause('dpc/lost', 'ExternalDeleted', /was deleted in the service/);
  });

  test('a deletion that others block, and a schedule that is suspended', async () => {
    await world.delete('ClusterTemplate', 'small');
    await expectCause('dpct/small', 'StillInUse', /Cluster etl refers to ClusterTemplate small/);
    const template = { spec: { jobID: foreignJob.id, clusterRef: { name: 'etl' } } };
    await world.apply('JobSchedule', 'nightly', { schedule: '0 3 * * *', suspend: true, template });
    await expectCause('dpjs/nightly', 'Suspended', /suspended/);
    expect((await why('dpjs/nightly')).code).toBe(0);
  });

  const planOf = async (object: string) => {
    const { output } = await run(['plan', object, '-o', 'json']);
    return JSON.parse(output) as { readonly canBeApproved: boolean; readonly plan?: { readonly hash: string } };
  };

  async function expectApproval(object: string, verb: string): Promise<void> {
    await expect
      .poll(() => planOf(object), { timeout: limitMs })
      .toMatchObject({ canBeApproved: true, plan: { verb } });
    const { code, output } = await run(['approve', object, '--yes', '-o', 'json']);
    expect([code, JSON.parse(output)], output).toMatchObject([0, { outcome: 'carriedOut', plan: { verb } }]);
  }

  test('plans are shown, and approve has the operator carry out exactly the one that it has shown', async () => {
    await world.apply('JobBinary', 'planned', { ...specs.program, policy: 'Plan' });
    await world.apply('ImageRegistration', 'seen', {
      imageID: specs.small.defaultImageID,
      username: 'x',
      policy: 'Observe',
    });
    const listed = async () => (await run(['plan'])).output;
    await expect.poll(listed, { timeout: limitMs }).toMatch(/^ImageRegistration +seen +Observe +Update +no /m);
    await expect.poll(listed, { timeout: limitMs }).toMatch(/^JobBinary +planned +Plan +Create +no /m);
    const { plan } = await planOf('dpjb/planned');
    expect(await run(['approve', 'dpjb/planned', '--yes', '--hash', 'another'])).toMatchObject({ code: 1 });
    expect(await run(['approve', 'dpimg/seen', '--yes'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('it is only observed'),
    });
    const told = await run(['approve', 'dpjb/planned', '--yes', '-o', 'json']);
    expect([told.code, JSON.parse(told.output)]).toEqual([0, expect.objectContaining({ outcome: 'carriedOut', plan })]);
    await world.ready('JobBinary', 'planned');
    expect(await planOf('dpjb/planned')).toMatchObject({ canBeApproved: false });
  });

  test('what is created, scaled or deleted is seen in the object, so that approve knows when it was carried out', async () => {
    await world.apply('JobBinary', 'revised', { ...specs.program, policy: 'Plan' });
    await expectApproval('dpjb/revised', 'Create');
    await world.apply('JobBinary', 'revised', { url: `${specs.program.url}.2`, policy: 'Plan' });
    await expectApproval('dpjb/revised', 'Create');
    await expectApproval('dpjb/revised', 'Delete');
    const groups = (count: number) => specs.ofJobs.nodeGroups.map((one) => ({ ...one, count }));
    await world.apply('Cluster', 'scaled', { ...specs.ofJobs, policy: 'Plan' });
    await expectApproval('dpc/scaled', 'Create');
    await world.ready('Cluster', 'scaled');
    await world.apply('Cluster', 'scaled', { ...specs.ofJobs, policy: 'Plan', nodeGroups: groups(2) });
    await expectApproval('dpc/scaled', 'Scale');
    expect((await world.remote('clusters')).map((one) => one.node_groups?.[0]?.count)).toContain(2);
  });

  test('a plan that changes while it is shown is not approved', async () => {
    const spec = { ...specs.program, policy: 'Plan' };
    await world.apply('JobBinary', 'edited', spec);
    await expect.poll(() => planOf('dpjb/edited'), { timeout: limitMs }).toMatchObject({ canBeApproved: true });
    const told = await run(['approve', 'dpjb/edited', '-o', 'json'], kubeconfig, async () => {
      await world.apply('JobBinary', 'edited', { ...spec, description: 'another' });
      return 'yes';
    });
    expect(told).toMatchObject({ code: 1, output: expect.stringContaining('has changed since its plan was shown') });
    const { annotations = {} } = (await world.get('JobBinary', 'edited'))?.metadata ?? {};
    expect(annotations).not.toHaveProperty([approvePlanAnnotation]);
    expect(await run(['approve', 'dpjb/edited', '--yes'])).toMatchObject({ code: 0 });
  });

  test('status counts them, and names those that need somebody', async () => {
    const told = await run(['status']);
    expect(told.code).toBe(1);
    expect(told.output).toMatch(/^Connection +\d+ /m);
    expect(told.output).toMatch(/^connection\/refused {2}stalled Unauthorized: /m);
    const { kinds } = JSON.parse((await run(['status', '-o', 'json'])).output) as {
      readonly kinds: readonly { readonly kind: string }[];
    };
    expect(kinds.map(({ kind }) => kind)).toContain('ClusterTemplate');
  });

  test('orphans are what no resource claims, and import writes valid manifests for them', async () => {
    const unclaimed = { ...foreignJob, id: '0c9d51a6-27be-4f0e-8a43-6b1c72d9e508', name: 'unclaimed' };
    world.records.put('jobs', 'demo', unclaimed);
    const told = await run(['orphans', '-o', 'json']);
    const { orphans } = JSON.parse(told.output) as {
      readonly orphans: readonly { readonly name: string; readonly id: string }[];
    };
    expect(orphans).toContainEqual(expect.objectContaining({ id: unclaimed.id, madeBy: 'unknown', kind: 'Job' }));
    const [cluster] = await world.remote('clusters');
    expect(JSON.stringify(orphans)).not.toContain(cluster?.id);
    expect(told.output).not.toContain('open-sesame');
    const written = await run(['import', unclaimed.id]);
    const [manifest] = readDocuments(written.output) as readonly { readonly kind: string; readonly spec: object }[];
    expect(manifest).toMatchObject({ kind: 'Job', spec: { adopt: { id: unclaimed.id }, policy: 'Observe' } });
    const { spec } = definitions.find(({ kind }) => kind === 'Job') ?? {};
    expect(spec?.safeParse(manifest?.spec).error?.issues ?? []).toEqual([]);
    expect(await run(['import', 'nobody'])).toMatchObject({ code: 1, lines: [expect.stringContaining('"nobody"')] });
  });

  test('doctor finds what is wrong, and that the CRDs are those of this version', async () => {
    const told = await run(['doctor', '-o', 'json', '--operator-namespace', world.namespace]);
    expect(told.code).toBe(1);
    const { findings } = JSON.parse(told.output) as { readonly findings: readonly object[] };
    expect(findings).toContainEqual({ area: 'CRDs', level: 'ok', text: expect.stringContaining('all') });
    expect(findings).toContainEqual({ area: 'Permissions', level: 'ok', text: 'you may read the objects' });
    expect(findings).toContainEqual(
      expect.objectContaining({
        area: 'Connections',
        level: 'wrong',
        text: expect.stringContaining('Connection refused is not ready (Unauthorized)'),
      }),
    );
    expect(findings).toContainEqual({
      area: 'Connections',
      level: 'ok',
      text: 'Connection default: the service answers you, too',
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ area: 'Mistakes', text: expect.stringContaining('Connection none does not exist') }),
    );
    expect(told.output).not.toContain('open-');
    expect(told.output).not.toContain('does not answer');
  });

  test('an operator that has stopped', async () => {
    await world.halt();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${lease}`;
    const spec = { holderIdentity: 'operator-1', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
    await world.api.apply(path, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: lease },
      spec,
    });
    await world.apply('Cluster', 'late', specs.ofJobs);
    await expectCause('dpc/late', 'OperatorNotRunning', /no operator is running: operator-1 renewed Lease/);
    const told = await run(['why', 'dpc/etl', '--operator-namespace', world.namespace]);
    expect([told.code, told.output]).toEqual([1, expect.stringContaining('Warning    no operator is running')]);
    const found = await run(['doctor', '--operator-namespace', world.namespace]);
    expect(found.output).toMatch(/^Operator\n {2}wrong {4}no operator is running/m);
  });

  test('an operator that is about to look, and one that does not watch the namespace', async () => {
    const at = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${lease}`;
    const renewTime = new Date(systemClock.wall()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'operator-2', leaseDurationSeconds: 60, renewTime };
    const metadata = { name: lease };
    await world.api.apply(at, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    await world.apply('Cluster', 'later', specs.ofJobs);
    await expectCause('dpc/later', 'Pending', 'has not looked at the current spec yet');
    const labels = { app: lease };
    const containers = [{ name: 'operator', image: 'operator:1', args: ['--namespaces=other'] }];
    const template = { metadata: { labels }, spec: { containers } };
    const answer = await world.api.apply(`/apis/apps/v1/namespaces/${world.namespace}/deployments/${lease}`, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: labels }, template },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    await expectCause('dpc/later', 'NamespaceNotWatched', 'it watches only other');
  });
});
