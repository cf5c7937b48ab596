// Runs of a tenant that has many ended ones, after a restart of the service.
import { expect, test, vi } from 'vitest';
import { systemClock, systemRandom } from '../../../../src/lib/system.ts';
import { createSimulatedEngine, type JobEngine } from '../../../../src/service/backends/job-engine.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { parseFixtures } from '../../../../src/service/program/fixtures/file.ts';
import { loadFixtures } from '../../../../src/service/program/fixtures/fixtures.ts';
import { EngineCalls } from '../../../../src/service/resources/executions/engine-calls.ts';
import { base, createCluster, createJob } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { serve } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const simulated = createSimulatedEngine(systemRandom);
const tenant = base.split('/').at(-1) ?? '';
const ended = (id: string) => ({ id, name: id, end_time: '2026-01-01T00:00:00Z', info: {} }) as JobExecutionRecord;

/** `counted`: how many runs were measured in each turn of the event loop, or in a row. */
function withEnded(count: number) {
  const store = createMemoryStore();
  const seen = { most: 0, all: 0 };
  let inTurn = 0;
  const bytes: JobEngine['bytes'] = ({ execution: { id } }) => {
    if (inTurn === 0) setImmediate(() => void (inTurn = 0));
    inTurn += 1;
    seen.all += 1;
    seen.most = Math.max(seen.most, inTurn);
    return id.startsWith('ended') ? 10 : 0;
  };
  const end = () => {
    for (let run = 0; run < count; run += 1) store.put('jobExecutions', tenant, ended(`ended-${run}`));
  };
  return { store, seen, end, engine: { ...simulated, bytes } };
}

test.each([
  [20_001, 202],
  [20_000, 400],
])(
  'new ones wait until those are measured, in slices and once, with a quota of %d bytes: %d',
  async (quota, status) => {
    const { store, seen, end, engine } = withEnded(2000);
    const peer = await serve({ store, engine, catalog: { runByteQuota: quota } });
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    end();
    const execute = () => peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id });
    const answers = await Promise.all([execute(), execute(), execute()]);
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
    if (status === 400) expect(answers[0]?.body.error_message).toContain('they have 20000 of 20000 bytes');
    expect(seen.most).toBeLessThan(50);
    expect(seen.all).toBeLessThan(2050);
  },
);

test('what is given up while those are measured writes nothing', async () => {
  const givenUp = new AbortController();
  const written: string[] = [];
  const kill: JobEngine['kill'] = async ({ admit }) => {
    await admit?.(1);
    written.push('the rest of its output');
  };
  const calls = new EngineCalls({
    engine: { ...simulated, kill },
    store: createMemoryStore(),
    dialect: 'neutral',
    limit: (_call, work) => work(givenUp.signal),
    accepted() {},
    report() {},
    admit: async () => givenUp.abort(new Error('it is late')),
  });
  const run = { tenant, id: 'run', cluster: undefined, signal: givenUp.signal };
  await expect(calls.kill(run)).rejects.toThrow('cannot kill job execution: it is late');
  expect(written).toEqual([]);
});

test('a run is killed by one at a time, and by the next one also if that fails', async () => {
  const waiting: { readonly resolve: () => void; readonly reject: (cause: Error) => void }[] = [];
  const kill: JobEngine['kill'] = () => new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
  const { signal } = new AbortController();
  const calls = new EngineCalls({
    engine: { ...simulated, kill },
    store: createMemoryStore(),
    dialect: 'neutral',
    limit: (_call, work) => work(signal),
    accepted() {},
    report() {},
    admit: async () => undefined,
  });
  const [ofCluster, ofUser] = [1, 2].map(() => calls.kill({ tenant, id: 'run', cluster: undefined, signal }));
  const other = calls.kill({ tenant, id: 'other', cluster: undefined, signal });
  expect(waiting).toHaveLength(2);
  waiting[0]?.reject(new Error('it does not answer'));
  await expect(ofCluster).rejects.toThrow('it does not answer');
  await vi.waitFor(() => expect(waiting).toHaveLength(3), limitMs);
  for (const { resolve } of waiting) resolve();
  await Promise.all([ofUser, other]);
});

test('a file of fixtures begins new ones, too', () => {
  const { store, end, engine } = withEnded(100);
  end();
  const id = '11111111-2222-4333-8444-555555555555';
  const fixtures = {
    job_binary_internals: [{ name: 'i', text: 'true' }],
    job_binaries: [{ name: 'b', url: 'internal-db://i' }],
    jobs: [{ name: 'j', type: 'Shell', mains: ['b'] }],
    clusters: [
      {
        name: 'c',
        plugin_name: 'vanilla',
        bigdata_version: '1.2.1',
        default_image_id: 'ubuntu-22.04-prepared',
        user_keypair_id: 'key',
        node_groups: [
          { name: 'worker', count: 1, flavor_id: '2', node_processes: ['namenode', 'jobtracker', 'oozie'] },
        ],
      },
    ],
    job_executions: [{ id, job: 'j', cluster_id: 'c' }],
  };
  const file = parseFixtures(JSON.stringify({ tenants: { [tenant]: fixtures } }));
  loadFixtures({ clock: systemClock, random: systemRandom, store, engine, catalog: { runByteQuota: 1001 } }, file, log);
  expect(store.get('jobExecutions', tenant, id)?.id).toBe(id);
});
