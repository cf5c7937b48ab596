// The permissions that follow from the definitions: the operator's own, exactly what it calls, and those of users.
import { group } from './common.ts';
import type { AnyDefinition } from './definition.ts';
import type { Manifest } from './manifest.ts';

/** The name of everything that is installed, the Lease included; src/operator/wiring/operator.ts, src/operator/wiring/leadership.ts and the files of deploy/ say the same. */
const operator = 'dataprocessing-operator';
const namespace = 'dataprocessing-system';
const rbac = 'rbac.authorization.k8s.io';
const labels = { 'app.kubernetes.io/name': operator };

export interface Registered {
  /** All custom resources. */
  readonly definitions: readonly AnyDefinition[];
  /** Those of them that stand for something in the service. */
  readonly kinds: readonly AnyDefinition[];
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** For an operator that watches all namespaces. */
export const clusterPermissions = (registered: Registered): readonly Manifest[] =>
  roleAndBinding('Cluster', [...operatorRules(registered), installationRule]);

/** For each namespace that an operator with `--namespaces` watches; they name no namespace, so that they fit into any. */
export const namespacedPermissions = (registered: Registered): readonly Manifest[] =>
  roleAndBinding('', operatorRules(registered));

/** For replicas that elect a leader, in their own namespace whatever namespaces they watch. */
export const leasePermissions = (): readonly Manifest[] =>
  roleAndBinding('', leaseRules, { name: `${operator}-lease`, namespace, labels });

function roleAndBinding(
  scope: 'Cluster' | '',
  rules: readonly PolicyRule[],
  metadata: Manifest['metadata'] = { name: operator, labels },
): readonly Manifest[] {
  const role = { apiVersion: `${rbac}/v1`, kind: `${scope}Role`, metadata, rules };
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: `${scope}RoleBinding`,
    metadata,
    roleRef: { apiGroup: rbac, kind: role.kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: operator, namespace }],
  };
  return [role, binding];
}

const plurals = (definitions: readonly AnyDefinition[]): readonly string[] => definitions.map(({ plural }) => plural);
const statuses = (definitions: readonly AnyDefinition[]): readonly string[] =>
  plurals(definitions).map((plural) => `${plural}/status`);

const operatorRules = ({ definitions, kinds }: Registered): readonly PolicyRule[] => [
  // patch: our finalizer and our ledger annotation. Nothing of ours owns other objects, so `finalizers` is not needed.
  { apiGroups: [group], resources: plurals(definitions), verbs: ['list', 'watch', 'patch'] },
  // What was made in the service is recorded on the newest version, whoever wrote in between.
  { apiGroups: [group], resources: plurals(kinds), verbs: ['get'] },
  { apiGroups: [group], resources: statuses(definitions), verbs: ['patch'] },
  // Credentials, by a selector of their type; patch: the finalizer that keeps them while a Connection needs them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch', 'patch'] },
  // patch: a repetition is counted on the event that is there.
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

const coordination = 'coordination.k8s.io';
const leaseRules: readonly PolicyRule[] = [
  { apiGroups: [coordination], resources: ['leases'], resourceNames: [operator], verbs: ['get', 'update'] },
  // RBAC cannot narrow a create to a name.
  { apiGroups: [coordination], resources: ['leases'], verbs: ['create'] },
];

/** The uid of kube-system tells this installation from others. */
const installationRule: PolicyRule = {
  apiGroups: [''],
  resources: ['namespaces'],
  resourceNames: ['kube-system'],
  verbs: ['get'],
};

/** What users get through the roles view, edit and admin that every cluster has. */
export const userRoles = ({ definitions }: Registered): readonly Manifest[] => [
  userRole(
    'view',
    ['view', 'edit', 'admin'],
    [
      { apiGroups: [group], resources: plurals(definitions), verbs: ['get', 'list', 'watch'] },
      { apiGroups: [group], resources: statuses(definitions), verbs: ['get'] },
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
    ],
  ),
];

function userRole(name: string, into: readonly string[], rules: readonly PolicyRule[]): Manifest {
  const aggregate = into.map((role) => [`${rbac}/aggregate-to-${role}`, 'true']);
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: `${operator}-${name}`, labels: { ...labels, ...Object.fromEntries(aggregate) } },
    rules,
  };
}
