// What a personality does to clusters, names and lists, as a plain client sees it.

import { describe, expect, test } from 'vitest';
import { Injector } from '../../dev/personality/injector.ts';
import { undo } from '../../dev/personality/lagging-store.ts';
import { madeUpLoad } from '../../dev/personality/loads.ts';
import type { Personality } from '../../dev/personality/personality.ts';
import type { Provisioner } from '../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import type { ServerOptions } from '../../src/service/program/options.ts';
import { type Json, serve, startBody, workers } from '../contract/support.ts';
import { clusterOf, groupOf } from '../service/provisioning/battery.ts';
import { ManualClock } from '../support/clock.ts';

const path = '/v1.0/t/clusters';
const templates = '/v1.0/t/node-group-templates';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];

/** A service with this personality; `read` the cluster that it has been asked for. */
async function start(personality: Personality, options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const injector = new Injector(clock, personality);
  const peer = await serve({ clock, hooks: injector, stageMs: 10, ...options });
  const post = (name = 'cluster-1') => peer.post(path, { ...startBody, name, node_groups });
  const { id } = (await post()).body.cluster;
  return {
    clock,
    injector,
    peer,
    id,
    post,
    read: async () => (await peer.get(`${path}/${id}`)).body.cluster as Json,
    resize: (count: number) => peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'g', count }] }),
    remove: () => peer.remove(`${path}/${id}`),
    listed: async () => (await peer.get(path)).body.clusters.map(({ name }: Json) => name) as readonly string[],
  };
}

describe('clusters', () => {
  test('have a load that is made up, in the list, too, until the personality is another', async () => {
    const wanted = { wantedNodes: 5, busyNodes: 2 };
    const loads = [
      { cluster: 'other', group: 'g', wantedNodes: 9, busyNodes: 9 },
      { group: 'g', ...wanted },
      { group: 'h', ...wanted, observedAt: '2026-01-01T00:00:00.000Z' },
    ];
    const { clock, injector, peer, read } = await start({ loads });
    await clock.advance(1000);
    const observedAt = new Date(clock.wall()).toISOString();
    const { info } = await read();
    expect(info.Load).toEqual({ g: { ...wanted, observedAt } });
    const { clusters } = (await peer.get(path)).body;
    expect(clusters[0].info).toEqual(info);
    injector.replace({});
    const { Load: _, ...others } = info;
    expect((await read()).info).toEqual(others);
  });

  test('have no load of a group without nodes', () => {
    const loads = ['g', 'h'].map((group) => ({ group, wantedNodes: 1, busyNodes: 0 }));
    const groups = [['g', 0] as const, ['h', 1] as const].map(([name, count]) => ({ ...groupOf(name, []), count }));
    expect(Object.keys(madeUpLoad(loads, clusterOf(groups), { wall: () => 0 }) ?? {})).toEqual(['h']);
  });

  test('that are stuck stay so until the personality is another, and then go on', async () => {
    const { clock, injector, read } = await start({ clusters: [{ status: 'Configuring', does: 'stuck' }] });
    await clock.advance(10_000);
    expect((await read()).status).toBe('Configuring');
    expect(injector.counts()).toEqual({ 'clusters[0]': { met: 1, applied: 1 } });
    injector.replace({});
    await clock.advance(1000);
    expect((await read()).status).toBe('Active');
  });

  test('that are stuck can be deleted, and only once are they gone', async () => {
    const { clock, read, remove } = await start({ clusters: [{ status: 'Waiting', does: 'stuck' }] });
    await clock.advance(1000);
    expect((await remove()).status).toBe(204);
    expect((await read()).status).toBe('Deleting');
    await clock.advance(1000);
    expect(await read()).toBeUndefined();
  });

  test('that were stuck when another operation took over get no machines any more', async () => {
    const simulated = createSimulatedProvisioner(createSeededRandom(1));
    let launches = 0;
    const launch: Provisioner['launch'] = (...args) => {
      launches += 1;
      return simulated.launch(...args);
    };
    const clusters: Personality['clusters'] = [{ status: 'Waiting', does: 'stuck' }];
    const { clock, remove } = await start({ clusters }, { provisioner: { ...simulated, launch } });
    await clock.advance(1000);
    await remove();
    await clock.advance(1000);
    expect(launches).toBe(0);
  });

  test('that are stuck in Deleting are so for every further DELETE', async () => {
    const { clock, read, remove } = await start({ clusters: [{ status: 'Deleting', does: 'stuck' }] });
    await clock.advance(1000);
    for (let time = 0; time < 3; time += 1) {
      expect((await remove()).status).toBe(204);
      await clock.advance(1000);
      expect((await read()).status).toBe('Deleting');
    }
  });

  test('whose delete fails stay Deleting until the next DELETE', async () => {
    const { clock, read, remove } = await start({ clusters: [{ status: 'Deleting', does: 'fail', times: 1 }] });
    await clock.advance(1000);
    await remove();
    await clock.advance(1000);
    expect((await read()).status).toBe('Deleting');
    await remove();
    await clock.advance(1000);
    expect(await read()).toBeUndefined();
  });

  test('whose start fails end in Error, with the reason', async () => {
    const { clock, read } = await start({ clusters: [{ status: 'Preparing', does: 'fail', message: 'no network' }] });
    await clock.advance(1000);
    expect(await read()).toMatchObject({ status: 'Error', status_description: 'cannot create cluster: no network' });
  });

  test('whose scales fail are Active again without an effect, as often as it is told', async () => {
    const rule = { status: 'Validating', operation: 'scale', does: 'fail', times: 2 } as const;
    const { clock, read, resize, injector } = await start({ clusters: [rule] });
    await clock.advance(1000);
    const before = (await read()).node_groups[0];
    for (const count of [5, 1, 3]) {
      expect((await resize(count)).status).toBe(202);
      await clock.advance(1000);
      const after = await read();
      expect(after.status).toBe('Active');
      if (count === 3) expect(after.node_groups[0]).toMatchObject({ count: 3 });
      else {
        expect(after.status_description).toBe('cannot scale cluster: it failed in Validating');
        expect(after.node_groups[0]).toMatchObject({ count: 2, instances: before.instances });
      }
    }
    expect(injector.counts()).toEqual({ 'clusters[0]': { met: 3, applied: 2 } });
  });

  test('are hit by their operation where two have the same status', async () => {
    const rule = { status: 'Waiting', operation: 'scale', does: 'fail' } as const;
    const { clock, read, resize } = await start({ clusters: [rule] });
    await clock.advance(1000);
    expect((await read()).status).toBe('Active');
    await resize(3);
    await clock.advance(1000);
    expect((await read()).status_description).toBe('cannot scale cluster: it failed in Waiting');
  });

  test('are hit by their number', async () => {
    const { clock, peer, post } = await start({ clusters: [{ status: 'Waiting', does: 'fail', nth: 2 }] });
    await clock.advance(1000);
    for (const name of ['two', 'three']) {
      await post(name);
      await clock.advance(1000);
    }
    const { clusters } = (await peer.get(path)).body;
    expect(clusters.map(({ status }: Json) => status)).toEqual(['Active', 'Error', 'Active']);
  });

  test('pass through words that nobody knows, in the time of those that they stand for', async () => {
    const stageMs = (status: string) => (status === 'Waiting' ? 100 : 0);
    const { clock, read } = await start({ statusWords: { Waiting: 'Pondering' } }, { stageMs });
    expect((await read()).status).toBe('Pondering');
    await clock.advance(99);
    expect((await read()).status).toBe('Pondering');
    await clock.advance(100);
    expect((await read()).status).toBe('Active');
  });
});

describe('names', () => {
  // A delete takes 10 ms.
  test.each([
    [{}, [400, 400, 202, 202, 202]],
    [{ names: { freed: 'early' } }, [202, 202, 202, 202, 202]],
    [{ names: { freed: 'late', ms: 500 } }, [400, 400, 400, 400, 202]],
  ] as const)(
    '%j: a create 0, 9, 10, 509 and 510 ms after the delete is answered %j',
    async (personality, statuses) => {
      const seen = [0, 9, 10, 509, 510].map(async (pause) => {
        const { clock, remove, post } = await start(personality);
        await clock.advance(1000);
        await remove();
        await clock.advance(pause);
        return (await post()).status;
      });
      expect(await Promise.all(seen)).toEqual(statuses);
    },
  );

  test('of templates are held as well', async () => {
    const { clock, peer } = await start({ names: { freed: 'late', ms: 500 } });
    const create = () => peer.post(templates, workers);
    const { id } = (await create()).body.node_group_template;
    await peer.remove(`${templates}/${id}`);
    expect((await create()).body.error_name).toBe('NAME_ALREADY_EXISTS');
    await clock.advance(500);
    expect((await create()).status).toBe(202);
  });

  test('of another tenant and of another kind are not, nor of what has only changed', async () => {
    const { clock, peer, post, injector } = await start({ names: { freed: 'late', ms: 500 } });
    await clock.advance(50);
    expect((await post('another')).status).toBe(202);
    expect(injector.counts().names).toEqual({ met: 2, applied: 0 });
    const { id } = (await peer.post(templates, workers)).body.node_group_template;
    await peer.remove(`${templates}/${id}`);
    expect((await peer.post('/v1.0/u/node-group-templates', workers)).status).toBe(202);
    expect((await post(workers.name)).status).toBe(202);
  });
});

describe('lists', () => {
  test('lag behind what is created, changed and deleted; the object itself does not', async () => {
    const { clock, peer, read, listed, remove, injector } = await start({ listLagMs: 200 });
    expect([await listed(), (await read()).status]).toEqual([[], 'Waiting']);
    await clock.advance(199);
    expect([await listed(), (await read()).status]).toEqual([[], 'Active']);
    await clock.advance(1);
    expect((await peer.get(path)).body.clusters[0].status).toBe('Waiting');
    await clock.advance(200);
    expect((await peer.get(path)).body.clusters[0].status).toBe('Active');
    await remove();
    await clock.advance(199);
    expect([await listed(), await read()]).toEqual([['cluster-1'], undefined]);
    await clock.advance(11);
    expect(await listed()).toEqual([]);
    expect(injector.counts().listLagMs?.applied).toBeGreaterThan(3);
  });

  test('lag behind each for its own kind', async () => {
    const { clock, peer, listed } = await start({ listLagMs: 200 });
    const { id } = (await peer.post(templates, workers)).body.node_group_template;
    await clock.advance(1000);
    await peer.remove(`${templates}/${id}`);
    expect((await peer.get(templates)).body.node_group_templates).toHaveLength(1);
    expect(await listed()).toEqual(['cluster-1']);
  });

  const row = (text: string) => ({ id: text[0] ?? '', text });
  test.each([
    ['a1 b1', '', 'a1 b1'],
    ['a1 b1', '+b', 'a1'],
    ['a1', '-b1', 'a1 b1'],
    ['a2 b1', 'a1', 'a1 b1'],
    ['', '+a -a1', ''],
    ['a3', '-a1 +a a2', 'a1'],
  ])('%j, with %j undone, is %j', (now, changes, before) => {
    const words = (text: string) => text.split(' ').filter((word) => word !== '');
    const undone = undo(
      words(now).map(row),
      words(changes).map((change) => {
        const { id, text } = row(change.replace(/^[+-]/, ''));
        return { id, before: change.startsWith('+') ? undefined : { id, text } };
      }),
    );
    expect(undone.map(({ text }) => text)).toEqual(words(before));
  });
});
