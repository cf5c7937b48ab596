// ImageRegistration: the requests that make an image what the spec says, one at a time, and what status tells of it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import {
  difference,
  type ImageChange,
  imageId,
  registering,
} from '../../../../src/operator/kinds/image-registration/mapping.ts';
import { imageRegistration } from '../../../../src/operator/kinds/image-registration/schema.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { type Dialect, dialects, fromWire } from '../../../../src/wire/dialect.ts';
import { type Image, image as imageAnswer } from '../../../../src/wire/image.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf, image } from '../support/mapping.ts';

const kind = imageRegistrationKind;
const shortest = { imageID: image, username: 'ubuntu' };
const specOf = (changes: object = {}) => imageRegistration.spec.parse({ ...shortest, ...changes });
const remoteOf = (changes: Partial<Image> = {}): Image => ({
  id: image,
  name: 'ubuntu-22.04',
  status: 'ACTIVE',
  username: 'ubuntu',
  tags: [],
  ...changes,
});

describe('registering', () => {
  test.each<readonly [string, object, object]>([
    ['no description: an empty one, which every service takes', {}, { username: 'ubuntu', description: '' }],
    ['a description', { description: 'for Spark' }, { username: 'ubuntu', description: 'for Spark' }],
    ['tags come later', { tags: ['vanilla'] }, { username: 'ubuntu', description: '' }],
  ])('%s', (_name, changes, body) => {
    expect(kind.desired(specOf(changes), givenOf())).toEqual({ body: { id: image, ...body } });
  });

  test.each([image.toUpperCase(), image.replaceAll('-', ''), image.replaceAll('-', '').toUpperCase()])(
    '%s is the same image',
    (imageID) => {
      expect(imageId(specOf({ imageID }))).toBe(image);
      expect(registering(specOf({ imageID })).id).toBe(image);
      expect(kind.givenId(specOf({ imageID }))).toBe(image);
    },
  );

  test('needs nothing else, and is usable at once', () => {
    const spec = specOf();
    expect([kind.references(spec, ''), kind.referencesIn.routes, kind.check(spec, 'neutral')]).toEqual([
      [],
      [],
      undefined,
    ]);
    expect(kind.health(remoteOf({ status: 'WHATEVER' }))).toEqual({ state: 'ready' });
  });
});

const nextOf = (spec: object, remote: Partial<Image>): ImageChange | undefined => {
  const found = difference(specOf(spec), remoteOf(remote));
  return found.state === 'change' ? found.diff : undefined;
};
const register = (username: string, description = '') => ({ request: 'register', body: { username, description } });
const tag = (...tags: string[]) => ({ request: 'tag', tags });
const untag = (...tags: string[]) => ({ request: 'untag', tags });

describe('the next request', () => {
  test.each<readonly [string, object, Partial<Image>, object | undefined]>([
    ['the same user', {}, {}, undefined],
    ['another user', {}, { username: 'root' }, register('ubuntu')],
    ['no user', {}, { username: undefined }, register('ubuntu')],
    ['the same description', { description: 'a' }, { description: 'a' }, undefined],
    ['the same description, in the metadata alone', { description: 'a' }, described('a'), undefined],
    ['another description', { description: 'a' }, { description: 'b' }, register('ubuntu', 'a')],
    ['another description in the metadata', { description: 'a' }, described('b'), register('ubuntu', 'a')],
    ['no description yet', { description: 'a' }, {}, register('ubuntu', 'a')],
    ['a description that is not managed', {}, { description: 'b' }, undefined],
    ['it is kept with another user', {}, { username: 'root', description: 'b' }, register('ubuntu', 'b')],
    ['also from the metadata', {}, { username: 'root', ...described('b') }, register('ubuntu', 'b')],
    ['tags that are not managed', {}, { tags: ['a'] }, undefined],
    ['the same tags in another order', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, undefined],
    ['tags told twice', { tags: ['a'] }, { tags: ['a', 'a'] }, undefined],
    ['a missing tag: only that one', { tags: ['a', 'b'] }, { tags: ['a'] }, tag('b')],
    ['missing tags, in the order of letters', { tags: ['c', 'b', 'a'] }, { tags: ['b'] }, tag('a', 'c')],
    ['no tags told', { tags: ['a'] }, { tags: undefined }, tag('a')],
    ['a tag too many: only that one', { tags: ['a'] }, { tags: ['b', 'a'] }, untag('b')],
    ['none are wanted', { tags: [] }, { tags: ['b', 'a'] }, untag('a', 'b')],
    ['none are wanted, none are there', { tags: [] }, { tags: [] }, undefined],
    ['what is too much goes first', { tags: ['a'] }, { tags: ['b'] }, untag('b')],
    ['the registration goes before all', { tags: ['a'] }, { username: 'root', tags: ['b'] }, register('ubuntu')],
  ])('%s', (_name, spec, remote, expected) => {
    expect(nextOf(spec, remote)).toEqual(expected);
  });

  test.each<readonly [string, object, Partial<Image>, string, boolean]>([
    ['registering', { tags: ['a'] }, { username: 'root', tags: ['b'] }, 'username from "root" to "ubuntu"', false],
    ['removing tags', { tags: ['a'] }, { tags: ['c', 'b'] }, 'tags from [b, c] to []', true],
    ['removing a tag', { tags: ['a', 'z'] }, { tags: ['b', 'a'] }, 'tags from [a, b] to [a]', true],
    ['adding tags', { tags: ['b', 'a'] }, { tags: ['a'] }, 'tags from [a] to [a, b]', false],
  ])('tells what it changes, and nothing of those that follow: %s', (_name, spec, remote, summary, removes) => {
    expect(difference(specOf(spec), remoteOf(remote))).toMatchObject({ next: { changes: [{}], summary, removes } });
  });

  test('is what is sent', () => {
    expect(kind.change(nextOf({}, { username: 'root' }), givenOf())).toEqual(register('ubuntu'));
  });
});

function described(text: string): Partial<Image> {
  return { metadata: { _svc_username: 'ubuntu', _svc_description: text } };
}

describe('an answer in the words of a dialect', () => {
  const keys = { neutral: '_svc_', sahara: '_sahara_', savanna: '_savanna_' } as const;
  test.each(dialects)('%s: the description is read from its metadata', (dialect: Dialect) => {
    const metadata = { [`${keys[dialect]}username`]: 'ubuntu', [`${keys[dialect]}description`]: 'a' };
    const wire = { id: image, name: 'x', username: 'ubuntu', description: null, tags: [], metadata };
    const remote = imageAnswer.parse(fromWire(dialect, wire)) as Image;
    expect(difference(specOf({ description: 'a' }), remote)).toEqual({ state: 'none' });
    expect(difference(specOf({ description: 'b' }), remote)).toMatchObject({
      drift: [{ path: 'spec.description', want: '"b"', have: '"a"', fixable: true }],
    });
  });
});

describe('drift', () => {
  const changeOf = (spec: object, remote: Partial<Image>) => {
    const found = difference(specOf(spec), remoteOf(remote));
    if (found.state !== 'change') throw new Error(found.state);
    return found;
  };

  test('names each field with what is wanted and what is there', () => {
    const spec = { description: 'a', tags: ['x', '1.2.1'] };
    const { drift, summary, uses } = changeOf(spec, { username: 'root', tags: ['y'] });
    expect(drift).toEqual([
      { path: 'spec.username', want: '"ubuntu"', have: '"root"', fixable: true },
      { path: 'spec.description', want: '"a"', have: 'none', fixable: true },
      { path: 'spec.tags', want: '[1.2.1, x]', have: '[y]', fixable: true },
    ]);
    expect(summary).toBe('username from "root" to "ubuntu", description from none to "a", tags from [y] to [1.2.1, x]');
    expect(uses).toEqual([]);
  });

  test('has the same target for the same aim, and another for another; its number grows from request to request', () => {
    const aim = (tags: readonly string[], have: readonly string[]) => changeOf({ tags }, { tags: [...have] }).target;
    expect(aim(['a', 'b'], ['a'])).toEqual(aim(['b', 'a'], ['b']));
    expect(aim(['a', 'b'], ['a'])).not.toEqual(aim(['a'], []));
    expect(aim(['a', 'b'], ['a', 'c'])).toEqual({ 'spec.tags: [a, b]': 1 });
    expect(aim(['a', 'b'], ['a'])).toEqual({ 'spec.tags: [a, b]': 2 });
  });

  test('is cut where it is as long as a document', () => {
    const { drift, summary } = changeOf({ description: 'a'.repeat(1000) }, { description: 'b'.repeat(9000) });
    expect(drift[0]?.want.length).toBeLessThan(210);
    expect(drift[0]?.have.length).toBeLessThan(210);
    expect(summary.length).toBeLessThan(500);
  });
});

/** Does what a service does on each request; `forgets`: the interface as written answers a registration with no tags. */
function carriedOut(remote: Image, diff: ImageChange, forgets: boolean): Image {
  switch (diff.request) {
    case 'register':
      return { ...remote, ...diff.body, ...(forgets ? { tags: [] } : {}) };
    case 'tag':
      return { ...remote, tags: [...new Set([...(remote.tags ?? []), ...diff.tags])] };
    case 'untag':
      return { ...remote, tags: (remote.tags ?? []).filter((one) => !diff.tags.includes(one)) };
  }
}

test('at most three requests make any image what the spec says, and leave alone what it does not say', () => {
  const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '1.2.1', 'vanilla'));
  const word = fc.constantFrom('x', 'y');
  const spec = fc.record(
    { username: word, description: word, tags },
    { requiredKeys: ['username'], noNullPrototype: true },
  );
  const remote = fc.record({ username: word, description: word, tags }, { requiredKeys: [], noNullPrototype: true });
  fc.assert(
    fc.property(spec, remote, fc.boolean(), (wanted, there, forgets) => {
      const before = remoteOf({ username: undefined, tags: undefined, ...there } as Partial<Image>);
      let now = before;
      let requests = 0;
      for (;;) {
        const found = difference(specOf(wanted), now);
        if (found.state !== 'change') break;
        requests += 1;
        expect(requests).toBeLessThanOrEqual(3);
        now = carriedOut(now, found.diff, forgets);
      }
      expect(now.username).toBe(wanted.username);
      expect(now.description ?? '').toBe(wanted.description ?? before.description ?? '');
      if (wanted.tags) expect([...(now.tags ?? [])].sort()).toEqual([...wanted.tags].sort());
      else if (!forgets) expect(now.tags).toEqual(before.tags);
    }),
  );
});

describe('status', () => {
  const report = (remote: Image) => kind.report(remote as RemoteObject, undefined, ledgerOf(), '');

  test('tells name, state, user and tags in the order of letters', () => {
    expect(report(remoteOf({ tags: ['b', 'a', 'b'] }))).toEqual({
      imageName: 'ubuntu-22.04',
      imageStatus: 'ACTIVE',
      username: 'ubuntu',
      tags: ['a', 'b'],
    });
  });

  test('leaves out what the service does not tell', () => {
    expect(report({ id: image, name: 'x' })).toEqual({ imageName: 'x' });
  });

  test('tells two hundred tags at most', () => {
    const tags = Array.from({ length: 300 }, (_, index) => `t${index}`);
    expect(report(remoteOf({ tags }))['tags']).toHaveLength(200);
  });
});
