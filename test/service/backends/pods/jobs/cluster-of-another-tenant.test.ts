// A run on a cluster of another tenant, as records of release 0.2.0 can have it: it is where its cluster is, and its tenant's namespace stays empty.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { KubeApi, Made, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import { ClusterObjects } from '../../../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { ClusterPlaces } from '../../../../../src/service/backends/pods/clusters/cluster-places.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import type { RunPlace } from '../../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { shellJob } from '../../../../../src/service/engines/jobs/shell-job.ts';
import { createMemoryStore } from '../../../../../src/service/model/store/store.ts';
import { EngineCalls } from '../../../../../src/service/resources/executions/engine-calls.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../../processes/clusters/tiny-engine.ts';
import { orderOf } from '../../processes/jobs/job-scene.ts';
import { polledObjects } from '../clusters/polled-objects.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const [machine] = [{ instance_id: 'm-1', instance_name: 'm', internal_ip: '1', management_ip: '1' }];
const cluster = { ...clusterOf([groupOf('namenode', [machine])]), status: 'Active' };

/** Objects in several namespaces. */
class Namespaces {
  readonly objects = new Map<string, Made>();

  recall(): void {}

  async create({ kind }: ObjectKind, made: Made): Promise<boolean> {
    const text = (made['stringData'] as Readonly<Record<string, string>> | undefined)?.['secret'];
    const data = text !== undefined && { data: { secret: Buffer.from(text).toString('base64') } };
    this.objects.set(`${made.metadata.namespace} ${kind} ${made.metadata.name}`, { ...made, ...data });
    return true;
  }

  async get({ kind }: ObjectKind, namespace: string, name: string): Promise<Made | undefined> {
    return this.objects.get(`${namespace} ${kind} ${name}`);
  }

  async list(): Promise<readonly Made[]> {
    return [];
  }

  async remove({ kind }: ObjectKind, namespace: string, name: string): Promise<void> {
    this.objects.delete(`${namespace} ${kind} ${name}`);
  }

  /** The kinds of the objects, by namespace. */
  get kinds(): readonly string[] {
    return [...this.objects.keys()].map((key) => key.split(' ').slice(0, 2).join(' '));
  }
}

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'another-tenant-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [clock, runs, namespaces, store] = [
    new ManualClock(),
    new PodRuns(folder),
    new Namespaces(),
    createMemoryStore(),
  ];
  const api = namespaces as unknown as KubeApi;
  const informers = polledObjects(api, clock);
  const canceled: RunPlace[] = [];
  const program = () => ({ file: '/bin/true', args: [], env: {} });
  const cancel = async (place: RunPlace) => void canceled.push(place);
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const namespaceOf = (tenant: string) => `of-${tenant}`;
  let secrets = 0;
  const createSecret = () => `secret-${(secrets += 1)}`;
  const places = new ClusterPlaces(new ClusterObjects(api, informers), { namespaceOf, domain: 'local', createSecret });
  const parts: Partial<PodJobsOptions> = {
    api,
    informers,
    runs,
    clock,
    log,
    engines: [{ ...tiny, jobs: [{ ...shellJob, program, cancel }] }],
    flavors: usualFlavors,
    namespaceOf,
    placeOf: (owner, of) => places.of(owner, of),
    imageOf: () => ({ reference: 'image', home: '/opt', java: '/java', user: 1, version: '1' }),
    runnerImage: 'runner',
    runnerUrl: 'http://runner',
    pullSecrets: [],
    createSecret,
  };
  const engine = new PodJobs(parts as PodJobsOptions);
  const { execution, job } = orderOf();
  store.put('clusters', 'owner', cluster);
  store.put('jobs', 'user', job);
  store.put('jobExecutions', 'user', execution);
  const calls = new EngineCalls({
    engine,
    store,
    dialect: 'neutral',
    limit: (_call, work) => work(new AbortController().signal),
    accepted: () => undefined,
    report: () => undefined,
    admit: async () => undefined,
  });
  return { runs, namespaces, places, calls, execution, canceled };
}

test('a run on a cluster of another tenant is made and canceled where its cluster is', async () => {
  const { runs, namespaces, places, calls, execution, canceled } = open();
  const { secret } = await places.of('owner', cluster);
  const at = { tenant: 'user', signal: new AbortController().signal };
  await calls.submit({ ...at, record: execution });
  expect(namespaces.kinds).toEqual(['of-owner Secret', 'of-owner Secret', 'of-owner Job']);
  runs.start(execution.id);
  await calls.kill({ ...at, id: execution.id, cluster: { tenant: 'owner', record: cluster } });
  expect(namespaces.kinds).toEqual(['of-owner Secret']);
  expect(canceled.flatMap(({ nodes }) => nodes.map((node) => [node.secret, node.address]))).toEqual([
    [secret, expect.stringContaining('.of-owner.')],
  ]);
});
