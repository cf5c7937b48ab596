// DataSource: what is sent, literally, and what status tells of it.
import { describe, expect, test } from 'vitest';
import { dataSourceKind } from '../../../../src/operator/kinds/data-source/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { dialects, toWire } from '../../../../src/wire/dialect.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { dataSourceCreate } from '../../../../src/wire/jobs.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf } from '../support/mapping.ts';

const kind = dataSourceKind;
const shortest = { type: 'hdfs', url: '/data/in' };
const full = { ...shortest, name: 'books', description: 'plain text', deletionPolicy: 'Orphan' };
const specOf = (spec: unknown) => kind.definition.spec.parse(spec);
const bodyOf = (spec: unknown) => kind.desired(specOf(spec), givenOf()).body;
const contentOf = (spec: unknown) => kind.content(specOf(spec), () => '');

describe('what is sent', () => {
  test('the shortest, and the longest', () => {
    expect(bodyOf(shortest)).toStrictEqual({ name: 'etl-name', type: 'hdfs', url: '/data/in' });
    expect(bodyOf(full)).toStrictEqual({
      name: 'etl-name',
      type: 'hdfs',
      url: '/data/in',
      description: 'plain text',
    });
  });

  test('is the same in all dialects, and passes the request schema of the interface', () => {
    for (const dialect of dialects) expect(toWire(dialect, bodyOf(full))).toStrictEqual(bodyOf(full));
    for (const spec of [shortest, full]) expect(dataSourceCreate.safeParse(bodyOf(spec)).error).toBeUndefined();
  });
});

describe('credentials', () => {
  const ref = { credentialsSecretRef: { name: 'keys' } };
  const swift = { type: 'swift', url: 'swift://books/all', ...ref };
  const s3 = { type: 's3', url: 's3a://books/all', ...ref };
  const sent = (spec: unknown, secret: Readonly<Record<string, string>>) =>
    kind.desired(specOf(spec), givenOf({ secret })).body;

  test('are a reference to the keys that the type has', () => {
    const keysOf = (spec: unknown) => kind.references(specOf(spec), '');
    const reference = { field: 'spec.credentialsSecretRef', kind: 'Secret', name: 'keys' };
    expect(keysOf(swift)).toStrictEqual([{ ...reference, keys: { required: ['user', 'password'] } }]);
    expect(keysOf(s3)).toStrictEqual([
      {
        ...reference,
        keys: { required: ['accesskey', 'secretkey'], optional: ['endpoint', 'bucket_in_path', 'ssl'] },
      },
    ]);
    expect(keysOf(shortest)).toStrictEqual([]);
  });

  test('are sent as the interface has them: switches are no texts', () => {
    expect(sent(swift, { user: 'ann', password: 'p' })).toMatchObject({ credentials: { user: 'ann', password: 'p' } });
    const keys = { accesskey: 'a', secretkey: 's', endpoint: 'e', ssl: 'true', bucket_in_path: 'false' };
    const body = sent(s3, keys);
    expect(body).toMatchObject({ credentials: { ...keys, ssl: true, bucket_in_path: false } });
    expect(dataSourceCreate.safeParse(body).error).toBeUndefined();
    expect(sent(s3, { ...keys, ssl: 'yes' })).toMatchObject({ credentials: { ssl: 'yes' } });
  });

  test('count as content by their digest', () => {
    const contentFor = (hash: string) => kind.content(specOf(swift), () => hash);
    expect(contentFor('one')).not.toEqual(contentFor('other'));
    expect(JSON.stringify(contentFor('one'))).toBe(
      JSON.stringify({ type: 'swift', url: swift.url, credentials: 'one' }),
    );
  });
});

describe('the content', () => {
  test('is type and URL, and nothing for people', () => {
    expect(contentOf(full)).toStrictEqual(contentOf(shortest));
    expect(contentOf({ ...full, url: '/other' })).not.toEqual(contentOf(full));
    expect(contentOf({ ...full, type: 'maprfs' })).not.toEqual(contentOf(full));
  });
});

describe('the kind', () => {
  const row: RemoteObject = { id: 'x', name: 'y' };

  test('refers to nothing, and is never changed', () => {
    expect([kind.references(specOf(full), ''), kind.referencesIn.routes]).toEqual([[], []]);
    expect(kind.health(row)).toEqual({ state: 'ready' });
    expect('change' in kind).toBe(false);
  });

  test('status tells what the service has, cleaned and bounded', () => {
    const told = (remote: object) => kind.report({ ...row, ...remote }, specOf(full), ledgerOf(), '');
    expect(told({ type: 'hdfs', url: 'hdfs://h/a' })).toStrictEqual({ type: 'hdfs', url: 'hdfs://h/a' });
    expect(told({})).toStrictEqual({});
    const hostile = told({ type: 'a\u0007b', url: 'x'.repeat(9999) });
    expect(hostile).toMatchObject({ type: 'a b' });
    expect((hostile as { url: string }).url).toHaveLength(255);
  });

  test('a refusal for want of credentials names the field', () => {
    const refusal = (name: string) =>
      classify(
        { method: 'POST', path: '/v1.1/t/data-sources' },
        {
          phase: 'answered',
          status: 400,
          body: JSON.stringify({ error_code: 400, error_name: name, error_message: 'no' }),
        },
      );
    expect(kind.remedy(refusal('INVALID_CREDENTIALS'))).toBe(
      'Name a Secret with the keys user and password in spec.credentialsSecretRef',
    );
    expect(kind.remedy(refusal('INVALID_DATA'))).toBeUndefined();
  });
});
