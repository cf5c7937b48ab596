// What it means for a run that the API server does not take the job or the cluster that is made for it. PURE.
import { type Outcome, refuse } from '../../outcome.ts';
import type { NewObject } from '../../pass-ports.ts';
import type { PlanInput } from '../../plan-input.ts';
import { admissionText, correctionText } from '../../resource/scheduled.ts';
import { correctionMs } from '../preconditions.ts';

/** Between two tries of what may be accepted without a change that wakes the run, in ms. */
const admissionMs = 60_000;

interface ObjectRefusal {
  readonly refusal: string;
  readonly category: 'invalid' | 'forbidden';
}

/** What is not valid stays so. A policy or a role may be changed, and anybody may free a quota at any time. */
export function refusedObject(
  { facts }: Pick<PlanInput, 'facts'>,
  { kind, metadata }: NewObject,
  { refusal, category }: ObjectRefusal,
): Outcome {
  const problem = `the API server refuses ${kind} ${metadata.name}: ${refusal}`;
  if (category === 'invalid')
    return { ...refuse('InvalidSpec', `${problem}. ${correctionText(facts.resource)}`), failsAfterMs: correctionMs };
  if (/\bexceeded quota\b/.test(refusal)) {
    const remedy = 'It is tried again every minute: make room, or have the quota raised';
    return { ...refuse('ExecutionRefused', `${problem}. ${remedy}`), afterMs: admissionMs };
  }
  return {
    ...refuse('ExecutionRefused', `${problem}. ${admissionText(facts.resource)}`),
    afterMs: admissionMs,
    failsAfterMs: facts.progressDeadlineMs,
  };
}
