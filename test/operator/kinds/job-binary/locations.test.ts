// Which files a service can read: the URLs of the operator against the checks of the bundled service, and the endings of names.
import { describe, expect, test } from 'vitest';
import { jobBinaryKind } from '../../../../src/operator/kinds/job-binary/index.ts';
import { fileEnding, fileNameOf, location, schemes } from '../../../../src/operator/kinds/job-binary/locations.ts';
import { readableSchemes } from '../../../../src/service/backends/runs/binaries.ts';
import { checkLocation } from '../../../../src/service/resources/jobs/job-binaries.ts';
import type { Service } from '../../../../src/service/resources/service.ts';
import { type Dialect, dialects } from '../../../../src/wire/dialect.ts';
import { jobBinaryCreate } from '../../../../src/wire/jobs.ts';
import { fileUrls } from '../schema/places.ts';

const check = (url: string, dialect: Dialect) => jobBinaryKind.check({ url }, dialect);

/** The bundled service as it simulates, and with real clusters. It has every internal binary. */
const services = (dialect: Dialect): readonly Service[] =>
  [{}, { schemes: { binaries: readableSchemes, sources: [] } }].map((engine) => {
    const store = { find: () => ({ tenant: 't', record: {} }), get: () => ({}) };
    return { dialect, engine, store } as unknown as Service;
  });

/** Whether it takes the URL. Credentials are no matter of the place. */
function takes(service: Service | undefined, url: string): boolean {
  if (service === undefined || !jobBinaryCreate.safeParse({ name: 'a', url }).success) return false;
  try {
    checkLocation(service, 't', { url, extra: {} });
    return true;
  } catch {
    return false;
  }
}

const isTaken = (url: string, dialect: Dialect): boolean => services(dialect).some((service) => takes(service, url));

const schemeOf = (url: string): string => url.split(':')[0] ?? '';
/** A URL with this scheme. */
const urlWith = (scheme: string): string => fileUrls.fit.find((url) => schemeOf(url) === scheme) ?? '';

describe.each(dialects)('in the dialect %s', (dialect) => {
  test.each(fileUrls.fit)('%s: what the operator lets through is taken', (url) => {
    expect(location.pattern.test(url)).toBe(true);
    expect(isTaken(url, dialect)).toBe(true);
    const { carried, bundled } = schemes[dialect];
    expect(check(url, dialect) === undefined).toBe([...carried, ...bundled].includes(schemeOf(url)));
  });

  test('every service takes what the interface has, and only one with real clusters the rest of the table', () => {
    const [simulated, real] = services(dialect);
    const { carried, bundled } = schemes[dialect];
    for (const scheme of carried) expect(takes(simulated, urlWith(scheme)), scheme).toBe(true);
    for (const scheme of bundled)
      expect([takes(simulated, urlWith(scheme)), takes(real, urlWith(scheme))], scheme).toEqual([false, true]);
  });

  test.each(fileUrls.unfit)('%s: what the schema refuses is refused', (url) => {
    expect(location.pattern.test(url)).toBe(false);
    if (!lenient.includes(url)) expect(isTaken(url, dialect)).toBe(false);
  });
});

/** The service does not look at these closely, and no job could read them. */
const lenient: readonly string[] = ['https://', 'https:///a', 'file://host/a', 'https://host/a\n'];

test('the table decides: early releases have two schemes, and the bundled service reads no others than it says', () => {
  expect(check('https://host/a.jar', 'sahara')).toBeUndefined();
  expect(check('s3://bucket/a.jar', 'savanna')).toMatch(/^spec\.url: /);
  expect(schemes.savanna).toEqual({ carried: ['internal-db', 'swift'], bundled: [] });
  const readable = new Set(readableSchemes);
  for (const dialect of dialects)
    expect(schemes[dialect].bundled.filter((scheme) => !readable.has(scheme))).toEqual([]);
});

test('a refusal names the field and the remedy', () => {
  expect(check('https://host/a.jar', 'savanna')).toBe(
    'spec.url: a service of the dialect Savanna reads binaries only from internal-db:// or swift://: put the file there, or use a Connection to a service of another dialect',
  );
});

test.each([
  ['https://host/a.py', '.py'],
  ['https://host/a.JAR?version=1.2#top', '.jar'],
  ['s3a://bucket/a/b.tar.gz', '.gz'],
  ['hdfs:///a.sql', '.sql'],
  ['internal-db://2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f', undefined],
  ['https://host.example', undefined],
  ['https://host/.py', undefined],
  ['https://host/a.', undefined],
  ['https://host/a.properties', undefined],
  ['https://host/a.py/b', undefined],
  ['https://host/a.p-y', undefined],
])('the file at %s ends with %s', (url, ending) => {
  expect(fileEnding({ url })).toBe(ending);
});

test.each([
  [{ configMapKeyRef: { key: 'words.PY' } }, '.py'],
  [{ secretKeyRef: { key: 'app.tar.gz' } }, '.gz'],
  [{ configMapKeyRef: { key: 'words' }, fileName: 'words.jar' }, '.jar'],
  [{ configMapKeyRef: { key: 'words.py' }, fileName: 'words' }, undefined],
  [{ fileName: 'app.properties' }, undefined],
  [{}, undefined],
])('the file with the content %j ends with %s', (content, ending) => {
  expect(fileEnding({ content })).toBe(ending);
});

test.each([
  [{ content: { fileName: 'helpers.py', configMapKeyRef: { key: 'a.py' } } }, 'helpers.py'],
  [{ content: { secretKeyRef: { key: 'app.tar.gz' } } }, 'app.tar.gz'],
  [{ content: { configMapKeyRef: { key: '.profile' } } }, undefined],
  [{ url: 'https://host/v1/helpers.py?signature=a/b.py#top' }, 'helpers.py'],
  [{ url: 's3a://bucket/lib/udf.jar' }, 'udf.jar'],
  [{ url: 'hdfs:///a b.py' }, undefined],
  [{ url: 'https://host/a/..' }, undefined],
  [{ url: 'https://host' }, undefined],
  // Others than the bundled service store these, and some take nothing but credentials with them.
  [{ url: 's3://bucket/helpers.py' }, undefined],
  [{ url: 'swift://container/helpers.py' }, undefined],
  [{ url: 'internal-db://2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f' }, undefined],
])('programs find the file %j as %s', (file, name) => {
  expect(fileNameOf(file)).toBe(name);
});
