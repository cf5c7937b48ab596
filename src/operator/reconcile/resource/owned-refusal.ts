// An owned object that the operator refuses: its content is that of its owner, so the owner is refused, in the words of its own spec. PURE.
import type { RawResource } from '../../api/definition.ts';
import type { ResourceReference } from '../kind/kind.ts';
import { currentClaim } from '../ledger/ledger.ts';
import { conditionOf, readStatus } from './read-conditions.ts';
import { ledgerOf } from './references.ts';
import { correctionText } from './scheduled.ts';

/** What is wrong with it, in the words of `owner`. Undefined: it is not refused, or something was made of it already. */
export function ownedRefusal(
  { reference, installation }: { readonly reference: ResourceReference; readonly installation: string },
  owned: RawResource,
  owner: RawResource,
): string | undefined {
  const stalled = conditionOf(readStatus(owned.status), 'Stalled');
  if (stalled?.status !== 'True' || stalled.reason !== 'InvalidSpec') return undefined;
  if (stalled.observedGeneration !== owned.metadata.generation || isMade(owned, installation)) return undefined;
  return `${problemIn(stalled.message, reference.field)}. ${correctionText(owner)}`;
}

function isMade(owned: RawResource, installation: string): boolean {
  const state = ledgerOf(owned, installation);
  return state.state === 'ours' && currentClaim(state.ledger)?.id !== undefined;
}

/** The last clauses of a message, from the one on that would have the object itself deleted: it would only be made again. */
const ownRemedy = /[:;.] (?:(?![:;.] ).)*\b(?:delete (?:this|one of them)|create another)\b.*$/s;

function problemIn(message: string, field: string): string {
  const problem = message.replace(ownRemedy, '').replaceAll(/\bspec\./g, `${field}.`);
  return problem.startsWith(field) ? problem : `${field}: ${problem}`;
}
