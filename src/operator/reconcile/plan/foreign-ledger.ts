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
import { ledgerAnnotation, takeOverAnnotation } from '../../api/common.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { passedOn } from '../ledger/name-origin.ts';
import { refuse } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import { foreignText, pinsDiffer, removal, safe } from './preconditions.ts';
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
  if (claimedBy !== undefined)
    return `this resource is a copy: the objects that its annotation ${ledgerAnnotation} names belong to ${claimedBy}, which keeps them`;
  const [foreign] = facts.foreign;
  if (foreign) return foreignText(foreign);
  if (seesAll || vouched) return undefined;
  return `the annotation ${ledgerAnnotation} was written for another ${kind.definition.kind}, which may exist in a namespace that is not watched`;
}

function remedy(input: PlanInput): string {
  const { claimedBy, installation, facts } = input;
  const renew = `to create a new object in the service, ${removal(input)}`;
  if (claimedBy !== undefined) return `Delete this copy, which leaves those objects. Or, ${renew}`;
  // Nobody can vouch for what was never made for any owner of the ledger.
  if (facts.foreign.length > 0) return `T${renew.slice(1)}`;
  return `${safe}. If the original is gone, set the annotation ${takeOverAnnotation}: ${installation} to take over its object. Otherwise, ${renew}`;
}
