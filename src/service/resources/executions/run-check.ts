// Asks the engine whether a run can work, before anything is stored.
import { messageOf } from '../../../lib/errors.ts';
import type { ClusterRecord, JobExecutionRecord, JobRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import type { Service } from '../service.ts';
import { planOf, prepare } from './prepare.ts';

/** The letters of placeholders are drawn when the run begins. Those of a check are of no account. */
const anyLetter = { next: () => 0 };

/** Throws a refusal that names the field and the remedy if the run cannot work. */
export function checkRun(
  { store, engine, dialect }: Pick<Service, 'store' | 'engine' | 'dialect'>,
  at: { readonly tenant: string; readonly cluster: ClusterRecord; readonly job: JobRecord },
  execution: JobExecutionRecord,
): void {
  if (engine.checks === undefined) return;
  try {
    const prepared = prepare({ store, engine, dialect, random: anyLetter }, at.tenant, execution);
    engine.checks.run(planOf({ store, dialect }, at, prepared));
  } catch (cause) {
    throw Refusal.by('unusable', messageOf(cause));
  }
}
