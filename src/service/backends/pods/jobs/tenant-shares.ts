// Divides how often the service asks about runs among their tenants.

/**
 * A set of runs that the service asks about again and again. Each tenant that has any gets an equal share of the questions, so that how many runs one
 * has delays only its own.
 */
export class TenantShares {
  /** None of the sets is empty. */
  readonly #runs = new Map<string, Set<string>>();

  add(tenant: string, run: string): void {
    const runs = this.#runs.get(tenant) ?? new Set();
    this.#runs.set(tenant, runs.add(run));
  }

  delete(tenant: string, run: string): void {
    const runs = this.#runs.get(tenant);
    runs?.delete(run);
    if (runs?.size === 0) this.#runs.delete(tenant);
  }

  /** How long each run of the tenant has to wait between two questions, in ms, so that all runs together are asked about once in `allMs`. */
  intervalMs(tenant: string, allMs: number): number {
    return allMs * this.#runs.size * (this.#runs.get(tenant)?.size ?? 0);
  }
}
