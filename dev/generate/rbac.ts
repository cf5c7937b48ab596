// RBAC manifests, derived from the definitions: the minimal permissions of the operator, and roles for users.

import type { AnyDefinition } from '../../src/operator/api/definition.ts';
import { group } from '../../src/operator/api/shared-api.ts';
import type { Manifest } from './crd.ts';

/** The name of everything that is installed, including the Lease. It must match src/operator/wiring and deploy/. */
const operator = 'dataprocessing-operator';
const namespace = 'dataprocessing-system';
const rbac = 'rbac.authorization.k8s.io';
const labels = { 'app.kubernetes.io/name': operator };

export interface Registered {
  /** All custom resources. */
  readonly definitions: readonly AnyDefinition[];
  /** Those of which single objects are read: to create something for them once. */
  readonly kinds: readonly AnyDefinition[];
  /** Those with `spec.policy`, whose plans somebody approves. */
  readonly planned: readonly AnyDefinition[];
  /** Those with `spec.policy` of what they create in their template, and no plan of their own. */
  readonly templates: readonly AnyDefinition[];
  /** Those that the operator creates itself. */
  readonly created: readonly AnyDefinition[];
  /** Those that it deletes. */
  readonly deleted: readonly AnyDefinition[];
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** For an operator that watches all namespaces. */
export const clusterPermissions = (registered: Registered): readonly Manifest[] =>
  roleAndBinding('Cluster', [...operatorRules(registered), ...namespaceRules]);

/** For each namespace in `--namespaces`. They have no namespace, so that they can be applied to any. */
export const namespacedPermissions = (registered: Registered): readonly Manifest[] =>
  roleAndBinding('', operatorRules({ ...registered, definitions: namespaced(registered.definitions) }));

/** For leader election, in the namespace of the operator. */
export const leasePermissions = (): readonly Manifest[] =>
  roleAndBinding('', leaseRules, { name: `${operator}-lease`, namespace, labels });

const roleAndBinding = (
  scope: 'Cluster' | '',
  rules: readonly PolicyRule[],
  metadata: Manifest['metadata'] = { name: operator, labels },
): readonly Manifest[] => {
  const role = { apiVersion: `${rbac}/v1`, kind: `${scope}Role`, metadata, rules };
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: `${scope}RoleBinding`,
    metadata,
    roleRef: { apiGroup: rbac, kind: role.kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: operator, namespace }],
  };
  return [role, binding];
};

const plurals = (definitions: readonly AnyDefinition[]): readonly string[] => definitions.map(({ plural }) => plural);
const statuses = (definitions: readonly AnyDefinition[]): readonly string[] =>
  plurals(definitions).map((plural) => `${plural}/status`);
const scales = (definitions: readonly AnyDefinition[]): readonly string[] =>
  definitions.flatMap(({ plural, scale }) => (scale === undefined ? [] : `${plural}/scale`));

const operatorRules = ({ definitions, kinds, created, deleted }: Registered): readonly PolicyRule[] => [
  // patch: the finalizer and the annotations. `finalizers` is not needed, because no owner reference blocks a deletion.
  { apiGroups: [group], resources: plurals(definitions), verbs: ['list', 'watch', 'patch'] },
  // To record a created object on the newest version after a conflict.
  { apiGroups: [group], resources: plurals(kinds), verbs: ['get'] },
  // The JobExecutions of JobSchedules, and the Clusters and Jobs of JobExecutions.
  { apiGroups: [group], resources: plurals(created), verbs: ['create'] },
  // JobExecutions that are too old, and Clusters that no run needs any more.
  { apiGroups: [group], resources: plurals(deleted), verbs: ['delete'] },
  { apiGroups: [group], resources: statuses(definitions), verbs: ['patch'] },
  // Credentials, selected by type. patch: the finalizer.
  { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch', 'patch'] },
  // The files of JobBinaries: single objects that these name, which RBAC cannot tell. Never listed.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'watch'] },
  // patch: the series of an event.
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

const coordination = 'coordination.k8s.io';
const leaseRules: readonly PolicyRule[] = [
  { apiGroups: [coordination], resources: ['leases'], resourceNames: [operator], verbs: ['get', 'update'] },
  // RBAC cannot restrict create to a name.
  { apiGroups: [coordination], resources: ['leases'], verbs: ['create'] },
];

const namespaceRules: readonly PolicyRule[] = [
  // The uid of kube-system identifies the installation.
  { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
  // The labels by which SharedConnections select namespaces.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
];

/** Who may do something in a namespace may do nothing with what is in none. */
const namespaced = (definitions: readonly AnyDefinition[]): readonly AnyDefinition[] =>
  definitions.filter(({ scope }) => scope === undefined);

/** Roles that are aggregated to the default roles view, edit and admin. */
export const userRoles = (registered: Registered): readonly Manifest[] => {
  const definitions = namespaced(registered.definitions);
  return [
    userRole(
      'view',
      ['view', 'edit', 'admin'],
      [
        { apiGroups: [group], resources: plurals(definitions), verbs: ['get', 'list', 'watch'] },
        { apiGroups: [group], resources: statuses(definitions), verbs: ['get'] },
        { apiGroups: [group], resources: scales(definitions), verbs: ['get'] },
      ],
    ),
    userRole(
      'edit',
      ['edit', 'admin'],
      [
        {
          apiGroups: [group],
          resources: plurals(definitions),
          verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
        },
        { apiGroups: [group], resources: scales(definitions), verbs: ['patch', 'update'] },
      ],
    ),
  ];
};

/**
 * For those who approve plans. Without subresources, which `*` would include: nobody but the operator writes a status, which has proofs. What has
 * only a template has no annotation to set: who edits it anyway may also change the policy there.
 */
export const approveRole = ({ planned, templates }: Registered): Manifest =>
  userRole(
    'approve',
    ['admin'],
    [
      { apiGroups: [group], resources: plurals(planned), verbs: ['approve', 'patch'] },
      { apiGroups: [group], resources: plurals(templates), verbs: ['approve'] },
    ],
  );

const userRole = (name: string, into: readonly string[], rules: readonly PolicyRule[]): Manifest => {
  const aggregate = into.map((role) => [`${rbac}/aggregate-to-${role}`, 'true']);
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: `${operator}-${name}`, labels: { ...labels, ...Object.fromEntries(aggregate) } },
    rules,
  };
};
