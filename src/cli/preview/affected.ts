// The objects that applying a file has an effect on without being in it: those that refer to its objects, directly or not. PURE.
import type { RawResource } from '../../kube/resource.ts';
import { keyOf, keyText } from '../../operator/reconcile/pass-ports.ts';
import { specOf } from '../../operator/reconcile/resource/facts.ts';
import { askedBy, isHeld, scalerKind, scalersOf } from '../../operator/reconcile/resource/scalers.ts';
import type { AcceptedRun } from './object-fate.ts';
import { kindsByName } from './preview-ports.ts';
import { marked, type SeenObjects } from './seen-objects.ts';

export function affectedBy(store: SeenObjects, file: readonly AcceptedRun[]): readonly RawResource[] {
  const found = new Map<string, RawResource>();
  const known = new Set(file.map(({ place }) => keyText(place)));
  for (const { after } of file) {
    const cluster = clusterOf(store, after);
    if (cluster && !known.has(keyText(keyOf(cluster)))) found.set(keyText(keyOf(cluster)), cluster);
  }
  const referrers = referrersIn(store);
  // The set grows while it is walked.
  const reached = new Set(known);
  for (const key of reached)
    for (const one of referrers.get(key) ?? []) {
      const text = keyText(keyOf(one));
      if (!reached.has(text) && one.metadata.deletionTimestamp === undefined) found.set(text, one);
      reached.add(text);
    }
  return [...found.values()];
}

/** Resources by what they refer to. */
function referrersIn(store: SeenObjects): ReadonlyMap<string, readonly RawResource[]> {
  const pairs = [...kindsByName.values()].flatMap((kind) =>
    [...store.list(kind.definition.kind)].flatMap((one) => {
      const spec = specOf(kind, one);
      const { name, namespace } = one.metadata;
      const references = spec.ok ? kind.references(spec.value, name) : [];
      return references.map((to) => [keyText({ kind: to.kind, namespace, name: to.name }), one] as const);
    }),
  );
  const grouped = [...Map.groupBy(pairs, ([key]) => key)];
  return new Map(grouped.map(([key, all]) => [key, all.map(([, one]) => one)]));
}

/** The Cluster whose count a NodeGroup sets. */
function clusterOf(store: SeenObjects, resource: RawResource): RawResource | undefined {
  const asked = resource.kind === scalerKind ? askedBy(resource) : undefined;
  const { namespace } = resource.metadata;
  return asked && store.read({ kind: 'Cluster', namespace, name: asked.cluster });
}

/** A NodeGroup has an effect once the operator has marked it, unless another one has the group. */
export function heldInTime(store: SeenObjects, resource: RawResource): RawResource {
  const asked = resource.kind === scalerKind ? askedBy(resource) : undefined;
  if (asked === undefined || isHeld(resource)) return resource;
  const place = { namespace: resource.metadata.namespace, name: asked.cluster };
  const others = scalersOf(store.list(scalerKind), place).filter((one) => askedBy(one)?.group === asked.group);
  return others.some(isHeld) ? resource : marked(resource);
}
