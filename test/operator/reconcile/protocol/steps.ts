// What the protocol tests share: the answers to effects, which all came just now, and the question for the next effect.
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import type { EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import { next } from '../../../../src/operator/reconcile/protocol/protocol.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { monotonic, type SituationOptions, situationOf } from '../support.ts';

export type Trail = readonly EffectAnswer[];

export const timed = { sentAt: monotonic - 100, at: monotonic };
const failing = (error?: ServiceError) => ({ ...timed, ...(error ? { error } : {}) });

export const intended = (sentAt = timed.sentAt): EffectAnswer => ({ of: 'pin-and-intend', sentAt, at: monotonic });
export const observed = (error?: ServiceError): EffectAnswer => ({ of: 'observe', ...failing(error) });
export const refused = (error: ServiceError): EffectAnswer => ({ of: 'post', ...timed, error });
export const deleted = (error?: ServiceError): EffectAnswer => ({ of: 'delete', ...failing(error) });
export const closed: EffectAnswer = { of: 'close', ...timed };
export const recorded: EffectAnswer = { of: 'record', ...timed };

/** The next effect of a plan, with the ledger that the resource carries in this situation. */
export function ask(plan: Plan, trail: Trail = [], options: SituationOptions = {}) {
  const input = situationOf(options);
  return next({ plan, ledger: input.ledger, input, trail });
}
