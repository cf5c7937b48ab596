// Creating jobs: section 4.6 of the interface, with the rules of real services for each type.

import { messageOf } from '../../../lib/errors.ts';
import { binaryRules } from '../../../wire/job-rules.ts';
import type { JobCreate, JobType } from '../../../wire/jobs.ts';
import type { EngineChecks } from '../../backends/job-engine.ts';
import { checkLength, checkNameFree, resolve } from '../../model/checks/request-checks.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type { JobBinaryRecord, JobRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { readExactBody } from '../bodies/bodies.ts';
import { jobSchemas } from '../bodies/job-bodies.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { prepareBinary } from '../executions/prepare.ts';
import { createFreshId, type Service } from '../service.ts';
import { checkInterface } from './interface.ts';

/** Throws if the engine cannot run such a job. */
function checkEngine({ engine }: Service, type: JobType, check: (checks: EngineChecks) => void): void {
  try {
    if (engine.checks !== undefined) check(engine.checks);
  } catch (cause) {
    throw Refusal.by('unusable', `cannot use ${type} job: ${messageOf(cause)}`);
  }
}

function checkBinaries({ type, mains = [], libs = [] }: JobCreate): void {
  const rule = binaryRules[type];
  const unusable = (why: string) => Refusal.by('badBinaries', `cannot use ${type} job: ${why}`);
  if (rule.mains === 'required' && mains.length === 0) throw unusable('it needs mains');
  if (rule.libs === 'required' && libs.length === 0) throw unusable('it needs libs');
  if (rule.libs === 'unless mains' && mains.length + libs.length === 0) throw unusable('it needs mains or libs');
  if (rule.mains === 'none' && mains.length > 0) throw unusable('it has no mains');
  const inLibs = new Set(libs);
  const both = mains.find((id) => inLibs.has(id));
  if (both !== undefined) throw unusable(`${both} is in both mains and libs`);
}

/** Of all binaries of a job, with which it is shown. */
const checkBinariesLength = (binaries: readonly JobBinaryRecord[]): void =>
  checkLength(
    binaries.map((binary) => ({ ...binary, extra: undefined })),
    {
      what: 'job binaries: with their descriptions, those of a job are',
      remedy: 'use shorter descriptions, or fewer binaries',
    },
  );

export function createJob(service: Service, { tenant, body }: Call): JobRecord {
  const { dialect, store, clock } = service;
  const job = readExactBody(dialect, jobSchemas(dialect).jobCreate, body);
  checkEngine(service, job.type, (checks) => checks.job(job.type));
  checkBinaries(job);
  const binariesOf = (ids: readonly string[] = []) =>
    ids.map((id) => resolve(store, 'jobBinaries', { tenant, id }, 'unknownBinary'));
  const [mainBinaries, libBinaries] = [binariesOf(job.mains), binariesOf(job.libs)];
  const all = [...mainBinaries, ...libBinaries];
  checkBinariesLength(all);
  checkEngine(service, job.type, (checks) => checks.files(all.map(prepareBinary)));
  const [mains, libs] = [mainBinaries.map(({ id }) => id), libBinaries.map(({ id }) => id)];
  const arguments_ = checkInterface(service, tenant, job);
  checkNameFree(service, 'jobs', { tenant, name: job.name });
  const { name, type, description, is_public, is_protected } = job;
  const record = {
    id: createFreshId(service, 'jobs', tenant),
    name,
    type,
    description,
    mains,
    libs,
    interface: arguments_,
    is_public,
    is_protected,
    ...recordNulls(nullFieldsIn(job)),
    created_at: timestamp(clock),
  };
  store.put('jobs', tenant, record);
  return record;
}
