// The table of causes is the only source of refusals: each is thrown by the key of a row, and each row is thrown somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { causes } from '../../../src/service/model/causes.ts';

const root = join(import.meta.dirname, '../../../src/service');
/** The framework refuses by status. */
const others = /^model\/refusal\.ts$/;
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

test('no refusal has a status and a name of its own', () => {
  const own = sources.filter(([path, text]) => !others.test(path) && text.includes('new Refusal('));
  expect(own.map(([path]) => path)).toEqual([]);
});

/** Where a cause is refused by, passed to what does so, or chosen. */
const refusing = [
  /\b(?:Refusal\.by|exceeded|noMemory)\([^;`]*?'(\w+)'/g,
  /\bresolve\([^;]*?, '(\w+)'\)/g,
  /\bcause: '(\w+)'/g,
  /\? '(\w+)' : '(\w+)'/g,
  /\breturn '(\w+)'/g,
];

test('each cause is thrown', () => {
  const thrown = new Set<string | undefined>(
    sources
      .filter(([path]) => !/routes\.ts$|^api\/openapi\/|^model\/causes\.ts$/.test(path))
      .flatMap(([, text]) => refusing.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, ...keys]) => keys))),
  );
  expect(Object.keys(causes).filter((key) => !thrown.has(key))).toEqual([]);
});
