// A cluster in pods and its jobs, from the beginning to the end, with a service that is killed at each of its writes to the API server.
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runName } from '../../src/service/kubernetes/names.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import { comes, createCluster, createJob, readCluster, readLog, readRun, run, type Scene } from '../engines/support.ts';
import { ApiProxy, type Passing } from '../support/api-proxy.ts';
import { proxyKubeconfig } from '../support/kubeconfig.ts';
import { createNamespace } from './support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene, sparkInPods } from './support/engine-pods.ts';

const obstacle = findObstacle();

/** The service behind a proxy. */
async function openProxiedScene(namespace: string) {
  let proxy: ApiProxy | undefined;
  const through = async (kubeconfig: string): Promise<string> => {
    const started = await ApiProxy.start({ kubeconfig });
    proxy = started;
    onTestFinished(() => started[Symbol.asyncDispose]());
    const file = `${kubeconfig}-of-proxy`;
    writeFileSync(file, proxyKubeconfig(started.url));
    return file;
  };
  const scene = await openPodScene(namespace, [], { through });
  if (proxy === undefined) throw new Error('the proxy was not started');
  return { proxy, scene };
}

class MortalService {
  readonly scene: Scene;
  /** The writes at which it was killed. */
  readonly kills: string[] = [];
  #phase = '';
  #dying: Promise<void> | undefined;

  private constructor(scene: Scene) {
    this.scene = scene;
  }

  static async open(when: 'before' | 'after') {
    const namespace = await createNamespace({ onTestFinished });
    const { proxy, scene } = await openProxiedScene(namespace);
    const service = new MortalService(scene);
    proxy.rule({ behave: 'strike', when, method: /^(?!GET)/, strike: (passing) => service.#strike(passing) });
    return { namespace, service };
  }

  /** What is killed is the first write of its kind in a phase. The next life gets through it. */
  #strike({ method, path }: Passing): (() => void) | undefined {
    const write = `${this.#phase}: ${method} ${path}`;
    if (this.#phase === '' || this.#dying !== undefined || this.kills.includes(write)) return undefined;
    return () => {
      // Two writes can be under way at once. The first one to get here ends both.
      if (this.#dying !== undefined) return;
      this.kills.push(write);
      this.#dying = this.scene.restart().finally(() => {
        this.#dying = undefined;
      });
    };
  }

  /** Asks for something, which is done by as many lives as it takes. */
  async during(phase: string, ask: () => Promise<unknown>, done: () => Promise<void>): Promise<void> {
    await ask();
    this.#phase = phase;
    await this.comes(done);
    this.#phase = '';
    await this.#dying;
  }

  comes<T>(condition: () => Promise<T>): Promise<T> {
    return comes(async () => {
      await this.#dying;
      return condition();
    });
  }

  get peer() {
    return this.scene.peer();
  }
}

async function isActive({ peer }: MortalService, id: string, workers: number): Promise<void> {
  const { status, status_description, node_groups } = await readCluster(peer, id);
  const counts = node_groups.map(({ instances }: { readonly instances: readonly unknown[] }) => instances.length);
  expect([status, status_description, counts]).toEqual(['Active', undefined, [1, workers]]);
}

async function hasStatus({ peer }: MortalService, execution: string, status: string): Promise<void> {
  expect((await readRun(peer, execution)).info.status).toBe(status);
}

/** Runs a script to its end, and another one that is cancelled. */
async function runJobs(service: MortalService, id: string): Promise<readonly string[]> {
  const job = await createJob(service.peer, 'Shell', { name: 'say.sh', bytes: 'echo begin; sleep 3; echo end\n' });
  let done = '';
  await service.during(
    'job',
    async () => (done = await run(service.peer, job, id, {})),
    () => hasStatus(service, done, 'SUCCEEDED'),
  );
  expect(await readLog(service.peer, done)).toBe('begin\nend\n');
  const long = await createJob(service.peer, 'Shell', { name: 'long.sh', bytes: 'echo begin; sleep 3600\n' });
  const cancelled = await run(service.peer, long, id, {});
  await service.comes(() => hasStatus(service, cancelled, 'RUNNING'));
  await service.during(
    'cancel',
    () => service.peer.get(`${base}/job-executions/${cancelled}/cancel`),
    () => hasStatus(service, cancelled, 'KILLED'),
  );
  return [done, cancelled];
}

async function resize(service: MortalService, id: string, count: number): Promise<void> {
  const body = { resize_node_groups: [{ name: 'workers', count }] };
  await service.during(
    `to ${count}`,
    () => service.peer.put(`${base}/clusters/${id}`, body),
    () => isActive(service, id, count),
  );
}

describe.skipIf(obstacle !== undefined)('a service in pods', () => {
  beforeAll(importEngines, 600_000);

  test.each(['before', 'after'] as const)(
    'is killed %s each of its writes, and nothing is lost, doubled or left',
    {
      timeout: 900_000,
    },
    async (when) => {
      const { namespace, service } = await MortalService.open(when);
      let id = '';
      await service.during(
        'create',
        async () => (id = await createCluster(service.peer, sparkInPods(1))),
        () => isActive(service, id, 1),
      );
      const executions = await runJobs(service, id);
      await resize(service, id, 2);
      await resize(service, id, 1);
      for (const execution of executions)
        await service.during(
          'removal of a run',
          () => service.peer.remove(`${base}/job-executions/${execution}`),
          async () => expect(await leftInPods(namespace)).not.toContain(`Job ${runName(execution)}`),
        );
      await service.during(
        'delete',
        () => service.peer.remove(`${base}/clusters/${id}`),
        async () => expect((await service.peer.get(`${base}/clusters/${id}`)).status).toBe(404),
      );
      await service.comes(async () => expect(await leftInPods(namespace)).toEqual([]));
      console.info(`the service was killed ${service.kills.length} times ${when} a write`);
      expect(service.kills.length).toBeGreaterThanOrEqual(20);
    },
  );
});
