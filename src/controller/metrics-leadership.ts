// The figures of leadership: which replica leads, and how often that has changed.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Leadership } from '../reconcile/ports.ts';
import { prefix } from './metrics-labels.ts';

export interface Led extends Leadership {
  /** How often the lease has changed hands since it was made, as it says itself. */
  transitions(): number;
}

/** Reads it whenever the metrics are fetched. */
export function measureLeadership(registry: Registry, led: Led): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}leader`,
    help: '1: this replica does the work. 0: it stands by.',
    registers,
    collect() {
      this.set(led.leading() ? 1 : 0);
    },
  });
  new Counter({
    name: `${prefix}lease_transitions_total`,
    help: 'How often the lease has changed hands, as all replicas see it.',
    registers,
    collect() {
      this.reset();
      this.inc(led.transitions());
    },
  });
}
