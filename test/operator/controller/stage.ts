// Parts that tell when they were started and stopped, on a clock that stands still.
import type { Log } from '../../../src/lib/ports.ts';
import { Lifecycle, type Part } from '../../../src/operator/process/process-lifecycle.ts';
import { ManualClock } from '../../support/clock.ts';

export class Stage {
  readonly clock = new ManualClock(0);
  readonly story: string[] = [];
  readonly warnings: string[] = [];
  readonly log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_fields, message) => this.warnings.push(message),
    error: () => undefined,
  };

  part(name: string, rest: Partial<Part> = {}): Part {
    const note = (what: string) => void this.story.push(`${what} ${name}`);
    return { name, start: () => note('start'), stop: () => note('stop'), ...rest };
  }

  lifecycle(...parts: readonly Part[]): Lifecycle {
    return new Lifecycle({ parts, clock: this.clock, log: this.log });
  }
}
