// The contract with kubectl, Flux and Argo CD: what is played, and the judgement of it. What makes the status of an object knows no kinds, so one kind proves
// a scene in every run, and all others follow in the long tests.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ApiServer, connect } from '../support/kubernetes/api-server.ts';
import { applyCrds } from '../support/kubernetes/crds.ts';
import { type Actor, actors } from './actors.ts';
import { judgeHistory } from './laws.ts';
import { rows } from './rows.ts';
import type { Scene } from './scene.ts';
import { scenes } from './scenes.ts';
import { Stage } from './stage.ts';
import { Trial } from './trial.ts';

export interface Play {
  readonly scene: Scene;
  readonly actor: Actor;
}

const isRun = ({ kind }: Actor): boolean => kind === 'JobExecution';

export const isAbout = ({ only }: Scene, { kind }: Actor): boolean =>
  only === undefined ? kind !== 'JobExecution' : only === kind;

/** Why a scene says nothing about a kind. */
export function voidOf(scene: Scene, actor: Actor): string | undefined {
  if (!isAbout(scene, actor)) return isRun(actor) ? 'it is a run' : `it is no ${scene.only}`;
  const never = scene.shows.map((row) => actor.never[row]).find((why) => why !== undefined);
  return never ?? scene.without?.(actor);
}

/** Each scene with the one of its kinds that has played least so far. */
function cast(): readonly Play[] {
  const plays: Play[] = [];
  const timesOf = (actor: Actor): number => plays.filter((one) => one.actor === actor).length;
  for (const scene of scenes) {
    const able = actors.filter((actor) => voidOf(scene, actor) === undefined);
    const [actor] = able.toSorted((one, other) => timesOf(one) - timesOf(other));
    if (actor !== undefined) plays.push({ scene, actor });
  }
  return plays;
}

export const inEveryRun: readonly Play[] = cast();

async function play(api: ApiServer, scene: Scene, actor: Actor): Promise<void> {
  await using stage = await Stage.open(api);
  const trial = new Trial(stage, actor);
  await scene.run(trial);
  expect(trial.shown).toEqual(scene.shows);
  const problems = stage.recorder.all.flatMap((history) => judgeHistory(history, scene.smooth === true));
  expect([...problems, ...stage.bugs]).toEqual([]);
}

export function contract(share: 'one kind' | 'the other kinds'): void {
  const isPlayed = (scene: Scene, actor: Actor): boolean => {
    const always = inEveryRun.some((one) => one.scene === scene && one.actor === actor);
    return voidOf(scene, actor) === undefined && always === (share === 'one kind');
  };
  describe.skipIf(inject('kubeconfig') === '')('the contract', () => {
    let api: ApiServer;
    beforeAll(async () => {
      await applyCrds(inject('kubeconfig'));
      api = await connect(inject('kubeconfig'));
    });
    afterAll(() => api.close());

    for (const actor of actors) {
      const played = scenes.filter((scene) => isPlayed(scene, actor));
      if (played.length === 0) continue;
      describe.concurrent(`of a ${actor.kind}`, () => {
        for (const scene of played) {
          const states = scene.shows.map((row) => rows[row].state).join(', then ');
          test(`${scene.cause}: ${states}`, async () => play(api, scene, actor));
        }
      });
    }
  });
}
