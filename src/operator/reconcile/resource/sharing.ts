// What the objects of a namespace may do through a SharedConnection. PURE.

import type { RawResource } from '../../api/definition.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import { takenBy } from '../kind/taken.ts';
import type { Rights } from '../ledger/alleged.ts';
import { type Key, keyText, nameText, type ResourceStore } from '../pass-ports.ts';
import { connectionOf } from './references.ts';

export const namespaceKind = 'Namespace';

export function namespaceKey(name: string): Key {
  return { kind: namespaceKind, namespace: '', name };
}

/** What a SharedConnection says of namespaces, read from a spec of any shape. */
interface NamespaceSelection {
  readonly namespaces: readonly unknown[];
  readonly selector:
    | { readonly labels: Readonly<Record<string, unknown>>; readonly requirements: readonly Requirement[] }
    | undefined;
  readonly allowAdopt: boolean;
  readonly maxClusters: number;
  readonly maxNodes: number;
}

interface Requirement {
  readonly key?: unknown;
  readonly operator?: unknown;
  readonly values?: readonly unknown[];
}

/** How many Clusters and nodes each namespace may have. */
export type NamespaceLimits = Pick<NamespaceSelection, 'maxClusters' | 'maxNodes'>;

export function selectionIn({ spec }: RawResource): NamespaceSelection {
  const { namespaces, namespaceSelector, allowAdopt, limits } = (spec ?? {}) as {
    readonly namespaces?: readonly unknown[];
    readonly namespaceSelector?: {
      readonly matchLabels?: Readonly<Record<string, unknown>>;
      readonly matchExpressions?: readonly Requirement[];
    };
    readonly allowAdopt?: unknown;
    readonly limits?: Partial<NamespaceLimits>;
  };
  const { matchLabels: labels = {}, matchExpressions: requirements = [] } = namespaceSelector ?? {};
  const { maxClusters = Number.POSITIVE_INFINITY, maxNodes = Number.POSITIVE_INFINITY } = limits ?? {};
  const selector = namespaceSelector && { labels, requirements };
  return { namespaces: namespaces ?? [], selector, allowAdopt: allowAdopt === true, maxClusters, maxNodes };
}

function isSelected(
  { namespaces, selector }: NamespaceSelection,
  namespace: string,
  labels: RawResource['metadata']['labels'],
) {
  if (namespaces.includes(namespace)) return true;
  // A namespace that is not known yet has no labels that could be read.
  if (selector === undefined || labels === undefined) return false;
  const required = Object.entries(selector.labels).every(([key, value]) => labels[key] === value);
  return required && selector.requirements.every((one) => isMet(one, labels));
}

/** Something else than the API server accepts selects nothing. */
function isMet({ key, operator, values = [] }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[String(key)];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** The SharedConnection of a resource, if it has one, and that exists. */
export function sharedConnectionOf(store: Pick<ResourceStore, 'read'>, resource: RawResource): RawResource | undefined {
  const connection = connectionOf(resource);
  return connection.kind === sharedConnectionKind ? store.read(connection) : undefined;
}

/** Why nothing may be written to the service for a resource; undefined: it may, or it has a Connection of its own. */
export function sharingProblem(store: Pick<ResourceStore, 'read'>, resource: RawResource): string | undefined {
  const shared = sharedConnectionOf(store, resource);
  if (shared === undefined) return undefined;
  const { namespace } = resource.metadata;
  const selection = selectionIn(shared);
  const what = nameText(connectionOf(resource));
  if (!isSelected(selection, namespace, store.read(namespaceKey(namespace))?.metadata.labels))
    return `${what} does not select namespace ${namespace}: ask the administrator of the cluster to add it, or to give it the labels of spec.namespaceSelector`;
  if (selection.allowAdopt) return undefined;
  const taken = takenBy(resource.spec, (name) => store.read({ kind: 'Job', namespace, name })?.spec);
  if (taken === undefined) return undefined;
  return `${taken.field}: ${what} does not let namespaces take what exists in the service. ${taken.instead}, or ask the administrator of the cluster to set spec.allowAdopt`;
}

/** Whether what exists may be recorded for a resource. A SharedConnection that does not exist yet allows nothing. */
export function mayTake(store: Pick<ResourceStore, 'read'>, resource: RawResource): boolean {
  if (connectionOf(resource).kind !== sharedConnectionKind) return true;
  return sharedConnectionOf(store, resource) !== undefined && sharingProblem(store, resource) === undefined;
}

/** What a resource may claim beside what was made for itself. */
export function rightsOf(store: Pick<ResourceStore, 'read'>, resource: RawResource): Rights {
  const takes = mayTake(store, resource);
  if (connectionOf(resource).kind !== sharedConnectionKind) return { takes, takesOver: takes };
  const shared = sharedConnectionOf(store, resource);
  return { takes, takesOver: takes && shared !== undefined && selectionIn(shared).allowAdopt };
}

/** Why the object of a resource does not stay in the service without it; undefined: it may. What nobody claims would count for no namespace. */
export function leavingProblem(store: Pick<ResourceStore, 'read'>, resource: RawResource): string | undefined {
  const shared = sharedConnectionOf(store, resource);
  if (shared === undefined) return undefined;
  const { maxClusters, maxNodes } = selectionIn(shared);
  if (maxClusters === Number.POSITIVE_INFINITY && maxNodes === Number.POSITIVE_INFINITY) return undefined;
  const { namespace } = resource.metadata;
  return `${nameText(connectionOf(resource))} limits what namespace ${namespace} may have (spec.limits), so no Cluster of it is left in the service without a resource that counts`;
}

/** The objects of one namespace behind one SharedConnection, as the text of a key: for an index. */
export function sharingTextOf(resource: RawResource): string | undefined {
  const { kind, name } = connectionOf(resource);
  return kind === sharedConnectionKind ? keyText({ kind, namespace: resource.metadata.namespace, name }) : undefined;
}
