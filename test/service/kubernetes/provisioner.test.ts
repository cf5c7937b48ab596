// What the provisioner does to the objects of a cluster, which a small stand-in for the API server keeps.
import { expect, test } from 'vitest';
import { sparkCluster } from './scene.ts';
import { openService, StandIn } from './stand-in.ts';

test('whoever looks after a cluster does not undo its growth, and goes on when that has failed', async () => {
  const api = new StandIn();
  const { clock, provisioner, orderOf, reports, stop } = openService(api);
  const small = sparkCluster(1);
  await provisioner.launch(orderOf(small), []);
  expect(await provisioner.adopt(orderOf(small))).toBeUndefined();
  await clock.advance(5000);

  const growing = provisioner.launch(orderOf(sparkCluster(3)), []);
  growing.catch(() => undefined);
  for (let second = 0; second < 30; second += 1) await clock.advance(1000);
  expect([api.setOf('workers').spec.replicas, reports]).toEqual([3, []]);

  stop();
  await clock.advance(1000);
  await expect(growing).rejects.toThrow('stopped');
  await clock.advance(5000);
  expect(api.setOf('workers').spec.replicas).toBe(1);
});
