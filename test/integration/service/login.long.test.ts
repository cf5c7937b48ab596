// Log-ins whose tokens live for seconds, while a cluster is made, scaled and deleted.
import { describe, expect, inject, test, vi } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { auth, byCredential, logIns, nothingIsTold, open, red } from '../support/log-ins.ts';
import { applyTemplates, specs } from '../support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('with a log-in', () => {
  test('the service and the tenant are found, and tokens that live for seconds disturb nobody', async () => {
    await using world = await open(3_000);
    await world.operate(systemClock);
    await world.apply('Secret', 'login', byCredential(world));
    await world.apply('Connection', 'default', { auth, pollSeconds: 1 });
    const { status } = await world.ready('Connection', 'default');
    expect(status).toMatchObject({ endpoint: world.service.url, tenantID: red });
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    await vi.waitFor(() => expect(logIns(world)).toBeGreaterThan(3), { timeout: limitMs, interval: 100 });
    await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 4 }] });
    await world.until('Cluster', 'etl', ({ status: now }) => now?.nodes === '5/5');
    expect(world.records.listed('clusters', red)).toHaveLength(1);
    expect(world.failures).toEqual([]);
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    await nothingIsTold(world);
  });
});
