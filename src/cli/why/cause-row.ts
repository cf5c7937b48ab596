// A possible cause, as a row of the table of all of them. PURE.
import type { Step } from './chain.ts';
import type { Situation } from './situation.ts';

/** `leaf`: the end of the chain that is explained. */
export type Case = Situation & { readonly leaf: Step };

export interface Row {
  readonly cause: string;
  readonly holds: (of: Case) => boolean;
  readonly text: (of: Case) => string;
  readonly todo: (of: Case) => readonly string[];
  readonly needsUser: boolean | ((of: Case) => boolean);
}

/** For the end of a sentence. */
export function inPlace({ namespace }: Step): string {
  return namespace === '' ? '' : ` in namespace ${namespace}`;
}
