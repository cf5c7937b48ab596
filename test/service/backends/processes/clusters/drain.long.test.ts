// More of what happens while machines are drained, beside what `drain.test.ts` has.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../src/service/backends/processes/clusters/sight.ts';
import type { EngineNode } from '../../../../../src/service/engines/engine.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { abortable, begun, drained, interrupted, killed, leavingIn, needed, withDrain } from './drain-scene.ts';
import { isAlive, kill, machine, watch } from './machine-scene.ts';
import { drainingEngine, page } from './tiny-engine.ts';

describe('a drain ends', () => {
  test('with a failure when a process that has data dies again and again, and the machine stays in use', async () => {
    const { provisioner, order, head, worker, drain } = await drained(needed());
    const record = join(worker, 'datanode.process');
    for (let time = 0; time < 3; time += 1) await killed(record);
    writeFileSync(join(worker, 'datanode.log'), 'the disk is broken\n');
    kill(record);
    await expect(drain).rejects.toThrow('datanode on c-g-001 has ended: the disk is broken');
    await provisioner.configure(order, { added: [], removed: [] });
    expect(isAlive(readRecord(record))).toBe(true);
    expect(leavingIn(head)).toBe('');
  });

  test.each([
    ['something would be lost', () => async () => '/a is open', '/a is open'],
    [
      'nobody knows whether something would be lost',
      () => async () => Promise.reject(new Error('no report')),
      'no report',
    ],
  ])('with a failure when it takes too long because %s, and says so before', async (_why, lacks, problem) => {
    const done = (node: EngineNode) => ({ url: page(node), wanted: 'it has no work', holds: () => true, lacks });
    const { messages, drain } = await drained(withDrain(needed(), { limitMs: () => 500, done }));
    await expect(drain).rejects.toThrow(`datanode on c-g-001 has not been drained within 0.5 s: ${problem}`);
    expect(messages).toContain(`draining c-g-001: waiting until it has no work, for 0.5 s at most: ${problem}`);
  });

  test('after what the worker has started was told, too, as often as it takes', async () => {
    const engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']);
    const { worker, drain, relieve } = await drained(withDrain(engine, { signalsChildren: true }));
    const record = readRecord(join(worker, 'datanode.process'));
    const children = () => (record === undefined ? [] : lookNow().childrenOf(record));
    // The signal ends it. Without the flag it stays.
    await vi.waitFor(() => expect(children()).toEqual([]), limitMs);
    relieve();
    await drain;
  });

  test('when the head has died, in a life of the service that has begun with the drain', async () => {
    const { create, order, head, drain, relieve, worker } = await drained(undefined, fastClock(3));
    // The life before has ended by now, as far as it matters.
    relieve();
    await drain;
    writeFileSync(join(worker, 'busy'), '');
    const next = create();
    watch(next);
    const again = await begun(next, order, head);
    await killed(join(head, 'namenode.process'));
    relieve();
    await again.drain;
  });
});

describe('a drain that a newer scale interrupts', () => {
  test('leaves a machine that is used again while others are drained', async () => {
    const { provisioner, order, record, told } = await interrupted();
    await provisioner.drain(order, [machine(0)]);
    const again = readRecord(record);
    expect([isAlive(again), again?.pid === told]).toEqual([true, false]);
  });

  test('leaves a machine that is drained on, whose process goes on', async () => {
    const { provisioner, order, record, told } = await interrupted();
    const { signal, abort } = abortable();
    const drain = provisioner.drain({ ...order, signal }, [machine(1)]);
    drain.catch(() => undefined);
    rmSync(join(record, '..', 'busy'));
    await drain;
    abort();
    expect(readRecord(record)?.pid).toBe(told);
  });
});
