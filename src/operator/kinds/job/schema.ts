// The spec and status of a Job.
import { z } from 'zod';
import { binaryRules } from '../../../wire/job-rules.ts';
import { type JobType, jobTypes } from '../../../wire/jobs.ts';
import { adopt, adoptionRules, listedType } from '../../api/adoption.ts';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { age, id, message, ready, reason, revision } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { listBy, notBoth, type Rule, ruled, text } from '../../api/keywords.ts';
import { templateDescription } from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import { fixedConnection, keptSpec, optionalID, reference, revisionStatus } from '../../api/shared-api.ts';

const types = [...new Set<JobType>([...jobTypes.neutral, ...jobTypes.savanna])] as const;

const binary = ruled(
  z.object({
    jobBinaryRef: reference('JobBinary')
      .optional()
      .describe('JobBinary in the same namespace.')
      .meta({ example: { name: 'word-count' } }),
    jobBinaryID: optionalID(
      'Identifier of a job binary in the service that has no object in this namespace. Alternative to jobBinaryRef.',
    ),
  }),
  [
    notBoth('jobBinaryRef', 'jobBinaryID'),
    {
      rule: 'has(self.jobBinaryRef) || has(self.jobBinaryID)',
      message: 'give jobBinaryRef or jobBinaryID',
      reason: 'FieldValueRequired',
    },
  ],
);
const binaries = () => z.array(binary).max(50).optional();

const argument = z.object({
  name: text(255).describe('Name of the argument, unique in the list.').meta({ example: 'text' }),
  description: text(1024).optional().describe('Description for people.').meta({ example: 'Text to count' }),
  mappingType: z
    .enum(['args', 'configs', 'params'])
    .describe(
      'What the value becomes in an execution: an entry of args, configs or params. The type of the job limits this.',
    )
    .meta({ example: 'args' }),
  location: text(255)
    .describe(
      'Name of the entry of configs or params. For args, the position as text: 0, 1, 2 and so on, without a gap.',
    )
    .meta({ example: '0' }),
  required: z
    .boolean()
    .describe('Whether each execution must give a value. An argument of args that is not required needs a default.')
    .meta({ example: true }),
  valueType: z
    .enum(['string', 'number', 'data_source'])
    .optional()
    .describe('Type of the value. A data_source is the identifier of a data source, or a URL. Defaults to string.')
    .meta({ example: 'data_source' }),
  default: text(1024)
    .optional()
    .describe('Value where an execution gives none, as text.')
    .meta({ example: 'hdfs://namenode:8020/books' }),
});

const content = {
  description: templateDescription.meta({ example: 'Counts words' }),
  type: z
    .enum(types)
    .describe(
      'What runs the job. The plugin of a cluster decides which types it runs. Connections of the dialect Savanna have Pig, Hive and Jar, others have all but Jar.',
    )
    .meta({ example: 'Spark' }),
  mains: binaries()
    .describe(
      'The program or script. Required for Pig, Hive, Shell, Spark, Storm and Storm.Pyleus. Java, MapReduce and MapReduce.Streaming have none.',
    )
    .meta({ example: [{ jobBinaryRef: { name: 'word-count' } }] }),
  libs: binaries()
    .describe(
      'Libraries and other files that the job needs, such as a list of Python packages or a configuration of log4j2, which configs of an execution name. Required for Java and MapReduce. Jar needs mains or libs.',
    )
    .meta({ example: [{ jobBinaryRef: { name: 'tokenizer' } }] }),
  interface: listBy('name', argument, 50)
    .optional()
    .describe(
      'Named arguments that executions can give values for, instead of writing configs, params and args themselves. Connections of the dialect Savanna have none.',
    ),
};

const typesWhere = (part: 'mains' | 'libs', wanted: string): string =>
  `self.type in [${types
    .filter((type) => binaryRules[type][part] === wanted)
    .map((type) => `'${type}'`)
    .join(', ')}]`;
const has = (part: 'mains' | 'libs'): string => `(has(self.${part}) && size(self.${part}) > 0)`;

const binaryForms: readonly Rule[] = [
  {
    rule: `!(${typesWhere('mains', 'required')}) || ${has('mains')}`,
    message: 'a job of this type needs mains: the program or script that it runs',
    fieldPath: '.mains',
    reason: 'FieldValueRequired',
  },
  {
    rule: `!(${typesWhere('mains', 'none')}) || !${has('mains')}`,
    message: 'a job of this type has no mains: move them to libs',
    fieldPath: '.mains',
    reason: 'FieldValueForbidden',
  },
  {
    rule: `!(${typesWhere('libs', 'required')}) || ${has('libs')}`,
    message: 'a job of this type needs libs: the jars that it runs',
    fieldPath: '.libs',
    reason: 'FieldValueRequired',
  },
  {
    rule: `!(${typesWhere('libs', 'unless mains')}) || ${has('mains')} || ${has('libs')}`,
    message: 'a job of this type needs mains or libs',
    fieldPath: '.libs',
    reason: 'FieldValueRequired',
  },
];

/** What a job is made of, for an object that makes one. */
export const jobContent = { shape: content, rules: binaryForms };

const shape = {
  ...keptSpec,
  adopt: adopt(listedType('Spark')),
  name: baseName.meta({ example: 'wordcount' }),
  ...content,
};
const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, ...adoptionRules, ...binaryForms]);

const reportedBinaries = (what: string) =>
  z
    .array(z.string().max(255))
    .max(50)
    .optional()
    .describe(`Identifiers of the job binaries in ${what}, as reported by the service.`);

const reported = {
  type: reportedText(255, 'What runs the job, as reported by the service.'),
  mains: reportedBinaries('mains'),
  libs: reportedBinaries('libs'),
};

export const job = {
  kind: 'Job',
  plural: 'jobs',
  shortName: 'dpjob',
  description:
    'A program with its libraries that can be executed on clusters. It does not run by itself. An edit of it, or of a JobBinary that it references, creates a new revision in the service. Executions that exist already keep the revision that they were started with.',
  spec,
  status: z.object({ ...revisionStatus, ...reported }),
  columns: [ready, reason, { name: 'Type', type: 'string', jsonPath: '.spec.type' }, revision, id, message, age],
} as const satisfies Definition;
