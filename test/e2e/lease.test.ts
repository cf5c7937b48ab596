// Two replicas of the operator: one works, the other takes over when that one goes, stands still, as a dead one does, or loses the API server.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { listRemote } from '../../dev/demo/remote.ts';
import { readConfig } from '../../src/operator/config.ts';
import { ApiProxy } from '../support/kubernetes/api-proxy.ts';
import { limitMs } from '../support/patience.ts';
import { type FaultProxy, isWrite } from '../support/service/service-proxy.ts';
import { type Bench, useBench } from './support/bench.ts';
import { applyAll, expectNothing, removeAll, untilGone, untilReady } from './support/checks.ts';
import { writeDetour } from './support/detour.ts';
import { figureOf, leaderOf, leaseOf, shortLease, startReplica, untilLeads } from './support/replicas.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 50 };
const flagsOf = (...flags: readonly string[]) => readConfig(flags, {});

/** Access to the service, and one template after the other. */
async function manifestsOf(bench: Bench, endpoint: string) {
  const examples = await bench.examples(endpoint);
  const access = examples.filter(({ kind }) => kind === 'Secret' || kind === 'Connection');
  const worker = examples.find(({ kind, metadata }) => kind === 'NodeGroupTemplate' && metadata.name === 'worker');
  if (worker === undefined) throw new Error('the examples have no NodeGroupTemplate worker');
  const template = (name: string): Manifest => ({ ...worker, metadata: { name } });
  return { access, template };
}

const writesOf = ({ sent }: FaultProxy) => sent.filter(isWrite).map(({ method, url }) => `${method} ${url}`);

/** What the operators wrote to the API server so far: how often the lease, and what else. */
async function ownWrites(bench: Bench): Promise<{ readonly renewals: number; readonly other: readonly string[] }> {
  const writes = (await bench.asked()).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  const other = writes.filter(({ resource }) => !resource.startsWith('leases.'));
  return {
    renewals: writes.length - other.length,
    other: other.map(({ verb, resource, name }) => `${verb} ${resource} ${name ?? ''}`),
  };
}

/** The API server records a write some time after its answer: with the second renewal from now on, all that was written before is on record. */
async function afterRenewals(bench: Bench, count: number): ReturnType<typeof ownWrites> {
  const { renewals } = await ownWrites(bench);
  await expect.poll(async () => (await ownWrites(bench)).renewals, patience).toBeGreaterThanOrEqual(renewals + count);
  return ownWrites(bench);
}

async function proxied(bench: Bench): Promise<{ readonly proxy: ApiProxy; readonly flags: readonly string[] }> {
  const proxy = await ApiProxy.start({ kubeconfig });
  onTestFinished(async () => proxy[Symbol.asyncDispose]());
  return { proxy, flags: ['--kubeconfig', await writeDetour(bench, proxy.url)] };
}

describe.skipIf(kubeconfig === '')('two replicas', () => {
  const bench = useBench(kubeconfig, 'lease');

  test('work one at a time, and take over at once when the leader goes', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const { access, template } = await manifestsOf(bench(), url);
    const [before, after] = [template('before'), template('after')];
    const first = await startReplica(bench(), 'first', ...shortLease);
    await untilLeads(bench(), first);
    const second = await startReplica(bench(), 'second', ...shortLease);
    await applyAll(objects, [...access, before]);
    await untilReady(objects, [...access, before]);
    expect(await second.program.log()).toMatch(/standing by: first_\w+ leads/);
    expect([await figureOf(first, 'leader'), await figureOf(second, 'leader')]).toEqual([1, 0]);
    expect(await figureOf(first, 'resources{kind="Connection"}')).toBe(1);
    expect(await figureOf(second, 'resources{kind="Connection"}')).toBeNaN();

    // What the Connection counts is written when things are quiet.
    const [connection] = access.filter(({ kind }) => kind === 'Connection');
    if (connection === undefined) throw new Error('the examples have no Connection');
    const managed = async () => {
      const { status } = ((await objects.read(connection)) ?? {}) as { status?: { managedCount?: number } };
      return status?.managedCount;
    };
    await expect.poll(managed, patience).toBe(1);

    // In the order in which it happens: nothing but the lease is written, for three renewals.
    const idle = await afterRenewals(bench(), 2);
    expect((await afterRenewals(bench(), 3)).other).toEqual(idle.other);

    expect(await first.program.end('SIGTERM', limitMs)).toBe('code 0');
    const handed = await untilLeads(bench(), second);
    await objects.apply(after);
    await untilReady(objects, [...access, before, after]);
    expect((await leaseOf(bench())).leaseTransitions).toBe(1);
    expect(await figureOf(second, 'lease_transitions_total')).toBe(1);
    console.info(`takeover after SIGTERM: ${Math.round(handed)} ms`);
    // It was given back, so nobody waited for its end, which is further away than this.
    expect(handed).toBeLessThan(flagsOf(...shortLease)['lease-duration'] / 2);
    expect((await listRemote(bench().tenant(url), 'node-group-templates')).length).toBe(2);

    await removeAll(objects, [before, after, ...access]);
    await untilGone(objects, [before, after, ...access]);
    await expectNothing(bench().tenant(url));
    expect(await second.program.end('SIGTERM', limitMs)).toBe('code 0');
    expect(await leaderOf(bench())).toBe('');
  });
});

describe.skipIf(kubeconfig === '')('a leader', () => {
  const bench = useBench(kubeconfig, 'leader');

  test('that stood still until another led writes nothing when it goes on, and ends', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const service = await bench().front(url);
    const { access, template } = await manifestsOf(bench(), service.url);
    const doomed = template('doomed');
    const { proxy, flags } = await proxied(bench());
    const frozen = await startReplica(bench(), 'frozen', ...shortLease, ...flags);
    await untilLeads(bench(), frozen);
    const heir = await startReplica(bench(), 'heir', ...shortLease);
    await applyAll(objects, [...access, doomed]);
    await untilReady(objects, [...access, doomed]);
    // It says that it deletes, stands still before it hears that this was written, and would send its DELETE next.
    let frozenAt = 0;
    const freeze = () => {
      frozenAt = performance.now();
      process.kill(frozen.program.pid, 'SIGSTOP');
    };
    proxy.rule({ behave: 'edit', method: /PATCH/, path: /\/doomed\/status$/, query: freeze, times: 1 });
    await objects.remove(doomed);
    await untilLeads(bench(), heir);
    const taken = performance.now() - frozenAt;
    console.info(`takeover from one that stands still: ${Math.round(taken)} ms`);
    const { 'lease-duration': lease, 'lease-retry-period': retry } = flagsOf(...shortLease);
    expect(taken).toBeLessThan(lease + retry + 2_000);
    await untilGone(objects, [doomed]);
    const writes = writesOf(service);
    expect(writes.filter((line) => line.startsWith('DELETE'))).toHaveLength(1);

    process.kill(frozen.program.pid, 'SIGCONT');
    await expect.poll(() => frozen.program.ended(), patience).toBe('code 1');
    expect(await frozen.program.log()).toContain('lost the lease');
    expect(writesOf(service)).toEqual(writes);
    expect(await leaderOf(bench())).toBe('heir');
    await removeAll(objects, access);
    await untilGone(objects, access);
    await heir.program.end('SIGKILL', limitMs);
    // Nobody else would take it before its time.
    await objects.remove(bench().lease);
  });

  test('that does not reach the API server any more stops writing in time, and ends', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const tenant = bench().tenant(url);
    const service = await bench().front(url);
    const { access, template } = await manifestsOf(bench(), service.url);
    const used = template('used');
    const { proxy, flags } = await proxied(bench());
    const cut = await startReplica(bench(), 'cut', ...shortLease, ...flags);
    await applyAll(objects, [...access, used]);
    await untilReady(objects, [...access, used]);
    // A stranger's template uses it, so that the operator goes on trying to delete it.
    const [row] = await listRemote(tenant, 'node-group-templates');
    const user = await useInTemplate(tenant, row?.id ?? '');
    const writtenAt: number[] = [];
    service.listen({ before: async (sent) => void (isWrite(sent) && writtenAt.push(performance.now())) });
    await objects.remove(used);
    await expect.poll(() => writtenAt.length, patience).toBeGreaterThanOrEqual(2);
    proxy.rule({ behave: 'cut' });
    proxy.endWatches({}, 'cut');
    await expect.poll(() => cut.program.ended(), patience).toBe('code 1');
    expect(await cut.program.log()).toContain('lost the lease');
    const renewedAt = proxy
      .seen({ method: /PUT/, path: /\/leases\// })
      .filter(({ status }) => status === 200)
      .at(-1)?.at;
    const { 'lease-renew-deadline': deadline } = flagsOf(...shortLease);
    expect(Math.max(...writtenAt)).toBeLessThan((renewedAt ?? 0) + deadline);

    const next = await startReplica(bench(), 'next', ...shortLease);
    await untilLeads(bench(), next);
    await user.remove();
    await removeAll(objects, [used, ...access]);
    await untilGone(objects, [used, ...access]);
    await expectNothing(tenant);
  });
});

/** A cluster template of somebody else. */
async function useInTemplate({ url, tenant, token }: ReturnType<Bench['tenant']>, id: string) {
  const collection = `${url}/v1.0/${tenant}/cluster-templates`;
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const group = { name: 'worker', count: 1, node_group_template_id: id };
  const body = { name: 'theirs', plugin_name: 'vanilla', bigdata_version: '1.2.1', node_groups: [group] };
  const answer = await fetch(collection, { method: 'POST', headers, body: JSON.stringify(body) });
  const made = (await answer.json()) as { readonly cluster_template?: { readonly id: string } };
  if (made.cluster_template === undefined) throw new Error(`cannot make a template: ${JSON.stringify(made)}`);
  const path = `${collection}/${made.cluster_template.id}`;
  return { remove: async () => void (await fetch(path, { method: 'DELETE', headers })) };
}
