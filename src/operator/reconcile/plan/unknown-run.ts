// What becomes of a run that was perhaps started and that no list shows. PURE.
//
// Neither the marker nor the quarantine proves that it did not take place: somebody may have deleted its row. So another attempt needs the
// word of the user: for this one, by an annotation, or for all of an execution whose job may run twice, by spec.onUnknown.
import { runAgainAnnotation } from '../../api/common.ts';
import { type Claim, openAttempts } from '../ledger/ledger.ts';
import { unreadableRowOf, unreadableRowText } from '../lists/unreadable-rows.ts';
import { type Outcome, refuse, waiting } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import { quarantineEnd } from '../quarantine.ts';
import { settingsOf } from './run-end.ts';

/** The user has asked for another attempt in place of this one. */
export const isToRunAgain = ({ facts }: PlanInput, { name }: Claim): boolean => facts.runAgain === name;

/** Each of them stays in the ledger. A service that starts runs and never says so must not start them without end. */
const mostUnknown = 20;

/** Another attempt follows one without an answer, as the spec allows. What is cancelled stays unknown. */
export function isRepeated(input: PlanInput): boolean {
  const { retriesUnknown, cancel } = settingsOf(input);
  return retriesUnknown && !cancel && unknownRuns(input) <= mostUnknown;
}

const unknownRuns = ({ ledger }: PlanInput): number =>
  ledger?.claims.filter((one) => one.id === undefined && openAttempts(one) > 0).length ?? 0;

export const runAgainText = ({ name }: Pick<Claim, 'name'>): string =>
  `It is not started again, because it may have run already. To run it again, set the annotation ${runAgainAnnotation}: ${name}`;

/** A create without an answer: looked for as long as it may take effect, and in two lists after that. */
export function outcomeUnknown(input: PlanInput, claim: Claim): Outcome {
  const { now, view, kind, service, memory } = input;
  const until = quarantineEnd(input, claim) ?? now.wall;
  const pollMs = service.state === 'usable' ? service.pollSeconds * 1000 : 0;
  const lost = `the service did not say whether it started the run ${claim.name}`;
  const doubt = view && unreadableRowOf(kind, view, claim);
  if (doubt) return waiting('service', 'Provisioning', `${lost}, and ${unreadableRowText(doubt)}`);
  const message = `${lost}; looking for it. ${isRepeated(input) ? repeatText(until) : 'It is not sent a second time'}`;
  if (now.wall < until)
    return { ...waiting('time', 'Provisioning', message), afterMs: Math.min(pollMs, until - now.wall) };
  const { missingSince } = memory;
  if (missingSince === undefined || (view?.listSentAt ?? 0) < missingSince + pollMs)
    return { ...waiting('time', 'Provisioning', message), afterMs: pollMs };
  return refuse('OutcomeUnknown', `${lost}, and has no run with this marker. ${runAgainText(claim)}`);
}

const repeatText = (until: number): string =>
  `If lists after ${new Date(until).toISOString().slice(11, 16)} UTC lack it, another run is started, because spec.onUnknown is Retry`;
