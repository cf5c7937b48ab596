// Where clusters are, and what their machines share to trust each other.
import type { ClusterRecord } from '../records/records.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import type { PodPlace } from './manifests/layout.ts';
import { sharedSecret } from './manifests/manifests.ts';

interface PlacesOptions {
  readonly namespaceOf: (tenant: string) => string;
  readonly domain: string;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

export class ClusterPlaces {
  readonly #objects: Pick<ClusterObjects, 'secret'>;
  readonly #options: PlacesOptions;
  readonly #known = new Map<string, PodPlace>();

  constructor(objects: Pick<ClusterObjects, 'secret'>, options: PlacesOptions) {
    this.#objects = objects;
    this.#options = options;
  }

  /** The secret of a cluster stays the same, so it is read once. */
  async of(tenant: string, cluster: ClusterRecord): Promise<PodPlace> {
    return this.#known.get(this.#keyOf(tenant, cluster)) ?? (await this.find(tenant, cluster));
  }

  /** The secret is made if the cluster has none, or none any more. */
  async find(tenant: string, cluster: ClusterRecord): Promise<PodPlace> {
    const { namespaceOf, domain, createSecret } = this.#options;
    const namespace = namespaceOf(tenant);
    const secret = await this.#objects.secret(sharedSecret(cluster, namespace, ''), createSecret());
    const place = { namespace, domain, secret };
    this.#known.set(this.#keyOf(tenant, cluster), place);
    return place;
  }

  /** The cluster is gone. */
  forget(tenant: string, cluster: ClusterRecord): void {
    this.#known.delete(this.#keyOf(tenant, cluster));
  }

  #keyOf(tenant: string, { id }: ClusterRecord): string {
    return `${this.#options.namespaceOf(tenant)} ${id}`;
  }
}
