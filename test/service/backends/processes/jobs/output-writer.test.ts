// The program that writes the output of a run that is a process, on a real volume that becomes full.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { outputWriter } from '../../../../../src/service/backends/runs/output.ts';
import { limitMs } from '../../../../support/patience.ts';
import { findVolumeProblem, smallVolume } from '../../../support/small-volume.ts';

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

const low = 256 * 1024;
const line = `${'x'.repeat(1023)}\n`;

test.skipIf(problem !== undefined).each(['fill', 'fillFiles'] as const)(
  'it leaves the last room to others, and says what is missing (%s)',
  async (fill) => {
    const small = smallVolume('8m,nr_inodes=300');
    const output = join(small.folder, 'output');
    mkdirSync(output);
    const args = ['-e', outputWriter, output, String(4 * 1024 ** 2), String(low)];
    const writer = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] });
    onTestFinished(() => void writer.kill('SIGKILL'));
    const text = () =>
      readdirSync(output)
        .map((name) => readFileSync(join(output, name), 'utf8'))
        .join('');
    const print = (what: string) => new Promise<void>((done) => void writer.stdin.write(what, () => done()));
    await print('before\n');
    await vi.waitFor(() => expect(text()).toBe('before\n'), limitMs);
    small[fill](...(fill === 'fill' ? [low - 8192] : []));
    const free = small.free();
    for (let count = 0; count < 1000; count += 1) await print(line);
    // The socket that Node gives a program as its input has room for less than this, so the writer has read most of it.
    expect([text(), small.free()]).toEqual(['before\n', free]);
    small.empty();
    writer.stdin.end('after\n');
    await once(writer, 'exit');
    const [, missing] = /^before\n\n\[(\d+) bytes are missing here: the volume was full\]\n/.exec(text()) ?? [];
    expect(Number(missing)).toBeGreaterThan(0);
    expect(text()).toMatch(/x\nafter\n$|full\]\nafter\n$/);
  },
);
