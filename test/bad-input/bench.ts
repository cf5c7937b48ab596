// One operator, one service and one API server for all rows, and what must hold for each of them whatever its trouble is.
import { expect } from 'vitest';
import { keptLog } from '../integration/support/kept-log.ts';
import { conditionOf, World } from '../integration/support/world.ts';
import { fastClock } from '../support/fast-clock.ts';
import { type FaultProxy, openFront } from '../support/service/service-proxy.ts';
import { clusterSpec, tokenFrom } from './parts.ts';

/** Values that must never be seen again. */
export const planted = {
  right: 'right-token-7f3a91c05e',
  narrow: 'narrow-token-2b8d40e1aa',
  wrong: 'wrong-token-c6e19f7730',
  foreign: 'foreign-password-95d2e8b1',
} as const;
export const narrowTenant = 'narrow';

/** What the operator says of what it did not foresee. A slow API server is InternalError, too, and no bug. */
const bug = 'an internal error of the operator';

const collections = ['clusters', 'cluster-templates', 'node-group-templates'] as const;

export class Bench implements AsyncDisposable {
  readonly world: World;
  readonly lines: readonly string[];
  #scaled = 1;
  #pulse: { readonly running: Promise<void>; next?: Promise<void> } | undefined;

  private constructor(world: World, lines: readonly string[]) {
    this.world = world;
    this.lines = lines;
  }

  /** The operator runs, and a bystander has its cluster. */
  static async open(): Promise<Bench> {
    const { lines, log } = keptLog();
    const grants = [{ token: planted.right }, { token: planted.narrow, tenant: narrowTenant }];
    const bench = new Bench(await World.create({ grants, log }), lines);
    const { world } = bench;
    await world.apply('Secret', 'right', {
      type: 'dataprocessing.dev/credentials',
      stringData: { token: planted.right },
    });
    // Polls and pauses are nothing to wait for here.
    await world.operate(fastClock(5));
    await world.apply('Connection', 'good', {
      endpoint: world.service.url,
      tenantID: 'good',
      ...tokenFrom('right'),
    });
    await world.apply('Cluster', 'bystander', bystander(1));
    await world.ready('Cluster', 'bystander');
    return bench;
  }

  /** What the tenant has in the service: names, over all collections. */
  async made(tenant: string): Promise<readonly string[]> {
    const lists = await Promise.all(
      collections.map(async (collection) => {
        const url = `${this.world.service.url}/v1.0/${tenant}/${collection}`;
        const answer = await fetch(url, { headers: { 'x-auth-token': planted.right } });
        const rows = ((await answer.json()) as Record<string, readonly { readonly name: string }[]>)[
          collection.replaceAll('-', '_')
        ];
        return rows ?? [];
      }),
    );
    return lists.flat().map(({ name }) => name);
  }

  /** A proxy in front of the service for one row: as good as the service until it is told otherwise. */
  async proxy(): Promise<FaultProxy> {
    return openFront(this.world.service.url, planted.right);
  }

  /** Resolves when a scaling of the bystander that began after this call is done. Calls at the same time share one. */
  async othersGoOn(): Promise<void> {
    const pulse = this.#pulse;
    if (pulse === undefined) return this.#beat();
    pulse.next ??= pulse.running.then(() => this.#beat());
    return pulse.next;
  }

  #beat(): Promise<void> {
    const running = this.#scaleBystander().finally(() => {
      if (this.#pulse?.running === running) this.#pulse = undefined;
    });
    this.#pulse = { running };
    return running;
  }

  async #scaleBystander(): Promise<void> {
    this.#scaled = this.#scaled === 1 ? 2 : 1;
    await this.world.apply('Cluster', 'bystander', bystander(this.#scaled));
    const { status } = await this.world.ready('Cluster', 'bystander');
    expect(status?.nodes).toBe(`${this.#scaled}/${this.#scaled}`);
  }

  /** The process lives, and nothing that happened was a surprise to it. */
  async operatorIsWell(): Promise<void> {
    expect(await this.world.ask('/healthz')).toMatchObject({ status: 200 });
    expect(this.lines.filter((line) => line.startsWith('error') || line.includes(bug))).toEqual([]);
  }

  /** The text speaks of no bug, and no secret is in it. */
  static saysNothingItShouldNot(text: string): void {
    expect(text).not.toContain(bug);
    for (const value of Object.values(planted)) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('base64'));
    }
  }

  /** Everything that people and programs can read of what happened: the log, the events, the metrics. */
  async heard(): Promise<string> {
    const { world } = this;
    const events = await world.api.send({ path: `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events` });
    const { text } = await world.ask('/metrics');
    return [...this.lines, JSON.stringify(events.body), text].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

const bystander = (count: number) => ({
  ...clusterSpec,
  connectionRef: { name: 'good' },
  nodeGroups: clusterSpec.nodeGroups.map((group) => ({ ...group, count })),
});

export const readyOf = (resource: Parameters<typeof conditionOf>[0]) => conditionOf(resource, 'Ready');
