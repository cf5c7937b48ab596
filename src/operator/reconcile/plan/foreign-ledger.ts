// The plan for a resource whose ledger was written for another object: a restored backup, or a copy of its YAML.
//
//  deleting?  another resource claims it   all namespaces seen, or vouched for   plan
//  no         yes                          any                                   refuse OwnershipUnconfirmed: a copy
//  no         no                           no                                    refuse OwnershipUnconfirmed: say how to vouch
//  yes        yes                          any                                   release, nothing deleted
//  yes        no                           no                                    release, nothing deleted
//  any        no                           yes                                   own it: names and ids stay
//
// A resource whose Connection leads elsewhere than its ledger waits until it leads there again: others that use that Connection claim
// nothing there meanwhile, so a copy cannot be told from a restored object.
import { takeOverAnnotation } from '../../api/common.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { passedOn } from '../ledger/name-origin.ts';
import { refuse } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import { foreignText, pinsDiffer, removal } from './preconditions.ts';
import { release, takeOver } from './single-write.ts';
import type { Plan } from './types.ts';

export interface Moved {
  readonly ledger: Ledger;
  /** The user vouches that nobody else owns what it names. */
  readonly vouched: boolean;
}

export function planForeignLedger(input: PlanInput, moved: Moved): Plan {
  const { facts, installation, service } = input;
  const why = doubt(input, moved);
  const elsewhere = service.state === 'usable' && !facts.deleting ? pinsDiffer(moved.ledger, service) : undefined;
  if (why === undefined && elsewhere !== undefined)
    return { action: 'none', outcome: refuse('ConnectionChanged', elsewhere) };
  if (why === undefined) {
    const { uid } = facts.resource.metadata;
    return takeOver(passedOn(moved.ledger, { uid, installation }));
  }
  if (facts.deleting) return release('Released', `released without deleting anything: ${why}`);
  return { action: 'none', outcome: refuse('OwnershipUnconfirmed', `${why}. ${remedy(input)}`) };
}

/** Why it may belong to somebody else. */
function doubt({ claimedBy, seesAll, kind, facts }: PlanInput, { vouched }: Moved): string | undefined {
  const what = 'what the ledger annotation names in the service';
  if (claimedBy !== undefined) return `${what} belongs to ${claimedBy}, of which this is a copy`;
  const [foreign] = facts.foreign;
  if (foreign) return foreignText(foreign);
  if (seesAll || vouched) return undefined;
  return `the ledger annotation was written for another ${kind.definition.kind}, which may live in a namespace that is not watched`;
}

function remedy(input: PlanInput): string {
  const { claimedBy, installation } = input;
  const own = 'Remove the annotation to get an object of its own';
  const instead =
    claimedBy === undefined
      ? `, or, where the other is gone, set the annotation ${takeOverAnnotation}: ${installation} to take over what it names`
      : ', or delete this copy: that leaves the object alone';
  return `${own}${instead}. ${removal(input)}`;
}
