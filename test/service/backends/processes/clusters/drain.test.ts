// Processes that die while machines are drained: none of them keeps the drain from its end, and no data is lost.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { drained, interrupted, killed, leavingIn, needed, withDrain } from './drain-scene.ts';
import { isAlive, kill, watch } from './machine-scene.ts';
import { drainingEngine } from './tiny-engine.ts';

describe('a drain ends', () => {
  test('when the process on the machine that leaves has died, because others do its work again', async () => {
    const { worker, drain } = await drained();
    kill(join(worker, 'datanode.process'));
    await drain;
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(false);
  });

  test('when a process that has data was started again after its death, and is done', async () => {
    const { worker, drain, relieve } = await drained(needed());
    await killed(join(worker, 'datanode.process'));
    relieve();
    await drain;
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(true);
  });

  test('when it takes too long, because others do what is left again', async () => {
    const engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']);
    const { worker, messages, drain } = await drained(withDrain(engine, { limitMs: () => 500 }));
    await drain;
    expect(messages.at(-1)).toBe('draining c-g-001: waiting until it has no work, for 0.5 s at most');
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(true);
  });

  test('with a failure when it takes too long, and the machine has data', async () => {
    const { drain } = await drained(withDrain(needed(), { limitMs: () => 500 }));
    await expect(drain).rejects.toThrow('datanode on c-g-001 has not been drained within 0.5 s');
  });

  test('when the head has died, and was started again with the machines that leave in its files', async () => {
    const { provisioner, head, drain, relieve } = await drained(undefined, fastClock(3));
    watch(provisioner);
    rmSync(join(head, 'conf/leaving.txt'));
    await killed(join(head, 'namenode.process'));
    expect(leavingIn(head)).toBe('c-g-001\n');
    relieve();
    await drain;
  });
});

describe('a drain that a newer scale interrupts', () => {
  test('leaves a machine that is used again: its process is another one, which takes work', async () => {
    const { provisioner, order, head, record, told } = await interrupted();
    await provisioner.configure(order, { added: [], removed: [] });
    const again = readRecord(record);
    expect([isAlive(again), again?.pid === told, leavingIn(head)]).toEqual([true, false, '']);
    await provisioner.configure(order, { added: [], removed: [] });
    expect(readRecord(record)?.pid).toBe(again?.pid);
  });
});
