// The service dies while a cluster is scaled, and while clusters are deleted, and comes back with its data: neither is lost.
import { describe, expect, inject, test } from 'vitest';
import { listRemote } from '../../dev/demo/remote.ts';
import { limitMs } from '../support/patience.ts';
import { useBench } from './support/bench.ts';
import {
  applyAll,
  expectNothing,
  remoteCounts,
  removeAll,
  untilGone,
  untilReady,
  withGroups,
} from './support/checks.ts';
import { openMortalService } from './support/mortal-service.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('a service that is killed', () => {
  const bench = useBench(kubeconfig, 'outages');

  test('during a scale and a delete: the operator goes on with both', async () => {
    const { objects } = bench();
    const { tenant, examples, analytics, ...service } = await openMortalService(bench());
    await applyAll(objects, examples);
    await untilReady(objects, examples);

    await service.kill();
    await objects.apply(withGroups(analytics, [{ name: 'worker', count: 4 }]));
    await service.untilTold();
    await service.restart();
    await untilReady(objects, examples);
    expect(await remoteCounts(bench(), tenant)).toMatchObject({ analytics: { master: 1, worker: 4 } });

    // The clusters alone: a DELETE of a template that gets lost on the way is sent again after a minute only.
    const clusters = examples.filter(({ kind }) => kind === 'Cluster');
    await removeAll(objects, clusters);
    const states = async () => (await listRemote(tenant, 'clusters')).map(({ status }) => status);
    await expect.poll(states, { timeout: limitMs, interval: 50 }).toEqual(['Deleting', 'Deleting']);
    await service.kill();
    await service.restart();
    await untilGone(objects, clusters);
    await removeAll(objects, examples);
    await untilGone(objects, examples);
    await expectNothing(tenant);
  });
});
