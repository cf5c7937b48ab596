// The patch with which an object of a file would be applied: as whoever has applied the object before would do it. PURE.
import type { ApiQuery } from '../../kube/http/call.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Fields } from '../fields.ts';
import type { KubeObject } from '../objects.ts';
import type { Observed } from '../observed.ts';

/** That of `kubectl apply`, with and without `--server-side`. */
const managers = { server: 'kubectl', client: 'kubectl-client-side-apply' } as const;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export interface ApplyPatch {
  readonly contentType: string;
  readonly query: ApiQuery;
  readonly body: unknown;
}

interface FieldOwner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Fields;
}

/** Only the manager of a field can take it away by leaving it out, so another manager would hide what goes. `before`: as the API server has it. */
export function applyPatch(object: KubeObject, before: Observed | undefined): ApplyPatch {
  const manager = before === undefined ? managers.server : applierOf(before);
  if (manager !== undefined)
    return { contentType: 'application/apply-patch+yaml', query: { fieldManager: manager, force: true }, body: object };
  const last = parsed(before?.metadata.annotations?.[lastApplied]);
  return {
    contentType: 'application/merge-patch+json',
    query: { fieldManager: managers.client },
    body: merging(last, object),
  };
}

/** Who last applied the spec on the server: kubectl, or a tool such as Flux or Argo CD. Undefined: nobody did. */
function applierOf({ metadata }: Observed): string | undefined {
  const all = (metadata.managedFields ?? []) as readonly FieldOwner[];
  const appliers = all.filter(
    ({ operation, subresource, fieldsV1 = {} }) =>
      operation === 'Apply' && subresource === undefined && Object.hasOwn(fieldsV1, 'f:spec'),
  );
  return appliers.toSorted((one, other) => Date.parse(other.time ?? '') - Date.parse(one.time ?? ''))[0]?.manager;
}

/** As a merge patch of kubectl: what was applied before, and is not any more, is removed. */
function merging(last: unknown, wanted: unknown): unknown {
  if (!isJsonObject(wanted)) return wanted;
  const before = isJsonObject(last) ? last : {};
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(wanted, name));
  return Object.fromEntries([
    ...removed.map((name) => [name, null]),
    ...Object.entries(wanted).map(([name, value]) => [name, merging(before[name], value)]),
  ]);
}

function parsed(text = '{}'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
