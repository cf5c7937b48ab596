// The times of a run are those at which the operator saw it, wherever the service's host is and whatever it writes.
import { describe, expect, test } from 'vitest';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { runMarker } from '../../../../src/operator/reconcile/ledger/naming.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { durationText } from '../../../../src/operator/reconcile/status/run-fields.ts';
import { nextStatus } from '../../../../src/operator/reconcile/status/status.ts';
import { executionMarker, jobExecution } from '../../../../src/wire/jobs.ts';
import { factsOf, iso, ledgerOf, monotonic, situationOf, uid, wall } from '../support.ts';

const hour = 3_600_000;
const second = 1_000;
const marker = runMarker(uid, 1);
const atMs = (ms: number): string => iso(ms).replace(/\.\d+Z$/, 'Z');

/** As Sahara writes it: without a zone, this long after UTC. */
const local = (ms: number, offset: number): string => iso(ms + offset).slice(0, 19);

interface Seen {
  readonly state: string;
  readonly message?: string;
  readonly code?: number;
  readonly termination?: object;
  readonly queued?: boolean;
  readonly start?: unknown;
  readonly end?: unknown;
}

/** One resource over its passes, each with what the service says at that time. Nothing is remembered but its status. */
function run(spec: object = {}, { creation = wall - 60 * second, attempt = 1 } = {}) {
  const name = runMarker(uid, attempt);
  const claims = [{ role: 'main', collection: 'job-executions', name, id: 'id-1' }] as const;
  let status: Readonly<Record<string, unknown>> = { observedGeneration: -1 };
  const see = (now: number, seen: Seen): Plan => {
    const { state, start: start_time, end: end_time, code: return_code, ...info } = seen;
    const configs = { [executionMarker]: name };
    const fields = { id: 'id-1', info: { status: state, ...info }, start_time, end_time, return_code };
    const row = jobExecution.parse({ ...fields, job_configs: { configs } });
    const options = {
      kind: jobExecutionKind,
      spec: { jobID: uid, clusterID: uid, ...spec },
      metadata: { creationTimestamp: atMs(creation) },
      status,
      ledger: ledgerOf(claims),
      rows: [row],
      now: { wall: now, monotonic: monotonic + now - wall },
    };
    const input = situationOf(options);
    const next = plan(input);
    const outcome = 'outcome' in next ? next.outcome : (next as Extract<Plan, { action: 'update' }>).report.outcome;
    const { kind, ledger, memory } = input;
    const result = { kind, facts: factsOf(options), outcome, ledger, remote: row, resolutions: [], memory };
    status = nextStatus({ ...result, now: options.now }) ?? status;
    return next;
  };
  return {
    see,
    get status() {
      return status;
    },
    replace: (fields: object) => {
      status = { ...status, ...fields };
    },
  };
}

const zones: readonly (readonly [where: string, start: (ms: number) => unknown])[] = [
  ['in UTC', (ms) => local(ms, 0)],
  ['in New York', (ms) => local(ms, -5 * hour)],
  ['in Tokyo', (ms) => local(ms, 9 * hour)],
  ['in Kathmandu', (ms) => local(ms, 5.75 * hour)],
  ['with a clock that is 90 s ahead', (ms) => local(ms, 90 * second)],
  ['with a clock that is 90 s behind', (ms) => local(ms, -90 * second)],
  ['in the year 1970', () => '1970-01-01T00:00:00'],
  ['in the year 9999', () => '9999-12-31T23:59:59'],
  ['without a time', () => null],
  ['with a text in place of a time', () => 'yesterday'],
  ['with a time of a million characters', () => '2'.repeat(1_000_000)],
];

describe.each(zones)('a service %s', (_where, start) => {
  test('a run starts when it is first seen under way, and its deadline counts from then', () => {
    const { see } = run({ activeDeadlineSeconds: 3600 }, { creation: wall - 10 * hour });
    const begun = start(wall - 5 * second);
    expect(see(wall - 10 * second, { state: 'PENDING' }).action).toBe('none');
    const first = see(wall, { state: 'RUNNING', start: begun });
    expect(first).toMatchObject({ action: 'none', outcome: { reason: 'Running', afterMs: 3600 * second } });
    expect(see(wall + 3599 * second, { state: 'RUNNING', start: begun }).action).toBe('none');
    expect(see(wall + 3600 * second, { state: 'RUNNING', start: begun })).toMatchObject({
      action: 'update',
      report: { outcome: { reason: 'Cancelling' } },
    });
  });

  test('its duration is the time between both sights, and stays after its end', () => {
    const one = run();
    one.see(wall, { state: 'RUNNING', start: start(wall) });
    expect(one.status).toMatchObject({ startTime: atMs(wall) });
    expect(one.status).not.toHaveProperty('completionTime');
    const ended = { state: 'SUCCEEDED', start: start(wall), end: null };
    one.see(wall + 90 * second, ended);
    const times = { startTime: atMs(wall), completionTime: atMs(wall + 90 * second), duration: '1m30s' };
    expect(one.status).toMatchObject(times);
    one.see(wall + hour, { ...ended, end: start(wall + hour) });
    expect(one.status).toMatchObject(times);
  });

  test('a run that was never seen under way took as long as the service says, if it says so, and not longer than it can have', () => {
    const one = run({}, { creation: wall - hour });
    one.see(wall, { state: 'FAILED', start: start(wall - 20 * second), end: start(wall - 5 * second) });
    const { startTime, completionTime, duration } = one.status;
    expect(completionTime).toBe(atMs(wall));
    if (start(0) === start(hour)) expect([undefined, '0s']).toContain(duration);
    else expect([startTime, duration]).toEqual([atMs(wall - 15 * second), '15s']);
  });
});

test('a run cannot have taken longer than its resource exists', () => {
  const one = run({}, { creation: wall - 30 * second });
  one.see(wall, { state: 'SUCCEEDED', start: local(wall, -5 * hour), end: local(wall, 0) });
  expect(one.status).toMatchObject({ startTime: atMs(wall - 30 * second), duration: '30s' });
});

test('an end before the start, as when clocks are set back in the middle, is no duration', () => {
  const one = run();
  one.see(wall, { state: 'SUCCEEDED', start: local(wall, 0), end: local(wall, -hour) });
  expect(one.status).toMatchObject({ completionTime: atMs(wall) });
  expect(one.status).not.toHaveProperty('duration');
});

test('a run that was cancelled before it began has no start', () => {
  const one = run({ cancel: true });
  one.see(wall, { state: 'TOBEKILLED' });
  one.see(wall + second, { state: 'KILLED' });
  expect(one.status).toMatchObject({ state: 'Failed', completionTime: atMs(wall + second) });
  expect(one.status).not.toHaveProperty('startTime');
});

test.each([
  ['in the past, as copied from a service in New York', -5 * hour, -60 * second],
  ['in the future, as copied from a service in Tokyo', 9 * hour, 0],
])('a start that an earlier version wrote is corrected: %s', (_what, offset, expected) => {
  const one = run({ activeDeadlineSeconds: 3600 });
  one.see(wall, { state: 'RUNNING' });
  one.replace({ startTime: atMs(wall + offset) });
  expect(one.see(wall, { state: 'RUNNING' }).action).toBe('none');
  expect(one.status).toMatchObject({ startTime: atMs(wall + expected) });
});

test.each([
  [{ code: 3, message: 'all is well' }, 'the run failed with exit code 3: all is well'],
  [{ code: 5, message: 'the program ended with exit code 5' }, 'the run failed: the program ended with exit code 5'],
  [{ code: 3 }, 'the run failed with exit code 3'],
  [{ message: 'all is well' }, 'the run failed: all is well'],
  [{}, 'the run failed'],
])('the message of a failed run leads with its exit code: %j', (said, message) => {
  const one = run();
  one.see(wall, { state: 'FAILED', ...said });
  expect(one.status['conditions']).toContainEqual(expect.objectContaining({ type: 'Failed', message }));
});

const sent =
  'If the program did not choose this exit code, find out what sent the signal, such as a computer that is out of memory';
test.each([
  ['OOMKilled', { code: 137, message: 'give it more memory' }, 'with exit code 137 (OOMKilled): give it more memory'],
  ['Evicted', { message: 'run it again' }, ': run it again'],
  ['Signal', { code: 143, message: 'all is well' }, `with exit code 143: all is well. ${sent}`],
  ['Error', { code: 3 }, 'with exit code 3'],
  ['Lost', { message: 'its pod was lost' }, ': its pod was lost'],
])('the reason of a failed run tells who ended its program: %s', (reason, said, text) => {
  const own = ['Error', 'Lost'].includes(reason) ? 'Failed' : reason;
  const one = run({ cluster: { keepOnFailureSeconds: 60 }, clusterID: undefined });
  one.see(wall, { state: 'FAILED', termination: { reason }, ...said });
  const message = `the run failed${text.startsWith(':') ? '' : ' '}${text}`;
  const told = one.status['conditions'];
  for (const type of ['Ready', 'Failed', 'Stalled'])
    expect(told).toContainEqual(expect.objectContaining({ type, reason: own, message }));
  expect(one.status).toMatchObject({ state: 'Failed' });
  one.see(wall + second, { state: 'RUNNING' });
  expect(one.status).toMatchObject({ state: 'Failed', conditions: told });
});

test.each(['SUCCEEDED', 'KILLED'])('what ended the program of a run that is %s is no reason', (state) => {
  const one = run();
  one.see(wall, { state, termination: { reason: 'Evicted' } });
  const reason = state === 'KILLED' ? 'Failed' : 'Succeeded';
  expect(one.status['conditions']).toContainEqual(expect.objectContaining({ type: 'Ready', reason }));
});

test('the next attempt has times of its own', () => {
  const one = run({ retries: 1 }, { attempt: 2 });
  one.replace({ externalName: marker, startTime: atMs(wall - 40 * second), completionTime: atMs(wall) });
  one.see(wall + second, { state: 'RUNNING' });
  expect(one.status).toMatchObject({ startTime: atMs(wall + second) });
  expect(one.status).not.toHaveProperty('completionTime');
});

test('a run that waits in a queue is not late, and its deadline counts from when it has left the queue', () => {
  const one = run({ activeDeadlineSeconds: 60 });
  const message = 'waiting in queue night';
  for (const passed of [0, 72 * hour]) {
    const { action, outcome } = one.see(wall + passed, { state: 'PREP', queued: true, message, start: atMs(wall) }) as {
      action: string;
      outcome?: object;
    };
    expect(action).toBe('none');
    expect(outcome).toMatchObject({ reason: 'Queued', untimed: true, message: expect.stringContaining(message) });
  }
  expect(one.status).not.toHaveProperty('startTime');
  expect(one.see(wall, { state: 'PREP' })).toMatchObject({ outcome: { reason: 'Queued', untimed: false } });
  const admitted = wall + 73 * hour;
  expect(one.see(admitted, { state: 'RUNNING' })).toMatchObject({
    outcome: { reason: 'Running', afterMs: 60 * second },
  });
  // Kueue may let it wait again before its program begins.
  expect(one.see(admitted + hour, { state: 'PREP', queued: true })).toMatchObject({ outcome: { reason: 'Queued' } });
  expect(one.status).not.toHaveProperty('startTime');
  one.see(admitted + 2 * hour, { state: 'RUNNING' });
  expect(one.status).toMatchObject({ startTime: atMs(admitted + 2 * hour) });
});

test('a creation time ahead of the clock of the operator does not change the start in each pass', () => {
  const one = run({}, { creation: wall + 5 * second });
  const seen = [0, 1, 2].map((passed) => {
    one.see(wall + passed * second, { state: 'RUNNING' });
    return one.status['startTime'];
  });
  expect(seen).toEqual([atMs(wall), atMs(wall), atMs(wall)]);
});

test.each([
  [0, '0s'],
  [-5_000, '0s'],
  [45_400, '45s'],
  [60_000, '1m'],
  [90_000, '1m30s'],
  [3_600_000, '1h'],
  [7_500_000, '2h5m'],
])('a duration of %i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
