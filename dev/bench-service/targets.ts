// The targets of the service, beside the measured values. PURE.
import type { Target } from '../bench/targets.ts';
import type { Reports } from './phases.ts';

const atLeast = (limit: number, measured: number, unit: string): Target => ({
  target: `>= ${limit} ${unit}`,
  measured,
  met: measured >= limit,
});

export function compareWithTargets({
  createInMemory,
  createPersistent,
  read,
  list,
}: Reports): Readonly<Record<string, Target>> {
  const busiest = list.loop.busiestGap.cpuMs;
  return {
    reads: atLeast(3000, read.perSecond, 'GETs of one cluster/s'),
    createsInMemory: atLeast(1000, createInMemory.perSecond, 'creates of node group templates/s'),
    createsPersistent: atLeast(300, createPersistent.perSecond, 'creates of node group templates/s'),
    listSection: {
      target: `<= 100 ms without another turn of the event loop, in a list of ${list.clusters} clusters`,
      measured: busiest,
      met: busiest <= 100,
    },
  };
}
