// A world whose operator reaches the API server through a proxy that can be told to misbehave.
import { expect, inject } from 'vitest';
import type { ClusterConfig } from '../../../src/kube/config/config-types.ts';
import { type FastClock, fastClock } from '../../support/fast-clock.ts';
import { ApiProxy, type ApiProxyOptions } from '../../support/kubernetes/api-proxy.ts';
import { limitMs } from '../../support/patience.ts';
import { applyTemplates, type Resource, specs, World } from './world.ts';

export interface SceneOptions extends Pick<ApiProxyOptions, 'tls'> {
  /** Of an API server of one's own; the shared one without it. */
  readonly kubeconfig?: string;
  /** How often faster than the real one the operator's clock runs. */
  readonly pace?: number;
  /** How the operator reaches the proxy; by plain HTTP and as the proxy's user without it. */
  readonly config?: (proxy: ApiProxy, clock: FastClock) => Promise<ClusterConfig>;
}

const defaultPace = 5;

/** The path of a collection, or of what lies below it. */
export const below = (plural: string): RegExp => new RegExp(`/${plural}(/|$)`);

export class Scene implements AsyncDisposable {
  readonly world: World;
  readonly proxy: ApiProxy;
  readonly clock: FastClock;
  #workers = 2;

  private constructor(world: World, proxy: ApiProxy, clock: FastClock) {
    this.world = world;
    this.proxy = proxy;
    this.clock = clock;
  }

  /** Templates and a Connection are there; the operator is not started. */
  static async open(options: SceneOptions = {}): Promise<Scene> {
    const { kubeconfig = inject('kubeconfig'), tls, pace = defaultPace, config = plainConfig } = options;
    const clock = fastClock(pace);
    const proxy = await ApiProxy.start({ kubeconfig, ...(tls === undefined ? {} : { tls }) });
    const cluster = await config(proxy, clock);
    const world = await World.create({ kubeconfig, cluster });
    await world.connectService();
    await applyTemplates(world);
    return new Scene(world, proxy, clock);
  }

  /** The same with a running operator and a Ready Cluster. */
  static async running(options: SceneOptions = {}): Promise<Scene> {
    const scene = await Scene.open(options);
    await scene.rescale();
    await scene.operate();
    await scene.converges();
    return scene;
  }

  operate(): Promise<void> {
    return this.world.operate(this.clock);
  }

  /** Applies the Cluster with another number of workers than before. */
  async rescale(): Promise<void> {
    this.#workers = this.#workers === 9 ? 2 : this.#workers + 1;
    const nodeGroups = [{ name: 'worker', count: this.#workers }];
    await this.world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups });
  }

  /** The Cluster is Ready with the number of workers that was applied last, and the service has it and no other. */
  async converges(): Promise<Resource> {
    const cluster = await this.world.ready('Cluster', 'etl');
    const remote = await this.world.remote('clusters');
    expect(remote.map(({ id }) => id)).toEqual([cluster.status?.id]);
    const counts = remote[0]?.node_groups?.map(({ name, count }) => [name, count]).toSorted();
    expect(counts).toEqual([
      ['master', 1],
      ['worker', this.#workers],
    ]);
    return cluster;
  }

  /** By the metric. */
  async relists(kind: string): Promise<number> {
    const { text } = await this.world.ask('/metrics');
    const [, total] =
      new RegExp(`^dataprocessing_operator_watch_relists_total{kind="${kind}"} (\\d+)$`, 'm').exec(text) ?? [];
    return Number(total);
  }

  /** Lets the time pass after which readiness takes failing watches seriously, until it names this cause of them. */
  async unready(cause: RegExp): Promise<void> {
    this.clock.leap(130_000);
    const watches = async () => {
      const { status, text } = await this.world.ask('/readyz');
      const { checks } = JSON.parse(text) as { readonly checks: Readonly<Record<string, string>> };
      return `${status} ${checks['watches']}`;
    };
    await expect.poll(watches, patience).toMatch(/^503 the API server has not been watched for \d+ s: /);
    // A leap makes watches that are well fall silent, too; they are back in a moment.
    await expect.poll(watches, patience).toMatch(cause);
    expect((await this.world.ask('/healthz')).status).toBe(200);
  }

  /** Readiness has nothing to say, and every watch is open. */
  async well(): Promise<void> {
    await expect.poll(async () => (await this.world.ask('/readyz')).text, patience).toContain('"ok":true');
    const kinds = new Set(this.proxy.seen({ watch: true }).map(({ path }) => path));
    await expect.poll(() => this.proxy.watches().length, patience).toBe(kinds.size);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

export const patience = { timeout: limitMs, interval: 20 };

async function plainConfig({ url }: ApiProxy): Promise<ClusterConfig> {
  const credentials = async () => ({ headers: {} });
  return {
    server: url,
    namespace: 'default',
    trust: { rejectUnauthorized: true },
    credentials,
    renew: () => undefined,
  };
}
