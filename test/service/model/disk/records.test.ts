// A process records itself before its program begins: whole, at most once, and not at all on a full disk.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import {
  readRecord,
  recordItself,
  startProcess,
  startRecorded,
} from '../../../../src/service/backends/processes/clusters/process-record.ts';
import { Transient } from '../../../../src/service/model/disk/transient.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const begun = join(folder, 'begun');
  const command = { file: '/bin/sh', args: ['-c', `echo begun >> ${begun}`], env: {} };
  const signal = new AbortController().signal;
  return { folder, begun, command, options: { clock: systemClock, signal, log: join(folder, 'log'), folder } };
}

test.skipIf(problem !== undefined)(
  'on a full disk it does not begin, leaves nothing, and begins when there is room',
  async () => {
    const { begun, command, options } = scene();
    const { folder, fill, empty } = smallVolume('1m');
    const record = join(folder, 'process');
    fill();
    await expect(startProcess(command, { ...options, record })).rejects.toBeInstanceOf(Transient);
    expect([existsSync(begun), readdirSync(folder)]).toEqual([false, ['filler']]);
    empty();
    await startProcess(command, { ...options, record });
    await expect.poll(() => existsSync(begun)).toBe(true);
    expect(readdirSync(folder)).toEqual(['process']);
  },
);

test('it does not begin if there is a record, or a tombstone, and leaves that alone', async () => {
  const { folder, begun, command, options } = scene();
  const record = join(folder, 'process');
  const first = await startRecorded(`${recordItself}exec "$@"`, command, { ...options, record });
  expect(await startRecorded(`${recordItself}exec "$@"`, command, { ...options, record })).toEqual(first);
  await expect.poll(() => existsSync(begun)).toBe(true);
  expect(readRecord(record)).toEqual(first);
  writeFileSync(record, 'killed');
  await expect(startRecorded(`${recordItself}exec "$@"`, command, { ...options, record })).rejects.toThrow(
    'does not start',
  );
  expect([readFileSync(record, 'utf8'), readFileSync(begun, 'utf8')]).toEqual(['killed', 'begun\n']);
});
