// Creating data sources: section 4.6 of the interface, with the rules of real services for each type.

import { messageOf } from '../../../lib/errors.ts';
import { mostUrl } from '../../../wire/bounds.ts';
import { isUuid } from '../../../wire/common.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { type DataSourceCreate, splitUrl, swiftContainerEnd } from '../../../wire/jobs.ts';
import { checkNameFree } from '../../model/checks/request-checks.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type { DataSourceRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { readExactBody } from '../bodies/bodies.ts';
import { jobSchemas } from '../bodies/job-bodies.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { placeholder, resolvedLength } from '../executions/data-source-urls.ts';
import { createFreshId, type Service } from '../service.ts';

type Location = Pick<DataSourceCreate, 'url' | 'credentials'>;

const unusable = (why: string) => Refusal.by('badSource', `cannot use data source: ${why}`);

function checkScheme(url: string, schemes: readonly string[]): ReturnType<typeof splitUrl> {
  if (url === '') throw unusable('url is empty');
  const parts = splitUrl(url);
  if (!schemes.includes(parts.scheme)) throw unusable(`url has to begin with ${schemes.join(':// or ')}://`);
  return parts;
}

/** A path on the file system of the cluster needs no scheme. */
const isBarePath = (url: string) => url !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(url);

const hostName = (host: string) => host.replace(/^.*@/, '').replace(/:\d*$/, '');

function checkSwift({ url, credentials }: Location, dialect: Dialect): void {
  const { host, path } = checkScheme(url, ['swift']);
  if (host === '' || path.length < 2) throw unusable('url is not of the form swift://container/object');
  if (dialect === 'sahara' && host.includes('.') && !host.endsWith(swiftContainerEnd))
    throw unusable(`the container ${host} has a dot, and does not end with ${swiftContainerEnd}`);
  for (const key of ['user', 'password']) {
    if (credentials?.[key] !== undefined) continue;
    throw Refusal.by('noCredentials', `cannot use data source: credentials lack ${key}`);
  }
}

const s3Keys = ['accesskey', 'secretkey', 'endpoint'];
const s3Switches = ['bucket_in_path', 'ssl'];

function checkS3({ url, credentials = {} }: Location): void {
  const { host, path } = checkScheme(url, ['s3', 's3a']);
  if (host === '' || path === '') throw unusable('url is not of the form s3://bucket/object');
  for (const [key, value] of Object.entries(credentials)) {
    if (![...s3Keys, ...s3Switches].includes(key)) throw unusable(`credentials have the unknown key ${key}`);
    if (s3Switches.includes(key) && typeof value !== 'boolean') throw unusable(`${key} is neither true nor false`);
  }
}

/** The checks of URL and credentials by type. */
const locations: Readonly<Record<DataSourceCreate['type'], (location: Location, dialect: Dialect) => void>> = {
  swift: checkSwift,
  s3: checkS3,
  hdfs({ url }) {
    if (isBarePath(url)) return;
    if (hostName(checkScheme(url, ['hdfs']).host) === '') throw unusable('url names no host');
  },
  maprfs({ url }) {
    // A path can also follow the scheme directly.
    if (!isBarePath(url) && !/^maprfs:/i.test(url)) checkScheme(url, ['maprfs']);
  },
  manila({ url }) {
    const { host, path } = checkScheme(url, ['manila']);
    if (!isUuid(host) || path === '') throw unusable('url is not of the form manila://<share>/path');
  },
};

const maxDrawn = 1024;

function checkPlaceholders(url: string): void {
  const lengths = [...url.matchAll(placeholder)].map(([, length]) => Number(length));
  if (lengths.some((length) => length <= 0)) throw unusable('url asks for no letters with RANDSTR');
  if (lengths.reduce((sum, length) => sum + length, 0) > maxDrawn)
    throw unusable(`url asks for more than ${maxDrawn} letters with RANDSTR`);
  const length = resolvedLength(url);
  if (length > mostUrl)
    throw unusable(`url has ${length} characters with its placeholders filled in, and can have ${mostUrl}`);
}

/** Throws unless data can be stored at this location. */
export function checkSource(
  { dialect, engine }: Pick<Service, 'dialect' | 'engine'>,
  source: Location & { readonly type: DataSourceCreate['type'] },
): void {
  checkPlaceholders(source.url);
  try {
    engine.checks?.source(source);
  } catch (cause) {
    throw Refusal.by('unusable', `cannot use data source: ${messageOf(cause)}`);
  }
  // Programs read these as they read files of HDFS.
  const [, scheme = ''] = /^([a-z]+):\//.exec(source.url) ?? [];
  if (source.type === 'hdfs' && engine.schemes?.sources.includes(scheme) === true) return;
  locations[source.type](source, dialect);
}

export function createDataSource(service: Service, { tenant, body }: Call): DataSourceRecord {
  const { dialect, store, clock } = service;
  const source = readExactBody(dialect, jobSchemas(dialect).dataSourceCreate, body);
  checkNameFree(service, 'dataSources', { tenant, name: source.name });
  checkSource(service, source);
  const record = {
    id: createFreshId(service, 'dataSources', tenant),
    ...source,
    ...recordNulls(nullFieldsIn(source)),
    created_at: timestamp(clock),
  };
  store.put('dataSources', tenant, record);
  return record;
}
