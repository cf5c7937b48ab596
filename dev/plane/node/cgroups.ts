// The cgroups of a node: one below the root of each hierarchy, in which the kubelet makes those of the pods.
//
// Namespaces vanish with their last process. Cgroups do not, so whoever ends a plane removes them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../src/lib/errors.ts';

/** A killed process leaves its cgroup a little later than it ends. */
const BUSY_LIMIT_MS = 10_000;
const PAUSE_MS = 50;

/** The name of the cgroup of the plane in `directory`. Anyone who knows the directory can remove it. */
export function cgroupOf(directory: string): string {
  return `dataprocessing-plane-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`;
}

export async function createCgroups(name: string): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) await mkdir(join(hierarchy, name), { recursive: true });
}

/** Removes the cgroups and all below them, once their processes have ended. Does nothing if there are none. */
export async function removeCgroups(name: string): Promise<void> {
  const end = performance.now() + BUSY_LIMIT_MS;
  for (const hierarchy of await cgroupHierarchies()) await removeTree(join(hierarchy, name), end);
}

/** The one of version 2, or all of version 1. */
export async function cgroupHierarchies(root = '/sys/fs/cgroup'): Promise<readonly string[]> {
  if (!existsSync(root)) return [];
  if (existsSync(join(root, 'cgroup.controllers'))) return [root];
  // Links such as cpu -> cpu,cpuacct lead to the same hierarchy once more.
  const entries = await readdir(root, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

async function removeTree(path: string, end: number): Promise<void> {
  if (!existsSync(path)) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(join(path, entry.name), end);
  }
  await removeWhenFree(path, end);
}

async function removeWhenFree(path: string, end: number): Promise<void> {
  for (;;) {
    try {
      await rmdir(path);
      return;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      if (!hasCode(error, 'EBUSY') || performance.now() > end) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
