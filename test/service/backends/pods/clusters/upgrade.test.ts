// What another version of the service, or one with other flags, does to the clusters that are there.
import { expect, test } from 'vitest';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf, settingOf, sparkCluster } from './scene.ts';
import { openService, StandIn, type StatefulSet } from './stand-in.ts';

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

test('what Kueue has admitted stays as it was, whatever the file of flavors says now', async () => {
  const { flavors } = settingOf(sparkCluster());
  const api = new StandIn();
  const before = openService(api, { flavors: flavors.map((each) => ({ ...each, queue: 'a' })) });
  await before.provisioner.launch(before.orderOf(sparkCluster(1)), []);
  before.end();
  const made = api.setOf('workers');
  expect(made.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'a' });
  expect(JSON.stringify(made.spec.template)).not.toContain('kueue');
  api.refuses = (one, other) => {
    const [was, is] = [one, other].map(({ metadata, spec }) =>
      JSON.stringify([
        metadata.labels?.['kueue.x-k8s.io/queue-name'],
        (spec as Partial<StatefulSet['spec']> | undefined)?.template,
      ]),
    );
    return one.kind === 'StatefulSet' && was !== is ? 'metadata.labels: field is immutable' : undefined;
  };
  const larger = flavors.map((each) => ({ ...each, memory: each.memory * 2, queue: 'b' }));
  const after = openService(api, { flavors: larger });
  expect(await after.provisioner.adopt(after.orderOf(sparkCluster(1)))).toBeUndefined();
  await after.clock.advance(10_000);
  expect(api.setOf('workers')).toEqual(made);
  expect([after.reports, after.warnings]).toEqual([[], []]);
});

test('a group in a queue gets no other size, and one without a queue does', () => {
  const { flavors } = settingOf(sparkCluster());
  const queued = openService(new StandIn(), { flavors: flavors.map((each) => ({ ...each, queue: 'a' })) });
  const sized = (count: number, machines: number) =>
    clusterOf('spark', [groupOf('master', ['master'], 1), { ...groupOf('workers', ['slave'], machines), count }]);
  const check = (count: number, machines: number, { provisioner } = queued) => {
    provisioner.checkPlan(sized(count, machines));
    return true;
  };
  expect(() => check(3, 2)).toThrow(
    'group workers waits in queue a of Kueue, which admits it with 2 machines and no other number: add a group for more of them, or create the cluster again',
  );
  expect([check(2, 2), check(3, 0), check(3, 2, openService(new StandIn()))]).toEqual([true, true, true]);
});
