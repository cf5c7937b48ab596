// A key of a ConfigMap or Secret that is a file: its bytes, when it counts as changed, and what is awaited.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { bytesOf, fileDigest } from '../../../../src/operator/api/file-digest.ts';
import { referencePrecondition } from '../../../../src/operator/reconcile/plan/preconditions.ts';
import { connectionOf, resolveReference } from '../../../../src/operator/reconcile/resource/references.ts';
import { installation, resourceOf } from '../support.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function holderOf(kind: string, content: Partial<RawResource>, uid = 'uid-of-holder'): RawResource {
  const { metadata, apiVersion } = resourceOf();
  return { apiVersion, kind, metadata: { ...metadata, name: 'programs', uid }, ...content };
}

const configMap = (data: Readonly<Record<string, string>>, uid?: string) => holderOf('ConfigMap', { data }, uid);
const secret = (text: string, uid?: string) => holderOf('Secret', { data: { 'a.py': base64(text) } }, uid);

describe('the bytes', () => {
  test.each<readonly [string, RawResource, string | undefined]>([
    ['text of a ConfigMap', configMap({ 'a.py': 'é\n' }), 'é\n'],
    ['others of a ConfigMap', holderOf('ConfigMap', { binaryData: { 'a.py': base64('\u0000b') } }), '\u0000b'],
    ['those of a Secret, with the white space around them', secret(' x\n'), ' x\n'],
    ['none', configMap({ b: 'x' }), undefined],
    ['none of an inherited key', holderOf('ConfigMap', {}), undefined],
  ])('%s', (_name, holder, text) => {
    expect(bytesOf(holder, 'a.py')?.toString()).toBe(text);
  });

  test('what every object inherits is no key', () => {
    expect([bytesOf(configMap({}), 'constructor'), fileDigest(configMap({}), '__proto__')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('the digest', () => {
  test('of a ConfigMap is that of its bytes, wherever it keeps them and whichever ConfigMap it is', () => {
    const digest = createHash('sha256').update('x').digest('hex');
    const others = holderOf('ConfigMap', { binaryData: { 'a.py': base64('x') } }, 'another');
    for (const one of [configMap({ 'a.py': 'x' }), others])
      expect(fileDigest(one, 'a.py')).toEqual({ digest, size: 1 });
  });

  test('of a Secret is keyed with its uid, so that nobody can try what it contains', () => {
    const digests = [secret('x'), secret('x', 'another'), secret('y')].map((one) => fileDigest(one, 'a.py')?.digest);
    expect(new Set(digests).size).toBe(3);
    expect(digests).not.toContain(createHash('sha256').update('x').digest('hex'));
    expect(fileDigest(secret('x'), 'a.py')).toEqual(fileDigest(secret('x'), 'a.py'));
  });

  test('is what the cache keeps of a ConfigMap', () => {
    const kept = { digest: 'd', size: 3 };
    expect(fileDigest(holderOf('ConfigMap', { files: { 'a.py': kept } }), 'a.py')).toBe(kept);
  });
});

describe('a reference', () => {
  const reference = { field: 'spec.content.configMapKeyRef', kind: 'ConfigMap', name: 'programs', file: 'a.py' };
  const ofSecret = { ...reference, field: 'spec.content.secretKeyRef', kind: 'Secret' };
  const resolved = (holder: RawResource | undefined, of = reference) =>
    resolveReference(of, holder, { connection: connectionOf(resourceOf()), installation });
  const unread = (why: string) => holderOf('ConfigMap', { unread: why });

  test('leads to its digest', () => {
    const holder = configMap({ 'a.py': 'x' });
    const { digest } = fileDigest(holder, 'a.py') ?? {};
    expect(resolved(holder)).toEqual({
      state: 'resolved',
      reference,
      resource: holder,
      id: digest,
      hash: digest,
      claims: [],
    });
    expect(resolved(secret('x'), ofSecret)).toMatchObject({ state: 'resolved' });
  });

  test.each<readonly [string, RawResource | undefined, typeof reference, string]>([
    ['a ConfigMap', undefined, reference, 'ConfigMap programs does not exist in this namespace'],
    [
      'a Secret of the type',
      undefined,
      ofSecret,
      'Secret programs does not exist in this namespace, or is not of type',
    ],
    [
      'a key',
      configMap({ 'b.py': 'x' }),
      reference,
      'ConfigMap programs has no key "a.py": add it (its key b.py is not read)',
    ],
    ['bytes', configMap({ 'a.py': '' }), reference, 'ConfigMap programs has nothing in its key "a.py": fill it in'],
    [
      'the right to read it',
      unread('cannot read ConfigMap programs: forbidden'),
      reference,
      'cannot read ConfigMap programs: forbidden',
    ],
  ])('waits for %s, and names it', (_name, holder, of, words) => {
    const found = resolved(holder, of);
    expect(found).toMatchObject({ state: 'awaited', message: expect.stringContaining(`${of.field}: ${words}`) });
    expect(referencePrecondition([found], [of])).toMatchObject({ result: 'waiting', reason: 'DependencyNotReady' });
  });

  test('that is being read is awaited without a word', () => {
    const found = resolved(unread(''));
    expect(found).toMatchObject({ state: 'awaited', soon: true });
    expect(referencePrecondition([found], [reference])).toEqual({ result: 'requeue', afterMs: 2_000 });
    const other = resolved(undefined, ofSecret);
    expect(referencePrecondition([found, other], [reference, ofSecret])).toMatchObject({ result: 'waiting' });
  });
});
