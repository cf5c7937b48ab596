// Job binaries, and the bytes that the service stores for them: section 4.6 of the interface.
import { messageOf } from '../../../lib/errors.ts';
import { isPlainName } from '../../../wire/common.ts';
import { type Dialect, internalUrl } from '../../../wire/dialect.ts';
import { type JobBinaryCreate, jobBinaryLocations, shownUrl, splitUrl } from '../../../wire/jobs.ts';
import { findVisible, type Place } from '../../model/checks/owners.ts';
import { checkBytes } from '../../model/checks/quotas.ts';
import { checkNameFree, need, resolve, titles, withHyphens } from '../../model/checks/request-checks.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type { JobBinaryInternalRecord, JobBinaryRecord } from '../../model/records/records.ts';
import { missing, Refusal } from '../../model/refusal.ts';
import { readExactBody } from '../bodies/bodies.ts';
import { jobSchemas } from '../bodies/job-bodies.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { createFreshId, type Service } from '../service.ts';

const badBinary = (why: string) => Refusal.by('badBinary', `cannot keep binary: ${why}`);

/** Stores the bytes of the body under the name in the path. */
export function createInternal(service: Service, { tenant, name, body }: Call): JobBinaryInternalRecord {
  if (!Buffer.isBuffer(body) || body.length === 0) throw badBinary('it is empty');
  if (!isPlainName(name)) throw badBinary(`${name} is not a valid name`);
  checkNameFree(service, 'jobBinaryInternals', { tenant, name });
  checkBytes(service, tenant, body.length);
  const record = {
    id: createFreshId(service, 'jobBinaryInternals', tenant),
    name,
    datasize: body.length,
    created_at: timestamp(service.clock),
  };
  service.store.put('jobBinaryInternals', tenant, record, body);
  return record;
}

/** Undefined if the tenant has no such binary. */
function findBytes({ store }: Service, at: Place): Uint8Array | undefined {
  const internal = findVisible(store, 'jobBinaryInternals', at);
  if (internal === undefined) return undefined;
  const bytes = store.bytes(at.tenant, internal.id);
  if (bytes === undefined) throw new Error(`the store has no bytes of internal binary ${internal.id}`);
  return bytes;
}

export function readInternal(service: Service, call: Call): Uint8Array {
  const bytes = findBytes(service, call);
  if (bytes === undefined) throw missing(titles.jobBinaryInternals, call.id);
  return bytes;
}

const s3Keys = ['accesskey', 'endpoint', 'secretkey'];

/** Throws unless the location is well formed and, if it is internal, exists, and if jobs cannot read it. */
export function checkLocation(
  { store, dialect, engine }: Service,
  tenant: string,
  binary: Pick<JobBinaryRecord, 'url' | 'extra'>,
): void {
  const { url } = binary;
  const { scheme, host } = splitUrl(url);
  const readable = engine.schemes?.binaries ?? [];
  if (!readable.includes(scheme) && !Object.hasOwn(jobBinaryLocations, scheme)) {
    const others = Object.keys(jobBinaryLocations).filter((each) => !internalUrl('neutral').startsWith(each));
    const known = [internalUrl(dialect), ...[...readable, ...others].map((each) => `${each}://`)].join(', ');
    throw Refusal.by('badLocation', `cannot use job binary: url has to begin with one of ${known}`);
  }
  if (scheme === 'internal-db') resolve(store, 'jobBinaryInternals', { tenant, id: host }, 'noInternal');
  try {
    engine.checks?.binary(binary);
  } catch (cause) {
    throw Refusal.by('unusable', `cannot use job binary: ${messageOf(cause)}`);
  }
}

/** Throws unless `extra` has what the scheme needs to read the bytes. An engine that reads them has its own check. */
function checkAccess({ engine }: Service, { url, extra = {} }: JobBinaryCreate): void {
  const { scheme } = splitUrl(url);
  if (scheme === 'swift' && !(extra['user'] && extra['password']))
    throw Refusal.by('noSwiftUser', 'cannot keep binary: extra lacks user or password');
  if (engine.schemes?.binaries.includes(scheme) === true) return;
  if (scheme === 's3' && Object.keys(extra).toSorted().join() !== s3Keys.join())
    throw Refusal.by('badLocation', `cannot use job binary: extra has to have ${s3Keys.join(', ')} and nothing else`);
}

export function createJobBinary(service: Service, { tenant, body }: Call): JobBinaryRecord {
  const { dialect, store, clock } = service;
  const binary = readExactBody(dialect, jobSchemas(dialect).jobBinaryCreate, body);
  checkLocation(service, tenant, binary);
  checkAccess(service, binary);
  checkNameFree(service, 'jobBinaries', { tenant, name: binary.name });
  const record = {
    id: createFreshId(service, 'jobBinaries', tenant),
    ...binary,
    ...recordNulls(nullFieldsIn(binary)),
    created_at: timestamp(clock),
  };
  store.put('jobBinaries', tenant, record);
  return record;
}

const unreadable = (url: string, why: string) => `cannot read ${shownUrl(url)}: ${why}`;

/** Upstream fails with a 500. */
const lost = (dialect: Dialect, message: string) =>
  Refusal.by(dialect === 'neutral' ? 'bytesLost' : 'bytesLostUpstream', message);

/** An internal binary can be deleted although a job binary refers to it. */
export function readJobBinary(service: Service, call: Call): Uint8Array {
  const { store, dialect } = service;
  const { url } = need(store, 'jobBinaries', call);
  const { scheme, host } = splitUrl(url);
  if (scheme !== 'internal-db')
    throw Refusal.by('bytesElsewhere', unreadable(url, 'there is no object store behind the bundled service'));
  const bytes = findBytes(service, { tenant: call.tenant, id: withHyphens(host) });
  if (bytes === undefined) throw lost(dialect, unreadable(url, 'the internal binary is gone'));
  return bytes;
}
