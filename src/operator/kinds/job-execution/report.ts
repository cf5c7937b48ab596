// How far a run is, and the status of a JobExecution, from what the service says of the run. PURE.
import { readLinks } from '../../../wire/cluster-info.ts';
import { cleanText, cleanWord } from '../../../wire/errors/shapes.ts';
import { type JobExecution, termination } from '../../../wire/jobs.ts';
import type { RunProgress } from '../../reconcile/kind/run-types.ts';
import { settled } from '../node-groups.ts';
import type { ExecutionSpec } from './mapping.ts';

const states: Readonly<Record<string, RunProgress['state']>> = {
  pending: 'queued',
  prep: 'queued',
  readytorun: 'queued',
  tobekilled: 'stopping',
  succeeded: 'succeeded',
  killed: 'killed',
  failed: 'failed',
  donewitherror: 'failed',
  // Somebody else tried to suspend it: what it did is not known, so that it is not repeated.
  suspendfailed: 'killed',
};

/** Status words differ in case between services; what is not known is a run in progress. */
const stateIn = (info: JobExecution['info']): RunProgress['state'] => {
  const status = (info?.status ?? '').toLowerCase();
  return (Object.hasOwn(states, status) && states[status]) || (status === '' ? 'queued' : 'running');
};

const deaths = ['OOMKilled', 'Evicted', 'Signal'] as const satisfies readonly RunProgress['endedBy'][];

export const progress = (run: JobExecution): RunProgress => {
  const { info, start_time, end_time } = run;
  const state = stateIn(info);
  const ended = terminationIn(run);
  const exit = exitText(ended);
  const endedBy = deaths.find((one) => state === 'failed' && one === ended?.reason);
  const ranMs = timeIn(end_time) - timeIn(start_time);
  const message = messageIn(info);
  return {
    state,
    ...(state === 'queued' && info?.['queued'] === true ? { waitsInQueue: true as const } : {}),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...(ranMs >= 0 ? { ranMs } : {}),
    ...(exit === undefined ? {} : { exit }),
    ...(message === undefined ? {} : { message }),
  };
};

interface ReportedTermination {
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
}

const largestCode = 2 ** 31 - 1;

/** How the program of a finished run ended, as far as the service reports it. Sahara reports only whether it was killed. */
const terminationIn = ({ info, return_code: code }: JobExecution): ReportedTermination | undefined => {
  const state = stateIn(info);
  if (state !== 'succeeded' && state !== 'failed' && state !== 'killed') return undefined;
  const told = termination.safeParse(info?.['termination']).data;
  const exitCode = code !== undefined && Math.abs(code) <= largestCode ? code : undefined;
  const reason = told?.reason ?? (state === 'killed' ? 'Cancelled' : undefined);
  const known = settled({ reason, exitCode, signal: told?.signal });
  return Object.keys(known).length === 0 ? undefined : known;
};

/** What a message has to say beside the words of the service, which are often a line of the program's output. */
const exitText = ({ reason, exitCode, signal }: ReportedTermination = {}): string | undefined => {
  if (exitCode === undefined) return undefined;
  const why = reason === 'Error' ? undefined : reason === 'Signal' ? signal : reason;
  return `exit code ${exitCode}${why === undefined ? '' : ` (${why})`}`;
};

const longestMessage = 500;

/** Where engines put an explanation: `message` in ours. */
const messageIn = (info: JobExecution['info']): string | undefined => {
  const text: unknown = info?.['message'];
  return typeof text === 'string' && text !== '' ? cleanText(text, []).slice(0, longestMessage) : undefined;
};

/** In ms, only good for a difference: most services leave out the zone, and not all of them mean UTC. NaN: not a time. */
const timeIn = (text = ''): number => {
  if (text.length > 40) return Number.NaN;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  return Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
};

interface ReportContext {
  readonly spec: ExecutionSpec | undefined;
  /** Of the JobExecution. */
  readonly name: string;
  /** Of the service. */
  readonly endpoint: string;
}

export const report = (
  remote: JobExecution,
  { spec, name: executionName, endpoint }: ReportContext,
): Readonly<Record<string, unknown>> => {
  const { info, job_id, cluster_id, progress: done } = remote;
  const given = expected(spec, executionName);
  const ended = terminationIn(remote);
  return settled({
    externalStatus: info?.status === undefined ? undefined : cleanWord(info.status),
    statusMessage: messageIn(info),
    termination: ended,
    exitCode: ended?.exitCode,
    progress: done === undefined ? undefined : percentOf(done),
    job: settled({ ...given.job, ...reportedID(job_id) }),
    cluster: settled({ ...given.cluster, ...reportedID(cluster_id) }),
    urls: linksIn(info, endpoint),
  });
};

/** The job and the cluster that the spec asks for: known before there is a run. */
export const expected = (spec: ExecutionSpec | undefined, name: string) => ({
  job: settled({ name: spec?.job ? name : spec?.jobRef?.name, id: spec?.jobID }),
  cluster: settled({ name: spec?.cluster ? name : spec?.clusterRef?.name, id: spec?.clusterID }),
});

const reportedID = (id: string | undefined) => (id === undefined ? {} : { id: cleanWord(id) });

/** Where engines put links: `urls` in ours. */
const linksIn = (info: JobExecution['info'], endpoint: string): Readonly<Record<string, string>> | undefined => {
  const links = readLinks(info?.['urls'], endpoint);
  return Object.keys(links).length === 0 ? undefined : links;
};

/** In steps of ten: each change is a write of the status. */
const percentOf = (share: number): number => Math.floor(share * 10) * 10;
