// The kind Job: content-named and without state; an edit makes another object.
import type { Job, JobCreate } from '../../../wire/jobs.ts';
import { routes } from '../../../wire/routes.ts';
import type { ContentKind } from '../../reconcile/kind/kind.ts';
import { checkJob } from './checks.ts';
import { body, content, mentions, references, report } from './mapping.ts';
import { job } from './schema.ts';

export const jobKind: ContentKind = {
  definition: job,
  route: 'jobs',
  identity: 'content',
  references,
  check: checkJob,
  content,
  nameEnding: () => undefined,
  privateContent: undefined,
  desired: (spec, given) => ({ body: body(spec, given.externalName, given.idOf) }),
  remedy: () => undefined,
  health: () => ({ state: 'ready' }),
  report,
  referencesIn: { routes: ['jobBinaries'], of: mentions },
  create: (service, request, permit) => service.create(routes.jobs, request, permit),
} satisfies ContentKind<typeof job, JobCreate, Job>;
