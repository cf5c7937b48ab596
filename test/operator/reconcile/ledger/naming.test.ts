// External names: within the service's bounds and its pattern for any Kubernetes name, and told apart from everybody else's.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  baseName,
  canonicalJson,
  clusterName,
  contentHash,
  digest,
  isOfInstallation,
  isOwnName,
  revisionName,
  revisionOf,
} from '../../../../src/operator/reconcile/ledger/naming.ts';
import { kubernetesName } from '../arbitraries.ts';

/** As the service has it, typed from its rules and not from our sources. */
const pattern = /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
const identity = fc.record({ name: kubernetesName, uid: fc.uuid(), installation: fc.oneof(fc.uuid(), fc.string()) });
const longestGroup = fc.integer({ min: 0, max: 30 });
const hash = fc.string().map((content) => contentHash(content));

describe('bounds', () => {
  test('a cluster and its longest group fit into a host name, and the cluster into 32 letters', () => {
    fc.assert(
      fc.property(identity, longestGroup, (of, longest) => {
        const name = clusterName(of, longest);
        expect(name).toMatch(pattern);
        expect(name.length).toBeLessThanOrEqual(32);
        expect(name.length + longest).toBeLessThanOrEqual(49);
        expect(name).toBe(name.toLowerCase());
      }),
    );
  });

  test('a template fits into 46 letters', () => {
    fc.assert(
      fc.property(identity, hash, (of, content) => {
        const name = revisionName(of, content);
        expect(name).toMatch(pattern);
        expect(name.length).toBeLessThanOrEqual(46);
      }),
    );
  });

  test('a file with its ending fits into 50 letters, and into the pattern of what belongs to jobs', () => {
    const ending = fc.constantFrom('.jar', '.py', '.sql', '.7z', '.a1b2');
    fc.assert(
      fc.property(identity, hash, ending, (of, content, end) => {
        const name = revisionName(of, content, end);
        expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
        expect(name.length).toBeLessThanOrEqual(50);
        expect(name.endsWith(end)).toBe(true);
        expect([isOwnName(name, of), revisionOf(name)]).toEqual([true, content]);
        expect(isOfInstallation(name, of.installation)).toBe(true);
      }),
    );
  });

  test('the base is a label of the pattern, whatever it is made from', () => {
    fc.assert(
      fc.property(fc.oneof(kubernetesName, fc.string()), fc.integer({ min: 1, max: 60 }), (name, limit) => {
        const base = baseName(name, limit);
        expect(base).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
        expect(base.length).toBeLessThanOrEqual(limit);
        expect(base).not.toContain('--');
      }),
    );
  });

  test.each<readonly [string, string, number, string]>([
    ['a plain name stays', 'etl', 19, 'etl'],
    ['capitals become small', 'ETL', 19, 'etl'],
    ['dots become hyphens', 'a.b.c', 19, 'a-b-c'],
    ['runs are joined', 'a.-.b--c', 19, 'a-b-c'],
    ['a digit gets a letter before it', '2026-report', 19, 'c2026-report'],
    ['a hyphen left by the cut goes', 'abc-def', 4, 'abc'],
    ['long ones are cut', 'a'.repeat(253), 24, 'a'.repeat(24)],
    ['nothing usable becomes a letter', '...', 19, 'c'],
    ['letters of other scripts are no letters', 'größe', 19, 'gr-e'],
  ])('%s', (_name, given, limit, expected) => {
    expect(baseName(given, limit)).toBe(expected);
  });
});

describe('what a name is derived from', () => {
  const one = { name: 'etl', uid: 'uid-1', installation: 'here' };

  test('names are frozen: an upgrade must find what an older version made', () => {
    expect(clusterName(one, 6)).toBe('etl-7twjjje2z6fg');
    expect(revisionName(one, 'abcdefgh')).toBe('etl-7twjjje2z6fgabcdefgh');
    expect(clusterName({ ...one, name: 'nightly-aggregation-of-events' }, 30)).toBe('nightl-7twjjje2z6fg');
  });

  test('the same resource has the same name, also after a restart', () => {
    fc.assert(
      fc.property(identity, longestGroup, (of, longest) => {
        expect(clusterName({ ...of }, longest)).toBe(clusterName(of, longest));
      }),
    );
  });

  // An installation has 20 bits of a name, and two in a million are alike: the examples are the same in every run.
  test('another uid or another installation is another name', () => {
    fc.assert(
      fc.property(identity, fc.uuid(), longestGroup, hash, (of, other, longest, content) => {
        fc.pre(other !== of.uid && other !== of.installation);
        for (const changed of [
          { ...of, uid: other },
          { ...of, installation: other },
        ]) {
          expect(clusterName(changed, longest)).not.toBe(clusterName(of, longest));
          expect(revisionName(changed, content)).not.toBe(revisionName(of, content));
        }
      }),
      { seed: 1 },
    );
  });

  test('another content is another name', () => {
    expect(revisionName(one, contentHash({ a: 1 }))).not.toBe(revisionName(one, contentHash({ a: 2 })));
  });
});

describe('whose a name is', () => {
  test('own names are recognised, whatever the group or content', () => {
    fc.assert(
      fc.property(identity, longestGroup, hash, (of, longest, content) => {
        expect(isOwnName(clusterName(of, longest), of)).toBe(true);
        expect(isOwnName(revisionName(of, content), of)).toBe(true);
      }),
    );
  });

  test('names of others are not', () => {
    fc.assert(
      fc.property(identity, identity, longestGroup, hash, (of, other, longest, content) => {
        fc.pre(of.uid !== other.uid);
        expect(isOwnName(clusterName(other, longest), of)).toBe(false);
        expect(isOwnName(revisionName(other, content), of)).toBe(false);
        expect(isOwnName(other.name, of)).toBe(false);
      }),
    );
  });

  test('any change of one letter of the tag is a stranger', () => {
    fc.assert(
      fc.property(identity, fc.integer({ min: 1, max: 12 }), (of, place) => {
        const name = clusterName(of, 6);
        const index = name.length - place;
        const letter = name[index] === 'a' ? 'b' : 'a';
        expect(isOwnName(name.slice(0, index) + letter + name.slice(index + 1), of)).toBe(false);
      }),
    );
  });

  const of = { name: 'etl', uid: 'uid-1', installation: 'here' };
  test.each([
    'etl',
    '',
    '-',
    'etl-',
    '7twjjje2z6fg',
    'etl-7twjjje2z6f',
    'etl-7twjjje2z6fga',
    'etl-7twjjje2z6fg-master',
    'etl-7TWJJJE2Z6FG',
  ])('%j is nobody we know', (name) => {
    expect(isOwnName(name, of)).toBe(false);
  });
});

describe('whose installation made a name', () => {
  test('its own are recognised, whoever they belong to', () => {
    fc.assert(
      fc.property(identity, longestGroup, hash, (of, longest, content) => {
        expect(isOfInstallation(clusterName(of, longest), of.installation)).toBe(true);
        expect(isOfInstallation(revisionName(of, content), of.installation)).toBe(true);
      }),
    );
  });

  test.each(['etl', 'etl-abc', 'etl-aaaaaaaaaaaa'])('%s is of nobody we know', (name) => {
    expect(isOfInstallation(name, 'here')).toBe(false);
  });
});

describe('digest and canonical form', () => {
  test('base32 of SHA-256, as anybody else computes it', () => {
    // SHA-256 of "abc" is ba7816bf 8f01cfea ...
    expect(digest('abc', 8)).toBe('xj4bnp4p');
    expect(digest('abc', 52)).toHaveLength(51);
  });

  test('the order of keys and unset fields do not matter, the order of a list does', () => {
    expect(canonicalJson({ b: [2, { d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[2,{"d":1}]}');
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson(undefined)).toBe('null');
  });

  test('reading canonical JSON back gives the value, and writing it again the same text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
