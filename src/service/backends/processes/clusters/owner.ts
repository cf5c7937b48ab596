// One service at a time uses a folder of machines: two would start each other's processes again.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeOnce } from '../../../model/disk/atomic-files.ts';
import { anyRoom, type Room } from '../../../model/disk/volume.ts';
import { isAlive, ownRecord, readRecord } from './process-record.ts';

/** Takes the folder for this process and returns what gives it back. Throws an Error that names the process that has it. */
export function ownFolder(machines: string, room: Room = anyRoom): () => void {
  mkdirSync(machines, { recursive: true, mode: 0o700 });
  const file = join(machines, 'service.process');
  for (;;) {
    const owner = readRecord(file);
    if (owner !== undefined && isAlive(owner))
      throw new Error(
        `cannot use ${machines}: the service with process id ${owner.pid} runs its clusters: stop it, or choose another folder with --machines`,
      );
    rmSync(file, { force: true });
    // Otherwise another service was faster.
    if (room.insist(() => writeOnce(file, ownRecord()))) return () => rmSync(file, { force: true });
  }
}
