// Changes of data sources, both kinds of job binaries and jobs, as in late upstream releases.

import { checkChange, failed } from '../../model/checks/access.ts';
import { checkNameFree, checkRename, need, titles } from '../../model/checks/checks.ts';
import { find, findVisible, listAll } from '../../model/checks/owners.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type {
  DataSourceRecord,
  JobBinaryInternalRecord,
  JobBinaryRecord,
  JobExecutionRecord,
  JobRecord,
  Records,
} from '../../model/records/records.ts';
import { unresolved } from '../../model/refusal.ts';
import { isPending } from '../../model/stages/executions.ts';
import { readChange } from '../bodies/bodies.ts';
import { changes } from '../bodies/change-bodies.ts';
import type { Call } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';
import { applyChange, type ChangeOf } from '../templates/expansion.ts';
import { checkLocation } from './binaries.ts';
import { checkSource } from './data-sources.ts';
import { checkBinariesLength } from './jobs.ts';

type ChangedKind = 'dataSources' | 'jobBinaries' | 'jobBinaryInternals' | 'jobs';

/** Stores the changed record. Throws unless the change is allowed and the name is free. */
function keepChanged<K extends ChangedKind>(
  { store, clock }: Service,
  kind: K,
  call: Call,
  change: ChangeOf<Records[K]> & { readonly name?: string | undefined },
): Records[K] {
  const record = checkChange(store, kind, call, change);
  checkRename(store, kind, { tenant: call.tenant, record }, change.name);
  const changed = { ...applyChange(record, change), updated_at: timestamp(clock) };
  store.put(kind, call.tenant, changed);
  return changed;
}

/** Name, description and access can be changed. All other fields of a job are fixed. */
export function changeJob(service: Service, call: Call): JobRecord {
  need(service.store, 'jobs', call);
  return keepChanged(service, 'jobs', call, readChange(service.dialect, changes.jobs, call.body));
}

/** The bytes stay the same. */
export function changeInternal(service: Service, call: Call): JobBinaryInternalRecord {
  const kind = 'jobBinaryInternals';
  need(service.store, kind, call);
  return keepChanged(service, kind, call, readChange(service.dialect, changes[kind], call.body));
}

/** Throws if an execution that is pending is going to use the object. */
function checkNotAwaited(
  { store, dialect }: Service,
  kind: 'dataSources' | 'jobBinaries',
  id: string,
  uses: (execution: JobExecutionRecord, job: JobRecord | undefined) => boolean,
): void {
  const jobOf = (tenant: string, job: string) => find(store, 'jobs', { tenant, id: job })?.record;
  const user = listAll(store, 'jobExecutions').find(
    ({ tenant, record }) => isPending(dialect, record) && uses(record, jobOf(tenant, record.job_id)),
  );
  if (user !== undefined)
    throw failed('update', kind, id, `job execution ${user.record.id}, which is pending, needs it`);
}

export function changeDataSource(service: Service, call: Call): DataSourceRecord {
  const { dialect, store } = service;
  const before = need(store, 'dataSources', call);
  const change = readChange(dialect, changes.dataSources, call.body);
  checkNotAwaited(service, 'dataSources', call.id, ({ input_id, output_id }) =>
    [input_id, output_id].includes(call.id),
  );
  const { name = before.name, type = before.type, url = before.url, credentials = before.credentials } = change;
  if (name !== before.name) checkNameFree(service, 'dataSources', { tenant: call.tenant, name });
  checkSource(service, { type, url, credentials });
  return keepChanged(service, 'dataSources', call, change);
}

/** Upstream looks up the binary after it has checked the body, so the answer for a missing one differs from that of other kinds. */
export function changeJobBinary(service: Service, call: Call): JobBinaryRecord {
  const { dialect, store } = service;
  const change = readChange(dialect, changes.jobBinaries, call.body);
  const { url, extra } = change;
  // Upstream checks `extra` only in a create.
  if (url !== undefined) checkLocation(service, call.tenant, { url, extra });
  if (findVisible(store, 'jobBinaries', call) === undefined)
    throw unresolved(`cannot find ${titles.jobBinaries} ${call.id}`);
  const record = checkChange(store, 'jobBinaries', call, change);
  if (url !== undefined && url !== record.url && record.url.startsWith('internal-db://'))
    throw failed('update', 'jobBinaries', call.id, 'the url of an internal binary is fixed');
  checkNotAwaited(
    service,
    'jobBinaries',
    call.id,
    (_, job) => job !== undefined && [...job.mains, ...job.libs].includes(call.id),
  );
  const changed = applyChange(record, change);
  for (const { mains, libs } of listAll(store, 'jobs').map((job) => job.record)) {
    const ids = [...mains, ...libs];
    if (ids.includes(call.id))
      checkBinariesLength(
        ids.flatMap((id) => (id === call.id ? changed : (find(store, 'jobBinaries', { ...call, id })?.record ?? []))),
      );
  }
  return keepChanged(service, 'jobBinaries', call, change);
}
