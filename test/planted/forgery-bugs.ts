// Bugs that would let whoever writes a ledger annotation or a status get at somebody else's object, or stand in the way of others.

import { currentClaim } from '../../src/operator/reconcile/ledger/ledger.ts';
import type { namedBy } from '../../src/operator/reconcile/ledger/name-origin.ts';
import type * as claimants from '../../src/operator/reconcile/ownership/claimants.ts';
import type { ownObjects } from '../../src/operator/reconcile/ownership/ownership.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

type NamedBy = typeof namedBy;
type OwnObjects = typeof ownObjects;
type ContestOf = typeof claimants.contestOf;
type RightfulClaimant = typeof claimants.rightfulClaimant;

const forged = { replicas: 1, bounds: { forgeries: 1, deletions: 1 } };

export const forgeryBugs: readonly Bug[] = [
  {
    name: 'the recorded id is taken for a proof',
    breaks: 'I3',
    suite: { world: forged },
    plant: replacing<OwnObjects>('ownership.ownObjects', (real) => (input, claim) => {
      const recorded = claim.id === undefined ? undefined : input.view?.byId(claim.id);
      return recorded ? [recorded] : real(input, claim);
    }),
  },
  {
    name: 'any name in the ledger is taken for a generated one',
    breaks: 'I3',
    suite: { world: forged },
    plant: { 'name-origin.namedBy': (): NamedBy => () => 'uid' },
  },
  {
    name: 'a ledger may claim to be restored from that of a resource that still exists',
    breaks: 'I3',
    suite: { world: forged },
    plant: {
      'claimants.contestOf': (): ContestOf => () => undefined,
      'claimants.rightfulClaimant': (): RightfulClaimant => () => undefined,
    },
  },
  {
    name: 'whose a former revision is, is not asked',
    breaks: 'I3',
    suite: { world: { replicas: 1, bounds: { forgeries: 1 }, kind: 'template' } },
    plant: replacing<RightfulClaimant>('claimants.rightfulClaimant', (real) => (run) => {
      const pass: { ledger: typeof run.ledger } = run;
      const all = pass.ledger;
      const current = currentClaim(all);
      try {
        if (all && current) pass.ledger = { ...all, claims: [current] };
        return real(run);
      } finally {
        pass.ledger = all;
      }
    }),
  },
  {
    name: 'a fixed name is proof enough',
    breaks: 'I3',
    suite: { world: { ...forged, kind: 'named' } },
    plant: replacing<NamedBy>(
      'name-origin.namedBy',
      (real) =>
        (...asked) =>
          real(...asked) === 'spec' ? 'uid' : real(...asked),
    ),
  },
  {
    name: 'an older claim goes before that of the creator',
    breaks: 'L1',
    suite: { tests: 'operator/reconcile/ownership/claimants' },
    plant: replacing<NamedBy>(
      'name-origin.namedBy',
      (real) =>
        (...asked) =>
          real(...asked) === 'uid' ? 'previous' : real(...asked),
    ),
  },
];
