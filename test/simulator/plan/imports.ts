// Draws imports: somebody else's template is observed, adopted, edited away from and back, and let go. It stays as it is whatever happens.
import { type Draw, someTime } from './feature.ts';
import { busyMs, type Deed, type Step } from './plan.ts';

export const importedLike = 'kept';
export const imported = { kind: 'NodeGroupTemplate', name: 'taken' } as const;

/** As the stranger makes it. */
export const importedSpec = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  flavorID: '4',
  nodeProcesses: ['datanode'],
  adopt: { match: { name: `${importedLike}-by-hand-*` } },
};

const edit = (change: object): Deed => ({ does: 'edit', ...imported, spec: change });

/** What differs while it may be written, and when, would decide whether it is adopted: only what is observed all the time is edited. */
const ofObserved: readonly [object, ...object[]] = [
  { flavorID: '2' },
  { flavorID: '4' },
  { suspend: true },
  { suspend: false },
];
const ofManaged: readonly [object, ...object[]] = [
  { policy: 'Observe' },
  { policy: 'Manage' },
  { suspend: true },
  { suspend: false },
];

export const imports: Draw = (dice) => {
  const isObserved = dice.toss(0.5);
  const applied = someTime(dice);
  const first = isObserved ? 'Observe' : dice.pick(['Observe', 'Manage']);
  const edits = dice.times(
    dice.number(0, 6),
    (): Step => ({
      at: dice.number(applied, busyMs),
      deed: edit(dice.pick(isObserved ? ofObserved : ofManaged)),
    }),
  );
  const last = isObserved ? { flavorID: dice.pick(['2', '4']) } : { policy: 'Manage' };
  return [
    { at: someTime(dice), deed: { does: 'stranger', like: importedLike } },
    { at: applied, deed: { does: 'apply', ...imported, spec: { ...importedSpec, policy: first } } },
    ...edits,
    { at: busyMs, deed: edit({ ...last, suspend: false }) },
    ...(dice.toss(0.3) ? [{ at: busyMs, deed: { does: 'delete', ...imported } } as const] : []),
  ];
};
