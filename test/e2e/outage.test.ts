// The service dies and comes back with its data, and the operator is asked to end: neither loses anything.
import { describe, expect, inject, test } from 'vitest';
import { isReady } from '../../dev/demo/readiness.ts';
import { listRemote } from '../../dev/demo/remote.ts';
import { limitMs } from '../support/patience.ts';
import { token, useBench } from './support/bench.ts';
import {
  applyAll,
  asExamplesSay,
  expectNothing,
  expectOneOfEach,
  remoteCluster,
  remoteCounts,
  removeAll,
  untilGone,
  untilReady,
} from './support/checks.ts';
import { openMortalService } from './support/mortal-service.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('a service that is killed', () => {
  const bench = useBench(kubeconfig, 'outage');

  /** While a cluster is scaled or deleted: outage.long.test.ts. */
  test('and restarted on its data: the operator says so, and goes on', async () => {
    const { objects } = bench();
    const { tenant, examples, analytics, ...service } = await openMortalService(bench());
    await applyAll(objects, examples);
    await expect.poll(async () => (await objects.read(analytics))?.status?.id, { timeout: limitMs }).toBeDefined();
    const id = (await objects.read(analytics))?.status?.id;
    await service.kill();
    await service.untilTold();
    await service.restart();
    await untilReady(objects, examples);
    expect((await objects.read(analytics))?.status?.id).toBe(id);
    expect(await remoteCounts(bench(), tenant)).toEqual(asExamplesSay);
    await expectOneOfEach(tenant);
    await removeAll(objects, examples);
    await untilGone(objects, examples);
    await expectNothing(tenant);
  });
});

describe.skipIf(kubeconfig === '')('an operator that is asked to end', () => {
  const bench = useBench(kubeconfig, 'drain');

  test('waits for the answer of a create under way, records it and exits with 0', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const tenant = bench().tenant(url);
    const proxy = await bench().front(url);
    const operator = await bench().startOperator('--shutdown-timeout', '15s');
    const examples = await bench().examples(proxy.url);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    proxy.listen({
      after: async ({ method, collection }) => {
        if (method !== 'POST' || collection !== 'clusters') return;
        held.resolve();
        await release.promise;
      },
    });
    await applyAll(objects, examples);
    await held.promise;
    await expectFigures(operator.healthUrl);
    const begun = performance.now();
    const ended = operator.program.end('SIGTERM', limitMs);
    // It has heard of the signal and drains before the answer comes.
    await expect.poll(async () => operator.program.log(), { timeout: limitMs }).toContain('stopping');
    expect(operator.program.ended()).toBeUndefined();
    release.resolve();
    expect(await ended).toBe('code 0');
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(proxy.cut).toEqual([]);

    // What was under way is in Kubernetes: whoever comes next goes on with it.
    const rows = await listRemote(tenant, 'clusters');
    expect(rows.length).toBeGreaterThan(0);
    const clusters = await Promise.all(examples.map(async (example) => objects.read(example)));
    const ledgers = clusters.map((object) => object?.metadata.annotations?.['dataprocessing.dev/ledger'] ?? '').join();
    for (const { id } of rows) expect(ledgers).toContain(id);
    proxy.listen({});
    await bench().startOperator();
    const ready = await untilReady(objects, examples);
    expect(ready.every(isReady)).toBe(true);
    for (const object of ready.filter(({ kind }) => kind === 'Cluster'))
      expect((await remoteCluster(tenant, object.status?.id))?.status).toBe('Active');
    await expectOneOfEach(tenant);
    await removeAll(objects, examples);
    await untilGone(objects, examples);
    await expectNothing(tenant);
  });
});

/** As Prometheus asks for them. */
async function expectFigures(healthUrl: string): Promise<void> {
  const answer = await fetch(`${healthUrl}/metrics`, { headers: { accept: 'text/plain;version=0.0.4' } });
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  expect(text).toMatch(/^dataprocessing_operator_ready 1$/m);
  expect(text).not.toContain(token);
}
