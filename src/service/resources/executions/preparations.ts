// The places in which runs are prepared. A preparation writes to the disk before it waits for anything, and holds a file of the run in memory, so that all runs
// that have waited for one cluster must not begin at once.
import { TenantPlaces } from '../../../lib/timing/places.ts';

/** How many there are, of which one tenant gets half. */
export const mostPreparations = 16;

export class Preparations extends TenantPlaces {
  /** `hasRoom`: whether one more run may begin at all, beside those that are beginning. */
  constructor(hasRoom?: (beginning: number) => boolean) {
    super(mostPreparations, hasRoom);
  }
}
