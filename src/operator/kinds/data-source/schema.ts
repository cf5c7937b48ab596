// The spec and status of a DataSource.
import { z } from 'zod';
import { type DataSourceType, dataSourceTypes } from '../../../wire/jobs.ts';
import { adopt, adoptionRules, listedType } from '../../api/adoption.ts';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { age, id, message, ready, reason, revision } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { type Rule, ruled, text } from '../../api/keywords.ts';
import { templateDescription } from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import { credentialsOnlyFor, credentialsSecretRef } from '../../api/secret-references.ts';
import { fixedConnection, keptSpec, revisionStatus } from '../../api/shared-api.ts';
import { credentialKeys } from './credentials.ts';
import { locations } from './locations.ts';

const types = dataSourceTypes.neutral;

const formsText = types.map((type) => `${type}: ${locations[type].form}.`).join(' ');

const shape = {
  ...keptSpec,
  adopt: adopt(listedType('hdfs')),
  name: baseName.meta({ example: 'books' }),
  description: templateDescription.meta({ example: 'Books in plain text' }),
  type: z
    .enum(types)
    .describe(
      'Kind of storage. Connections of the dialect Savanna have only swift. A service may refuse a type that its clusters cannot use.',
    )
    .meta({ example: 'hdfs' }),
  url: text(255)
    .describe(
      `Where the data is, or where a job writes it. The form depends on the type. ${formsText} The service replaces %JOB_EXEC_ID% with the identifier of a run, and %RANDSTR(8)% with 8 random letters.`,
    )
    .meta({ example: 'hdfs://namenode:8020/books' }),
  credentialsSecretRef: credentialsSecretRef('data', credentialKeys),
};

const formOf = (type: DataSourceType): Rule => ({
  rule: `self.type != '${type}' || self.url.matches(r'${locations[type].pattern.source}')`,
  message: `for the type ${type}, url must have the form ${locations[type].form}`,
  fieldPath: '.url',
});

const withCredentials = Object.keys(credentialKeys);
const credentialed = credentialsOnlyFor(`self.type in [${withCredentials.map((type) => `'${type}'`).join(',')}]`, {
  which: withCredentials.join(' and '),
  field: 'type',
});

const spec = ruled(z.object(shape), [
  fixedConnection,
  fixedBaseName,
  ...adoptionRules,
  ...types.map(formOf),
  credentialed,
]);

const reported = {
  type: reportedText(255, 'Kind of storage, as reported by the service.'),
  url: reportedText(255, 'Where the data is, as reported by the service.'),
};

export const dataSource = {
  kind: 'DataSource',
  plural: 'datasources',
  shortName: 'dpds',
  description:
    'Data that jobs read, or a place that they write to. An edit creates a new revision in the service. Runs that exist already keep the revision that they were started with.',
  spec,
  status: z.object({ ...revisionStatus, ...reported }),
  columns: [
    ready,
    reason,
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'URL', type: 'string', jsonPath: '.spec.url', wide: true },
    revision,
    id,
    message,
    age,
  ],
} as const satisfies Definition;
