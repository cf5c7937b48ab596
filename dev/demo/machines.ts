// What real clusters have on this computer: the processes of their machines and runs.

import { lookNow } from '../../src/service/backends/processes/clusters/sight.ts';
import { contentsOf } from '../../src/service/backends/processes/stop-and-clean.ts';

/** The identifiers of the machines and runs in the folder, each with what finds its processes. */
export function machinesIn(folder: string) {
  const { machines, runs } = contentsOf(folder);
  const found = [
    ...runs.map((id) => ({ id, find: () => lookNow().ofRun(id, undefined) })),
    ...machines.map((id) => ({ id, find: () => lookNow().ofMachine(id) })),
  ];
  return found.map((each) => ({ ...each, processes: each.find().map(({ pid }) => pid) }));
}
