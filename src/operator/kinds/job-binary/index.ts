// The kind JobBinary: content-named and without state; an edit makes another object.
import type { JobBinary, JobBinaryCreate } from '../../../wire/jobs.ts';
import { routes } from '../../../wire/routes.ts';
import type { ContentKind } from '../../reconcile/kind/kind.ts';
import { secretsIn } from '../object-credentials.ts';
import { internalBinary } from './file-content.ts';
import { checkLocation, fileEnding } from './locations.ts';
import { body, content, mentions, references, report } from './mapping.ts';
import { jobBinary } from './schema.ts';

export const jobBinaryKind: ContentKind = {
  definition: jobBinary,
  route: 'jobBinaries',
  identity: 'content',
  references,
  check: checkLocation,
  content,
  nameEnding: fileEnding,
  desired: (spec, given) => ({ body: body(spec, given) }),
  remedy: ({ errorName }) =>
    errorName === 'BAD_JOB_BINARY'
      ? 'Name a Secret with the keys user and password in spec.credentialsSecretRef, or use a file that the service can read without credentials in spec.url'
      : undefined,
  health: () => ({ state: 'ready' }),
  report,
  referencesIn: { routes: ['jobBinaryInternals'], of: mentions },
  privateContent: { kind: internalBinary, field: (spec) => (spec.content ? 'spec.content' : undefined) },
  create: (service, request, permit) => service.create(routes.jobBinaries, request, permit, secretsIn(request.extra)),
} satisfies ContentKind<typeof jobBinary, JobBinaryCreate, JobBinary>;
