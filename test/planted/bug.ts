// A bug that is planted, and the suite that has to notice.
import type { Scenario } from '../exhaustive/check.ts';
import type { Plant } from './ground.ts';

export interface Bug {
  readonly name: string;
  /** What it breaks, by the numbers of the protocol; for a bug of the exhaustive check the number that it must find. */
  readonly breaks: string;
  readonly plant: Plant;
  readonly suite: Suite;
}

export type Suite =
  /** Every state of one small world, that of a cluster unless told otherwise. */
  | {
      readonly world: Pick<Scenario, 'replicas' | 'bounds'> & Partial<Pick<Scenario, 'kind' | 'rival' | 'more'>>;
      /** From so many of the states it is followed to its end, where it must notice then. */
      readonly ends?: number;
    }
  /** One file of tests, below `test`; `only`: those whose name holds it. */
  | { readonly tests: string; readonly only?: string };
