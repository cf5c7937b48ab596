// Bugs of autoscaling: by which loads the number of nodes changes, how soon and how far.
import type { AutoscaleInput, decideCount } from '../../src/operator/kinds/cluster/autoscale.ts';
import type { Bug } from './bug.ts';
import { type Plant, replacing } from './ground.ts';

type Decide = typeof decideCount;

const suite = { tests: 'simulator/autoscaled/autoscaled' };
const deciding = (by: (real: Decide) => Decide): Plant => replacing<Decide>('autoscale.decideCount', by);
const withLoad = (input: AutoscaleInput, change: Partial<NonNullable<AutoscaleInput['load']>>): AutoscaleInput => ({
  ...input,
  load: input.load && { ...input.load, ...change },
});

export const autoscalingBugs: readonly Bug[] = [
  {
    name: 'a group is scaled by an old load',
    breaks: 'A1',
    suite,
    plant: deciding((real) => (input) => real(withLoad(input, { ageMs: 0 }))),
  },
  {
    name: 'a group is scaled below what is busy',
    breaks: 'A1',
    suite,
    plant: deciding((real) => (input) => real(withLoad(input, { busyNodes: 0 }))),
  },
  {
    name: 'a group is scaled down as soon as the work fills less',
    breaks: 'A1',
    suite,
    plant: deciding((real) => (input) => real({ ...input, lessForMs: Number.POSITIVE_INFINITY })),
  },
  {
    name: 'a group is scaled down to what the work fills, in one step',
    breaks: 'A1',
    suite,
    plant: deciding((real) => (input) => {
      const { count, wanted = count, ...decision } = real(input);
      return { ...decision, wanted, count: count < input.asked ? wanted : count };
    }),
  },
  {
    name: 'a group without nodes gets none, whatever waits',
    breaks: 'A2',
    suite,
    plant: deciding((real) => (input) => real(input.has > 0 ? input : { ...input, load: undefined })),
  },
  {
    name: 'a count outside of its bounds stays until there is a load',
    breaks: 'table',
    suite: { tests: 'operator/kinds/cluster/autoscale' },
    plant: deciding((real) => (input) => {
      const decision = real(input);
      return decision.wanted === undefined ? { ...decision, count: input.asked } : decision;
    }),
  },
];
