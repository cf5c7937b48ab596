// A newer count that arrives while a scale is carried out: it takes the place of the older one as long as no machine is being added.
import { describe, expect, test } from 'vitest';
import type { ClusterOrder } from '../../../src/service/backends/provisioner.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { comesTo, createCluster, type Life, Lives, machineIds, readCluster, scaleTo } from './lives.ts';

/** Does not end until it is aborted. */
const interrupted = ({ signal }: ClusterOrder) =>
  new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

async function active(count: number, lives = new Lives()) {
  const life = await lives.next();
  const id = await createCluster(life, count);
  expect(await comesTo(life, id, 'Active')).toBe(true);
  lives.room.calls.length = 0;
  return { lives, life, id, room: lives.room, before: lives.room.ids };
}

/** A scale to `to` machines, which is in one of its calls until another operation interrupts it. */
async function scaling(count: number, to: number, call: 'drain' | 'remove' | 'launch') {
  const all = await active(count);
  const { life, id, room } = all;
  room.before(call, interrupted);
  expect((await scaleTo(life, id, to)).status).toBe(202);
  expect(await life.until(() => room.calls.includes(call))).toBe(true);
  room.well();
  return all;
}

const scaleGroups = ({ peer }: Life, id: string, counts: Readonly<Record<string, number>>) =>
  peer.put(`${base}/clusters/${id}`, {
    resize_node_groups: Object.entries(counts).map(([name, count]) => ({ name, count })),
  });

const countsIn = async (life: Life, id: string) =>
  Object.fromEntries((await readCluster(life, id))['node_groups'].map(({ name, count }: never) => [name, count]));

describe('while machines are being drained', () => {
  test('the cluster says that it accepts a newer count, and no longer once it has it', async () => {
    const { life, id } = await scaling(2, 1, 'drain');
    expect(await readCluster(life, id)).toMatchObject({ status: 'Decommissioning', accepts_scale: true });
    expect((await scaleTo(life, id, 2)).body.cluster).toMatchObject({
      status: 'Validating',
      node_groups: [{ count: 2 }],
    });
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(await readCluster(life, id)).not.toHaveProperty('accepts_scale');
  });

  test('the former count keeps all machines, which are configured again', async () => {
    const { life, id, room, before } = await scaling(2, 1, 'drain');
    await scaleTo(life, id, 2);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.calls).toEqual(['drain', 'configure']);
    expect([room.ids, machineIds(await readCluster(life, id))]).toEqual([before, before]);
  });

  test('a count in between keeps the machines that it needs', async () => {
    const { life, id, room, before } = await scaling(4, 1, 'drain');
    await scaleTo(life, id, 3);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.calls).toEqual(['drain', 'drain', 'remove', 'list', 'configure']);
    expect(room.ids).toEqual(before.slice(0, 3));
  });

  test('a lower count drains more machines', async () => {
    const { life, id, room, before } = await scaling(3, 2, 'drain');
    await scaleTo(life, id, 1);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.calls).toEqual(['drain', 'drain', 'remove', 'list', 'configure']);
    expect(room.ids).toEqual(before.slice(0, 1));
  });

  test('a higher count than ever keeps all machines and adds others', async () => {
    const { life, id, room, before } = await scaling(2, 1, 'drain');
    await scaleTo(life, id, 3);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.ids.slice(0, 2)).toEqual(before);
    expect([room.ids.length, await countsIn(life, id)]).toEqual([3, { g: 3 }]);
  });

  test('the counts of other groups stay as they were asked for', async () => {
    const { life, id, room } = await scaling(3, 1, 'drain');
    const add = [{ name: 'h', count: 2, node_group_template_id: await templateOf(life) }];
    await life.peer.put(`${base}/clusters/${id}`, { add_node_groups: add });
    await scaleGroups(life, id, { h: 1 });
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect([await countsIn(life, id), room.ids.length, room.made]).toEqual([{ g: 1, h: 1 }, 2, 4]);
  });

  test('a scale that fails later leaves the machines that it had, and removes those that it made', async () => {
    const { life, id, room, before } = await scaling(2, 1, 'drain');
    room.before('configure', ({ cluster }) => {
      if (cluster.node_groups.some(({ instances }) => instances.length > 2)) throw new Error('the rack is on fire');
    });
    room.answer = () => [];
    await scaleTo(life, id, 3);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect([room.ids, await countsIn(life, id)]).toEqual([before, { g: 2 }]);
  });
});

describe('once the removal has begun', () => {
  test('its machines go, and others come in their place', async () => {
    const { life, id, room, before } = await scaling(3, 2, 'remove');
    await scaleTo(life, id, 4);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.ids.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(room.ids).not.toContain(before[2]);
    const [group] = (await readCluster(life, id))['node_groups'];
    const names: readonly string[] = group.instances.map((one: { instance_name: string }) => one.instance_name);
    expect(names.map((name) => name.slice(-3))).toEqual(['001', '002', '003', '004']);
    expect([group.count, machineIds(await readCluster(life, id))]).toEqual([4, room.ids]);
    expect(JSON.stringify(group)).not.toContain('leaving');
  });

  test('a lower count drains the others, but not those again', async () => {
    const { life, id, room, before } = await scaling(3, 2, 'remove');
    await scaleTo(life, id, 1);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.calls).toEqual(['drain', 'remove', 'remove', 'list', 'drain', 'remove', 'list', 'configure']);
    expect(room.ids).toEqual(before.slice(0, 1));
  });

  test('the next life of the service goes on with it, and does not drain the machines again', async () => {
    const { lives, life, id, room, before } = await active(2);
    room.before('remove', interrupted);
    await scaleTo(life, id, 1);
    expect(await life.until(() => room.calls.includes('remove'))).toBe(true);
    await life.close();
    room.well();
    room.calls.length = 0;
    const next = await lives.next();
    await scaleTo(next, id, 2);
    expect(await comesTo(next, id, 'Active')).toBe(true);
    expect(room.calls).not.toContain('drain');
    expect([room.ids[0], room.ids.length, room.made]).toEqual([before[0], 2, 3]);
  });
});

test('a newer count is refused while machines are being added', async () => {
  const { life, id } = await scaling(1, 2, 'launch');
  expect(await readCluster(life, id)).not.toHaveProperty('accepts_scale');
  const refused = await scaleTo(life, id, 1);
  expect([refused.status, refused.body.error_message]).toEqual([
    400,
    expect.stringMatching(/cannot scale cluster .*: it is Waiting, not Active/),
  ]);
});

test.each(['sahara', 'savanna'] as const)('%s refuses it as real services do', async (dialect) => {
  const lives = new Lives({ dialect });
  const { life, id, room } = await active(2, lives);
  room.before('drain', interrupted);
  await scaleTo(life, id, 1);
  expect(await life.until(() => room.calls.includes('drain'))).toBe(true);
  expect(await readCluster(life, id)).not.toHaveProperty('accepts_scale');
  expect((await scaleTo(life, id, 2)).status).toBe(400);
});

async function templateOf({ peer }: Life): Promise<string> {
  const template = {
    name: 'extra',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    flavor_id: '1',
    node_processes: ['datanode'],
  };
  return (await peer.post(`/v1.0/${base.split('/')[2]}/node-group-templates`, template)).body.node_group_template.id;
}
