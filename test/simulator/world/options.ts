// What a simulated world can be given beside its plan, and what it tells of what is wrong.
import type { ApiWays } from '../api/api-way.ts';
import type { ServiceWays } from '../service/service-way.ts';
import type { Replica } from './replica.ts';
import type { World } from './world.ts';

export interface Violation {
  readonly invariant: string;
  readonly at: number;
  readonly what: string;
}

export interface WorldOptions {
  /** Told of each line of the trace; it is only counted without it. */
  readonly trace?: (line: string) => void;
  /** For tests of the tests: gets between the world and its replicas. */
  readonly planted?: Planted;
}

/** What a planted bug may change. */
export interface Planted {
  readonly api?: (way: ReturnType<ApiWays['of']>, world: World, replica: Replica) => ReturnType<ApiWays['of']>;
  readonly service?: (
    way: ReturnType<ServiceWays['of']>,
    world: World,
    replica: Replica,
  ) => ReturnType<ServiceWays['of']>;
}
