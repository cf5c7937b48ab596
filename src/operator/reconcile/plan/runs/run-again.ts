// The annotation run-again, by which a user asks for another attempt in place of one whose outcome is not known.
import { runAgainAnnotation } from '../../../api/shared-api.ts';
import type { Claim } from '../../ledger/ledger.ts';
import type { PlanInput } from '../../plan-input.ts';

/** The user has asked for another attempt in place of this one. */
export function isToRunAgain({ facts }: PlanInput, { name }: Claim): boolean {
  return facts.runAgain === name;
}

/** The end of a message: why nothing is started, and the annotation that starts another attempt. */
export function runAgainText({ name }: Pick<Claim, 'name'>): string {
  return `It is not started again, because it may have run already. To run it again, set the annotation ${runAgainAnnotation}: ${name}`;
}
