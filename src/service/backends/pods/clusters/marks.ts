// How it is seen that somebody else has changed an object of a cluster. PURE.
import { type KubeObject, manager, type ObjectKind, type ObjectMeta } from '../api/api.ts';

/** Who set which fields: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management. */
interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** An object as the API server returns it. */
export interface AppliedObject extends KubeObject {
  readonly metadata: ObjectMeta & { readonly managedFields?: readonly ManagedFields[] };
  readonly spec?: unknown;
}

/** What an object looked like after it was applied: it differs after whatever somebody else does to it. */
export interface Mark {
  /** As in `StatefulSet workers`. */
  readonly object: string;
  readonly looks: string;
  /** Who else has set fields. The service sets others, and theirs stay. */
  readonly others: readonly string[];
}

export function markOf({ kind }: ObjectKind, { metadata, spec }: AppliedObject): Mark {
  const { name, generation, resourceVersion, managedFields = [] } = metadata;
  // A Service has no generation, and its version changes with its status. The fields of the service are as they were after each apply.
  const version = kind === 'Service' ? JSON.stringify(spec) : String(generation ?? resourceVersion);
  const others = managedFields.filter(isOther).map((each) => each.manager ?? 'somebody');
  return { object: `${kind} ${name}`, looks: version, others: [...new Set(others)] };
}

const isOther = ({ manager: who, subresource, fieldsV1 = {} }: ManagedFields): boolean =>
  who !== manager && subresource === undefined && ('f:spec' in fieldsV1 || 'f:data' in fieldsV1);

/** Undefined if nobody has changed anything since. */
export function changeBetween(before: readonly Mark[], after: readonly Mark[]): string | undefined {
  const known = new Map(before.map(({ object, looks }) => [object, looks]));
  const changed = after.filter(({ object, looks }) => known.get(object) !== looks);
  if (changed.length === 0) return undefined;
  const others = [...new Set(changed.flatMap((mark) => mark.others))].join(', ');
  const names = changed.map(({ object }) => object).join(', ');
  return others === ''
    ? `${names} was changed by somebody else, and put back`
    : `${names} was changed by somebody else: what the service sets was put back, and the other fields that ${others} has set stay`;
}
