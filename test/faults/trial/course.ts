// One run of one workload, with one fault at one write or with none: what the user does, and what comes of it.

import { take } from '../plane/user.ts';
import type { Workload } from '../tables/steps.ts';
import type { Ambush } from './ambush.ts';
import { differences, pictureOf } from './picture.ts';
import type { Scene } from './scene.ts';
import type { Counts } from './tally.ts';

/** What a run came to. */
export interface Result {
  readonly picture: readonly string[];
  readonly counts: Counts;
  /** From the fault to the end, in seconds of the operator's clock; 0 where nothing went wrong. */
  readonly recoverySeconds: number;
}

/** Throws with what is wrong. Ends with the picture of the reference, where there is one. */
export async function play(scene: Scene, workload: Workload, ambush: Ambush, reference?: Result): Promise<Result> {
  const { tally } = ambush;
  const wasSent = (point: string): boolean => tally.of(point).tried > 0;
  for (const step of workload.before) await take(step, { scene, wasSent, before: [] });
  ambush.arm();
  const before = scene.objects();
  for (const step of workload.steps) await Promise.race([take(step, { scene, wasSent, before }), ambush.failure]);
  ambush.rest();
  await Promise.race([scene.until(() => ambush.pending), ambush.failure]);
  await scene.running();
  if (ambush.trouble === undefined) {
    // An event is sent when its turn comes, also when what it tells of is gone by then.
    const told = () => !workload.passes.includes('event') || wasSent('event');
    await scene.until(() => (told() ? undefined : 'no event is sent'));
    await scene.until(() => (tally.unanswered === 0 ? undefined : 'a write is not answered'));
  }
  if (reference !== undefined) await agree(scene, reference);
  const { firedAt } = ambush;
  const recoverySeconds = firedAt === undefined ? 0 : (scene.now() - firedAt) / 1_000;
  await scene.rest();
  if (reference !== undefined) await agree(scene, reference);
  if (ambush.broken.length > 0) throw new Error(ambush.broken.join('\n'));
  return { picture: pictureOf(scene), counts: tally.counts(), recoverySeconds };
}

async function agree(scene: Scene, { picture }: Result): Promise<void> {
  const differing = () => {
    const lines = differences(picture, pictureOf(scene));
    return lines.length === 0 ? undefined : ['it ends otherwise than without a fault:', ...lines].join('\n');
  };
  await scene.until(differing, 'seldom');
}
