// Which changes of the cache count, for the object itself and for its dependents.
import { describe, expect, test } from 'vitest';
import type { Metadata, RawResource } from '../../../src/operator/api/definition.ts';
import {
  concernsDependents,
  concernsItself,
  isAsked,
  urgencyOf,
} from '../../../src/operator/controller/resource-change.ts';
import type { ResourceChange } from '../../../src/operator/reconcile/pass-ports.ts';
import { resource } from './resources.ts';

const relevant = ['dataprocessing.dev/recreate'];

function change(previous: RawResource | undefined, current: RawResource | undefined, initial = false): ResourceChange {
  return { key: { kind: 'Cluster', namespace: 'team', name: 'etl' }, previous, current, initial };
}

describe('the object itself is looked at', () => {
  const before = resource();

  test.each<[string, Partial<Metadata>, boolean]>([
    ['a spec edit', { generation: 2, resourceVersion: '2' }, true],
    ['the start of its deletion', { deletionTimestamp: '2026-01-01T00:00:00Z' }, true],
    ['another finalizer', { finalizers: ['someone/else'] }, true],
    ['another object of its name', { uid: 'other' }, true],
    ['an annotation that counts', { annotations: { 'dataprocessing.dev/recreate': '42' } }, true],
    ['an annotation that does not', { annotations: { 'team/owner': 'me' }, resourceVersion: '2' }, false],
    ['a label', { labels: { app: 'etl' }, resourceVersion: '2' }, false],
    ['nothing at all', {}, false],
  ])('after %s: %o is %s', (_what, metadata, expected) => {
    expect(concernsItself(change(before, resource(metadata)), relevant)).toBe(expected);
    expect(concernsItself(change(resource(metadata), before), relevant)).toBe(expected);
  });

  test('when it appears, when it goes, and when somebody else writes its status', () => {
    expect(concernsItself(change(undefined, before), relevant)).toBe(true);
    expect(concernsItself(change(before, undefined), relevant)).toBe(true);
    expect(concernsItself(change(undefined, undefined), relevant)).toBe(false);
    expect(concernsItself(change(before, { ...before, status: { ready: true } }), relevant)).toBe(true);
  });

  test('after every write where there is no generation, as with Secrets', () => {
    const { generation: _none, ...metadata } = resource().metadata;
    const secret = (resourceVersion: string) =>
      ({ ...resource(), metadata: { ...metadata, resourceVersion } }) as RawResource;
    expect(concernsItself(change(secret('1'), secret('2')), relevant)).toBe(true);
    expect(concernsItself(change(secret('2'), secret('2')), relevant)).toBe(false);
  });
});

describe('somebody wants something', () => {
  const before = resource();

  test.each<[string, RawResource, boolean]>([
    ['another spec', resource({ generation: 2 }), true],
    ['that it goes', resource({ deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
    ['another object', resource({ uid: 'other' }), true],
    ['what an annotation says', resource({ annotations: { 'dataprocessing.dev/recreate': '42' } }), true],
    ['nothing by another status', { ...before, status: {} }, false],
    ['nothing by other finalizers', resource({ finalizers: ['someone/else'] }), false],
  ])('%s', (_what, after, expected) => {
    expect(isAsked(change(before, after), relevant)).toBe(expected);
    expect(isAsked(change(undefined, after), relevant)).toBe(true);
  });
});

describe('dependents are woken', () => {
  const readiness = ({ status }: RawResource) => JSON.stringify(status);
  const before = resource();

  test('when the facts differ, or the object is another, new or gone', () => {
    expect(concernsDependents(change(before, { ...before, status: 1 }), readiness)).toBe(true);
    expect(concernsDependents(change(before, resource({ uid: 'other' })), readiness)).toBe(true);
    expect(concernsDependents(change(undefined, before), readiness)).toBe(true);
    expect(concernsDependents(change(before, undefined), readiness)).toBe(true);
  });

  test('and by nothing else', () => {
    expect(concernsDependents(change(before, resource({ generation: 7 })), readiness)).toBe(false);
  });
});

describe('urgency', () => {
  const dying = resource({ deletionTimestamp: '2026-01-01T00:00:00Z' });

  test.each([
    ['a user change', change(resource(), resource({ generation: 2 })), 'change'],
    ['the first list', change(undefined, resource(), true), 'poll'],
    ['a deletion', change(resource(), dying), 'change'],
    ['a deletion found in the first list', change(undefined, dying, true), 'change'],
    ['the end of the object', change(dying, undefined), 'change'],
  ] as const)('of %s', (_what, given, expected) => {
    expect(urgencyOf(given)).toBe(expected);
  });
});
