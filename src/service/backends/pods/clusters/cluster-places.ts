// Where clusters are, and what their machines share to trust each other.
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { PodPlace } from '../manifests/layout.ts';
import { sharedSecret } from '../manifests/manifests.ts';
import type { ClusterObjects } from './cluster-objects.ts';

interface PlacesOptions {
  readonly namespaceOf: (tenant: string) => string;
  readonly domain: string;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

export class ClusterPlaces {
  readonly #objects: Pick<ClusterObjects, 'secret' | 'knownSecret'>;
  readonly #options: PlacesOptions;
  readonly #known = new Map<string, PodPlace>();

  constructor(objects: Pick<ClusterObjects, 'secret' | 'knownSecret'>, options: PlacesOptions) {
    this.#objects = objects;
    this.#options = options;
  }

  /**
   * The secret of a cluster stays the same, so it is read once. One that is being deleted gets no new secret, which nothing would remove: it is empty if
   * there is none any more.
   */
  async of(tenant: string, cluster: ClusterRecord): Promise<PodPlace> {
    const known = this.#known.get(this.#keyOf(tenant, cluster));
    if (known !== undefined || cluster.work?.operation !== 'delete') return known ?? (await this.find(tenant, cluster));
    const { namespaceOf, domain } = this.#options;
    const namespace = namespaceOf(tenant);
    return { namespace, domain, secret: (await this.#objects.knownSecret(sharedSecret(cluster, namespace, ''))) ?? '' };
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
