// Draws lives whose objects share a connection, in a namespace that is selected and unselected: the same life otherwise.
import type { Dice } from './chance.ts';
import { busyMs, type Deed, namespace, type Step } from './plan.ts';

const reference = { connectionRef: { kind: 'SharedConnection', name: 'default' } };
/** All its Secrets are in this namespace, and what names objects of the service may be used. */
const sharing = { credentialsNamespace: namespace, allowAdopt: true, namespaces: [namespace] };

interface Templated {
  readonly template?: { readonly spec?: object };
}

export const select = (isSelected: boolean): Deed => ({
  does: 'edit',
  kind: 'SharedConnection',
  name: 'default',
  spec: { namespaces: isSelected ? [namespace] : [] },
});

/** The same deed with the objects of a world that shares its connection. */
export function shared(deed: Deed): Deed {
  if (!('kind' in deed)) return deed;
  if (deed.kind === 'Connection') {
    const kind = 'SharedConnection';
    return deed.does === 'apply' ? { ...deed, kind, spec: { ...deed.spec, ...sharing } } : { ...deed, kind };
  }
  if (deed.does !== 'apply' || ['Secret', 'NodeGroup'].includes(deed.kind)) return deed;
  const { template } = deed.spec as Templated;
  if (deed.kind !== 'JobSchedule') return { ...deed, spec: { ...deed.spec, ...reference } };
  return { ...deed, spec: { ...deed.spec, template: { ...template, spec: { ...template?.spec, ...reference } } } };
}

/** It is selected at the end, so that all is as in any other life. */
export function drawSharing(dice: Dice, steps: readonly Step[]): readonly Step[] {
  const turns = dice.times(dice.number(0, 3), () => dice.number(1_000, busyMs)).toSorted((one, other) => one - other);
  const selections = turns.map((at, index): Step => ({ at, deed: select(index % 2 === 1) }));
  const last: Step = { at: busyMs, deed: select(true) };
  return [...steps.map((step) => ({ ...step, deed: shared(step.deed) })), ...selections, last].toSorted(
    (one, other) => one.at - other.at,
  );
}
