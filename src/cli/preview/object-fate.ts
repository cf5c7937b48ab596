// What becomes of an object in Kubernetes when a file is applied. PURE.
import { isDeepStrictEqual } from 'node:util';
import type { RawResource } from '../../kube/resource.ts';
import type { DryRun } from './dry-run.ts';
import type { ObjectFate } from './file-plans.ts';

/** The API server takes the object. */
export type AcceptedRun = Extract<DryRun, { readonly after: RawResource }>;

/** What decides which service is asked, and how. */
const leading = ['endpoint', 'formerEndpoints', 'tenantID', 'dialect', 'auth', 'tls', 'credentialsNamespace'];

export function leadsElsewhere({ before, after }: AcceptedRun): boolean {
  const fieldOf = (spec: unknown, name: string): unknown => Reflect.get(Object(spec), name);
  return (
    before !== undefined &&
    leading.some((name) => !isDeepStrictEqual(fieldOf(before.spec, name), fieldOf(after.spec, name)))
  );
}

export function fateOf({ before, after }: AcceptedRun): ObjectFate {
  if (before === undefined) return 'created';
  const { labels, annotations } = before.metadata as RawResource['metadata'];
  const isSame = before.metadata.generation === after.metadata.generation && isDeepStrictEqual(before.spec, after.spec);
  const isMarked = [labels, annotations].map(withoutTools);
  return isSame && isDeepStrictEqual(isMarked, [after.metadata.labels, after.metadata.annotations].map(withoutTools))
    ? 'unchanged'
    : 'changed';
}

/** What kubectl notes for itself is no change. */
function withoutTools(marks: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(Object.entries(marks).filter(([name]) => !name.startsWith('kubectl.kubernetes.io/')));
}
