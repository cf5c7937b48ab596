// Finds the child of a process that has only one.
import { readFileSync } from 'node:fs';

/** Of a process with one thread. Undefined if it has no child, or has ended itself. */
export function childOf(pid: number): number | undefined {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? undefined : Number(child);
  } catch {
    return undefined;
  }
}
