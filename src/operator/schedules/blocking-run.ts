// Why the runs that policy Forbid waits for do not end, and how a schedule goes on behind them.
import type { RawResource } from '../api/definition.ts';
import { conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { causeOf } from '../reconcile/resource/references.ts';
import type { ResolveInput } from '../reconcile/resource/resolve.ts';
import { isLasting } from './dependencies.ts';
import { executionKind } from './schedule-executions.ts';
import type { OwnExecution } from './schedule-plan.ts';

export interface BlockingRun {
  /** The cause and the remedy, for the end of a message. */
  readonly text: string;
  /** It does not end until somebody does something. */
  readonly lasts: boolean;
}

/** The first one that does not end by itself, or else the first one with a cause. Undefined: all are at work. */
export function blockingRun(
  from: ResolveInput,
  { metadata: { namespace } }: RawResource,
  runs: readonly OwnExecution[],
): BlockingRun | undefined {
  const found = runs.flatMap((run) => {
    const resource = from.store.read({ kind: executionKind, namespace, name: run.name });
    return judged(from, run, resource) ?? [];
  });
  return found.find(({ lasts }) => lasts) ?? found[0];
}

function judged(from: ResolveInput, run: OwnExecution, resource: RawResource | undefined): BlockingRun | undefined {
  if (run.isUnknown) return { text: unknownText(run), lasts: true };
  if (resource === undefined) return undefined;
  const cause = causeOf(resource);
  const words = cause && `. JobExecution ${run.name}${cause}`;
  if (run.deleting)
    return { text: words, lasts: conditionOf(readStatus(resource.status), 'Stalled')?.status === 'True' };
  if (isLasting(from, resource)) return { text: `${words}. Delete JobExecution ${run.name} to go on`, lasts: true };
  return words === '' ? undefined : { text: words, lasts: false };
}

/** One of unknown outcome stays active until its user decides. */
function unknownText({ name }: OwnExecution): string {
  return `. Nobody knows whether the run of ${name} took place: its message says how to go on. If the job may run twice, set spec.template.spec.onUnknown to Retry`;
}
