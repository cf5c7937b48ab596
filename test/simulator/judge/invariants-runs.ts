// What must hold of every run: each answers what is broken, or nothing.
import { runAgainAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { JobExecutionRecord } from '../../../src/service/model/records/records.ts';
import { markerIn } from '../../../src/wire/jobs.ts';
import type { Invariant } from './facts.ts';
import { targetOf } from './happening.ts';

const over = ['SUCCEEDED', 'FAILED', 'KILLED', 'DONEWITHERROR'];

/** At most one run per attempt, and no other one while one is in progress, or after one that succeeded: unless its user asks for that. */
export const I15: Invariant = (facts, happening) => {
  if (happening.is === 'service sent') {
    const { operation, name = '' } = targetOf(happening.sent);
    return operation === 'execute' ? facts.runs.requests.wrongWith(name) : undefined;
  }
  if (happening.is !== 'service changed' || happening.kind !== 'jobExecutions' || happening.before !== undefined)
    return undefined;
  const made = happening.after as JobExecutionRecord;
  const uid = facts.ownerOf(made.id);
  if (uid === undefined) return undefined;
  const runs = facts.runs.of(uid);
  const marker = markerIn(made.job_configs);
  if (runs.filter((run) => run.marker === marker).length > 1) return `there are two runs of the attempt ${marker}`;
  const { metadata, spec } = facts.resourceOf(uid) ?? {};
  const again = metadata?.annotations?.[runAgainAnnotation];
  const rows = facts.rowsOf(uid);
  // Where the job may run twice, a run counts as long as the service has it.
  const mayRepeat = (spec as { readonly onUnknown?: string } | undefined)?.onUnknown === 'Retry';
  const counts = (run: { readonly marker: string }): boolean =>
    ![marker, again].includes(run.marker) && (!mayRepeat || rows.some(({ record }) => record.name === run.marker));
  const earlier = runs.find((run) => counts(run) && run.status === 'SUCCEEDED');
  if (earlier !== undefined) return `${marker} is run, and ${earlier.marker} has succeeded`;
  const going = rows.find(({ record }) => isGoing(record, made.id));
  return going && `${marker} is run while ${going.record.name} goes on`;
};

const isGoing = (record: object, except: string): boolean =>
  'info' in record &&
  (record as JobExecutionRecord).id !== except &&
  !over.includes((record as JobExecutionRecord).info.status);

/** Complete only if a run has succeeded. */
export const completeTooSoon = (statuses: readonly string[]): string | undefined =>
  statuses.includes('SUCCEEDED') ? undefined : `is Complete, and its runs are ${statuses.join() || 'none'}`;
