// What another version of the service, or one with other flags, does to the clusters that are there.
import { expect, test } from 'vitest';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf, settingOf, sparkCluster } from './scene.ts';
import { openService, StandIn } from './stand-in.ts';

const { imageOf } = settingOf(sparkCluster());

/** The previous version made the cluster. Its pods had another template. */
async function upgraded(
  cluster: ClusterRecord,
  options: Parameters<typeof openService>[1],
  previous: Parameters<typeof openService>[1] = {},
) {
  const api = new StandIn();
  const before = openService(api, previous);
  await before.provisioner.launch(before.orderOf(cluster), []);
  before.end();
  const made = api.setOf('workers');
  const after = openService(api, options);
  expect(await after.provisioner.adopt(after.orderOf(cluster))).toBeUndefined();
  await after.clock.advance(5000);
  await after.clock.advance(5000);
  return { ...after, api, made };
}

test('pods go on when their template changes, and nobody is said to have changed it', async () => {
  const { api, made, reports, warnings } = await upgraded(sparkCluster(1), {
    imageOf: (_cluster, process) => ({ ...imageOf(process), reference: 'registry.example/spark:4.1.3' }),
  });
  const now = api.setOf('workers');
  expect(now.spec.template).not.toEqual(made.spec.template);
  expect(JSON.stringify(now.spec.template)).toContain('registry.example/spark:4.1.3');
  // With any other strategy, the controller of StatefulSets would replace them.
  expect([made, now].map(({ spec }) => spec.updateStrategy)).toEqual([{ type: 'OnDelete' }, { type: 'OnDelete' }]);
  expect([api.removed, reports, warnings]).toEqual([[], [], []]);
});

const withVolumes = (count: number) =>
  clusterOf('spark', [
    groupOf('master', ['master'], 1),
    { ...groupOf('workers', ['slave'], count), volumes_per_node: 1, volumes_size: 5 },
  ]);

test('machines that are added have volumes like those that are there, whatever --storage-class is now', async () => {
  const { api, made, provisioner, orderOf, clock, stop, warnings } = await upgraded(withVolumes(1), {
    storageClass: 'fast',
  });
  expect(made.spec.volumeClaimTemplates).toHaveLength(1);
  expect(JSON.stringify(made.spec.volumeClaimTemplates)).not.toContain('fast');

  const growing = provisioner.launch(orderOf(withVolumes(2)), []);
  growing.catch(() => undefined);
  await clock.advance(1000);
  expect(api.setOf('workers').spec).toMatchObject({
    replicas: 2,
    volumeClaimTemplates: made.spec.volumeClaimTemplates,
  });
  expect(warnings).toEqual([]);
  stop();
  await clock.advance(1000);
  await expect(growing).rejects.toThrow('stopped');
});

test.each([
  ['without a volume for its state does without one', 0, 1],
  ['with a volume for its state keeps it', 1, 0],
])('a master %s, whatever --state-size is now', async (_what, before, after) => {
  const options = [{ stateSize: after }, { stateSize: before }] as const;
  const { api, reports, warnings } = await upgraded(sparkCluster(1), ...options);
  const { volumeClaimTemplates, template } = api.setOf('master').spec;
  expect(volumeClaimTemplates).toHaveLength(before);
  expect(JSON.stringify(template)).toContain('"state"');
  expect([reports, warnings]).toEqual([[], []]);
});
