// The service dies and comes back with its data, and the operator is asked to end: neither loses anything.
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { conditionOf, isReady } from '../../dev/demo/readiness.ts';
import { listRemote } from '../../dev/demo/remote.ts';
import { limitMs } from '../support/patience.ts';
import { token, useBench } from './support/bench.ts';
import {
  applyAll,
  asExamplesSay,
  cluster,
  expectNothing,
  expectOneOfEach,
  remoteCluster,
  remoteCounts,
  removeAll,
  untilGone,
  untilReady,
  withGroups,
} from './support/checks.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('a service that is killed', () => {
  const bench = useBench(kubeconfig, 'outage');

  test('and restarted on its data: the operator says so, and goes on', async () => {
    const { objects, folder } = bench();
    // Slow enough that the cluster is still under way when the service dies.
    const flags = ['--data', join(folder, 'service.db'), '--stage-ms', '400', '--stage-ms', 'Deleting=1500'];
    const first = await bench().startService(...flags);
    const tenant = bench().tenant(first.url);
    const restart = async () => bench().startService(...flags, '--port', new URL(first.url).port);
    await bench().startOperator();
    const examples = await bench().examples(first.url);
    const analytics = cluster(examples, 'analytics');
    const reason = async () => conditionOf((await objects.read(analytics)) ?? missing(), 'Ready')?.reason;

    await applyAll(objects, examples);
    await expect.poll(async () => (await objects.read(analytics))?.status?.id, { timeout: limitMs }).toBeDefined();
    const id = (await objects.read(analytics))?.status?.id;
    await first.program.end('SIGKILL', limitMs);
    await expect.poll(reason, { timeout: limitMs }).toBe('UpstreamError');
    const second = await restart();
    await untilReady(objects, examples);
    expect((await objects.read(analytics))?.status?.id).toBe(id);
    expect(await remoteCounts(bench(), tenant)).toEqual(asExamplesSay);
    await expectOneOfEach(tenant);

    await second.program.end('SIGKILL', limitMs);
    await objects.apply(withGroups(analytics, [{ name: 'worker', count: 4 }]));
    await expect.poll(reason, { timeout: limitMs }).toBe('UpstreamError');
    const third = await restart();
    await untilReady(objects, examples);
    expect(await remoteCounts(bench(), tenant)).toMatchObject({ analytics: { master: 1, worker: 4 } });

    // The clusters alone: a DELETE of a template that gets lost on the way is sent again after a minute only.
    const clusters = examples.filter(({ kind }) => kind === 'Cluster');
    await removeAll(objects, clusters);
    const states = async () => (await listRemote(tenant, 'clusters')).map(({ status }) => status);
    await expect.poll(states, { timeout: limitMs, interval: 50 }).toEqual(['Deleting', 'Deleting']);
    await third.program.end('SIGKILL', limitMs);
    await restart();
    await untilGone(objects, clusters);
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

function missing(): never {
  throw new Error('cannot read the Cluster: it is not there');
}
