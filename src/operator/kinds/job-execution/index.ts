// The kind JobExecution: one run of a job, which happens once.
import type { JobExecution } from '../../../wire/jobs.ts';
import type { RunKind } from '../../reconcile/kind/kind.ts';
import { checkExecution, checkJobOf } from './checks.ts';
import { type ExecuteRequest, mentions, ownedContent, references, request, settings } from './mapping.ts';
import { expected, progress, report } from './report.ts';
import { jobExecution } from './schema.ts';

const healthOf = { queued: 'busy', running: 'busy', stopping: 'deleting' } as const;

export const jobExecutionKind: RunKind = {
  definition: jobExecution,
  route: 'jobExecutions',
  identity: 'once',
  references,
  owned: ownedContent,
  check: checkExecution,
  checkCreate: checkJobOf,
  desired: (spec, given) => ({ body: request(spec, given.externalName, given) }),
  remedy: ({ category, isQuota }, another = 'create another JobExecution') => {
    if (category !== 'rejected' && category !== 'notFound') return undefined;
    if (isQuota) return 'It is retried until there is room';
    return `The spec is immutable: correct what it refers to, or ${another}`;
  },
  health: (remote) => {
    const { state } = progress(remote);
    return { state: state in healthOf ? healthOf[state as keyof typeof healthOf] : 'ready' };
  },
  expected,
  report: (remote, spec, { endpoint }, name) => report(remote, { spec, name, endpoint }),
  referencesIn: { routes: ['jobs', 'dataSources'], of: mentions },
  progress,
  settings,
  create: (service, { job, body }, permit) => service.execute(job, body, permit),
  sendChange: (service, id, _cancel, permit) => service.cancelExecution(id, permit),
} satisfies RunKind<typeof jobExecution, ExecuteRequest, JobExecution>;
