// The spec and status of a JobBinary.
import { z } from 'zod';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { age, id, message, ready, reason, revision } from '../../api/columns.ts';
import { commonSpec, fixedConnection, reference, revisionStatus, secretType } from '../../api/common.ts';
import type { Definition } from '../../api/definition.ts';
import { type Rule, ruled, text } from '../../api/keywords.ts';
import { templateDescription } from '../../api/node-group.ts';
import { keysText } from '../credentials.ts';
import { credentialKeys, location } from './locations.ts';

const secretSchemes = Object.entries(credentialKeys);

const shape = {
  ...commonSpec,
  name: baseName.meta({ example: 'wordcount' }),
  description: templateDescription.meta({ example: 'Counts words' }),
  url: text(255, location)
    .describe(
      'Where the file is. The service reads it when a job runs. Services differ in the URLs that they accept, and Connections of the dialect Savanna have only internal-db and swift. A file keeps the ending of its URL, such as .jar or .py, by which services recognize what it is.',
    )
    .meta({ example: 'https://files.example.com/wordcount.py' }),
  credentialsSecretRef: reference(`Secret, of type ${secretType}`)
    .optional()
    .describe(
      `Secret of type ${secretType} in the same namespace, with the credentials for the file. ${keysText(secretSchemes)} The service stores them. A changed value creates a new revision.`,
    ),
};

const noCredentials: Rule = {
  rule: `!has(self.credentialsSecretRef) || ${secretSchemes.map(([scheme]) => `self.url.startsWith('${scheme}://')`).join(' || ')}`,
  message: `only URLs with ${secretSchemes.map(([scheme]) => `${scheme}://`).join(' or ')} have credentials: remove credentialsSecretRef, or change url`,
  fieldPath: '.credentialsSecretRef',
};

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, noCredentials]);

const reported = { url: z.string().max(255).optional().describe('Where the file is, as reported by the service.') };

export const jobBinary = {
  kind: 'JobBinary',
  plural: 'jobbinaries',
  singular: 'jobbinary',
  shortName: 'dpjb',
  description:
    'A file of jobs, such as a program, a script or a library. An edit creates a new revision in the service. A changed file under the same URL does not.',
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
