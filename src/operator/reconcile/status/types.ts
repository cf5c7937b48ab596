// What a status is made from.
import type { RemoteObject } from '../kind.ts';
import type { Outcome } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';

export interface PassResult extends Pick<PlanInput, 'kind' | 'facts' | 'ledger' | 'resolutions' | 'memory' | 'now'> {
  readonly outcome: Outcome;
  /** The object, where it is known and proven to be the resource's own. */
  readonly remote: RemoteObject | undefined;
}
