// What a line of a replica's log says, and whether it tells of a bug.
import type { LogFields } from '../../../src/lib/ports.ts';
import { StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Happening } from './happening.ts';

type Telling = Pick<Extract<Happening, { readonly is: 'said' }>, 'text' | 'bug'>;

export function tellingOf(level: string, fields: LogFields, message: string): Telling {
  const { kind = '', name = '', err, outcome = '' } = fields;
  // The loss of the lease and an API server out of reach are no errors of ours.
  const bug = level === 'error' && fields.action !== 'lease' && !(err instanceof StoreError);
  // To write out a stack takes longer than the pass that it tells of.
  const why = err instanceof Error ? ((bug ? err.stack : undefined) ?? err.message) : '';
  return { text: `${level} ${kind} ${name} ${outcome} ${message} ${why}`, bug };
}
