// The kind Job: content-named and without state; an edit makes another object.
import type { Job, JobCreate } from '../../../wire/jobs.ts';
import { routes } from '../../../wire/routes.ts';
import { register } from '../../reconcile/kind.ts';
import { checkJob } from './checks.ts';
import { body, content, mentions, references, report } from './mapping.ts';
import { job } from './schema.ts';

export const jobKind = register<typeof job, JobCreate, Job, never, never>({
  definition: job,
  route: 'jobs',
  identity: 'content',
  onVanished: 'recreate',
  pollSeconds: 120,
  references,
  lookups: () => [],
  check: checkJob,
  content,
  desired: (spec, given) => ({ body: body(spec, given.externalName, given.idOf) }),
  health: () => ({ state: 'ready' }),
  difference: () => ({ state: 'none' }),
  report,
  referencesIn: { routes: ['jobBinaries'], of: mentions },
  external: (service) => ({
    create: (request, { permit }) => service.create(routes.jobs, request, permit),
    remove: (id, { permit }) => service.remove(routes.jobs, id, permit),
  }),
});
