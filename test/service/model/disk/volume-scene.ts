// A service whose data file and runs are on one small volume. The API server is simulated: every machine is ready at once, and the pod of a run has just started.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock, Log } from '../../../../src/lib/ports.ts';
import { systemAskJson, systemClock, systemDownload, systemRandom } from '../../../../src/lib/system.ts';
import type { KubeApi, KubeObject, ObjectKind, Selection } from '../../../../src/service/backends/pods/api/api.ts';
import { runName } from '../../../../src/service/backends/pods/api/names.ts';
import { PodJobs } from '../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { parseImages } from '../../../../src/service/backends/pods/manifests/engine-images.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import { imageIn } from '../../../../src/service/engines/image.ts';
import { pluginOf } from '../../../../src/service/engines/plugin.ts';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { connect, type Json, type Peer } from '../../../contract/peer.ts';
import { polledObjects } from '../../backends/pods/clusters/polled-objects.ts';
import { tinyEngine } from '../../backends/processes/clusters/tiny-engine.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface PodState {
  readonly metadata: KubeObject['metadata'];
  readonly status: object;
}

/** Jobs with one pod each, whose program runs until it is told to end. */
export class SimulatedCluster {
  readonly jobs = new Map<string, KubeObject>();
  readonly #ended = new Set<string>();
  /** Whether programs print without end. */
  prints = false;

  end(execution: string): void {
    this.#ended.add(runName(execution));
  }

  #podOf({ metadata }: KubeObject): PodState {
    const isOver = this.#ended.has(metadata.name);
    const state = isOver ? { terminated: { exitCode: 0, finishedAt: '2026-01-01T00:00:00Z' } } : { running: {} };
    return { metadata, status: { containerStatuses: [{ name: 'program', ready: true, state }] } };
  }

  get api(): KubeApi {
    const { jobs } = this;
    const isPrinting = (name: string) => this.prints && !this.#ended.has(name);
    return {
      get: async ({ kind }: ObjectKind, _namespace: string, name: string) =>
        kind === 'Job' ? jobs.get(name) : undefined,
      create: async ({ kind }: ObjectKind, object: KubeObject) => {
        if (kind === 'Job') jobs.set(object.metadata.name, object);
        return true;
      },
      list: async ({ kind }: ObjectKind, _namespace: string, { labels = {} }: Selection) =>
        [...jobs.values()]
          .filter(
            (job) =>
              kind === 'Pod' && Object.entries(labels).every(([key, value]) => job.metadata.labels?.[key] === value),
          )
          .map((job) => this.#podOf(job)),
      recall: () => undefined,
      remove: async ({ kind }: ObjectKind, _namespace: string, name: string) => {
        if (kind === 'Job') jobs.delete(name);
      },
      async *log(
        { name }: KubeObject['metadata'],
        { follow }: { readonly follow?: boolean },
        { signal }: { readonly signal: AbortSignal },
      ) {
        for (let second = 0; isPrinting(name) && !signal.aborted && (follow === true || second < 60); second += 1) {
          const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
          yield Buffer.from(`${time} ${'x'.repeat(1000)}\n`.repeat(64));
          await new Promise((resolve) => void setTimeout(resolve, 20));
        }
      },
    } as unknown as KubeApi;
  }
}

export interface Setting {
  /** For each tenant. */
  readonly runByteQuota?: number;
  readonly clock?: Clock;
}

export async function serveOn(
  folder: string,
  cluster: SimulatedCluster,
  { runByteQuota, clock = systemClock }: Setting = {},
) {
  const data = join(folder, 'service.db');
  const engines = [tinyEngine('vanilla', '1', ['namenode', 'datanode'])];
  const store = openSqliteStore(data, { log });
  const { volume } = store;
  if (volume === undefined) throw new Error('the store is not on a volume');
  const runs = new PodRuns(join(folder, 'runs'), { room: volume, log });
  const engine = new PodJobs({
    api: cluster.api,
    informers: polledObjects(cluster.api, clock),
    flavors: usualFlavors,
    runs,
    engines,
    namespaceOf: () => 'data',
    placeOf: async () => ({ namespace: 'data', domain: 'cluster.local', secret: 's' }),
    imageOf: () => imageIn(parseImages('{}'), 'spark'),
    runnerImage: 'runner:1',
    runnerUrl: 'http://127.0.0.1:1',
    pullSecrets: [],
    jobFiles: undefined,
    packages: '',
    environments: '',
    logBytes: 16 * 1024 ** 2,
    clock,
    log,
    ask: systemAskJson,
    hdfs: systemDownload,
    download: systemDownload,
    createSecret: () => 'token-of-a-run',
    addressOf: () => undefined,
  });
  const plugins = engines.map((each) => pluginOf({ engine: each, version: '1' }));
  const catalog = { plugins, ...(runByteQuota !== undefined && { runByteQuota }) };
  const server = createServer({ clock, random: systemRandom, log, store, engine, catalog });
  const url = await server.start();
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await server.close();
    engine.close();
    store.close();
  };
  onTestFinished(close);
  return { url, peer: connect(url), runs, volume, close };
}

/** A server of files of any size: `?bytes=N`. */
export async function serveFiles(): Promise<(bytes: number) => string> {
  const server = createHttpServer((request, answer) => {
    const bytes = Number(new URL(request.url ?? '', 'http://x').searchParams.get('bytes'));
    answer.on('error', () => undefined).end(Buffer.alloc(bytes, 'x'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (bytes) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.jar?bytes=${bytes}`;
}

const keyOf = ({ body }: { readonly body: Json }, key: string): string => {
  if (body?.[key] === undefined) throw new Error(JSON.stringify(body));
  return body[key].id;
};

/** What a user of the tenant does. */
export const actsAs = (peer: Peer, tenant: string) => {
  const at = (path: string) => `/v1.1/${tenant}/${path}`;
  return {
    at,
    cluster: async (name: string): Promise<string> => {
      const group = { name: 'm', count: 1, flavor_id: '1', node_processes: ['namenode'] };
      const fields = { plugin_name: 'vanilla', bigdata_version: '1', user_keypair_id: 'demo' };
      const image = { default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61' };
      return keyOf(await peer.post(at('clusters'), { name, ...fields, ...image, node_groups: [group] }), 'cluster');
    },
    job: async (name: string, url: string): Promise<string> => {
      const binary = keyOf(await peer.post(at('job-binaries'), { name, url }), 'job_binary');
      return keyOf(await peer.post(at('jobs'), { name, type: 'Shell', mains: [binary], libs: [] }), 'job');
    },
    execute: (job: string, cluster_id: string) => peer.post(at(`jobs/${job}/execute`), { cluster_id, job_configs: {} }),
    run: async (job: string, cluster_id: string, job_configs: Json = {}): Promise<string> =>
      keyOf(await peer.post(at(`jobs/${job}/execute`), { cluster_id, job_configs }), 'job_execution'),
    infoOf: async (execution: string): Promise<Json> =>
      (await peer.get(at(`job-executions/${execution}`))).body.job_execution?.info,
  };
};
