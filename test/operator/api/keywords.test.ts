// The building blocks of specs: what they accept when parsed, and the rules that they hand to the API server.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { immutable, keywords, listBy, mapOf, notBoth, setOf, text } from '../../../src/operator/api/keywords.ts';

const messages = (schema: z.ZodType, value: unknown): readonly string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message);

describe('text', () => {
  test('is bounded on both sides', () => {
    expect(messages(text(3), 'abc')).toEqual([]);
    expect(messages(text(3), '')).toHaveLength(1);
    expect(messages(text(3), 'abcd')).toEqual(['is longer than 3 characters']);
  });

  test('counts as the API server does: one character outside the first plane is one', () => {
    expect(messages(text(2), '🦀🦀')).toEqual([]);
    expect(messages(text(2), '🦀🦀🦀')).toHaveLength(1);
  });

  test('of a form says what the form is', () => {
    const digits = text(3, { pattern: /^\d+$/, message: 'must be digits' });
    expect(messages(digits, '12')).toEqual([]);
    expect(messages(digits, 'x')).toEqual(['must be digits']);
  });

  test('that is too long never reaches the expression', () => {
    const digits = text(3, { pattern: /^\d+$/, message: 'must be digits' });
    expect(messages(digits, 'x'.repeat(1_000_000))).toEqual(['is longer than 3 characters']);
  });

  test('an expression matches to the very end: a trailing newline is not swallowed', () => {
    expect(messages(text(3, { pattern: /^\d+$/, message: 'must be digits' }), '1\n')).toEqual(['must be digits']);
  });
});

describe('lists and maps', () => {
  test('a set holds each value once, and few enough', () => {
    const schema = setOf(z.string(), 2);
    expect(messages(schema, ['a', 'b'])).toEqual([]);
    expect(messages(schema, ['a', 'a'])).toEqual(['holds a value twice']);
    expect(messages(schema, ['a', 'b', 'c'])).toHaveLength(1);
    expect(messages(schema, [])).toEqual([]);
  });

  test('a list by key holds each key once', () => {
    const schema = listBy('name', z.object({ name: z.string(), count: z.int() }), 2);
    const entry = (name: string, count: number) => ({ name, count });
    expect(messages(schema, [entry('a', 1), entry('b', 1)])).toEqual([]);
    expect(messages(schema, [entry('a', 1), entry('a', 2)])).toEqual(['holds two entries with the same name']);
    expect(messages(schema, [entry('a', 1), entry('b', 1), entry('c', 1)])).toHaveLength(1);
  });

  test('a list by key complains about a wrong entry without falling over it', () => {
    const schema = listBy('name', z.object({ name: z.string() }), 2);
    expect(messages(schema, [null, { name: 1 }]).length).toBeGreaterThan(0);
  });

  test('a map is bounded', () => {
    const schema = mapOf(z.boolean(), 2);
    expect(messages(schema, { a: true, b: true })).toEqual([]);
    expect(messages(schema, { a: true, b: true, c: true })).toEqual(['has more than 2 entries']);
  });

  test('a key that parsing would drop is refused', () => {
    const schema = z.object({ configs: mapOf(mapOf(z.string(), 2), 2) });
    expect(messages(schema, JSON.parse('{"configs": {"__proto__": {"a": "b"}}}'))).toEqual([
      '__proto__ cannot be a key: remove it',
    ]);
    expect(messages(schema, JSON.parse('{"configs": {"a": {"__proto__": "b"}}}'))).toHaveLength(1);
  });
});

describe('rules', () => {
  const shape = { name: z.string(), size: z.int().optional(), configs: mapOf(z.string(), 3).optional() };

  const remedy = ': make a new one';

  test('immutable: a rule for the value of each named field, and one for what comes and goes', () => {
    const rules = immutable(shape, { but: [], unnamed: 'configs', remedy });
    expect(rules.map(({ field }) => field)).toEqual([undefined, 'name', 'size']);
    expect(rules.slice(1).map(({ message }) => message)).toEqual([
      'name is immutable: make a new one',
      'size is immutable: make a new one',
    ]);
    expect(rules.every(({ reason }) => reason === 'FieldValueForbidden')).toBe(true);
  });

  test('immutable: an object that is the same is seen by one comparison, and no rule names the map', () => {
    const [whole, ...values] = immutable(shape, { but: [], unnamed: 'configs', remedy });
    expect(whole?.rule).toMatch(/^self == oldSelf \|\| /);
    expect(values.every(({ rule }) => rule === 'self == oldSelf')).toBe(true);
    expect(whole?.rule).not.toContain('configs');
    expect(whole?.messageExpression).toMatch(/: 'configs'\) \+ ' is immutable: make a new one'$/);
  });

  test('immutable: free fields have no rule but count for the comparison of the whole', () => {
    const rules = immutable(shape, { but: ['size'], unnamed: 'configs', remedy });
    expect(rules.map(({ field }) => field)).toEqual([undefined, 'name']);
    expect(rules[0]?.rule).toContain('self.size == oldSelf.size');
    expect(rules[0]?.messageExpression).not.toContain("'size'");
  });

  test('not both: blames the second', () => {
    expect(notBoth('aRef', 'aID')).toMatchObject({
      rule: '!(has(self.aRef) && has(self.aID))',
      message: 'set either aRef or aID, not both',
      fieldPath: '.aID',
    });
  });

  test('keywords stay with copies of a schema', () => {
    const schema = setOf(z.string(), 2);
    expect(keywords.get(schema.describe('d'))).toEqual(keywords.get(schema));
    expect(keywords.get(schema.min(1))).toMatchObject({ 'x-kubernetes-list-type': 'set' });
  });
});
