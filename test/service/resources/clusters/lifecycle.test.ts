// Operations on clusters when machines fail, when operations overtake each other, and when the service ends in between.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Provisioner } from '../../../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import { connect, type Json, type Peer, serve, startBody } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';

const path = '/v1.0/t/clusters';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
const simulated = createSimulatedProvisioner(createSeededRandom(3));
const failing = (method: keyof Provisioner): Provisioner => ({
  ...simulated,
  [method]: () => Promise.reject(new Error('the rack is on fire')),
});

async function start(provisioner: Provisioner) {
  const clock = new ManualClock();
  const peer = await serve({ clock, provisioner });
  const { cluster } = (await peer.post(path, { ...startBody, node_groups })).body;
  return { clock, peer, read: async () => (await peer.get(`${path}/${cluster.id}`)).body.cluster as Json };
}

describe('failures', () => {
  test('no machines: Error, counts 0, and the reason', async () => {
    const { clock, read } = await start(failing('launch'));
    await clock.advance(1000);
    const cluster = await read();
    expect([cluster.status, cluster.status_description]).toEqual([
      'Error',
      'cannot create cluster: the rack is on fire',
    ]);
    expect(cluster.node_groups[0]).toMatchObject({ count: 0, instances: [] });
  });

  test('no software: Error, and the machines stay', async () => {
    const { clock, read } = await start(failing('configure'));
    await clock.advance(1000);
    const cluster = await read();
    expect(cluster.status).toBe('Error');
    expect(cluster.node_groups[0].instances).toHaveLength(2);
  });

  test('an Error cluster is not scaled, but deleted', async () => {
    const { clock, peer, read } = await start(failing('configure'));
    await clock.advance(1000);
    const { id } = await read();
    expect((await peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'g', count: 1 }] })).status).toBe(400);
    expect((await peer.remove(`${path}/${id}`)).status).toBe(204);
    await clock.advance(1000);
    expect((await peer.get(`${path}/${id}`)).status).toBe(404);
  });

  test('a scale that fails ends in Active with the machines there are, and the reason until the next one works', async () => {
    let broken = false;
    const flaky: Provisioner = {
      ...simulated,
      launch: (...args) => (broken ? failing('launch') : simulated).launch(...args),
    };
    const { clock, peer, read } = await start(flaky);
    await clock.advance(1000);
    const before = await read();
    broken = true;
    const resize = { resize_node_groups: [{ name: 'g', count: 5 }] };
    await peer.put(`${path}/${before.id}`, resize);
    await clock.advance(1000);
    const failed = await read();
    expect([failed.status, failed.status_description]).toEqual(['Active', 'cannot scale cluster: the rack is on fire']);
    expect(failed.node_groups[0]).toMatchObject({ count: 2, instances: before.node_groups[0].instances });
    broken = false;
    expect((await peer.put(`${path}/${before.id}`, resize)).body.cluster.status_description).toBe(
      failed.status_description,
    );
    await clock.advance(1000);
    const after = await read();
    expect(after.node_groups[0].count).toBe(5);
    expect(after).not.toHaveProperty('status_description');
  });

  test('a delete that fails stays Deleting until it is asked for again', async () => {
    let broken = true;
    const flaky: Provisioner = {
      ...simulated,
      remove: (...args) => (broken ? failing('remove') : simulated).remove(...args),
    };
    const { clock, peer, read } = await start(flaky);
    const { id } = await read();
    await peer.remove(`${path}/${id}`);
    await clock.advance(100_000);
    expect((await read()).status).toBe('Deleting');
    broken = false;
    expect((await peer.remove(`${path}/${id}`)).status).toBe(204);
    await clock.advance(1000);
    expect((await peer.get(`${path}/${id}`)).status).toBe(404);
  });
});

describe('overtaking', () => {
  /** Notes calls; a launch takes until it is let go. */
  function createSlow() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const calls: string[] = [];
    const slow: Provisioner = {
      ...simulated,
      async launch(order, machines) {
        calls.push('launch');
        await promise;
        calls.push(order.signal.aborted ? 'aborted' : 'launched');
        return simulated.launch(order, machines);
      },
      async remove(order, machines) {
        calls.push(`remove ${machines.length}`);
        return simulated.remove(order, machines);
      },
    };
    return { slow, calls, letGo: resolve };
  }

  test('a delete during a launch aborts it, waits for its end, and then takes all machines', async () => {
    const { slow, calls, letGo } = createSlow();
    const { clock, peer, read } = await start(slow);
    await clock.advance(10);
    const { id, status } = await read();
    expect(status).toBe('Waiting');
    await peer.remove(`${path}/${id}`);
    await clock.advance(1000);
    expect([(await read()).status, calls]).toEqual(['Deleting', ['launch']]);
    letGo();
    await clock.advance(0);
    expect((await peer.get(`${path}/${id}`)).status).toBe(404);
    expect(calls).toEqual(['launch', 'aborted', 'remove 2']);
    expect(clock.pending).toBe(0);
  });
});

describe('restarts', () => {
  const settings = (clock: ManualClock) => ({ clock, random: createSeededRandom(5), stageMs: 100 });

  test.each(dialects)('%s: a cluster in any stage goes on with the next service', async (dialect) => {
    const create =
      dialect === 'neutral' ? startBody : { ...startBody, bigdata_version: undefined, hadoop_version: '1.2.1' };
    const network = dialect === 'neutral' ? {} : { neutron_management_network: startBody.default_image_id };
    const [clock, store] = [new ManualClock(), createMemoryStore()];
    const words: string[] = [];
    let id = '';
    // Every life is one stage long.
    for (let life = 0; life < 10; life += 1) {
      const server = createServer({ ...settings(clock), store, dialect });
      const peer: Peer = connect(await server.start());
      if (life === 0) id = (await peer.post(path, { ...create, ...network, node_groups })).body.cluster.id;
      words.push((await peer.get(`${path}/${id}`)).body.cluster.status);
      await clock.advance(100);
      await server.close();
      expect(clock.pending).toBe(0);
    }
    expect(words.at(-1)).toBe('Active');
    expect(new Set(words).size).toBeGreaterThanOrEqual(5);
    expect(store.get('clusters', 't', id)?.node_groups[0]?.instances).toHaveLength(2);
  });

  test('a closed service does nothing any more', async () => {
    const [clock, store] = [new ManualClock(), createMemoryStore()];
    const server = createServer({ ...settings(clock), store });
    const peer = connect(await server.start());
    const { cluster } = (await peer.post(path, { ...startBody, node_groups })).body;
    await server.close();
    await clock.advance(10_000);
    expect(store.get('clusters', 't', cluster.id)?.status).toBe('Waiting');
  });
});

describe('whatever is asked for', () => {
  const operation = fc.oneof(
    fc.record({ resize: fc.constantFrom('g', 'h'), count: fc.nat({ max: 5 }) }),
    fc.record({ add: fc.constantFrom('g', 'h'), count: fc.nat({ max: 5 }) }),
    fc.record({ wait: fc.constantFrom(0, 50, 100, 1000) }),
  );

  test.each(['sahara', 'savanna'] as const)('%s: in the end it is Active, and counts are machines', async (dialect) => {
    const clock = new ManualClock();
    const server = createServer({ clock, random: createSeededRandom(1), dialect, stageMs: 100 });
    onTestFinished(() => server.close());
    const peer = connect(await server.start());
    let run = 0;
    const property = fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
      const { bigdata_version: _, ...rest } = startBody;
      run += 1;
      const fields = { name: `c${run}`, hadoop_version: '1.2.1', neutron_management_network: rest.default_image_id };
      const { id } = (await peer.post(path, { ...rest, ...fields, node_groups })).body.cluster;
      let wanted: Readonly<Record<string, number>> = { g: 2 };
      for (const item of operations) {
        if ('wait' in item) {
          await clock.advance(item.wait);
          continue;
        }
        const group = { flavor_id: '1', node_processes: ['datanode'] };
        const [name, body] =
          'resize' in item
            ? [item.resize, { resize_node_groups: [{ name: item.resize, count: item.count }] }]
            : [item.add, { add_node_groups: [{ name: item.add, count: item.count, ...group }] }];
        const { status } = await peer.put(`${path}/${id}`, body);
        if (status === 202) wanted = { ...wanted, [name]: item.count };
      }
      await clock.advance(10_000);
      const { cluster } = (await peer.get(`${path}/${id}`)).body;
      expect(cluster.status).toBe('Active');
      const have = cluster.node_groups.map(({ name, count, instances }: Json) => {
        expect(instances).toHaveLength(count);
        return [name, count];
      });
      expect(Object.fromEntries(have)).toEqual(
        Object.fromEntries(Object.entries(wanted).filter(([, count]) => count > 0)),
      );
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
