// The figures of leadership: which replica leads, and how often that has changed.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Leadership } from '../reconcile/ports.ts';
import { prefix } from './labels.ts';

export interface Led extends Leadership {
  /** How often the lease has changed hands since it was made, as it says itself; undefined before it was seen. */
  transitions(): number | undefined;
}

/** Reads it whenever the metrics are fetched. */
export function measureLeadership(registry: Registry, led: Led): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}leader`,
    help: '1 if this replica leads, 0 if it stands by.',
    registers,
    collect() {
      this.set(led.leading() ? 1 : 0);
    },
  });
  new Counter({
    name: `${prefix}lease_transitions_total`,
    help: 'Changes of the leader, as recorded in the lease.',
    registers,
    collect() {
      const count = led.transitions();
      this.reset();
      // From a 0 that nobody read, Prometheus would see all changes since the lease was made happen at once.
      if (count === undefined) this.remove();
      else this.inc(count);
    },
  });
}
