// A Connection on which every call fails or hangs costs those on another one nothing: no wait, no request, no pass.
import { describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { openFront } from '../../support/service/service-proxy.ts';
import { besideNoises, numbered, someNoises } from '../support/noise.ts';
import { specs, World } from '../support/world.ts';

besideNoises(someNoises);

describe.skipIf(inject('kubeconfig') === '')('a Connection that may have many requests in flight', () => {
  test('has as many: each create waits for its answer at the same time', async () => {
    const most = 40;
    await using world = await World.create();
    await world.operate(systemClock);
    const proxy = await openFront(world.service.url);
    try {
      const rule = proxy.on({ method: 'POST' }, { act: 'hang' });
      const limits = { maxInFlight: most, burst: 1_000 };
      await world.apply('Connection', 'wide', { endpoint: proxy.url, tenantID: 'wide', timeoutSeconds: 600, limits });
      await world.ready('Connection', 'wide');
      const spec = { ...specs.worker, connectionRef: { name: 'wide' } };
      await Promise.all(numbered('wide', most).map((name) => world.apply('NodeGroupTemplate', name, spec)));
      await expect.poll(() => rule.hits, { timeout: limitMs }).toBe(most);
    } finally {
      await proxy.close();
    }
  });
});
