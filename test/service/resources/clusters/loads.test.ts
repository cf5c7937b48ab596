// When engines are asked what the work on clusters needs, and what is shown meanwhile.
import { describe, expect, test } from 'vitest';
import type { Provisioner } from '../../../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { ClusterRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { Loads } from '../../../../src/service/resources/clusters/loads.ts';
import { serve, startBody } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';

type Load = NonNullable<Provisioner['load']>;
const usual = { workers: { wantedNodes: 5, busyNodes: 3 } };

const record = (fields: Partial<ClusterRecord> = {}): ClusterRecord => ({
  ...clusterOf([groupOf('workers', [])]),
  status: 'Active',
  info: { Spark: { 'Web UI': 'http://127.77.1.1:8080' } },
  ...fields,
});

function open(load: Load | 'none' = async () => usual) {
  const clock = new ManualClock();
  const store = createMemoryStore();
  const [asked, warnings]: [string[], string[]] = [[], []];
  const ask =
    (use: Load): Load =>
    (at) => {
      asked.push(at.cluster.id);
      return use(at);
    };
  const log = { debug() {}, info() {}, warn: (_: unknown, text: string) => void warnings.push(text), error() {} };
  const provisioner = load === 'none' ? {} : { load: ask(load) };
  const loads = new Loads({ provisioner, store, clock, log });
  const put = (cluster: ClusterRecord) => {
    store.put('clusters', 't', cluster);
    return cluster;
  };
  return { clock, store, asked, warnings, loads, put, see: (cluster: ClusterRecord) => loads.of('t', cluster) };
}

const timeAt = (clock: ManualClock) => new Date(clock.wall()).toISOString();

describe('the load of a cluster', () => {
  test('is asked for when somebody looks, every 5 s, until nobody has looked for a minute', async () => {
    const { clock, asked, see, put } = open();
    const cluster = put(record());
    await clock.advance(60_000);
    expect(asked).toEqual([]);
    expect(see(cluster)).toBeUndefined();
    await clock.advance(0);
    const observedAt = timeAt(clock);
    for (let looks = 0; looks < 10; looks += 1)
      expect(see(cluster)).toEqual({ workers: { ...usual.workers, observedAt } });
    await clock.advance(4999);
    expect(asked).toHaveLength(1);
    await clock.advance(600_000);
    expect(asked).toHaveLength(13);
    expect(clock.pending).toBe(0);
    see(cluster);
    await clock.advance(0);
    expect(asked).toHaveLength(14);
  });

  test('stays with its time while the engine does not answer, which is logged once', async () => {
    let fails = false;
    const { clock, see, put, warnings } = open(async () => {
      if (fails) throw new Error('it does not answer');
      return usual;
    });
    const cluster = put(record());
    see(cluster);
    await clock.advance(0);
    const before = see(cluster);
    expect(before).toBeDefined();
    fails = true;
    await clock.advance(20_000);
    expect(see(cluster)).toEqual(before);
    expect(warnings).toHaveLength(1);
    fails = false;
    await clock.advance(5000);
    expect(see(cluster)).not.toEqual(before);
  });

  test('stays with its time while the engine takes too long, and then nothing more is asked for that question', async () => {
    const signals: AbortSignal[] = [];
    const { clock, see, put, asked } = open(({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    see(put(record()));
    await clock.advance(9_999);
    expect(asked).toHaveLength(1);
    await clock.advance(5_001);
    expect(asked).toHaveLength(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test('clusters of one tenant that do not answer delay those of others by no more than its share', async () => {
    const { clock, loads, store, see, put, asked } = open(async ({ cluster }) =>
      cluster.id === 'other' ? usual : await new Promise<never>(() => undefined),
    );
    for (let id = 0; id < 100; id += 1) see(put(record({ id: String(id) })));
    const other = record({ id: 'other' });
    store.put('clusters', 'u', other);
    loads.of('u', other);
    await clock.advance(0);
    expect(loads.of('u', other)).toBeDefined();
    expect(asked).toHaveLength(11);
  });

  test('clusters of many tenants that are slow delay those of others once', async () => {
    const { clock, loads, store } = open(async ({ cluster }) =>
      cluster.id === 'other' ? usual : await new Promise<never>(() => undefined),
    );
    const look = (tenant: string, cluster: ClusterRecord) => {
      store.put('clusters', tenant, cluster);
      return loads.of(tenant, cluster);
    };
    const other = record({ id: 'other' });
    for (let id = 0; id < 100; id += 1) look(`t${id % 10}`, record({ id: String(id) }));
    look('u', other);
    await clock.advance(35_000);
    for (let second = 0; second < 20; second += 1) {
      await clock.advance(1000);
      const observedAt = look('u', other)?.['workers']?.observedAt ?? '';
      expect(clock.wall() - Date.parse(observedAt)).toBeLessThanOrEqual(5000);
    }
  });

  test('of a few engines that do not answer does not keep the others waiting', async () => {
    const isStuck = (id: string) => Number(id) < 9;
    const { clock, see, put } = open(async ({ cluster }) =>
      isStuck(cluster.id) ? await new Promise<never>(() => undefined) : usual,
    );
    const clusters = Array.from({ length: 100 }, (_, id) => put(record({ id: String(id) })));
    for (const each of clusters) see(each);
    await clock.advance(0);
    expect(clusters.filter((each) => see(each) !== undefined)).toHaveLength(91);
  });

  test.each<readonly [string, Partial<ClusterRecord>]>([
    ['has not been configured', { info: {} }],
    ['is in Error', { status: 'Error' }],
    ['is being deleted', { work: { operation: 'delete', stage: 'Deleting' } }],
  ])('is neither asked for nor shown where the cluster %s', async (_, fields) => {
    const { clock, see, put, asked } = open();
    const cluster = put(record());
    see(cluster);
    await clock.advance(0);
    expect(see(put(record(fields)))).toBeUndefined();
    await clock.advance(60_000);
    expect(asked).toHaveLength(1);
  });

  test('is asked for while the cluster is scaled', async () => {
    const work = { operation: 'scale', stage: 'Spawning', targets: {}, grows: true, shrinks: false } as const;
    const { clock, see, put } = open();
    const cluster = put(record({ status: 'Spawning', work }));
    see(cluster);
    await clock.advance(0);
    expect(see(cluster)).toBeDefined();
  });

  test.each<readonly [string, Load | 'none']>([
    ['no engine can tell', 'none'],
    ['this engine cannot tell', async () => undefined],
  ])('is not known where %s', async (_, load) => {
    const { clock, see, put } = open(load);
    const cluster = put(record());
    see(cluster);
    await clock.advance(0);
    expect(see(cluster)).toBeUndefined();
  });

  test('has only groups of the cluster, and bounded numbers', async () => {
    const told = { workers: { wantedNodes: 1e9, busyNodes: Number.NaN }, others: { wantedNodes: 1, busyNodes: 1 } };
    const { clock, see, put } = open(async () => told);
    const cluster = put(record());
    see(cluster);
    await clock.advance(0);
    expect(see(cluster)).toEqual({ workers: { wantedNodes: 10_000, busyNodes: 0, observedAt: timeAt(clock) } });
  });

  test('is not asked for any more once the service closes', async () => {
    const { clock, see, put, asked, loads } = open();
    see(put(record()));
    await clock.advance(5000);
    loads.close();
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test('of a cluster that is gone is forgotten', async () => {
    const { clock, see, put, store, asked } = open();
    const gone = put(record());
    see(gone);
    await clock.advance(0);
    store.remove('clusters', 't', gone.id);
    see(put(record({ id: 'next' })));
    await clock.advance(10_000);
    expect(asked.filter((id) => id === gone.id)).toHaveLength(1);
    expect(see(gone)).toBeUndefined();
  });

  test('is in all answers for the cluster, beside its pages', async () => {
    const clock = new ManualClock();
    const simulated = createSimulatedProvisioner(createSeededRandom(1));
    const provisioner = { ...simulated, load: async () => ({ master: usual.workers }) };
    const peer = await serve({ clock, provisioner });
    const node_groups = [{ name: 'master', count: 1, flavor_id: '1', node_processes: ['namenode'] }];
    const path = '/v1.0/t/clusters';
    const { id } = (await peer.post(path, { ...startBody, node_groups })).body.cluster;
    await clock.advance(1000);
    const before = (await peer.get(`${path}/${id}`)).body.cluster.info;
    await clock.advance(0);
    const info = { ...before, Load: { master: { ...usual.workers, observedAt: timeAt(clock) } } };
    expect((await peer.get(`${path}/${id}`)).body.cluster.info).toEqual(info);
    expect((await peer.get(path)).body.clusters).toEqual([expect.objectContaining({ id, info })]);
  });
});
