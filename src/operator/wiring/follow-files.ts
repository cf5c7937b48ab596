// Tells the store which ConfigMaps to watch: those that resources name.
import { configMaps } from '../kube/config-maps.ts';
import type { KubernetesStore } from '../kube/kubernetes-store.ts';
import { type Kind, privateContentOf } from '../reconcile/kind/kind.ts';
import { specOf } from '../reconcile/resource/facts.ts';

/** ConfigMaps are watched as long as a resource names them. One that is being deleted needs nothing more. */
export function followFiles(store: KubernetesStore, kinds: ReadonlyMap<string, Kind>): void {
  store.subscribe(({ key, current }) => {
    const kind = kinds.get(key.kind);
    if (kind === undefined || privateContentOf(kind) === undefined) return;
    const spec = current && current.metadata.deletionTimestamp === undefined ? specOf(kind, current) : undefined;
    const references = spec?.ok ? kind.references(spec.value, key.name) : [];
    const uses = references.flatMap(({ kind: of, name, file }) =>
      of === configMaps.kind && file !== undefined ? [{ namespace: key.namespace, name, key: file }] : [],
    );
    store.useFiles(key, uses);
  });
}
