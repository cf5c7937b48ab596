// The API servers that stand in for the real one answer what the bundled service asks as the real one does: the same requests go to all of them.
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { writeKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import { collectionPath, type RawResource } from '../../../src/kube/resource.ts';
import { openWatch } from '../../../src/kube/watch/watch-stream.ts';
import { systemRandom } from '../../../src/lib/system.ts';
import { events, jobs, type Made, pathOf, pods, secrets } from '../../../src/service/backends/pods/api/api.ts';
import { clusterLabel, runLabel, runName } from '../../../src/service/backends/pods/api/names.ts';
import { runJob, runLabels, runSecret } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import { testKind } from '../../operator/kube/support/plane-bench.ts';
import { sparkCluster } from '../../service/backends/pods/clusters/scene.ts';
import { forbidden } from '../../service/backends/pods/jobs/world/api-server.ts';
import { Client, Seen, saidIn } from './client.ts';
import { comparable } from './comparable.ts';
import { realSide, realTransport, type Side, simulatedSide, tinySide } from './side.ts';

const watchedKinds = [jobs, pods, secrets, events];
const execution = '11111111-2222-4333-8444-555555555555';
const name = runName(execution);
const labels = { [runLabel]: execution };

const settingIn = (namespace: string) => ({
  service: 'service-1',
  execution,
  namespace,
  cluster: sparkCluster(),
  image: { reference: 'image', home: '/opt/spark', java: '/java', user: 185, version: '4.1.2' },
  runnerImage: 'runner',
  pullSecrets: [],
  url: 'http://runner',
  token: 'token',
  disk: 1,
});

interface MadeJob extends Made {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
}

const jobIn = (namespace: string): MadeJob =>
  runJob(settingIn(namespace), { file: '/bin/true', args: [], env: {} }) as MadeJob;

async function makeRun(client: Client): Promise<void> {
  const { api, side } = client;
  const setting = settingIn(side.namespace);
  const [secret, job] = [runSecret(setting), jobIn(side.namespace)];
  for (const what of ['new', 'known']) {
    await client.note(`create a ${what} Secret`, () => api.create(secrets, secret));
    await client.note(`create a ${what} Job`, () => api.create(jobs, job));
  }
  await client.note('POST a known Job', () =>
    client.send({ method: 'POST', path: collectionPath(jobs, side.namespace), body: job }),
  );
  await client.note('get the Job', () => client.get(jobs, name));
  await client.note('get the data of the Secret', async () => {
    const found = (await api.get(secrets, side.namespace, name)) as { readonly data?: object } | undefined;
    return found?.data;
  });
  const { template } = job.spec;
  const spec = { ...template.spec, nodeName: 'node-1' };
  await client.create(pods, 'running', { metadata: template.metadata, spec });
  await client.create(pods, 'ended', { metadata: template.metadata, spec });
  await client.create(pods, 'nowhere', template);
  await client.create(pods, 'of-others', { spec });
}

async function changeRun(client: Client): Promise<void> {
  const containers = (state: object) => ({
    containerStatuses: [{ name: 'program', image: '', imageID: '', ready: false, restartCount: 0, state }],
  });
  // A kubelet sends both.
  const address = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
  await client.setStatus(pods, 'running', { phase: 'Running', ...address, ...containers({ running: {} }) });
  const finishedAt = '2026-01-01T00:00:00Z';
  await client.setStatus(pods, 'ended', {
    phase: 'Succeeded',
    ...containers({ terminated: { exitCode: 0, finishedAt } }),
  });
  await client.note('list pods by label', () => client.list(pods, labels));
  await client.note('list Jobs by labels', () => client.list(jobs, runLabels));
  await client.note('list Jobs by labels that none has', () =>
    client.list(jobs, { ...runLabels, [runLabel]: 'other' }),
  );
  await client.edit(pods, 'running', { metadata: { labels: { [clusterLabel]: null } } });
  await client.edit(pods, 'running', { metadata: { labels: { [clusterLabel]: 'again' } } });
  await client.edit(secrets, name, { stringData: { token: 'another' } });
  const [about, rest] = [
    { kind: 'Job', namespace: client.side.namespace, name },
    { reason: 'FailedCreate', message: 'no' },
  ];
  await client.create(events, 'warning', { involvedObject: about, type: 'Warning', ...rest });
  await client.create(events, 'normal', { involvedObject: about, type: 'Normal', ...rest });
  await client.create(events, 'of-pod', { involvedObject: { ...about, kind: 'Pod' }, type: 'Warning', ...rest });
}

async function removeRun(client: Client): Promise<void> {
  const { api, side } = client;
  const uid = '00000000-0000-0000-0000-000000000000';
  await client.note('delete another pod of the name', () => client.delete(pods, 'running', { preconditions: { uid } }));
  await client.note('delete another version', () =>
    client.delete(pods, 'running', { preconditions: { resourceVersion: '1' } }),
  );
  for (const pod of ['running', 'ended', 'nowhere']) {
    await client.delete(pods, pod);
    await client.note(`get a deleted pod: ${pod}`, () => client.get(pods, pod));
  }
  await client.delete(pods, 'running');
  await client.note('get a pod that is deleted again', () => client.get(pods, 'running'));
  await client.delete(pods, 'running', { gracePeriodSeconds: 0 });
  for (const kind of [jobs, secrets]) await api.remove(kind, side.namespace, name);
  for (const kind of [jobs, secrets, pods]) {
    await client.note(`remove no ${kind.kind}`, () => api.remove(kind, side.namespace, name));
    await client.note(`DELETE no ${kind.kind}`, () => client.delete(kind, name));
    await client.note(`get no ${kind.kind}`, () => client.get(kind, name));
    await client.note(`GET no ${kind.kind}`, () => client.send({ method: 'GET', path: client.pathOf(kind, name) }));
    await client.note(`patch no ${kind.kind}`, () => client.edit(kind, name, {}));
  }
}

const isEnd = (event: unknown): boolean => event === 'ended';
const isListEnd = (event: unknown): boolean => (event as { readonly initialEnd?: boolean }).initialEnd === true;
const isMarker = (event: unknown): boolean =>
  (event as { readonly object?: RawResource }).object?.metadata.name === 'marker';

/** A bookmark comes before the end, if there was an event since the beginning. */
async function watchBriefly(client: Client): Promise<void> {
  const { side, answers } = client;
  const path = collectionPath(secrets, side.namespace);
  const resourceVersion = await client.versionOf(secrets);
  const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds: 4, resourceVersion };
  const brief = new Seen((signal) => side.transport.stream({ path, query, signal, idleMs: 10_000 }));
  await brief.reaches(side, (event) => event === 'opened');
  await client.create(secrets, 'late', {});
  await brief.reaches(side, isEnd, 100);
  // There can be two of them.
  const sent = brief.end().map((event) => (event as { readonly type?: string }).type ?? event);
  answers['a watch that ends'] = [...new Set(sent)];
}

/** Of a kind that was not known when the API server had this version. */
async function watchExpired({ side, answers }: Client): Promise<void> {
  const { transport, namespace } = side;
  const collection = { transport, kind: testKind('Widget'), namespace };
  const expired = new Seen((signal) => openWatch(collection, { version: '1', random: systemRandom, signal }));
  await expired.reaches(side, (event) => event !== 'opened');
  answers['a watch from an expired version'] = expired.end();
}

async function play(side: Side): Promise<Readonly<Record<string, unknown>>> {
  const client = new Client(side);
  const { answers } = client;
  const noteWatches = async (what: string, watches: readonly Seen[], isLast: typeof isEnd): Promise<void> => {
    for (const [index, { kind }] of watchedKinds.entries()) {
      await watches[index]?.reaches(side, isLast);
      answers[`${what}: ${kind}`] = watches[index]?.end();
    }
  };
  const versions: string[] = [];
  for (const kind of watchedKinds) versions.push(await client.versionOf(kind));
  const live = watchedKinds.map((kind) => client.watch(kind, undefined));
  for (const each of live) await each.reaches(side, isListEnd);
  await makeRun(client);
  const listing = watchedKinds.map((kind) => client.watch(kind, undefined));
  await noteWatches('a watch that begins with a list', listing, isListEnd);
  await changeRun(client);
  await removeRun(client);
  await mark(client);
  await noteWatches('a watch that was open', live, isMarker);
  const later = watchedKinds.map((kind, index) => client.watch(kind, versions[index]));
  await noteWatches('a watch from an earlier version', later, isMarker);
  await watchExpired(client);
  // Last, because the controllers of some do something meanwhile.
  await watchBriefly(client);
  return answers;
}

/** The last changes. */
async function mark(client: Client): Promise<void> {
  const { spec } = jobIn(client.side.namespace);
  const metadata = { labels: { ...labels, [clusterLabel]: 'marker' } };
  await client.create(jobs, 'marker', { metadata, spec });
  await client.create(pods, 'marker', { metadata, spec: spec.template.spec });
  await client.create(secrets, 'marker', { metadata });
  const involvedObject = { kind: 'Job', namespace: client.side.namespace, name };
  await client.create(events, 'marker', { involvedObject, type: 'Warning', reason: 'Last', message: 'no' });
}

describe.skipIf(inject('kubeconfig') === '')('an API server that stands in for the real one', () => {
  let real: unknown;
  let isOld = false;

  beforeAll(async () => {
    const side = await realSide('service-requests');
    try {
      const answers = await play(side);
      real = comparable([answers]);
      // Kubernetes 1.30 does not begin watches with lists.
      isOld = !JSON.stringify(answers).includes('initialEnd');
    } finally {
      await side.transport.close();
    }
  });

  test.for([
    ['the worlds of runs', tinySide],
    ['the simulator', simulatedSide],
  ] as const)('answers the service as that does: that of %s', async ([_of, open]) => {
    expect(comparable([await play(open(isOld))])).toEqual(real);
  });

  test('refuses as that does, while it does not know what is allowed', async () => {
    const stranger = await writeKubeconfig(inject('planeDirectory'), { name: 'stranger' });
    const transport = await realTransport(stranger);
    onTestFinished(() => transport.close());
    for (const kind of [jobs, pods, secrets]) {
      const path = pathOf(kind, 'default', name);
      const real = await transport.request({ method: 'GET', path }).catch(saidIn);
      expect(real).toMatchObject({ status: 403, isRefusal: true });
      expect(saidIn(forbidden(path))).toEqual(real);
    }
  });
});
