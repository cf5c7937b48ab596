// What hostile tenants and pods can do to the memory of the service and to another tenant's reads, under the memory limit of the deployment.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { peakRssMiBOf, resetPeakRss } from '../../bench/processes.ts';
import { startService } from '../../demo/launch.ts';
import type { Programs } from '../../demo/programs.ts';
import type { Loaded } from '../load.ts';
import * as attacks from './attacks.ts';
import { createMemoryGroup } from './memory-group.ts';

export interface AttackReport {
  /** How often each status was answered. */
  readonly statuses: attacks.Statuses;
  /** Of the reads of another tenant meanwhile. */
  readonly get: Loaded['milliseconds'];
  readonly peakRssMiB: number;
}

export interface HostileReport {
  /** `control group`, or `heap` where none can be made: then only the heap is limited, as it is in the deployment. */
  readonly limitedBy: 'control group' | 'heap';
  readonly limitMiB: number;
  /** How the process ended, as in `SIGKILL`. Undefined if it did not. */
  readonly ended: string | undefined;
  readonly attacks: Readonly<Record<string, AttackReport>>;
}

interface Hostile {
  readonly programs: Programs;
  readonly folder: string;
  readonly limitMiB: number;
  readonly print: (line: string) => void;
}

/** In their order: later ones use the rows of earlier ones. Hostile pages are asked all the time. */
const all: readonly (readonly [name: string, attack: (url: string) => Promise<attacks.Statuses>])[] = [
  ['uploads', attacks.upload],
  ['objects', attacks.sendObjects],
  ['rows', attacks.fillRows],
  ['listsUnread', attacks.leaveListsUnread],
  ['listsRead', attacks.readLists],
  ['rowsUnread', attacks.leaveRowsUnread],
  ['smallUnread', attacks.leaveSmallUnread],
];

export async function measureHostile({ programs, folder, limitMiB, print }: Hostile): Promise<HostileReport> {
  const group = await createMemoryGroup(`dataprocessing-bench-${process.pid}`, limitMiB * 1024 ** 2);
  const pages = new Worker(join(import.meta.dirname, 'pages.ts'));
  const [pagesUrl] = (await once(pages, 'message')) as [string];
  const flags = ['--port', '0', '--data', join(folder, 'hostile.sqlite'), '--log-level', 'error'];
  const { program, url } = await startService(programs, flags, {
    script: 'dev/bench-service/hostile/launch.ts',
    environment: {
      HOSTILE_PAGES: pagesUrl,
      HEAP_MIB: String(Math.floor(limitMiB / 2)),
      ...(group && { MEMORY_GROUP_ENTRY: group.entry }),
    },
  });
  const reports: Record<string, AttackReport> = {};
  for (const [name, attack] of all) {
    if (program.ended() !== undefined) break;
    print(`Attacking the service under a limit of ${limitMiB} MiB: ${name}.`);
    resetPeakRss(program.pid);
    const [statuses, get] = await whileRead(url, () => attack(url));
    if (program.ended() === undefined) reports[name] = { statuses, get, peakRssMiB: peakRssMiBOf(program.pid) };
  }
  const ended = program.ended();
  if (ended === undefined) await program.end('SIGTERM', 30_000);
  await pages.terminate();
  await group?.remove();
  return { limitedBy: group === undefined ? 'heap' : 'control group', limitMiB, ended, attacks: reports };
}

/** The result of the work, and how long the reads of another tenant took meanwhile. */
async function whileRead<T>(url: string, work: () => Promise<T>): Promise<readonly [T, Loaded['milliseconds']]> {
  const reader = new Worker(join(import.meta.dirname, 'reader.ts'), { workerData: url });
  const result = await work();
  reader.postMessage('stop');
  const [get] = (await once(reader, 'message')) as [Loaded['milliseconds']];
  return [result, get];
}
