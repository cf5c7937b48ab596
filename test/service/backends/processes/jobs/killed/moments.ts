// The service is killed at moments of a submission, a wait and a kill. A program is started once, and never after a kill.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../../src/service/backends/processes/clusters/sight.ts';
import { openJobs, orderOf, script } from '../job-scene.ts';

/** Counts its starts, and ends when it may. */
const text = 'echo start >> "$STARTS"; while [ ! -e "$END" ]; do sleep 0.02; done; exit 4';

function scene() {
  const { root, create, files } = openJobs();
  const [starts, end] = [join(root, 'starts'), join(root, 'end')];
  const order = orderOf(script(text), { params: { STARTS: starts, END: end } });
  const { id } = order.execution;
  return {
    create,
    order,
    starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8').split('\n').length - 1 : 0),
    end: () => writeFileSync(end, ''),
    running: () => lookNow().ofRun(id, readRecord(files.paths(id).decision)).length,
    /** A life that makes these calls, and is killed so many ms after it has begun. Resolves to what it said. */
    life: async (calls: readonly string[], ms: number): Promise<string> => {
      const { signal: _, mains: __, ...given } = order;
      const program = 'test/service/backends/processes/jobs/killed/mortal.ts';
      const args = [program, root, text, JSON.stringify(given), ...calls];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      const closed = new Promise((resolve) => void child.on('close', (...how) => resolve(how)));
      child.stdout.on('data', (data: Buffer) => {
        if (said === '') setTimeout(() => child.kill('SIGKILL'), ms);
        said += data.toString();
      });
      // A life that ends on its own would show nothing.
      expect(await closed).toEqual([null, 'SIGKILL']);
      return said;
    },
  };
}

function whileSubmitting(ms: number): void {
  test('of a submission and a wait, twice: the third life finishes the run', async () => {
    const { create, order, starts, end, life } = scene();
    await life(['submit', 'finish'], ms);
    await life(['submit', 'finish'], ms);
    const jobs = create();
    await jobs.submit(order);
    end();
    expect(await jobs.finish(order)).toMatchObject({ status: 'FAILED', returnCode: 4 });
    expect(starts()).toBe(1);
  });

  test('of a submission that is cancelled by the next life: nothing runs, and nothing starts later', async () => {
    const { create, order, starts, running, life } = scene();
    await life(['submit'], ms);
    await create().kill(order);
    expect(running()).toBe(0);
    const before = starts();
    expect(before).toBeLessThanOrEqual(1);
    await create()
      .submit(order)
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([starts(), running()]).toEqual([before, 0]);
  });
}

function whileKilling(ms: number): void {
  test('of a kill: the next life finishes it, and nothing starts later', async () => {
    const { create, order, starts, running, life } = scene();
    if (ms > 5) await create().submit(order);
    const before = starts();
    await life(['kill'], ms);
    await create().kill(order);
    expect(running()).toBe(0);
    await create()
      .submit(order)
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(starts()).toBeLessThanOrEqual(Math.max(before, 1));
    expect(running()).toBe(0);
  });
}

export function killedAfter(moments: readonly number[]): void {
  describe.each(moments)('killed after %i ms', (ms) => {
    whileSubmitting(ms);
    whileKilling(ms);
  });
}
