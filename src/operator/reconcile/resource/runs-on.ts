// Which cluster a run is for, read leniently: a run whose spec cannot be read still uses what it names. PURE.
import type { RawResource } from '../../api/definition.ts';
import { type Key, keyText } from '../pass-ports.ts';

const clusterKind = 'Cluster';

interface RunSpec {
  readonly clusterRef?: { readonly name?: unknown } | null;
  readonly clusterID?: unknown;
  readonly cluster?: unknown;
}

/** Where a cluster without a resource would be: an id is the name of none, because it follows a sign that names cannot have. */
export function placeOfId(namespace: string, id: string): Key {
  return { kind: clusterKind, namespace, name: `#${plainId(id)}` };
}

/** A UUID may be written with or without its hyphens. */
function plainId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** The key of its Cluster, or the place of the id that it names instead. */
export function clusterOf({ spec, metadata: { namespace, name } }: RawResource): Key | undefined {
  const { clusterRef, clusterID, cluster } = (spec ?? {}) as RunSpec;
  const named = typeof clusterRef?.name === 'string' ? clusterRef.name : undefined;
  if (named !== undefined) return { kind: clusterKind, namespace, name: named };
  if (typeof clusterID === 'string') return placeOfId(namespace, clusterID);
  return cluster === undefined ? undefined : { kind: clusterKind, namespace, name };
}

/** As the text of its key, by which runs are looked up. */
export function clusterTextOfRun(run: RawResource): string | undefined {
  const key = clusterOf(run);
  return key && keyText(key);
}

export function isRunOn(
  run: RawResource,
  { name, id }: { readonly name: string; readonly id?: string | undefined },
): boolean {
  const key = clusterOf(run);
  return key !== undefined && (key.name === name || (id !== undefined && key.name === `#${plainId(id)}`));
}
