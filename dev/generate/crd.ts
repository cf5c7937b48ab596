// CRD manifests, derived from the definitions.
import type { AnyDefinition, Column } from '../../src/operator/api/definition.ts';
import { apiVersion, type Condition, group, version } from '../../src/operator/api/shared-api.ts';
import { type Structural, toStructural } from './structural-schema.ts';

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

/** What the API server shows of an object that the operator has not written a status of yet. The time is that of no transition. */
export const defaultStatus = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message:
        'waiting for the operator; if this stays for more than a minute, it is not running or does not watch this namespace',
      observedGeneration: -1,
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
} as const satisfies { readonly observedGeneration: number; readonly conditions: readonly Condition[] };

const category = 'dataprocessing';

export const singularName = ({ kind }: AnyDefinition): string => kind.toLowerCase();

export const crdName = (definition: AnyDefinition): string => `${definition.plural}.${group}`;

export const toCustomResourceDefinition = (definition: AnyDefinition): Manifest => {
  const { kind, plural, shortName, scope = 'Namespaced' } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(definition) },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: singularName(definition),
        shortNames: [shortName],
        // Who may read only a namespace would get an error with every `kubectl get dataprocessing`.
        ...(scope === 'Namespaced' && { categories: [category] }),
      },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(definition.scale === undefined ? {} : { scale: definition.scale }) },
          additionalPrinterColumns: definition.columns.map(printerColumn),
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  };
};

const printerColumn = ({ name, type, jsonPath, wide, description }: Column) => ({
  name,
  type,
  jsonPath,
  ...(description === undefined ? {} : { description }),
  ...(wide === true ? { priority: 1 } : {}),
});

const rootSchema = (definition: AnyDefinition): Structural => {
  const { kind, description, spec, status, rules } = definition;
  return {
    type: 'object',
    description,
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: apiVersion },
      kind: { type: 'string', description: kind },
      metadata: { type: 'object' },
      spec: { ...withExamplesInWords(toStructural(spec)), description: 'Desired state.' },
      status: {
        ...withExamplesInWords(toStructural(status)),
        description: 'Observed state, written by the operator.',
        // Tools such as Flux treat a new object as in progress, not as ready.
        default: defaultStatus,
        // The status is always written as a whole. Managed fields for each of its fields would make up most of the cost of a write.
        'x-kubernetes-map-type': 'atomic',
      },
    },
  };
};

/** Appends each example to its description, because `kubectl explain` shows only that. */
const withExamplesInWords = ({ example, ...schema }: Structural): Structural => {
  const { description, properties, items, additionalProperties } = schema;
  const inWords = (child: unknown): Structural => withExamplesInWords(child as Structural);
  const below = Object.entries(properties ?? {}).map(([name, child]) => [name, inWords(child)] as const);
  return {
    ...schema,
    ...(example === undefined ? {} : { description: `${String(description)} Example: ${JSON.stringify(example)}.` }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(below) }),
    ...(items === undefined ? {} : { items: inWords(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inWords(additionalProperties) }),
  };
};
