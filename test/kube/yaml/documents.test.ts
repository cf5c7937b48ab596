// The reader of YAML agrees with kubectl: the table has what kubectl makes of each document, which is asked again where it is installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readDocuments } from '../../../src/kube/yaml/documents.ts';

/** The document, and its value as JSON. */
const table: readonly (readonly [string, string])[] = [
  // Numbers.
  ['a: 0600', '{"a":384}'],
  ['a: 0o600', '{"a":384}'],
  ['a: 0O17', '{"a":15}'],
  ['a: +0600', '{"a":384}'],
  ['a: -0600', '{"a":-384}'],
  ['a: 007', '{"a":7}'],
  ['a: 00', '{"a":0}'],
  ['a: 08', '{"a":8}'],
  ['a: -08.5', '{"a":-8.5}'],
  ['a: 012e3', '{"a":12000}'],
  ['a: 0x1F', '{"a":31}'],
  ['a: 0XFF', '{"a":255}'],
  ['a: 0x_1f', '{"a":31}'],
  ['a: -0x1f', '{"a":-31}'],
  ['a: 0b101', '{"a":5}'],
  ['a: -0b11', '{"a":-3}'],
  ['a: 0b12', '{"a":"0b12"}'],
  ['a: 0o8', '{"a":"0o8"}'],
  ['a: 0x', '{"a":"0x"}'],
  ['a: 1_000', '{"a":1000}'],
  ['a: 1__0.5_0', '{"a":10.5}'],
  ['a: 1_', '{"a":1}'],
  ['a: _1', '{"a":"_1"}'],
  ['a: .1_0', '{"a":0.1}'],
  ['a: ._5', '{"a":"._5"}'],
  ['a: 1e3', '{"a":1000}'],
  ['a: 1.0e+2', '{"a":100}'],
  ['a: .5e3', '{"a":500}'],
  ['a: -.5', '{"a":-0.5}'],
  ['a: 5.', '{"a":5}'],
  ['a: 1.0', '{"a":1}'],
  ['a: -0.0', '{"a":0}'],
  ['a: 1e', '{"a":"1e"}'],
  ['a: 1e400', '{"a":"1e400"}'],
  ['a: 1e-400', '{"a":0}'],
  ['a: 0x1p4', '{"a":"0x1p4"}'],
  ['a: 1:30:00', '{"a":"1:30:00"}'],
  ['a: 190:20:30.15', '{"a":"190:20:30.15"}'],
  ['a: 9007199254740993', '{"a":9007199254740993}'],
  ['a: -9223372036854775808', '{"a":-9223372036854775808}'],
  ['a: -9223372036854775809', '{"a":-9223372036854776000}'],
  ['a: 9223372036854775808', '{"a":9223372036854776000}'],
  ['a: 0xFFFFFFFFFFFFFFFF', '{"a":18446744073709552000}'],
  ['a: 0xFFFFFFFFFFFFFFFFF', '{"a":"0xFFFFFFFFFFFFFFFFF"}'],
  ['a: +0xFFFFFFFFFFFFFFFF', '{"a":"+0xFFFFFFFFFFFFFFFF"}'],
  ['a: .Nan', '{"a":".Nan"}'],
  ['a: Infinity', '{"a":"Infinity"}'],
  // Words.
  ['a: [y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]', `{"a":[${Array(11).fill(true).join()}]}`],
  ['a: [n, N, no, No, NO, off, Off, OFF, false, False, FALSE]', `{"a":[${Array(11).fill(false).join()}]}`],
  ['a: [nO, oN, tRUE, yEs, nULL]', '{"a":["nO","oN","tRUE","yEs","nULL"]}'],
  ['a: [~, null, Null, NULL]\nb:', '{"a":[null,null,null,null],"b":null}'],
  ['a: ["yes", \'0600\', "", "~"]', '{"a":["yes","0600","","~"]}'],
  ['a: |\n  0600', '{"a":"0600\\n"}'],
  ['a: yes # a comment', '{"a":true}'],
  // Dates.
  ['a: 2026-01-01', '{"a":"2026-01-01"}'],
  ['a: 2026-01-01T10:00:00Z', '{"a":"2026-01-01T10:00:00Z"}'],
  ['a: 2001-12-14 21:59:43.10 -5', '{"a":"2001-12-14 21:59:43.10 -5"}'],
  ['a: !!timestamp 2026-01-01', '{"a":"2026-01-01"}'],
  // Keys.
  ['on: 1\nyes: 2', '{"true":2}'],
  ['n: 1', '{"false":1}'],
  ['1: 1\n0600: 2\n1.5: 3', '{"1":1,"384":2,"1.5":3}'],
  ['{-1.50: 1, 9999.5: 2, 1e2: 3, 0.0001: 4}', '{"-1.5":1,"9999.5":2,"100":3,"0.0001":4}'],
  ['9223372036854775807: 1', '{"9223372036854775807":1}'],
  ['2026-01-01: 1', '{"2026-01-01":1}'],
  ['{!!str 1: 2, !!int "3": 4}', '{"1":2,"3":4}'],
  ['{&a on: 1, b: *a}', '{"true":1,"b":true}'],
  ['a: 1\na: 2', '{"a":2}'],
  ['__proto__: {b: 1}', '{"__proto__":{"b":1}}'],
  // Merges.
  ['x: &x {a: 1}\nz:\n  <<: *x\n  b: 2', '{"x":{"a":1},"z":{"a":1,"b":2}}'],
  ['<<: {a: 2, b: 3}\na: 1', '{"a":1,"b":3}'],
  ['a: 1\n<<: {a: 2, b: 3}', '{"a":2,"b":3}'],
  [
    'x: &x {a: 2, b: 3}\nw: &w {a: 9, c: 4}\nz:\n  <<: [*x, *w]',
    '{"x":{"a":2,"b":3},"w":{"a":9,"c":4},"z":{"a":2,"b":3,"c":4}}',
  ],
  ['x: &x {a: 2, b: 3}\nz:\n  <<: *x\n  <<: {a: 5}', '{"x":{"a":2,"b":3},"z":{"a":5,"b":3}}'],
  ['<<: {constructor: 1}', '{"constructor":1}'],
  ['"<<": {a: 1}', '{"<<":{"a":1}}'],
  ['!!merge <<: {a: 1}', '{"a":1}'],
  ['a: <<', '{"a":"<<"}'],
  // Tags.
  ['a: !!str 0600', '{"a":"0600"}'],
  ['a: !!str', '{"a":""}'],
  ['a: !!int "5"', '{"a":5}'],
  ['a: !!float 0600', '{"a":384}'],
  ['a: !!bool "yes"', '{"a":true}'],
  ['a: !!null ""', '{"a":null}'],
  ['a: !!binary aGVsbG8=', '{"a":"hello"}'],
  ['a: !!set {a, b}', '{"a":{"a":null,"b":null}}'],
  ['a: !!omap [a: 1]', '{"a":[{"a":1}]}'],
  ['a: !foo 12', '{"a":"12"}'],
  ['a: ! 12', '{"a":"12"}'],
  ['a: !!str {b: 1}', '{"a":{"b":1}}'],
  // Anchors and text.
  ['a: &x 0600\nb: *x', '{"a":384,"b":384}'],
  ['a: &x [1]\nb: *x', '{"a":[1],"b":[1]}'],
  ['a: &x 1\nb: &x 2\nc: *x', '{"a":1,"b":2,"c":2}'],
  ['a: "\\x41\\u0042"', '{"a":"AB"}'],
];

/** The document, and what is said of it. kubectl refuses all of them. */
const refused: readonly (readonly [string, string])[] = [
  ['b: 1\na: .inf', 'JSON has no infinite numbers and no NaN at line 2'],
  ['a: [.nan]', 'JSON has no infinite numbers and no NaN at line 1'],
  ['a: !!int abc', '"abc" is not of the type !!int at line 1'],
  ['a: !!int 1.5', '"1.5" is not of the type !!int at line 1'],
  ['a: !!binary "not base64!"', 'a value of the type !!binary is not valid base64 at line 1'],
  ['~: 1', 'the key of a mapping must be text, an integer or a boolean: put it in quotes at line 1'],
  ['? [a]\n: 1', 'the key of a mapping must be text, an integer or a boolean: put it in quotes at line 1'],
  ['a: 1\n18446744073709551615: 1', 'put it in quotes at line 2'],
  ['a:\n  <<: 3', '<< needs a mapping or a list of mappings at line 2'],
  ['a:\n  <<: [3]', '<< needs a mapping or a list of mappings at line 2'],
  ['a: *none', 'no value before has the anchor "none" at line 1'],
  ['a: &x 1\nb: &x [*x]', 'no value before has the anchor "x" at line 2'],
  ['%YAML 1.2\n---\na: yes', 'kubectl reads YAML 1.1: remove %YAML 1.2'],
  ['a: [', 'Flow sequence in block collection must be sufficiently indented'],
];

/** kubectl writes these keys in another way. */
const refusedHere = ['1e6: 1', '0.00001: 1', '123456789.5: 1', '-0.0: 1'];

interface ByKubectl {
  /** What it reads, as the data of objects that no API server sees. */
  readonly data: readonly string[];
  /** What it says of the documents that it refuses. */
  readonly refusals: readonly string[];
}

/** One start for all of them. Undefined without kubectl. */
async function readByKubectl(good: readonly string[], bad: readonly string[]): Promise<ByKubectl | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'yaml-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'good.yaml'), good.map(inConfigMap).join('---\n'));
  for (const [at, text] of bad.entries()) await writeFile(join(folder, `bad-${at}.yaml`), inConfigMap(text));
  const child = spawn('kubectl', ['label', '--local', '-f', folder, '-o', 'jsonpath={.data}{"\\n"}', 'a=b']);
  const isStarted = await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => error.code);
  if (isStarted === 'ENOENT') return undefined;
  const [data, refusals] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { data: data.trim().split('\n'), refusals: refusals.trim().split('\n') };
}

const inConfigMap = (text: string): string =>
  text.startsWith('%')
    ? `${text}\n`
    : `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n${text.replace(/^/gm, '  ')}\n`;

/** Numbers stay text, because those of JavaScript would hide differences. */
const normalized = (json: string): string =>
  JSON.stringify(sorted(JSON.parse(json.replace(/(?<=[:[,])-?\d[\d.e+]*(?=[,}\]])/g, '"number $&"'))));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)]);
}

describe('YAML', () => {
  test.each(table)('%j is read as kubectl reads it', (text, json) => {
    expect(readDocuments(text).map((value) => normalized(JSON.stringify(value)))).toEqual([normalized(json)]);
  });

  test.each(refused)('%j is refused', (text, why) => {
    expect(() => readDocuments(text)).toThrow(why);
  });

  test.each(refusedHere)('%j is refused', (text) => {
    expect(() => readDocuments(text)).toThrow('an integer or a boolean: put it in quotes at line 1');
  });

  test('kubectl agrees with both tables', async ({ skip }) => {
    const bad = refused.map(([text]) => text);
    const theirs = await readByKubectl(
      table.map(([text]) => text),
      bad,
    );
    if (theirs === undefined) return skip('kubectl is not installed');
    expect(theirs.data.map(normalized)).toEqual(table.map(([, json]) => normalized(json)));
    const named = theirs.refusals.map((line) => Number(/bad-(\d+)\.yaml/.exec(line)?.[1]));
    expect(new Set(named)).toEqual(new Set(bad.keys()));
  });

  test('documents are read one by one: anchors end with them', () => {
    expect(readDocuments('a: 1\n---\n# nothing\n---\nb: 2\n...\n')).toEqual([{ a: 1 }, null, { b: 2 }]);
    expect(readDocuments('')).toEqual([]);
    expect(() => readDocuments('a: &x 1\n---\na: *x\n')).toThrow('has the anchor "x" at line 3');
  });

  test('aliases of aliases end before memory does', () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) =>
        `l${at}: &l${at} [${Array(10)
          .fill(at === 0 ? '1' : `*l${at - 1}`)
          .join()}]`,
    );
    expect(() => readDocuments(levels.join('\n'))).toThrow(
      'the file has more than 1000000 values with its aliases at line 6',
    );
  });
});
