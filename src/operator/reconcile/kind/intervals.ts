// How often the objects of a service are observed.
import type { ServiceLookup } from '../pass-ports.ts';

/** The LISTs of all kinds together take no more than this part of the requests that the service gets, so that passes which wait for a write get the others. */
const listPart = 0.5;
/** Between two observations of a load that something follows. The bundled service asks an engine as often. */
const loadMs = 5_000;

/** The shortest time between two LISTs of a kind. */
export function leastListMs(service: ServiceLookup): number {
  if (service.state !== 'usable') return 0;
  const { budget, inventory } = service.service;
  return (1_000 * inventory.listed) / (budget.limits.requestsPerSecond * listPart);
}

/** The same between two observations of a load that something follows. */
export function loadPollMs(service: ServiceLookup, steadyMs: number): number {
  return Math.min(steadyMs, Math.max(loadMs, leastListMs(service)));
}
