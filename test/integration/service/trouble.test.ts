// What users get wrong, and what goes wrong around them: a clear condition, nothing made twice, and always a way out.
import { createServer } from 'node:http';
import { describe, expect, inject, test } from 'vitest';
import { Injector } from '../../../dev/personality/injector.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { listen } from '../../operator/client/support/servers.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { applyTemplates, conditionOf, type Resource, specs, World } from '../support/world.ts';

const readyIs = (status: string, reason: string) => (resource: Resource) => {
  const ready = conditionOf(resource, 'Ready');
  return ready?.status === status && ready.reason === reason;
};

describe.skipIf(inject('kubeconfig') === '')('trouble', () => {
  test('a new endpoint at which nobody ever answers is told at once as one that is being tried', async () => {
    await using world = await World.create();
    await world.operate();
    await world.connectService();
    await world.ready('Connection', 'default');
    const { url } = await listen(createServer());
    await world.connectService({ endpoint: url, formerEndpoints: [world.service.url], timeoutSeconds: 600 });
    const tried = await world.until('Connection', 'default', readyIs('False', 'Provisioning'));
    expect(tried.status).toMatchObject({ observedGeneration: 2, endpoint: url });
    expect(conditionOf(tried, 'Reconciling')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  test('a service that answers with errors is told by the Connection after half a minute, then by its Clusters, and all heals', async () => {
    const injector = new Injector(systemClock, {});
    await using world = await World.create({ injector });
    const clock = fastClock(40);
    await world.operate(clock);
    await world.connectService();
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    await world.ready('Connection', 'default');
    const began = clock.monotonic();
    injector.replace({ faults: [{ method: 'GET', answer: { is: 'refusal', status: 503 } }] });
    const lost = await world.until('Connection', 'default', readyIs('False', 'UpstreamError'));
    expect(conditionOf(lost, 'Ready')?.message).toContain('ask the administrator of the service');
    const minutes = (clock.monotonic() - began) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(0.5);
    expect(minutes).toBeLessThan(5);
    await world.until('Cluster', 'etl', readyIs('Unknown', 'ObservationFailed'));
    injector.replace({});
    await world.ready('Connection', 'default');
    await world.ready('Cluster', 'etl');
  });
});
