// A control group with a memory limit, as a container has one, where this machine lets us make one.
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MemoryGroup {
  /** A process enters by writing its number into this file. */
  readonly entry: string;
  remove(): Promise<void>;
}

/** The folder of the hierarchy and the file of the limit: of version 1, and of version 2. */
const hierarchies = [
  ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
  ['/sys/fs/cgroup', 'memory.max'],
] as const;

/** Undefined where the kernel or our rights do not allow one. */
export async function createMemoryGroup(name: string, bytes: number): Promise<MemoryGroup | undefined> {
  for (const [folder, limit] of hierarchies) {
    const group = join(folder, name);
    try {
      await mkdir(group);
    } catch {
      continue;
    }
    try {
      await writeFile(join(group, limit), String(bytes), { flag: 'r+' });
      return { entry: join(group, 'cgroup.procs'), remove: () => rmdir(group) };
    } catch {
      await rmdir(group);
    }
  }
  return undefined;
}
