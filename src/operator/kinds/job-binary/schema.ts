// The spec and status of a JobBinary.
import { z } from 'zod';
import { adopt, adoptionRules } from '../../api/adoption.ts';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { age, id, message, ready, reason, revision } from '../../api/columns.ts';
import type { Definition, Spec } from '../../api/definition.ts';
import { notBoth, type Rule, ruled, text } from '../../api/keywords.ts';
import { templateDescription } from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import { credentialsOnlyFor, credentialsSecretRef } from '../../api/secret-references.ts';
import { fixedConnection, keptSpec, revisionStatus } from '../../api/shared-api.ts';
import { fileContent } from './content-schema.ts';
import { credentialKeys, location } from './locations.ts';

const shape = {
  ...keptSpec,
  adopt: adopt({}),
  name: baseName.meta({ example: 'wordcount' }),
  description: templateDescription.meta({ example: 'Counts words' }),
  url: text(255, location)
    .optional()
    .describe(
      'Where the file is. The service reads it when a job runs. Services differ in the URLs that they accept, and Connections of the dialect Savanna have only internal-db and swift. A file keeps the ending of its URL, such as .jar or .py, by which services recognize what it is. Alternative to content.',
    )
    .meta({ example: 'https://files.example.com/wordcount.py' }),
  content: fileContent.optional(),
  credentialsSecretRef: credentialsSecretRef('file', credentialKeys),
};

const withCredentials = Object.keys(credentialKeys).map((scheme) => `${scheme}://`);
const credentialed = credentialsOnlyFor(
  `has(self.url) && (${withCredentials.map((start) => `self.url.startsWith('${start}')`).join(' || ')})`,
  {
    which: `URLs with ${withCredentials.join(' or ')}`,
    field: 'url',
  },
);

const located: readonly Rule[] = [
  notBoth('url', 'content'),
  {
    rule: 'has(self.url) || has(self.content)',
    message: 'give url, which names where the file is, or content, which has its bytes',
    reason: 'FieldValueRequired',
  },
];

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, ...adoptionRules, ...located, credentialed]);

const reported = { url: reportedText(255, 'Where the file is, as reported by the service.') };

export const jobBinary = {
  kind: 'JobBinary',
  plural: 'jobbinaries',
  shortName: 'dpjb',
  description:
    'A file of jobs, such as a program, a script or a library. An edit creates a new revision in the service, and so do other bytes of its content. A changed file under the same URL does not.',
  spec,
  status: z.object({ ...revisionStatus, ...reported }),
  columns: [
    ready,
    reason,
    { name: 'URL', type: 'string', jsonPath: '.spec.url', wide: true },
    revision,
    id,
    message,
    age,
  ],
} as const satisfies Definition;

export type JobBinarySpec = Spec<typeof jobBinary>;
