// Section 3: the states of a cluster, one after the other, on a clock that the test moves.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { createWorkers, type Json, type Peer, serve, smallGroup, startBody } from '../../support.ts';

const path = '/v1.0/t/clusters';
const groups = [smallGroup];

async function watch(peer: Peer, clock: ManualClock, id: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (;;) {
    const { cluster } = (await peer.get(`${path}/${id}`)).body as Json;
    seen.push(cluster.status);
    if (clock.pending === 0) return seen;
    await clock.advance(100);
  }
}

async function start() {
  const clock = new ManualClock();
  const peer = await serve({ clock, stageMs: 100 });
  const { cluster } = (await peer.post(path, { ...startBody, node_groups: groups })).body;
  return { clock, peer, id: cluster.id as string };
}

describe('section 3 rule 1', () => {
  test('a start passes through Waiting to Active and stays there', async () => {
    const { clock, peer, id } = await start();
    expect(await watch(peer, clock, id)).toEqual(['Waiting', 'Preparing', 'Configuring', 'Starting', 'Active']);
    await clock.advance(1_000_000);
    expect((await peer.get(`${path}/${id}`)).body.cluster.status).toBe('Active');
  });

  test('the list shows the same state as the cluster', async () => {
    const { clock, peer, id } = await start();
    for (let ms = 0; ms < 500; ms += 100) {
      const { cluster } = (await peer.get(`${path}/${id}`)).body;
      expect((await peer.get(path)).body.clusters).toEqual([cluster]);
      await clock.advance(100);
    }
  });

  test('a scale that adds passes through Validating to Active', async () => {
    const { clock, peer, id } = await start();
    await clock.advance(1000);
    await peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'g', count: 2 }] });
    const seen = await watch(peer, clock, id);
    expect(seen).toEqual(['Validating', 'Decommissioning', 'Scaling', 'Waiting', 'Configuring', 'Active']);
  });

  test('a scale that only takes away has nothing to wait for', async () => {
    const { clock, peer, id } = await start();
    await clock.advance(1000);
    await peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'g', count: 0 }] });
    expect(await watch(peer, clock, id)).toEqual(['Validating', 'Decommissioning', 'Scaling', 'Active']);
  });

  test('the answer to a scale has the new counts; the machines follow', async () => {
    const { clock, peer, id } = await start();
    await clock.advance(1000);
    const template = await createWorkers(peer);
    const { cluster } = (
      await peer.put(`${path}/${id}`, {
        resize_node_groups: [{ name: 'g', count: 2 }],
        add_node_groups: [{ name: 'h', count: 1, node_group_template_id: template }],
      })
    ).body;
    expect(cluster.node_groups.map(({ name, count }: Json) => [name, count])).toEqual([
      ['g', 2],
      ['h', 1],
    ]);
    expect(cluster.node_groups[1].instances[0].internal_ip).toBeUndefined();
    await clock.advance(1000);
    const active = (await peer.get(`${path}/${id}`)).body.cluster;
    expect(active.node_groups[1].instances[0].internal_ip).toMatch(/^10\./);
  });

  test('addresses come after Waiting, URLs after Configuring', async () => {
    const { clock, peer, id } = await start();
    const at = async (ms: number) => {
      await clock.advance(ms);
      const { cluster } = (await peer.get(`${path}/${id}`)).body;
      return [cluster.status, 'internal_ip' in cluster.node_groups[0].instances[0], Object.keys(cluster.info)];
    };
    expect(await at(0)).toEqual(['Waiting', false, []]);
    expect(await at(100)).toEqual(['Preparing', true, []]);
    expect(await at(100)).toEqual(['Configuring', true, []]);
    expect(await at(100)).toEqual(['Starting', true, ['HDFS']]);
  });

  test('each status can have a duration of its own', async () => {
    const clock = new ManualClock();
    const peer = await serve({ clock, stageMs: (status) => (status === 'Configuring' ? 5000 : 0) });
    const { cluster } = (await peer.post(path, { ...startBody, node_groups: groups })).body;
    await clock.advance(0);
    expect((await peer.get(`${path}/${cluster.id}`)).body.cluster.status).toBe('Configuring');
    await clock.advance(4999);
    expect((await peer.get(`${path}/${cluster.id}`)).body.cluster.status).toBe('Configuring');
    await clock.advance(1);
    expect((await peer.get(`${path}/${cluster.id}`)).body.cluster.status).toBe('Active');
  });
});
