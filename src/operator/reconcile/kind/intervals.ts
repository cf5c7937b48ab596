// How often the objects of a service are observed. PURE.
import type { ServiceLookup } from '../pass-ports.ts';

/** The LISTs of a kind take no more than this part of the requests that the service gets, so that passes which wait for a write get the others. */
const listPart = 0.25;
/** Between two observations of a load that something follows. The bundled service asks an engine as often. */
const loadMs = 5_000;

/** The shortest time between two LISTs of a kind. */
export function leastListMs(service: ServiceLookup): number {
  return service.state === 'usable' ? 1_000 / (service.service.budget.limits.requestsPerSecond * listPart) : 0;
}

/** The same between two observations of a load that something follows. */
export function loadPollMs(service: ServiceLookup, steadyMs: number): number {
  return Math.min(steadyMs, Math.max(loadMs, leastListMs(service)));
}
