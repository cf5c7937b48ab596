// The bundled service with its clusters in pods of a real API server that has no node, behind a proxy. The test plays the controllers and the kubelet.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { proxyKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import { usualLimits } from '../../../src/lib/http/http-limits.ts';
import { systemAskJson, systemDownload, systemGet, systemRandom } from '../../../src/lib/system.ts';
import { openPods } from '../../../src/service/backends/pods/open-pods.ts';
import { parseFlags } from '../../../src/service/program/flags/flags.ts';
import { createServer } from '../../../src/service/program/server.ts';
import { connect as connectPeer, type Json, type Peer } from '../../contract/peer.ts';
import { base, created, upload } from '../../contract/sections/jobs/section-4-6-support.ts';
import { sparkRequest } from '../../service/backends/pods/clusters/scene.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { ApiProxy } from '../../support/kubernetes/api-proxy.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';

/** How often faster than the real one the clock of the service runs: it waits for a minute at most before it tries again. */
const pace = 10;
export const patience = { timeout: limitMs, interval: 50 };
const log = { debug() {}, info() {}, warn() {}, error() {} };

const flags = ['--runner-image', 'localhost/service:1', '--runner-url', 'http://service:8387'];
const anyPort = ['--runner-port', '0'];

/** What the kubelet says of a pod whose probes have succeeded. */
const ready = { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };

async function serve(proxy: ApiProxy, namespace: string, more: readonly string[]): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'pod-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, proxyKubeconfig(proxy.url));
  const settings = parseFlags(['--provisioner', 'kubernetes', ...flags, ...more]);
  const clock = fastClock(pace);
  const pods = await openPods({
    settings: { ...settings, kubeconfig, namespace },
    data: join(folder, 'service.db'),
    limits: usualLimits,
    environment: {},
    clock,
    random: systemRandom,
    log,
    get: systemGet,
    ask: systemAskJson,
    download: systemDownload,
    guardedDownload: () => systemDownload,
    createSecret: () => randomBytes(16).toString('hex'),
  });
  onTestFinished(() => pods.close());
  const server = createServer({ clock, random: systemRandom, log, ...pods });
  onTestFinished(() => server.close());
  return connectPeer(await server.start());
}

const rootOf = (version: string): string => (version.includes('/') ? '/apis' : '/api');

export class PodScene {
  readonly proxy: ApiProxy;
  readonly peer: Peer;
  readonly api: ApiServer;
  readonly namespace: string;

  private constructor(api: ApiServer, namespace: string, proxy: ApiProxy, peer: Peer) {
    this.api = api;
    this.namespace = namespace;
    this.proxy = proxy;
    this.peer = peer;
  }

  /** `accountIn`: the kubeconfig of the service, once the namespace is there. `more`: flags of the service. */
  static async open(
    kubeconfig = inject('kubeconfig'),
    accountIn: (namespace: string) => Promise<string> = async () => kubeconfig,
    more: readonly string[] = anyPort,
  ): Promise<PodScene> {
    const api = await connect(kubeconfig);
    onTestFinished(() => api.close());
    const namespace = await createNamespace(api, `pods-${randomBytes(4).toString('hex')}`);
    // Pods are refused without one.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await api.apply(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, account);
    const proxy = await ApiProxy.start({ kubeconfig: await accountIn(namespace) });
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    return new PodScene(api, namespace, proxy, await serve(proxy, namespace, more));
  }

  comes<T>(condition: () => Promise<T>): Promise<T> {
    return vi.waitFor(condition, patience);
  }

  /** The objects of a kind, such as `batch/v1 jobs`. */
  async list(kind: string): Promise<readonly Json[]> {
    const [version = '', plural = ''] = kind.split(' ');
    const path = `${rootOf(version)}/${version}/namespaces/${this.namespace}/${plural}`;
    return ((await this.api.send({ path })).body as Json).items;
  }

  /** Makes a pod of a template, unless it is there. */
  async makePod(name: string, { metadata, spec }: Json): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/pods`;
    const answer = await this.api.send({ method: 'POST', path, body: { metadata: { ...metadata, name }, spec } });
    expect([201, 409], JSON.stringify(answer.body)).toContain(answer.status);
  }

  /** Sets what the kubelet says of a pod. */
  async setStatus(pod: string, status: object): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/pods/${pod}/status`;
    const answer = await this.api.send({ method: 'PATCH', path, body: { status } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }

  /** Makes an object below the namespace. */
  async create(version: string, plural: string, body: object): Promise<void> {
    const path = `${rootOf(version)}/${version}/namespaces/${this.namespace}/${plural}`;
    const answer = await this.api.send({ method: 'POST', path, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  }

  /** The machines of all StatefulSets are ready, and their master knows them. */
  async startMachines(): Promise<void> {
    const sets = await this.list('apps/v1 statefulsets');
    const workers = sets.map(({ metadata, spec }) => ({
      host: `${metadata.name}-0.${spec.serviceName}.${this.namespace}.svc.cluster.local`,
      state: 'ALIVE',
    }));
    this.proxy.rule({ behave: 'answer', status: 200, path: /\/proxy\//, body: { status: 'ALIVE', workers } });
    for (const { metadata, spec } of sets) {
      await this.makePod(`${metadata.name}-0`, spec.template);
      await this.setStatus(`${metadata.name}-0`, ready);
    }
  }

  /** The program of each Job has started. Resolves to the pods. */
  async startPrograms(): Promise<readonly string[]> {
    const jobs = await this.list('batch/v1 jobs');
    const pods = jobs.map(({ metadata, spec }) => ({ name: `${metadata.name}-pod`, template: spec.template }));
    for (const { name, template } of pods) {
      await this.makePod(name, template);
      await this.setProgram(name, { running: {} });
    }
    return pods.map(({ name }) => name);
  }

  async setProgram(pod: string, state: object): Promise<void> {
    const rest = { name: 'program', image: '', imageID: '', ready: false, restartCount: 0 };
    await this.setStatus(pod, { containerStatuses: [{ ...rest, state }] });
  }

  /** Changes an object of a kind, such as `apps/v1 statefulsets`, as somebody else. */
  async edit(kind: string, name: string, change: object): Promise<void> {
    const [version = '', plural = ''] = kind.split(' ');
    const path = `/apis/${version}/namespaces/${this.namespace}/${plural}/${name}`;
    const answer = await this.api.send({ method: 'PATCH', path, body: change });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }

  /** Deletes an object of a kind, such as `v1 secrets`. */
  async remove(kind: string, name: string): Promise<void> {
    const [version = '', plural = ''] = kind.split(' ');
    const path = `${rootOf(version)}/${version}/namespaces/${this.namespace}/${plural}/${name}`;
    expect((await this.api.send({ method: 'DELETE', path })).status).toBe(200);
  }

  async createCluster(name = 'words'): Promise<string> {
    return created(await this.peer.post(`${base}/clusters`, { ...sparkRequest(1), name })).id;
  }

  async cluster(id: string): Promise<Json> {
    return (await this.peer.get(`${base}/clusters/${id}`)).body.cluster;
  }

  /** Resolves to a cluster that can be used. */
  async activeCluster(): Promise<string> {
    const id = await this.createCluster();
    await this.comes(async () => {
      await this.startMachines();
      expect((await this.cluster(id)).status).toBe('Active');
    });
    return id;
  }

  /** Executes a script, which nobody runs. `job`: one that there is already. */
  async execute(cluster_id: string, job?: string, configs: object = {}): Promise<string> {
    const id = job ?? (await this.createJob());
    return created(await this.peer.post(`${base}/jobs/${id}/execute`, { cluster_id, job_configs: { configs } })).id;
  }

  async createJob(): Promise<string> {
    const { peer } = this;
    const url = `internal-db://${created(await upload(peer, 'main.sh', 'echo begin\n')).id}`;
    const main = created(await peer.post(`${base}/job-binaries`, { name: 'main.sh', url }));
    return created(await peer.post(`${base}/jobs`, { name: 'job', type: 'Shell', mains: [main.id] })).id;
  }

  async execution(id: string): Promise<Json> {
    return (await this.peer.get(`${base}/job-executions/${id}`)).body.job_execution;
  }
}
