// Whatever goes wrong with a write, on either side: the end is the same as if nothing had. A selection; `npm run test:faults` runs all.
import { writeReport } from '../support/reports.ts';
import { figuresOf } from './run.ts';
import { overcomes } from './selection.ts';
import { writesAndDeeds } from './tables/cells.ts';

overcomes('a pairwise selection of writes, faults and workloads', writesAndDeeds, (outcomes, cells) =>
  writeReport('faults', figuresOf(outcomes, cells.length)),
);
