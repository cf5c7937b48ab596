// The manifests that follow from the definitions: CustomResourceDefinitions and the operator's permissions.
import { apiVersion, group, version } from './common.ts';
import type { AnyDefinition, Column } from './definition.ts';
import { type Structural, toStructural } from './openapi.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

const operator = 'dataprocessing-operator';
export const namespace = 'dataprocessing-system';
const category = 'dataprocessing';

export const crdName = (definition: AnyDefinition): string => `${definition.plural}.${group}`;

export function toCustomResourceDefinition(definition: AnyDefinition): Manifest {
  const { kind, plural, singular, shortName } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(definition) },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [shortName], categories: [category] },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns.map(printerColumn),
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  };
}

const printerColumn = ({ name, type, jsonPath, wide, description }: Column) => ({
  name,
  type,
  jsonPath,
  ...(description === undefined ? {} : { description }),
  ...(wide === true ? { priority: 1 } : {}),
});

function rootSchema(definition: AnyDefinition): Structural {
  const { kind, description, spec, status } = definition;
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: apiVersion },
      kind: { type: 'string', description: kind },
      metadata: { type: 'object' },
      spec: { ...toStructural(spec), description: 'What is wanted.' },
      status: {
        ...toStructural(status),
        description: 'What is there; written by the operator.',
        // A newborn object reads as "in progress", never as "nothing known, so all is well".
        default: { observedGeneration: -1 },
      },
    },
  };
}

const labels = { 'app.kubernetes.io/name': operator };

/** The operator's own namespace, account and permissions: exactly what it calls. */
export function toPermissions(definitions: readonly AnyDefinition[]): readonly Manifest[] {
  const rbac = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: operator, namespace, labels } },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: operator, labels },
      rules: policyRules(definitions.map(({ plural }) => plural)),
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: operator, labels },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: operator },
      subjects: [{ kind: 'ServiceAccount', name: operator, namespace }],
    },
  ];
}

const policyRules = (plurals: readonly string[]) => [
  // patch: our finalizer and our ledger annotation. Nothing of ours owns other objects, so `finalizers` is not needed.
  { apiGroups: [group], resources: plurals, verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [group], resources: plurals.map((plural) => `${plural}/status`), verbs: ['get', 'patch', 'update'] },
  // Credentials; patch: the finalizer that keeps them while a Connection needs them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  // The uid of kube-system tells this installation from others.
  { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
];
