// What was done to a cluster, step by step, and to which machine: told by late releases only.
import { describe, expect, test } from 'vitest';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { ManualClock } from '../../../support/clock.ts';
import { type Json, type Peer, serve, uuid } from '../../support.ts';
import { at, cluster, inline } from '../general/upstream-support.ts';

const id = expect.stringMatching(uuid);
const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
const groups = [{ ...inline, count: 2 }];

async function scene(options: Parameters<typeof serve>[0] = {}) {
  const clock = new ManualClock();
  const peer = await serve({ dialect: 'sahara', clock, stageMs: 100, ...options });
  const { body } = await peer.post(at('clusters'), { ...cluster, node_groups: groups });
  const path = at(`clusters/${body.cluster.id}`);
  const shown = async (query = ''): Promise<Json> => (await peer.get(path + query)).body.cluster;
  const told = async () =>
    (await shown()).provision_progress.map(({ step_name, total, successful }: Json) => [step_name, total, successful]);
  return { clock, peer, path, made: body.cluster, shown, told };
}

const scale = (peer: Peer, path: string, count: number) =>
  peer.put(path, { resize_node_groups: [{ name: inline.name, count }] });

describe('sahara: the steps of a cluster', () => {
  test('are added as it goes on, and end when the next one begins', async () => {
    const { clock, made, told } = await scene();
    expect(made.provision_progress).toEqual([]);
    await clock.advance(200);
    expect(await told()).toEqual([['Create Heat stack', 1, null]]);
    await clock.advance(100);
    expect(await told()).toEqual([
      ['Create Heat stack', 1, true],
      ['Wait for instance accessibility', 2, null],
    ]);
    await clock.advance(10_000);
    expect(await told()).toEqual([
      ['Create Heat stack', 1, true],
      ['Wait for instance accessibility', 2, true],
      ['Configure instances', 2, true],
      ['Push configs to nodes', 2, true],
      ['Start processes', 2, true],
    ]);
  });

  test('have every field, and their events when these are asked for', async () => {
    const { clock, made, shown } = await scene();
    await clock.advance(10_000);
    const [plain] = (await shown('?show_progress=no')).provision_progress;
    const step = {
      id,
      cluster_id: made.id,
      tenant_id: 't',
      step_name: 'Create Heat stack',
      step_type: 'Engine: create cluster',
      total: 1,
      successful: true,
      created_at: stamp,
      updated_at: stamp,
    };
    expect(plain).toEqual(step);
    const { provision_progress: steps, node_groups, ...rest } = await shown('?show_progress=True');
    const event = { id, event_info: null, successful: true, created_at: stamp, updated_at: null };
    const nobody = { node_group_id: null, instance_id: null, instance_name: null };
    expect(steps[0]).toEqual({ ...step, events: [{ ...event, ...nobody, step_id: plain.id }] });
    expect(steps[1].events).toEqual(
      node_groups[0].instances.map(({ instance_id, instance_name }: Json) => ({
        ...event,
        step_id: steps[1].id,
        node_group_id: node_groups[0].id,
        instance_id,
        instance_name,
      })),
    );
    const { provision_progress: _, node_groups: __, ...same } = await shown();
    expect(rest).toEqual(same);
  });

  test('go on with those of a scale, which work on what is new', async () => {
    const { clock, peer, path, told, shown } = await scene();
    await clock.advance(10_000);
    await scale(peer, path, 3);
    await clock.advance(10_000);
    expect((await told()).slice(5)).toEqual([
      ['Create Heat stack', 1, true],
      ['Wait for instance accessibility', 1, true],
      ['Configure instances', 1, true],
      ['Push configs to nodes', 1, true],
    ]);
    const { provision_progress: steps } = await shown('?show_progress=true');
    expect(steps[6].events.map(({ instance_name }: Json) => instance_name)).toEqual(['cluster-1-master-003']);
    await scale(peer, path, 1);
    await clock.advance(10_000);
    expect((await told()).slice(9)).toEqual([['Create Heat stack', 1, true]]);
    expect(new Set((await shown()).provision_progress.map((step: Json) => step.id)).size).toBe(10);
  });

  test('end with the problem when the cluster fails', async () => {
    const launch = () => Promise.reject(new Error('no host is left'));
    const provisioner = { ...createSimulatedProvisioner(createSeededRandom(1)), launch };
    const { clock, shown, told } = await scene({ provisioner });
    await clock.advance(10_000);
    expect((await told()).at(-1)).toEqual(['Wait for instance accessibility', 2, false]);
    expect((await shown()).status).toBe('Error');
  });
});

test.each(['neutral', 'savanna'] as const)('%s tells nothing of steps', async (dialect) => {
  const peer = await serve({ dialect });
  const { neutron_management_network: _, hadoop_version: version, ...rest } = cluster;
  const word = dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version';
  const { body } = await peer.post(at('clusters'), { ...rest, [word]: version, user_keypair_id: 'key' });
  const shown = await peer.get(at(`clusters/${body.cluster.id}?show_progress=true`));
  expect(shown.status).toBe(200);
  expect(shown.body.cluster).not.toHaveProperty('provision_progress');
});
