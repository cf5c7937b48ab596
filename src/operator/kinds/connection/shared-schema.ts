// The spec and status of a SharedConnection.
import { z } from 'zod';
import type { Definition } from '../../api/definition.ts';
import { mapOf, type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import { optionalBoolean, optionalInteger } from '../../api/optional-fields.ts';
import { connection, requestLimits, serviceFields, serviceRules } from './schema.ts';

const namespaceName = text(63, {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  message: 'must be the name of a namespace: lower-case letters, digits and -',
});

const label = text(317).describe('Key of a label of the namespace.').meta({ example: 'data-platform' });
const value = z.string().max(63);

const requirement = ruled(
  z.object({
    key: label,
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
      .describe('How the label relates to values, as in every label selector.')
      .meta({ example: 'In' }),
    values: setOf(value, 100)
      .optional()
      .describe('Values of the label. For In and NotIn only, which need some.')
      .meta({ example: ['enabled'] }),
  }),
  [
    {
      rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
      message: 'In and NotIn need values, and Exists and DoesNotExist have none',
      fieldPath: '.values',
    },
  ],
);

const namespaceSelector = z.object({
  matchLabels: mapOf(value, 100)
    .optional()
    .describe('Labels that the namespace must have, with these values.')
    .meta({ example: { 'data-platform': 'enabled' } }),
  matchExpressions: z.array(requirement).max(20).optional().describe('Conditions that must all hold.'),
});

const limits = z.object({
  ...requestLimits,
  maxClusters: optionalInteger(0, 1_000_000)
    .describe(
      'Clusters that each namespace may have in the service at once. A Cluster beyond it is created once another one is gone. Unlimited by default.',
    )
    .meta({ example: 5 }),
  maxNodes: optionalInteger(0, 1_000_000)
    .describe(
      'Nodes that the Clusters of each namespace may have together. For each Cluster the wanted or the existing number counts, whichever is larger, until it is gone from the service. Unlimited by default.',
    )
    .meta({ example: 40 }),
});

const rules: readonly Rule[] = [
  ...serviceRules('SharedConnection'),
  {
    rule: '!((has(self.auth) && has(self.auth.secretRef)) || (has(self.tls) && has(self.tls.caSecretRef))) || has(self.credentialsNamespace)',
    message: 'credentialsNamespace, the namespace of the Secrets, is required where auth or tls names one',
    fieldPath: '.credentialsNamespace',
    reason: 'FieldValueRequired',
  },
];

const spec = ruled(
  z.object({
    ...serviceFields(
      'credentialsNamespace',
      limits.optional().describe('Limits for the requests to the service, and for each namespace.'),
    ),
    credentialsNamespace: namespaceName
      .optional()
      .describe('Namespace of the Secrets that auth and tls name. The operator reads them nowhere else.')
      .meta({ example: 'data-platform' }),
    namespaces: setOf(namespaceName, 1000)
      .optional()
      .describe(
        'Namespaces whose objects may use this connection, besides those that namespaceSelector selects. Without both, there are none.',
      )
      .meta({ example: ['team-a', 'team-b'] }),
    namespaceSelector: namespaceSelector
      .optional()
      .describe(
        'Selects the namespaces whose objects may use this connection by their labels, besides those in namespaces. An empty selector selects all. Of a namespace that is not selected any more, the operator still observes and deletes what it made, and writes nothing else.',
      )
      .meta({ example: { matchLabels: { 'data-platform': 'enabled' } } }),
    allowAdopt: optionalBoolean
      .describe(
        'Whether the selected namespaces may take what exists in the service already: with spec.adopt, with an ImageRegistration, with fields that name objects of the service by identifier, such as clusterTemplateID, with internal-db URLs of JobBinaries, and with references to data sources in the values of runs. Each of them could then take what belongs to another one. Defaults to false.',
      )
      .meta({ example: true }),
  }),
  rules,
);

export const sharedConnection = {
  kind: 'SharedConnection',
  plural: 'sharedconnections',
  shortName: 'dpshared',
  scope: 'Cluster',
  description:
    'A data-processing service and the tenant to use there, shared between namespaces. Objects in the selected namespaces reference it instead of a Connection of their own.',
  spec,
  status: connection.status,
  columns: connection.columns,
} as const satisfies Definition;
