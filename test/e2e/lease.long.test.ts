// The other replica takes over when the leader is killed, stands still, or loses the API server. One that lives writes nothing any more, and ends.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { listRemote } from '../../dev/demo/remote.ts';
import { ApiProxy } from '../support/kubernetes/api-proxy.ts';
import { limitMs } from '../support/patience.ts';
import { type FaultProxy, isWrite } from '../support/service/service-proxy.ts';
import { type Bench, useBench } from './support/bench.ts';
import { applyAll, expectNothing, removeAll, untilGone, untilReady } from './support/checks.ts';
import { writeDetour } from './support/detour.ts';
import { leaderOf, leaseTimes, manifestsOf, shortLease, startReplica, untilLeads } from './support/replicas.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 50 };

const writesOf = ({ sent }: FaultProxy) => sent.filter(isWrite).map(({ method, url }) => `${method} ${url}`);

async function proxied(bench: Bench): Promise<{ readonly proxy: ApiProxy; readonly flags: readonly string[] }> {
  const proxy = await ApiProxy.start({ kubeconfig });
  onTestFinished(async () => proxy[Symbol.asyncDispose]());
  return { proxy, flags: ['--kubeconfig', await writeDetour(bench, proxy.url)] };
}

describe.skipIf(kubeconfig === '')('a leader', () => {
  const bench = useBench(kubeconfig, 'leader');

  test('that is killed while it makes an object is replaced, and the object is there once', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const tenant = bench().tenant(url);
    const service = await bench().front(url);
    const { access, template } = await manifestsOf(bench(), service.url);
    const half = template('half');
    const killed = await startReplica(bench(), 'killed', ...shortLease);
    await untilLeads(bench(), killed);
    const heir = await startReplica(bench(), 'heir', ...shortLease);
    await applyAll(objects, access);
    await untilReady(objects, access);
    // The service has made it, and its answer never comes.
    let killedAt = 0;
    const kill = async () => {
      killedAt = performance.now();
      expect(await killed.program.end('SIGKILL', limitMs)).toBe('SIGKILL');
    };
    service.listen({ after: async (sent) => (sent.method === 'POST' && killedAt === 0 ? kill() : undefined) });
    await objects.apply(half);
    await untilLeads(bench(), heir);
    const taken = performance.now() - killedAt;
    console.info(`takeover from one that was killed: ${Math.round(taken)} ms`);
    expect(killedAt).toBeGreaterThan(0);
    expect(taken).toBeLessThan(leaseTimes.durationMs + leaseTimes.retryMs + 2_000);
    await untilReady(objects, [...access, half]);
    expect(await listRemote(tenant, 'node-group-templates')).toHaveLength(1);
    await removeAll(objects, [half, ...access]);
    await untilGone(objects, [half, ...access]);
    await expectNothing(tenant);
    expect(await heir.program.end('SIGTERM', limitMs)).toBe('code 0');
  });

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
    expect(taken).toBeLessThan(leaseTimes.durationMs + leaseTimes.retryMs + 2_000);
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
    expect(Math.max(...writtenAt)).toBeLessThan((renewedAt ?? 0) + leaseTimes.deadlineMs);

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
