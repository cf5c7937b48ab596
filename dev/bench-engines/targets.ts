// Which of the promised figures of real clusters were met.
import type { runPhases } from './phases.ts';
import { median } from './setting.ts';

type Figures = Awaited<ReturnType<typeof runPhases>>;

const activeSeconds = 8;
const jobSeconds = 2;
const querySeconds = 1;
const workersSeconds = 5;
const packagesSeconds = 1;

export function compareWithTargets({ active, jobs, connect, workers, packages, many: { left } }: Figures) {
  const more = median(jobs.map(({ seconds, byHand }) => seconds - byHand));
  const later = connect && connect.first - connect.byHand;
  const rest = left.processes.length + left.folders.length;
  return {
    active: {
      promised: `at most ${activeSeconds} s for one master and two workers`,
      measured: active,
      met: active <= activeSeconds,
    },
    job: { promised: `at most ${jobSeconds} s more than by hand (median)`, measured: more, met: more <= jobSeconds },
    ...(later !== undefined && {
      connect: {
        promised: `first query of Spark Connect at most ${querySeconds} s later than by hand`,
        measured: later,
        met: later <= querySeconds,
      },
    }),
    workers: {
      promised: `${workers.more} more workers at most ${workersSeconds} s later than by hand`,
      measured: workers.alive - workers.byHand,
      met: workers.alive - workers.byHand <= workersSeconds,
    },
    ...(packages && {
      packages: {
        promised: `a job with packages at most ${packagesSeconds} s longer the second time`,
        measured: packages.again - packages.without,
        met: packages.again - packages.without <= packagesSeconds,
      },
    }),
    left: { promised: 'no process and no folder is left', measured: rest, met: rest === 0 },
  };
}
