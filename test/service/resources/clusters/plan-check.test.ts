// What a provisioner cannot make is refused at once, and nothing is left of it.
import { expect, test } from 'vitest';
import type { CloudFlavor } from '../../../../src/service/model/catalog/catalog.ts';
import type { ClusterRecord } from '../../../../src/service/model/records/records.ts';
import { base } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { comesTo, createCluster, Lives, readCluster, scaleTo } from '../../provisioning/lives.ts';

const full = () => {
  throw new Error('node_groups have 3 machines: there is room for 2');
};

const sizes = ({ node_groups }: ClusterRecord): readonly (readonly number[])[] =>
  node_groups.map(({ count, instances }) => [count, instances.length]);

test('a cluster for which there is no room is refused, and its name stays free', async () => {
  const lives = new Lives();
  const life = await lives.next();
  lives.room.check = full;
  const node_groups = [{ name: 'g', count: 3, flavor_id: '1', node_processes: ['namenode'] }];
  const plugin = { plugin_name: 'vanilla', bigdata_version: '2.7.1' };
  const body = {
    name: 'full',
    ...plugin,
    user_keypair_id: 'key',
    default_image_id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
    node_groups,
  };
  const { status, body: answer } = await life.peer.post(`${base}/clusters`, body);
  expect([status, answer.error_name]).toEqual([400, 'INVALID_DATA']);
  expect(answer.error_message).toBe('cannot make cluster full: node_groups have 3 machines: there is room for 2');
  expect((await life.peer.get(`${base}/clusters`)).body.clusters).toEqual([]);
  expect(lives.room.calls).toEqual([]);
});

test('the plan has the counts that are wanted and the machines that are there, and the other clusters', async () => {
  const lives = new Lives();
  const life = await lives.next();
  const plans: unknown[] = [];
  lives.room.check = (cluster, others) => void plans.push([sizes(cluster), others.map(sizes)]);
  const first = await createCluster(life, 2);
  expect(await comesTo(life, first, 'Active')).toBe(true);
  const second = await createCluster(life, 1);
  expect((await scaleTo(life, first, 3)).status).toBe(202);
  expect(plans).toEqual([
    [[[2, 0]], []],
    [[[1, 0]], [[[2, 2]]]],
    [[[3, 2]], [[[1, 1]]]],
  ]);
  expect(await comesTo(life, second, 'Active')).toBe(true);
});

test('a scale for which there is no room is refused, and the cluster stays as it is', async () => {
  const lives = new Lives();
  const life = await lives.next();
  const id = await createCluster(life, 2);
  expect(await comesTo(life, id, 'Active')).toBe(true);
  const before = await readCluster(life, id);
  lives.room.check = full;
  expect((await scaleTo(life, id, 3)).body.error_message).toContain('there is room for 2');
  expect(await readCluster(life, id)).toEqual(before);
});

test('a cluster whose flavor was taken from its tenant can shrink, and cannot grow', async () => {
  const flavors: CloudFlavor[] = ['1', '2', '3', '4', '5'].map((id) => ({ id }));
  const lives = new Lives({ catalog: { flavors } });
  const life = await lives.next();
  const id = await createCluster(life, 2);
  expect(await comesTo(life, id, 'Active')).toBe(true);
  flavors.splice(0, 5, ...flavors.map((flavor) => ({ ...flavor, tenants: ['others'] })));
  const { status, body } = await scaleTo(life, id, 3);
  expect([status, body.error_name]).toEqual([400, 'NOT_FOUND']);
  expect((await scaleTo(life, id, 1)).status).toBe(202);
});
