// Each rule of the architecture must be able to fail: small files that break it, beside ones that do not.
import { describe, expect, test } from 'vitest';
import { engineNames } from './engine-names.ts';
import { cycles, layers, layerViolations } from './layers.ts';
import { effectViolations, purePaths, purityViolations } from './purity.ts';
import { folderViolations, limits, measure, median, repeatedTypes, sizeViolations, styleViolations } from './shape.ts';
import { readSource, type Source } from './source.ts';

const files = (texts: Readonly<Record<string, string>>): readonly Source[] =>
  Object.entries(texts).map(([path, text]) => readSource(path, text));
const one = (path: string, text: string) => files({ [path]: text });

describe('reading', () => {
  const importsOf = (text: string) =>
    readSource('src/operator/kinds/a/b.ts', text).imports.map(({ target, typeOnly, names }) => [
      target,
      typeOnly,
      ...names,
    ]);

  test.each([
    ["import { a, b as c } from '../../api/x.ts';", ['src/operator/api/x.ts', false, 'a', 'b']],
    ["import type { A } from './x.ts';", ['src/operator/kinds/a/x.ts', true, 'A']],
    ["import { type A, type B } from './x.ts';", ['src/operator/kinds/a/x.ts', true, 'A', 'B']],
    ["import { type A, b } from './x.ts';", ['src/operator/kinds/a/x.ts', false, 'A', 'b']],
    ["import * as all from 'undici';", ['undici', false, '*']],
    ["import 'undici';", ['undici', false]],
    ["export { a } from './x.ts';", ['src/operator/kinds/a/x.ts', false, 'a']],
    ["export type { A } from './x.ts';", ['src/operator/kinds/a/x.ts', true, 'A']],
    ["export * from './x.ts';", ['src/operator/kinds/a/x.ts', false]],
    ["const x = await import('./x.ts');", ['src/operator/kinds/a/x.ts', false]],
    ["type X = import('./x.ts').Y;", ['src/operator/kinds/a/x.ts', true]],
    ["import a from '@scope/name/deep';", ['@scope/name', false, '*']],
    ["import a from 'name/deep';", ['name', false, '*']],
    ["import { a } from 'node:fs/promises';", ['node:fs/promises', false, 'a']],
  ])('%s', (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });

  test('text and comments that look like imports are none', () => {
    expect(importsOf("// import { a } from './x.ts';\nconst text = \"import { a } from './y.ts'\";")).toEqual([]);
  });

  test('lines are counted after wide characters, too', () => {
    const [source] = one('src/operator/api/a.ts', "// 🦀🦀🦀\nconst a = '🦀';\nconst f = () => {\n  return a;\n};\n");
    expect(source && measure(source)).toMatchObject([{ name: 'src/operator/api/a.ts:3', lines: 3 }]);
    expect(source?.lines).toBe(5);
  });
});

test.each([
  ['src/service/backends/a.ts', "const image = 'docker.io/apache/spark:4';", 1],
  ['src/service/backends/a.ts', 'const officialSpark = 1;', 1],
  ['src/service/resources/a.ts', 'const needs = { Pig: 1, MapReduce: 2 };', 2],
  ['src/service/program/a.ts', 'const help = `the ${word} of Hive`;', 1],
  ['src/service/program/a.ts', "import { a } from '../engines/flink/a.ts';", 1],
  ['src/service/model/a.ts', "const field = 'hadoop_version'; const archive = 'pigment';", 0],
  ['src/service/model/a.ts', '// As Spark does it.', 0],
  ['src/service/engines/a.ts', "const name = 'spark';", 0],
  ['src/operator/api/a.ts', "const name = 'spark';", 0],
])('engines that %s names: %s', (path, text, expected) => {
  expect(one(path, text).flatMap(engineNames)).toHaveLength(expected);
});

describe('layers', () => {
  const from = (path: string, specifier: string, type = false) =>
    layerViolations(one(path, `import ${type ? 'type ' : ''}{ A } from '${specifier}';`));

  test.each([
    ['src/operator/api/a.ts', 'zod'],
    ['src/operator/api/a.ts', './b.ts'],
    ['src/operator/api/a.ts', '../../lib/ports.ts'],
    ['src/wire/a.ts', 'zod'],
    ['src/operator/client/http/a.ts', '../../../wire/a.ts'],
    ['src/operator/client/http/a.ts', 'undici'],
    ['src/operator/client/http/a.ts', 'node:tls'],
    ['src/operator/client/a.ts', './list/a.ts'],
    ['src/service/api/http/a.ts', 'fastify'],
    ['src/service/api/http/a.ts', '../../resources/a.ts'],
    ['src/service/backends/pods/a.ts', '../../engines/a.ts'],
    ['src/service/program/run.ts', 'pino'],
    ['src/service/program/main.ts', './a.ts'],
    ['src/operator/reconcile/plan/a.ts', '../../api/a.ts'],
    ['src/operator/reconcile/plan/a.ts', '../kind/kind.ts'],
    ['src/operator/reconcile/plan/a.ts', '../ledger/a.ts'],
    ['src/operator/reconcile/protocol/a.ts', '../plan/a.ts'],
    ['src/operator/reconcile/pass.ts', './execute/a.ts'],
    ['src/operator/kinds/cluster/a.ts', './b.ts'],
    ['src/operator/kinds/cluster/a.ts', '../../reconcile/kind/kind.ts'],
    ['src/operator/kinds/cluster/a.ts', '../node-groups.ts'],
    ['src/operator/connections/pass/a.ts', '../../reconcile/status/a.ts'],
    ['src/operator/connections/a.ts', '../client/login/a.ts'],
    ['src/operator/kinds/index.ts', './cluster/index.ts'],
    ['src/operator/controller/a.ts', '../reconcile/pass-ports.ts'],
    ['src/operator/metrics/a.ts', 'prom-client'],
    ['src/kube/watch/a.ts', '../http/a.ts'],
    ['src/kube/config/a.ts', '@kubernetes/client-node'],
    ['src/operator/wiring/a.ts', '../kube/a.ts'],
    ['src/operator/main.ts', './kube/a.ts'],
    ['src/operator/main.ts', 'pino'],
  ])('%s may import %s', (path, specifier) => {
    expect(from(path, specifier)).toEqual([]);
  });

  test.each([
    ['src/operator/api/a.ts', '../../wire/a.ts'],
    ['src/operator/api/a.ts', 'yaml'],
    ['src/wire/a.ts', '../operator/api/a.ts'],
    ['src/lib/a.ts', '../wire/a.ts'],
    ['src/lib/ports.ts', '../operator/api/a.ts'],
    ['src/operator/client/http/a.ts', '../../api/a.ts'],
    ['src/operator/client/http/a.ts', '../list/a.ts'],
    ['src/operator/client/a.ts', '../reconcile/a.ts'],
    ['src/service/api/http/a.ts', '../../../operator/client/a.ts'],
    ['src/service/api/http/a.ts', 'pino'],
    ['src/service/api/http/a.ts', '../../program/a.ts'],
    ['src/service/resources/a.ts', '../api/http/a.ts'],
    ['src/service/backends/a.ts', '../resources/a.ts'],
    ['src/service/engines/a.ts', '../backends/a.ts'],
    ['src/service/model/a.ts', '../engines/a.ts'],
    ['src/service/model/a.ts', 'fastify'],
    ['src/operator/wiring/a.ts', '../../service/program/server.ts'],
    ['src/operator/main.ts', '../service/program/server.ts'],
    ['src/operator/reconcile/plan/a.ts', '../../client/a.ts'],
    ['src/operator/reconcile/plan/a.ts', '../../kinds/cluster/a.ts'],
    ['src/operator/reconcile/plan/a.ts', '../protocol/a.ts'],
    ['src/operator/reconcile/plan/a.ts', '../observe/a.ts'],
    ['src/operator/reconcile/ledger/a.ts', '../resource/a.ts'],
    ['src/operator/reconcile/status/a.ts', '../plan/a.ts'],
    ['src/operator/reconcile/observe/a.ts', '../../../undici'],
    ['src/operator/reconcile/pass.ts', 'undici'],
    ['src/operator/kinds/cluster/a.ts', '../cluster-template/a.ts'],
    ['src/operator/kinds/cluster/a.ts', '../index.ts'],
    ['src/operator/kinds/cluster/a.ts', '../../connections/a.ts'],
    ['src/operator/kinds/cluster/a.ts', '../../reconcile/plan/plan.ts'],
    ['src/operator/kinds/cluster/a.ts', '../../client/a.ts'],
    ['src/operator/kinds/index.ts', '../api/a.ts'],
    ['src/operator/controller/a.ts', '../kube/a.ts'],
    ['src/operator/controller/a.ts', '../kinds/index.ts'],
    ['src/operator/connections/a.ts', '../wiring/a.ts'],
    ['src/operator/connections/pass/a.ts', '../pool.ts'],
    ['src/operator/kube/write/a.ts', '../../reconcile/plan/plan.ts'],
    ['src/kube/watch/a.ts', '../../operator/kube/write/a.ts'],
    ['src/operator/kube/a.ts', '../controller/a.ts'],
    ['src/kube/http/a.ts', '@kubernetes/client-node'],
    ['src/operator/config.ts', 'yaml'],
    ['src/operator/main.ts', '@kubernetes/client-node'],
    ['src/operator/connections/pool.ts', 'pino'],
  ])('%s may not import %s', (path, specifier) => {
    expect(from(path, specifier)).toHaveLength(1);
  });

  test('types of the client are free where its values are not', () => {
    for (const path of ['src/operator/reconcile/observe/a.ts', 'src/operator/reconcile/protocol/a.ts']) {
      expect(from(path, '../../client/list/list-view.ts', true), path).toEqual([]);
      expect(from(path, '../../client/list/list-view.ts'), path).toHaveLength(1);
    }
    expect(from('src/operator/controller/a.ts', '../client/a.ts', true)).toHaveLength(1);
  });

  test('the folder rule counts types, too', () => {
    expect(from('src/operator/api/a.ts', '../../wire/a.ts', true)).toHaveLength(1);
  });

  test('a file outside of all layers', () => {
    for (const path of ['src/misc/a.ts', 'src/main.ts', 'src/operator/kinds/shared.ts', 'src/operator/reconcile/a.ts'])
      expect(layerViolations(one(path, ''))).toEqual([`${path} belongs to no layer of the design`]);
  });

  test('every layer that a line of the table names exists', () => {
    const names = new Set(layers.map(({ name }) => name));
    const folders = layers.flatMap(({ may }) => may).map((name) => name.replace('type ', ''));
    const packages =
      /^(\*|zod|undici|yaml|pino|p-queue|prom-client|aws4fetch|preact|openapi-types|@?fastify.*|@kubernetes\/client-node)$/;
    expect(folders.filter((name) => !names.has(name) && !packages.test(name))).toEqual([]);
  });
});

describe('cycles', () => {
  test('two and three files, each circle once', () => {
    const sources = files({
      'src/operator/api/a.ts': "import { b } from './b.ts';",
      'src/operator/api/b.ts': "import { a } from './a.ts';\nimport { c } from './c.ts';",
      'src/operator/api/c.ts': "import { a } from './a.ts';",
    });
    expect(cycles(sources)).toEqual([
      'src/operator/api/a.ts -> src/operator/api/b.ts -> src/operator/api/a.ts',
      'src/operator/api/a.ts -> src/operator/api/b.ts -> src/operator/api/c.ts -> src/operator/api/a.ts',
    ]);
  });

  test('a file that imports itself', () => {
    expect(cycles(one('src/operator/api/a.ts', "export * from './a.ts';"))).toHaveLength(1);
  });

  test('types make a circle, too, and a diamond is none', () => {
    const typed = {
      'src/operator/api/a.ts': "import { b } from './b.ts';",
      'src/operator/api/b.ts': "import type { A } from './a.ts';",
    };
    expect(cycles(files(typed))).toEqual(['src/operator/api/a.ts -> src/operator/api/b.ts -> src/operator/api/a.ts']);
    const diamond = {
      'src/operator/api/a.ts': "import './b.ts'; import './c.ts';",
      'src/operator/api/b.ts': "import './d.ts';",
      'src/operator/api/c.ts': "import './d.ts';",
      'src/operator/api/d.ts': '',
    };
    expect(cycles(files(diamond))).toEqual([]);
  });
});

describe('type names', () => {
  test('one that two files declare, whatever it is', () => {
    const sources = files({
      'src/wire/a.ts': 'export interface Row {}',
      'src/wire/b.ts': 'type Row = string;\nclass Other {}',
    });
    expect(repeatedTypes(sources)).toEqual(['Row: src/wire/a.ts, src/wire/b.ts']);
  });
});

describe('purity', () => {
  test.each([
    ['wire', 'src/wire/a.ts', "import { z } from 'zod';\nexport const a = () => z;"],
    ['api from reconcile', 'src/operator/reconcile/plan/plan.ts', "import { a } from '../../api/a.ts';"],
    ['a hash', 'src/operator/reconcile/ledger/naming.ts', "import { createHash } from 'node:crypto';"],
    ['a keyed hash', 'src/operator/reconcile/ledger/naming.ts', "import { createHmac } from 'node:crypto';"],
    ['types of anything', 'src/operator/reconcile/plan/plan.ts', "import type { Agent } from 'undici';"],
    ['impure files may wait', 'src/operator/reconcile/pass.ts', 'export async function pass() { await null; }'],
  ])('%s', (_, path, text) => {
    expect(purityViolations(one(path, text))).toEqual([]);
  });

  test.each([
    ['an async function', 'src/wire/a.ts', 'export async function a() {}'],
    ['an async arrow', 'src/operator/kinds/cluster/mapping.ts', 'export const a = async () => 1;'],
    ['an async method', 'src/operator/reconcile/plan/plan.ts', 'export const a = { async b() {} };'],
    ['waiting at the top', 'src/operator/reconcile/ledger/ledger.ts', 'await Promise;'],
    ['a promise', 'src/operator/reconcile/outcome.ts', 'export const a = () => Promise.resolve(1);'],
    ['a new promise', 'src/operator/reconcile/outcome.ts', 'export const a = () => new Promise(() => undefined);'],
    ['a package', 'src/wire/a.ts', "import { Agent } from 'undici';"],
    ['a built-in', 'src/operator/reconcile/plan/plan.ts', "import { readFileSync } from 'node:fs';"],
    [
      'more of crypto than the hash',
      'src/operator/reconcile/ledger/naming.ts',
      "import { createHash, randomInt } from 'node:crypto';",
    ],
    ['all of crypto', 'src/operator/reconcile/ledger/naming.ts', "import * as crypto from 'node:crypto';"],
    ['the client', 'src/operator/reconcile/status/conditions.ts', "import { a } from '../../client/a.ts';"],
    ['a lazy import', 'src/operator/reconcile/plan/plan.ts', "export const a = () => import('undici');"],
  ])('%s', (_, path, text) => {
    expect(purityViolations(one(path, text)).length).toBeGreaterThan(0);
  });

  test('spreads to what a pure file imports', () => {
    const sources = files({
      'src/operator/reconcile/plan/plan.ts': "import { create } from './plan-create.ts';",
      'src/operator/reconcile/plan/plan-create.ts': "import { far } from '../far.ts';",
      'src/operator/reconcile/far.ts': 'export async function far() {}',
      'src/operator/reconcile/pass.ts': 'export async function pass() {}',
    });
    expect([...purePaths(sources)]).toHaveLength(3);
    expect(purityViolations(sources)).toEqual(['src/operator/reconcile/far.ts:1 is pure and waits']);
  });
});

describe('time, chance, environment, network', () => {
  const violations = (text: string, path = 'src/operator/controller/a.ts') => effectViolations(one(path, text));

  test.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'globalThis.Date.now()',
    'setTimeout(() => 1, 2)',
    'globalThis.setTimeout(() => 1, 2)',
    'setInterval(() => 1, 2)',
    'Math.random()',
    'performance.now()',
    'process.hrtime.bigint()',
    'AbortSignal.timeout(5)',
    'crypto.randomUUID()',
    "fetch('http://x')",
    'const now = Date.now',
    'const clock = { now: Date.now }',
    'const clock = { after: setTimeout }',
    'function f(after = setTimeout) {}',
    'process.env.HOME',
    "process.env['HOME']",
    'const { env: { HOME } } = { env: process.env }',
    "import { env } from 'node:process'",
    "import { setTimeout as pause } from 'node:timers/promises'",
    "import { performance } from 'node:perf_hooks'",
    "import { randomUUID } from 'node:crypto'; randomUUID()",
  ])('%s', (text) => {
    expect(violations(text)).not.toEqual([]);
  });

  test.each([
    'new Date(5)',
    "new Date('2026-01-01').toISOString()",
    'clock.now()',
    'clock.after(5, () => 1)',
    'const f = (fetch) => fetch()',
    'function f({ setTimeout }) { setTimeout(); }',
    'function f(now: () => Date) { return now(); }',
    'process.pid',
    "const text = 'Date.now() and process.env'",
    '// setTimeout(1)',
    'Math.max(1, 2)',
    'type Fetch = typeof fetch',
  ])('%s is free', (text) => {
    expect(violations(text)).toEqual([]);
  });

  test('main files and config wire the world in, and only config reads the environment', () => {
    for (const path of ['src/operator/main.ts', 'src/service/program/main.ts', 'src/operator/config.ts']) {
      expect(violations('setTimeout(() => Date.now(), 1)', path), path).toEqual([]);
    }
    expect(violations('process.env', 'src/operator/config.ts')).toEqual([]);
    expect(violations('process.env', 'src/operator/main.ts')).toHaveLength(1);
  });
});

describe('style', () => {
  const style = (text: string, path = 'src/operator/api/a-b.ts') => one(path, text).flatMap(styleViolations);
  const job = '// Does one thing.\n';

  test.each([
    ['an enum', `${job}export enum A { B }`],
    ['a default export', `${job}export default 1;`],
    ['an I in front', `${job}interface IThing {}`],
    ['a manager', `${job}class QueueManager {}`],
    ['a helper', `${job}type StringHelper = string;`],
    ['a util', `${job}interface Utils {}`],
    ['a base', `${job}abstract class Base {}`],
    ['no comment', 'export const a = 1;'],
    ['another first line', `\n${job}export const a = 1;`],
    ['an empty comment', '//\nexport const a = 1;'],
    ['a barrel', `${job}export * from './a.ts';\nexport { b } from './b.ts';`],
  ])('%s', (_, text) => {
    expect(style(text)).toHaveLength(1);
  });

  test.each([
    ['an arrow among declarations', 'src/operator/reconcile/plan/a.ts', 'export const a = (b: number): number => b;'],
    ['a declaration among arrows', 'src/operator/kinds/cluster/a.ts', 'export function a(): void {}'],
  ])('%s', (_, path, text) => {
    expect(style(`${job}${text}`, path)).toHaveLength(1);
  });

  test('functions that cannot have the style of their folder', () => {
    const overloaded = 'function a(b: string): string;\nfunction a(b?: string) { return b; }';
    expect(style(`${job}${overloaded}`, 'src/wire/a.ts')).toEqual([]);
    expect(style(`${job}function* a() { yield 1; }`, 'src/wire/a.ts')).toEqual([]);
    expect(style(`${job}const a: () => void = () => {};`, 'src/cli/a.ts')).toEqual([]);
  });

  test('names of files', () => {
    expect(style(job, 'src/operator/api/camelCase.ts')).toHaveLength(1);
    expect(style(job, 'src/operator/api/Upper.ts')).toHaveLength(1);
    expect(style(job, 'src/operator/api/snake_case.ts')).toHaveLength(1);
  });

  test('what is fine', () => {
    expect(
      style(`${job}export interface Identifier {}\nexport type IPAddress = string;\nconst enumeration = 1;`),
    ).toEqual([]);
    expect(style(`${job}export * from './cluster/index.ts';`, 'src/operator/kinds/index.ts')).toEqual([]);
  });
});

describe('sizes', () => {
  const lines = (count: number, text = 'a();') => Array.from({ length: count }, () => text).join('\n');
  const violations = (text: string) => one('src/operator/api/a.ts', text).flatMap(sizeViolations);
  const first = (text: string) => one('src/operator/api/a.ts', text).flatMap(measure)[0];

  test.each([
    ['function', (body: string) => `function f() {\n${body}\n}`],
    ['arrow', (body: string) => `const f = () => {\n${body}\n};`],
    ['method', (body: string) => `class A { m() {\n${body}\n} }`],
    ['of an object', (body: string) => `const o = { m() {\n${body}\n} };`],
  ])('a %s', (_, wrap) => {
    expect(violations(wrap(lines(38)))).toEqual([]);
    expect(violations(wrap(lines(39)))).toEqual(['src/operator/api/a.ts:1 a function of 41 lines']);
  });

  test('parameters and nesting', () => {
    expect(first('function f(a, b, { c, d }) {}')).toMatchObject({ parameters: 3, nesting: 0 });
    expect(first('function f() { if (a) { for (;;) { try {} catch {} } } }')).toMatchObject({ nesting: 3 });
    expect(first('function f() { if (a) {} else if (b) {} else if (c) {} else {} }')).toMatchObject({ nesting: 1 });
    expect(first('function f() { if (a) { g(() => { if (b) {} }); } }')).toMatchObject({ nesting: 1 });
  });

  test('files of a folder', () => {
    const folder = (count: number) =>
      files(Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/lib/a/f${index}.ts`, '// A file.'])));
    expect(folderViolations([...folder(limits.folderFiles), ...one('src/lib/a/b/c.ts', '// Of another.')])).toEqual([]);
    expect(folderViolations(folder(limits.folderFiles + 1))).toEqual(['src/lib/a has 15 files']);
  });

  test('median', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([])).toBe(0);
  });
});
