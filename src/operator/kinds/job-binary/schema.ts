// The spec and status of a JobBinary.
import { z } from 'zod';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { age, id, message, ready, reason, revision } from '../../api/columns.ts';
import { commonSpec, fixedConnection, revisionStatus } from '../../api/common.ts';
import { credentialsOnlyFor, credentialsSecretRef } from '../../api/credentials.ts';
import type { Definition } from '../../api/definition.ts';
import { ruled, text } from '../../api/keywords.ts';
import { templateDescription } from '../../api/node-group.ts';
import { credentialKeys, location } from './locations.ts';

const shape = {
  ...commonSpec,
  name: baseName.meta({ example: 'wordcount' }),
  description: templateDescription.meta({ example: 'Counts words' }),
  url: text(255, location)
    .describe(
      'Where the file is. The service reads it when a job runs. Services differ in the URLs that they accept, and Connections of the dialect Savanna have only internal-db and swift. A file keeps the ending of its URL, such as .jar or .py, by which services recognize what it is.',
    )
    .meta({ example: 'https://files.example.com/wordcount.py' }),
  credentialsSecretRef: credentialsSecretRef('file', credentialKeys),
};

const withCredentials = Object.keys(credentialKeys).map((scheme) => `${scheme}://`);
const credentialed = credentialsOnlyFor(
  withCredentials.map((start) => `self.url.startsWith('${start}')`).join(' || '),
  {
    which: `URLs with ${withCredentials.join(' or ')}`,
    field: 'url',
  },
);

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, credentialed]);

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
