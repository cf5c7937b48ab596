// The contract with kubectl, Flux and Argo CD, row by row and version by version, for every kind.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { definitions } from '../../src/operator/kinds/index.ts';
import { type ApiServer, connect } from '../support/kubernetes/api-server.ts';
import { applyCrds } from '../support/kubernetes/crds.ts';
import { type Actor, actors } from './actors.ts';
import { judgeHistory } from './laws.ts';
import { haveKubectl } from './readers/kubectl-wait.ts';
import { rowNames, rows } from './rows.ts';
import type { Scene } from './scene.ts';
import { scenes } from './scenes.ts';
import { Stage } from './stage.ts';
import { Trial } from './trial.ts';

const isRun = ({ kind }: Actor): boolean => kind === 'JobExecution';

const isAbout = ({ only }: Scene, { kind }: Actor): boolean =>
  only === undefined ? kind !== 'JobExecution' : only === kind;

/** Why a scene says nothing about a kind. */
function voidOf(scene: Scene, actor: Actor): string | undefined {
  if (!isAbout(scene, actor)) return isRun(actor) ? 'it is a run' : `it is no ${scene.only}`;
  const never = scene.shows.map((row) => actor.never[row]).find((why) => why !== undefined);
  return never ?? scene.without?.(actor);
}

async function play(api: ApiServer, scene: Scene, actor: Actor): Promise<void> {
  await using stage = await Stage.open(api);
  const trial = new Trial(stage, actor);
  await scene.run(trial);
  expect(trial.shown).toEqual(scene.shows);
  const problems = stage.recorder.all.flatMap((history) => judgeHistory(history, scene.smooth === true));
  expect([...problems, ...stage.bugs]).toEqual([]);
}

describe.skipIf(inject('kubeconfig') === '')('the contract', () => {
  let api: ApiServer;
  beforeAll(async () => {
    await applyCrds(inject('kubeconfig'));
    api = await connect(inject('kubeconfig'));
  });
  afterAll(() => api.close());

  for (const actor of actors)
    describe.concurrent(`of a ${actor.kind}`, () => {
      for (const scene of scenes.filter((one) => voidOf(one, actor) === undefined)) {
        const states = scene.shows.map((row) => rows[row].state).join(', then ');
        test(`${scene.cause}: ${states}`, async () => play(api, scene, actor));
      }
    });
});

for (const { kind, never } of actors)
  for (const row of rowNames)
    if (never[row] !== undefined) process.stdout.write(`void for ${kind}: ${rows[row].state}: ${never[row]}\n`);
if (!haveKubectl)
  process.stdout.write('void: the rule of kubectl wait beside the real kubectl: there is none on PATH\n');

test('every kind takes part', () => {
  // An operator of one namespace reads nothing else.
  const kinds = definitions.flatMap(({ kind, scope }) => (scope === undefined ? [kind as string] : []));
  expect(actors.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
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
