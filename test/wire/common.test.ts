// The shared pieces of the schemas: dropping nulls, lenient numbers, exact configurations and identifiers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  configs,
  keypairName,
  lenientId,
  lenientInteger,
  mountPrefix,
  nodeProcesses,
  recordId,
  withoutNulls,
} from '../../src/wire/common.ts';
import { cpuMs } from '../support/cpu.ts';

function hasNullProperty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner = Object.values(value);
  return (!Array.isArray(value) && inner.includes(null)) || inner.some(hasNullProperty);
}

describe('dropping nulls', () => {
  test('leaves no null property at any depth', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !hasNullProperty(withoutNulls(value))));
  });

  test('changes nothing else', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => !hasNullProperty(value)),
        (value) => {
          expect(withoutNulls(value)).toEqual(value);
        },
      ),
    );
  });

  test('twice is once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(withoutNulls(withoutNulls(value))).toEqual(withoutNulls(value));
      }),
    );
  });

  test('items of lists stay where they are', () => {
    expect(withoutNulls([null, { a: null, b: [null] }])).toEqual([null, { b: [null] }]);
  });

  test('a key called __proto__ stays a key', () => {
    const read = withoutNulls(JSON.parse('{"__proto__": {"x": 1}}')) as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect('x' in read).toBe(false);
  });
});

describe('lenient', () => {
  test('integers may be text', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(lenientInteger.parse(value)).toBe(value);
        expect(lenientInteger.parse(String(value))).toBe(value);
      }),
    );
  });

  test.each(['', ' 1', '1.0', '1e3', '0x1', 'one', 1.5, Number.NaN, null, true, '9'.repeat(16)])(
    '%j is no integer',
    (value) => {
      expect(lenientInteger.safeParse(value).success).toBe(false);
    },
  );

  test('identifiers may be numbers', () => {
    expect([lenientId.parse('a'), lenientId.parse(7)]).toEqual(['a', '7']);
  });
});

describe('exact', () => {
  test('configurations are target to name to string, integer or boolean', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const name = fc.string().filter((text) => text !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, fc.dictionary(name, value)), (some) => {
        expect(configs.parse(some)).toEqual(some);
      }),
    );
  });

  test.each([null, [], 'x', { a: 1 }, { a: [] }, { a: null }, { a: { b: null } }, { a: { b: 1.5 } }, { a: { b: {} } }])(
    '%j is no configuration',
    (value) => expect(configs.safeParse(value).success).toBe(false),
  );

  test('identifiers have UUID form, with or without hyphens', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(recordId.safeParse(id).success).toBe(true);
        expect(recordId.safeParse(id.replaceAll('-', '')).success).toBe(true);
        expect(recordId.safeParse(id.toUpperCase()).success).toBe(true);
        expect(recordId.safeParse(id.slice(1)).success).toBe(false);
        expect(recordId.safeParse(`${id}\n`).success).toBe(false);
      }),
    );
  });

  test.each(['/a', '/a/b', '/volumes/disk', '/A-b_c/1'])('%s is a mount prefix', (prefix) => {
    expect(mountPrefix.safeParse(prefix).success).toBe(true);
  });

  test.each(['', '/', 'a', '/a/', '//a', '/a b', '/../a', '/a\n'])('%j is none', (prefix) => {
    expect(mountPrefix.safeParse(prefix).success).toBe(false);
  });

  test('key pairs have letters, digits, hyphens, underscores and spaces', () => {
    for (const name of ['k', 'my key', 'a_b-C1']) expect(keypairName.safeParse(name).success).toBe(true);
    for (const name of ['', 'a/b', 'a.b', 'ä', 'x'.repeat(256)])
      expect(keypairName.safeParse(name).success).toBe(false);
  });

  test('there is a process, and each has a name', () => {
    for (const names of [['a'], ['a', 'b'], ['a', 'a']]) expect(nodeProcesses.safeParse(names).success).toBe(true);
    for (const names of [[], [''], 'a', [1]]) expect(nodeProcesses.safeParse(names).success).toBe(false);
  });

  test('patterns take no longer for hostile texts', () => {
    const before = cpuMs();
    for (const text of ['/a'.repeat(500_000), `${'a.'.repeat(500_000)}!`, ' '.repeat(1_000_000)]) {
      for (const schema of [mountPrefix, keypairName, recordId]) expect(schema.safeParse(text).success).toBe(false);
    }
    expect(cpuMs() - before).toBeLessThan(2000);
  });
});
