// The contract with kubectl, Flux and Argo CD, row by row and version by version: each scene with one kind, and which kinds it could have.
import { expect, test } from 'vitest';
import { definitions } from '../../src/operator/kinds/index.ts';
import { actors } from './actors.ts';
import { contract, inEveryRun, isAbout, voidOf } from './contract.ts';
import { haveKubectl } from './readers/kubectl-wait.ts';
import { rowNames, rows } from './rows.ts';
import { scenes } from './scenes.ts';

contract('one kind');

for (const { kind, never } of actors)
  for (const row of rowNames)
    if (never[row] !== undefined) process.stdout.write(`void for ${kind}: ${rows[row].state}: ${never[row]}\n`);
if (!haveKubectl)
  process.stdout.write('void: the rule of kubectl wait beside the real kubectl: there is none on PATH\n');

test('every kind takes part', () => {
  // An operator of one namespace reads nothing else.
  const kinds = definitions.flatMap(({ kind, scope }) => (scope === undefined ? [kind as string] : []));
  expect(actors.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  expect([...new Set(inEveryRun.map(({ actor }) => actor.kind))].toSorted()).toEqual(kinds.toSorted());
});

test.each(actors)('every row is shown by a $kind, or it is said why not', (actor) => {
  const shown = new Set(scenes.filter((scene) => voidOf(scene, actor) === undefined).flatMap((scene) => scene.shows));
  // A run goes through the same code as all others where nothing is said of runs, and the other way round nothing can be.
  const about = new Set(scenes.flatMap((scene) => (isAbout(scene, actor) ? scene.shows : [])));
  const expected = rowNames.filter((row) => about.has(row));
  const missing = expected.filter((row) => !shown.has(row) && actor.never[row] === undefined);
  const contradicted = rowNames.filter((row) => shown.has(row) && actor.never[row] !== undefined);
  expect({ missing, contradicted }).toEqual({ missing: [], contradicted: [] });
});

test('every row is shown in every run', () => {
  const shown = new Set(inEveryRun.flatMap(({ scene }) => scene.shows));
  expect(rowNames.filter((row) => !shown.has(row))).toEqual([]);
});
