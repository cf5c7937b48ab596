// One service at a time uses a folder of machines: two would start each other's processes again.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../lib/errors.ts';
import { isAlive, ownRecord, readRecord } from './process-record.ts';

/** Takes the folder for this process and returns what gives it back. Throws an Error that names the process that has it. */
export function ownFolder(machines: string): () => void {
  mkdirSync(machines, { recursive: true, mode: 0o700 });
  const file = join(machines, 'service.process');
  for (;;) {
    const owner = readRecord(file);
    if (owner !== undefined && isAlive(owner))
      throw new Error(
        `cannot use ${machines}: the service with process id ${owner.pid} runs its clusters: stop it, or choose another folder with --machines`,
      );
    rmSync(file, { force: true });
    try {
      writeFileSync(file, ownRecord(), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      // Another service was faster.
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}
