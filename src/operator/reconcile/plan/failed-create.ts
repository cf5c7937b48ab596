// The plan for what a refused create left in the service under the name of the resource.
import type { RemoteObject } from '../kind.ts';
import type { Claim } from '../ledger/ledger.ts';
import { isFailedCreateOf, type PlanInput, recentDelete } from '../plan-input.ts';
import { deleteFailedCreate, none } from './single-write.ts';
import type { Plan } from './types.ts';

/** It occupies the name, so it goes before the next try. A deletion without effect, or a stuck one, is repeated. */
export function planFailedCreate(input: PlanInput, claim: Claim, found: RemoteObject): Plan | undefined {
  if (!isFailedCreateOf(input.kind, claim, found)) return undefined;
  if (!recentDelete(input, found, input.kind.health(found))) return deleteFailedCreate(input, claim, found.id);
  const message = `what a refused create left in the service (${found.id}) is being deleted before the next try`;
  // As a failure: a wait for the service would begin the backoff anew, and the next try would come within seconds each time.
  return none({ result: 'failed', reason: 'ExternalRejected', message, cause: undefined });
}
