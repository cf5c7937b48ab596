// The rules of the design that a machine can check, over everything in src. That each rule can fail: architecture/*.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineNames } from './engine-names.ts';
import { cycles, layerViolations } from './layers.ts';
import { effectViolations, purePaths, purityViolations } from './purity.ts';
import { folderViolations, limits, measure, median, repeatedTypes, sizeViolations, styleViolations } from './shape.ts';
import { readSource, type Source } from './source.ts';

const root = join(import.meta.dirname, '..', '..');

function sourcesBelow(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`)
    .sort()
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
}

const sources = sourcesBelow('src');

test('files import only what their folder may', () => {
  expect(layerViolations(sources)).toEqual([]);
});

test('no circle of imports', () => {
  expect(cycles(sources)).toEqual([]);
});

test('pure files import only pure values and never wait', () => {
  expect(purePaths(sources).size).toBeGreaterThan(5);
  expect(purityViolations(sources)).toEqual([]);
});

test('time, chance, environment and network come in through ports', () => {
  expect(effectViolations(sources)).toEqual([]);
});

test('only the folder of the engines names engines', () => {
  expect(sources.flatMap(engineNames)).toEqual([]);
});

test('names and forms of the house style', () => {
  expect(sources.flatMap(styleViolations)).toEqual([]);
});

test.each(['operator', 'service', 'cli'])('no type name is declared twice within the %s', (program) => {
  const own = sources.filter(
    ({ path }) => !/^src\/(operator|service|cli)\//.test(path) || path.startsWith(`src/${program}/`),
  );
  expect(repeatedTypes(own)).toEqual([]);
});

test(`folders have at most ${limits.folderFiles} files`, () => {
  expect(folderViolations(sources)).toEqual([]);
});

test(`functions have at most ${limits.functionLines} lines`, () => {
  expect([...sources, ...sourcesBelow('dev')].flatMap(sizeViolations)).toEqual([]);
});

test('figures (no gates): medians, parameters, nesting, tests for each line of source', () => {
  const functions = sources.flatMap(measure);
  const lines = (files: readonly Source[]): number => files.reduce((sum, file) => sum + file.lines, 0);
  const many = functions.filter(({ parameters }) => parameters > limits.parameters).map(({ name }) => name);
  const deep = functions.filter(({ nesting }) => nesting > limits.nesting).map(({ name }) => name);
  console.info(
    [
      `${sources.length} files of ${median(sources.map((source) => source.lines))} lines (median, target 100)`,
      `${functions.length} functions of ${median(functions.map((each) => each.lines))} lines (median, target 8)`,
      `more than ${limits.parameters} parameters: ${many.join(', ') || 'none'}`,
      `nesting deeper than ${limits.nesting}: ${deep.join(', ') || 'none'}`,
      `tests: ${(lines(sourcesBelow('test')) / lines(sources)).toFixed(2)} lines for each of src (target 1.5)`,
    ].join('\n'),
  );
  expect(functions.length).toBeGreaterThan(0);
});
