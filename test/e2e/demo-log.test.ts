// After a failure, the demo keeps the logs of the programs whose folder it removes.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepLog } from '../../dev/demo/programs.ts';

test('a kept log has the name of its program, and replaces the one of an earlier failure', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-log-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const logFile = join(folder, 'operator-2.log');
  for (const text of ['first', 'second']) {
    await writeFile(logFile, text);
    const kept = await keepLog({ name: 'operator', logFile }, join(folder, 'kept', 'logs'));
    expect(kept).toBe(join(folder, 'kept', 'logs', 'operator.log'));
    expect(await readFile(kept, 'utf8')).toBe(text);
  }
});
