// Finds out where the pages of a cluster are shown outside.
import type { Clock } from '../../../../lib/ports.ts';
import type { InfoMap } from '../../../model/records/records.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import { services } from '../api/api.ts';
import { throwIfUnobserved } from '../api/until.ts';
import type { ClusterSetting } from '../manifests/manifests.ts';
import { awaitsBalancer, withOutside } from '../manifests/web-pages.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import type { ClusterPods } from './cluster-pods.ts';

/** Clouds take less for an address. Without one, the cluster is of use all the same. */
const balancerMs = 60_000;

interface PageSources {
  readonly objects: ClusterObjects;
  readonly pods: ClusterPods;
  readonly clock: Clock;
}

interface PagesInside {
  readonly order: ClusterOrder;
  readonly setting: ClusterSetting;
  readonly pages: InfoMap;
}

/** The pages, and beside them the addresses outside that are known by now. */
export async function addOutsideAddresses(
  { objects, pods, clock }: PageSources,
  { order, setting, pages }: PagesInside,
): Promise<InfoMap> {
  const { cluster, signal } = order;
  const listed = await pods.list(order);
  // Of several pods, the first one that is there.
  const firsts = new Map(listed.toReversed().flatMap(({ group, pod }) => (pod ? [[group.name, pod] as const] : [])));
  const nodeOf = (name: string) => firsts.get(name)?.status?.hostIP;
  const observed = pods.observe(order, [services]);
  const until = clock.monotonic() + balancerMs;
  try {
    for (;;) {
      const outside = { services: await objects.services(cluster, setting.place.namespace), nodeOf };
      const left = until - clock.monotonic();
      if (left <= 0 || !awaitsBalancer(cluster, setting, outside)) return withOutside(pages, cluster, setting, outside);
      await observed.next(left, signal);
      await observed.current(order);
      throwIfUnobserved(observed, signal);
      signal.throwIfAborted();
    }
  } finally {
    observed.close();
  }
}
