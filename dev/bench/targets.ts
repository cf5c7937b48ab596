// Compares the targets with the measured values. PURE.
import type { Reports } from './phases.ts';
import { type Figures, type Promised, promised } from './promises.ts';

export interface Target {
  readonly target: string;
  readonly measured: number;
  readonly met: boolean;
}

/** `notJudged`: why the target does not apply to this run, or was not measured. */
export interface Unjudged {
  readonly target: string;
  readonly measured?: number | undefined;
  readonly notJudged: string;
}

/** Includes the targets that were not judged. */
export function compareWithTargets(reports: Reports, figures: Figures): Readonly<Record<string, Target | Unjudged>> {
  return Object.fromEntries(promised.map((each) => [each.name, judge(each, reports, figures)]));
}

function judge(promise: Promised, reports: Reports, figures: Figures): Target | Unjudged {
  const { sense, limit, unit, unless = [] } = promise;
  const target = `${sense} ${limit} ${unit}`;
  const measured = promise.measured(reports, figures);
  if (measured === undefined) return { target, notJudged: 'the phase did not run, or not to its end' };
  const notJudged = unless.map((why) => why(figures, reports)).find((why) => why !== undefined);
  if (notJudged !== undefined) return { target, measured, notJudged };
  return { target, measured, met: isMet(sense, measured, limit) };
}

function isMet(sense: Promised['sense'], measured: number, limit: number): boolean {
  switch (sense) {
    case '>=':
      return measured >= limit;
    case '<=':
      return measured <= limit;
    case '<':
      return measured < limit;
  }
}
