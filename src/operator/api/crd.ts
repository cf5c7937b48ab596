// CRD manifests, derived from the definitions.
import { apiVersion, group, version } from './common.ts';
import type { AnyDefinition, Column } from './definition.ts';
import { type Structural, toStructural, withExamplesInWords } from './openapi.ts';

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
      spec: { ...withExamplesInWords(toStructural(spec)), description: 'Desired state.' },
      status: {
        ...withExamplesInWords(toStructural(status)),
        description: 'Observed state, written by the operator.',
        // Tools such as Flux treat a new object as in progress, not as ready.
        default: { observedGeneration: -1 },
        // The status is always written as a whole. Managed fields for each of its fields would make up most of the cost of a write.
        'x-kubernetes-map-type': 'atomic',
      },
    },
  };
}
