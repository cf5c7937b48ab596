// Which processes belong to a machine or a run, also those whose environment nobody may read.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { endProcessesOfRun } from '../../../../../src/service/backends/processes/clusters/leftovers.ts';
import {
  type ProcessState,
  readRecord,
} from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import {
  look,
  lookNow,
  machineMark,
  runMark,
  Sight,
} from '../../../../../src/service/backends/processes/clusters/sight.ts';
import { limitMs } from '../../../../support/patience.ts';
import { watchLooks } from './looks.ts';
import { isAlive } from './machine-scene.ts';

const processOf = (pid: number, more: Partial<ProcessState> = {}): ProcessState => ({
  pid,
  startedAt: `${pid}`,
  state: 'S',
  parent: 1,
  session: pid,
  ...more,
});
const ofA = [`${machineMark}=a`, `${runMark}=run-a`];
const pidsOf = (records: readonly { readonly pid: number }[]): readonly number[] => records.map(({ pid }) => pid);

describe('a process whose environment is protected or empty', () => {
  const first = processOf(10);

  test.each([
    ['belongs to what has started it', [{ process: processOf(11, { parent: 10 }), marks: undefined }], [10, 11]],
    ['belongs to what leads its session', [{ process: processOf(11, { session: 10 }), marks: undefined }], [10, 11]],
    [
      'belongs to what has started what has started it',
      [
        { process: processOf(12, { parent: 11 }), marks: undefined },
        { process: processOf(11, { parent: 10 }), marks: undefined },
      ],
      [12, 11, 10],
    ],
    ['is foreign without any of this', [{ process: processOf(11), marks: undefined }], [10]],
    [
      'does not count once it has ended',
      [{ process: processOf(11, { parent: 10, state: 'Z' }), marks: undefined }],
      [10],
    ],
    ['belongs to nothing if its parent shows none', [{ process: processOf(11, { parent: 10 }), marks: [] }], [10]],
    [
      'is no endless loop',
      [
        { process: processOf(12, { parent: 11 }), marks: undefined },
        { process: processOf(11, { parent: 12 }), marks: undefined },
      ],
      [10],
    ],
  ] as const)('%s', (_what, others, pids) => {
    const sight = new Sight([...others, { process: first, marks: ofA }]);
    expect(new Set(pidsOf(sight.ofMachine('a')))).toEqual(new Set(pids));
    expect(new Set(pidsOf(sight.ofRun('run-a', undefined)))).toEqual(new Set(pids));
  });

  test('is one of the run in whose session it is, as long as the first process of that is there', () => {
    const others = [
      { process: first, marks: [] },
      { process: processOf(11, { session: 10 }), marks: undefined },
    ];
    expect(pidsOf(new Sight(others).ofRun('run-a', first))).toEqual([10, 11]);
    expect(pidsOf(new Sight(others).ofRun('run-a', { ...first, startedAt: 'before' }))).toEqual([]);
  });
});

/** A process with the mark of the run, and one that it has started. */
async function startRun(run: string): Promise<readonly [ChildProcess, child: number]> {
  const env = { PATH: process.env['PATH'], [runMark]: run };
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const script = 'sleep 1000 & echo $!; wait';
  const first = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: [...stdio] });
  onTestFinished(() => {
    if (first.pid !== undefined && first.exitCode === null && first.signalCode === null)
      process.kill(-first.pid, 'SIGKILL');
  });
  const [text] = (await once(first.stdout as NonNullable<typeof first.stdout>, 'data')) as [Buffer];
  return [first, Number(text.toString())];
}

test('the end of a run waits for a program that is protected', async () => {
  const run = `protected-of-${process.pid}`;
  const [first, child] = await startRun(run);
  watchLooks().protect(child);
  const record = readRecord(`/proc/${first.pid}/stat`);
  await vi.waitFor(() => expect(pidsOf(lookNow().ofRun(run, undefined))).toContain(child), limitMs);
  const options = { clock: systemClock, signal: new AbortController().signal, graceMs: 1_000 };
  await endProcessesOfRun(run, record, options);
  expect(lookNow().ofRun(run, record)).toEqual([]);
  expect(isAlive(readRecord(`/proc/${child}/stat`))).toBe(false);
});

test('who looks at the same time shares a look, which is taken after all have asked', async () => {
  const watched = watchLooks();
  const [one, other] = [look(), look()];
  expect(watched.looks).toBe(0);
  expect(await one).toBe(await other);
  expect(watched.looks).toBe(1);
  expect(await look()).not.toBe(await one);
  expect(watched.looks).toBe(2);
});

test('the runs that are ended at the same time share their looks', async () => {
  const watched = watchLooks();
  const options = { clock: systemClock, signal: new AbortController().signal, graceMs: 1_000 };
  const ids = Array.from({ length: 150 }, (_, index) => `none-${index}-of-${process.pid}`);
  await Promise.all(ids.map((id) => endProcessesOfRun(id, undefined, options)));
  expect(watched.looks).toBe(1);
});
