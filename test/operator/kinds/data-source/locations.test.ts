// Which data a service can have: the table of the operator against the checks of the bundled service.
import { describe, expect, test } from 'vitest';
import { dataSourceKind } from '../../../../src/operator/kinds/data-source/index.ts';
import { locations } from '../../../../src/operator/kinds/data-source/locations.ts';
import { jobSchemas } from '../../../../src/service/resources/bodies/job-bodies.ts';
import { checkSource } from '../../../../src/service/resources/jobs/create-data-source.ts';
import type { Service } from '../../../../src/service/resources/service.ts';
import { type Dialect, dialects } from '../../../../src/wire/dialect.ts';
import { type DataSourceType, dataSourceTypes } from '../../../../src/wire/jobs.ts';
import { placeForms } from '../schema/places.ts';

const check = (type: DataSourceType, url: string, dialect: Dialect) => dataSourceKind.check({ type, url }, dialect);

/** The bundled service as it simulates, and with real clusters. */
const engines: readonly Pick<Service, 'engine'>['engine'][] = [
  {},
  { schemes: { binaries: [], sources: ['file', 'hdfs'] } },
].map((engine) => engine as unknown as Service['engine']);

/** Whether one of them takes it. Credentials are no matter of the place. */
function isTaken(type: DataSourceType, url: string, dialect: Dialect): boolean {
  const credentials = type === 'swift' ? { user: 'u', password: 'p' } : {};
  const body = { name: 'a', type, url, credentials };
  if (!jobSchemas(dialect).dataSourceCreate.safeParse(body).success) return false;
  return engines.some((engine) => {
    try {
      checkSource({ dialect, engine }, body);
      return true;
    } catch {
      return false;
    }
  });
}

const types = dataSourceTypes.neutral;

describe.each(dialects)('in the dialect %s', (dialect) => {
  test.each(types)('%s: what the operator lets through is taken, and what it refuses is refused', (type) => {
    for (const url of placeForms[type].fit) {
      expect(locations[type].pattern.test(url), url).toBe(true);
      expect(check(type, url, dialect) === undefined, url).toBe(isTaken(type, url, dialect));
    }
    expect(check('swift', 'swift://my.container/a', dialect) === undefined).toBe(
      isTaken('swift', 'swift://my.container/a', dialect),
    );
  });

  test.each(types)('%s: what the schema refuses is refused', (type) => {
    for (const url of placeForms[type].unfit) {
      expect(locations[type].pattern.test(url), url).toBe(false);
      if (!lenient.has(url)) expect(isTaken(type, url, dialect), url).toBe(false);
    }
  });
});

/** The service does not look at these closely, and no program could read them. */
const lenient = new Set(['/a\nb', 'hdfs:/a', 'hdfs://', 'file:/tmp', 'file://host', 'maprfs:']);

test('a refusal names the field and the remedy', () => {
  expect(check('hdfs', '/a', 'savanna')).toBe(
    'spec.type: a service of the dialect Savanna has no data sources of type hdfs: use swift, or a Connection to a service of another dialect',
  );
  expect(check('swift', 'swift://a.b/c', 'sahara')).toMatch(/^spec\.url: .*dialect Sahara.*end it with \.sahara$/);
});
