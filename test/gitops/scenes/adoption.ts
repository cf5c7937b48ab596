// An object of the service that was there before: only observed, not there, or another one than the spec says.
import { imageRegistrationKind } from '../../../src/operator/kinds/image-registration/index.ts';
import { statusOf } from '../../operator/kinds/support/invariants.ts';
import type { Json } from '../../operator/kinds/support/sample.ts';
import type { Scene } from '../scene.ts';
import type { Trial } from '../trial.ts';

const isImage = ({ actor }: Trial): boolean => actor.kind === imageRegistrationKind.definition.kind;

/** Of an object that belongs to no resource any more. */
async function abandonedId({ stage, actor }: Trial): Promise<string> {
  const former = { kind: actor.kind, name: 'former' };
  await stage.apply(former.kind, former.name, { ...actor.spec(stage), deletionPolicy: 'Orphan' });
  const isReady = (one: Parameters<typeof statusOf>[0]): boolean =>
    statusOf(one).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  const seen = await stage.recorder.until(former, 'Ready', isReady);
  await stage.delete(former.kind, former.name);
  await stage.recorder.gone(former.kind, former.name);
  return statusOf(seen).id ?? '';
}

/** What the object has otherwise. */
function otherOf({ actor }: Trial): Json {
  return actor.scale?.edit ?? (actor.kind === 'ImageRegistration' ? { tags: ['another'] } : { description: 'another' });
}

export const adoptionScenes: readonly Scene[] = [
  {
    cause: 'it is only observed, and the spec asks for something else',
    shows: ['ready', 'observed'],
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.ground();
      const id = await abandonedId(trial);
      await trial.createReady({ ...(isImage(trial) ? {} : { adopt: { id } }), policy: 'Observe' });
      await trial.edit(otherOf(trial));
      await trial.shows('observed');
    },
  },
  {
    cause: 'there is no such object',
    shows: ['absent'],
    smooth: true,
    async run(trial) {
      await trial.operate();
      await trial.ground();
      await trial.create(isImage(trial) ? { policy: 'Observe' } : { adopt: { name: 'absent' } });
      await trial.shows('absent');
    },
  },
  {
    cause: 'the object is another one than the spec says',
    shows: ['mismatched'],
    async run(trial) {
      await trial.operate();
      await trial.ground();
      const id = await abandonedId(trial);
      const other = trial.actor.kind === 'Cluster' ? { userKeypairID: 'another' } : { description: 'another' };
      await trial.create({ ...other, adopt: { id } });
      await trial.shows('mismatched');
    },
  },
];
