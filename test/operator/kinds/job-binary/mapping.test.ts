// JobBinary: what is sent, literally, and what status tells of it.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jobBinaryKind } from '../../../../src/operator/kinds/job-binary/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { fromWire, toWire } from '../../../../src/wire/dialect.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { jobBinaryCreate } from '../../../../src/wire/jobs.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf } from '../support/mapping.ts';

const kind = jobBinaryKind;
const internal = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
const shortest = { url: `internal-db://${internal}` };
const full = { ...shortest, name: 'words', description: 'counts words', deletionPolicy: 'Orphan' };
const specOf = (spec: unknown) => kind.definition.spec.parse(spec);
const bodyOf = (spec: unknown) => kind.desired(specOf(spec), givenOf()).body;
const contentOf = (spec: unknown) => kind.content(specOf(spec), () => '');

describe('what is sent', () => {
  test('the shortest, and the longest', () => {
    expect(bodyOf(shortest)).toStrictEqual({ name: 'etl-name', ...shortest });
    expect(bodyOf(full)).toStrictEqual({ name: 'etl-name', ...shortest, description: 'counts words' });
  });

  test('an internal binary has the scheme of the dialect on the wire', () => {
    const told = { ...shortest, name: 'etl-name' };
    expect(toWire('sahara', bodyOf(shortest))).toStrictEqual(told);
    const early = { ...told, url: `savanna-db://${internal}` };
    expect(toWire('savanna', bodyOf(shortest))).toStrictEqual(early);
    expect(fromWire('savanna', early)).toStrictEqual(told);
  });

  test('passes the request schema of the interface', () => {
    for (const spec of [shortest, full]) expect(jobBinaryCreate.safeParse(bodyOf(spec)).error).toBeUndefined();
  });
});

describe('credentials', () => {
  const swift = { url: 'swift://programs/words.py', credentialsSecretRef: { name: 'keys' } };
  const s3 = { ...swift, url: 's3://programs/words.jar' };
  const referenceOf = (required: readonly string[]) => ({
    field: 'spec.credentialsSecretRef',
    kind: 'Secret',
    name: 'keys',
    keys: { required },
  });

  test('are a reference to the keys that the scheme needs', () => {
    expect(kind.references(specOf(swift), '')).toStrictEqual([referenceOf(['user', 'password'])]);
    expect(kind.references(specOf(s3), '')).toStrictEqual([referenceOf(['accesskey', 'secretkey', 'endpoint'])]);
  });

  test('can be those of S3 where the service itself reads the file, which needs no endpoint', () => {
    const s3a = { ...swift, url: 's3a://programs/words.jar' };
    const optional = ['endpoint', 'region', 'bucket_in_path', 'ssl'];
    expect(kind.references(specOf(s3a), '')).toStrictEqual([
      { ...referenceOf([]), keys: { required: ['accesskey', 'secretkey'], optional } },
    ]);
    const secret = { accesskey: 'a', secretkey: 's' };
    const sent = kind.desired(specOf(s3a), givenOf({ secret })).body;
    expect(sent).toStrictEqual({ name: 'etl-name', url: s3a.url, extra: { ...secret, file_name: 'words.jar' } });
    expect(jobBinaryCreate.safeParse(sent).error).toBeUndefined();
  });

  test('are sent as `extra`, and count as content by their digest', () => {
    const secret = { user: 'ann', password: 'p' };
    const sent = kind.desired(specOf(swift), givenOf({ secret })).body;
    expect(sent).toStrictEqual({ name: 'etl-name', url: swift.url, extra: secret });
    expect(jobBinaryCreate.safeParse(sent).error).toBeUndefined();
    expect(kind.content(specOf(swift), () => 'digest')).toStrictEqual({ url: swift.url, credentials: 'digest' });
  });
});

describe('bytes of its own', () => {
  const inline = { content: { inline: 'print(1)', fileName: 'words.py' } };
  const keyRef = { name: 'programs', key: 'words.py' };
  const fromMap = { content: { configMapKeyRef: keyRef } };
  const fromSecret = { content: { secretKeyRef: keyRef, fileName: 'words.jar' } };
  const digest = createHash('sha256').update('print(1)').digest('hex');
  const hidden = (spec: unknown, file?: Buffer) =>
    kind.privateContent?.kind.body(specOf(spec), { ...givenOf(file && { file }), externalName: 'file-name' });

  test('are a reference to the key that has them, or none', () => {
    expect(kind.references(specOf(inline), '')).toEqual([]);
    const reference = { kind: 'ConfigMap', name: 'programs', file: 'words.py' };
    expect(kind.references(specOf(fromMap), '')).toEqual([{ ...reference, field: 'spec.content.configMapKeyRef' }]);
    expect(kind.references(specOf(fromSecret), '')).toEqual([
      { ...reference, kind: 'Secret', field: 'spec.content.secretKeyRef' },
    ]);
  });

  test('count as content by their digest, together with the name', () => {
    expect(contentOf(inline)).toEqual({ bytes: digest, ending: '.py', fileName: 'words.py' });
    expect(kind.content(specOf(fromMap), () => digest)).toEqual(contentOf(inline));
    const jar = { bytes: digest, ending: '.jar', fileName: 'words.jar' };
    expect(kind.content(specOf(fromSecret), () => digest)).toEqual(jar);
    expect(contentOf({ content: { inline: 'print(1)', fileName: 'words' } })).toEqual({
      bytes: digest,
      fileName: 'words',
    });
  });

  test('are sent first, and the job binary refers to them then', () => {
    const bytes = Buffer.from('print(1)');
    expect(hidden(inline)).toEqual({ name: 'file-name', bytes, secret: false });
    expect(hidden(fromMap, bytes)).toEqual({ name: 'file-name', bytes, secret: false });
    expect(hidden(fromSecret, bytes)).toEqual({ name: 'file-name', bytes, secret: true });
    expect(hidden(fromMap)).toBeUndefined();
    const body = kind.desired(specOf({ ...inline, description: 'counts' }), givenOf({ privateId: internal })).body;
    const extra = { file_name: 'words.py' };
    expect(body).toEqual({ name: 'etl-name', url: `internal-db://${internal}`, description: 'counts', extra });
    expect(jobBinaryCreate.safeParse(body).error).toBeUndefined();
  });

  test('name the internal binary that a job binary refers to, whoever made it', () => {
    const mentioned = (url?: string) =>
      kind.referencesIn.of({ id: 'x', name: 'y', ...(url && { url }) } as RemoteObject);
    expect(mentioned(`internal-db://${internal}`)).toEqual([{ route: 'jobBinaryInternals', id: internal }]);
    expect([mentioned('https://host/a'), mentioned()]).toEqual([[], []]);
  });

  test('are possible in every dialect', () => {
    for (const dialect of ['neutral', 'sahara', 'savanna'] as const)
      expect(kind.check(specOf(inline), dialect)).toBeUndefined();
  });
});

describe('the kind', () => {
  const row: RemoteObject = { id: 'x', name: 'y' };

  test('the content is the URL, and nothing for people', () => {
    expect(contentOf(full)).toStrictEqual(contentOf(shortest));
    expect(contentOf({ ...full, url: 'https://host/a' })).not.toEqual(contentOf(full));
  });

  test('refers to nothing, and is never changed', () => {
    expect(kind.references(specOf(full), '')).toEqual([]);
    expect(kind.health(row)).toEqual({ state: 'ready' });
    expect('change' in kind).toBe(false);
  });

  test('status tells what the service has, without credentials', () => {
    const told = (remote: object) => kind.report({ ...row, ...remote }, specOf(full), ledgerOf(), '');
    expect(told(shortest)).toStrictEqual(shortest);
    expect(told({})).toStrictEqual({});
    expect(JSON.stringify(told({ url: 'https://me:secret@host/a' }))).not.toContain('secret');
  });

  test('a refusal for want of credentials names the field', () => {
    const refusal = (name: string) => {
      const body = JSON.stringify({ error_code: 400, error_name: name, error_message: 'no' });
      return classify({ method: 'POST', path: '/v1.1/t/job-binaries' }, { phase: 'answered', status: 400, body });
    };
    expect(kind.remedy(refusal('BAD_JOB_BINARY'))).toMatch(/ in spec\.credentialsSecretRef, or use a file /);
    expect(kind.remedy(refusal('INVALID_DATA'))).toBeUndefined();
  });
});
