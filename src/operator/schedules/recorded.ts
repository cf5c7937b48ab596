// The last scheduled time as the object has it: in an annotation, which survives a backup, and in the status. PURE.
import type { RawResource } from '../api/definition.ts';
import { lastScheduleAnnotation } from '../api/shared-api.ts';
import { timeIn } from '../reconcile/resource/scheduled.ts';

export interface RecordedInObject {
  readonly annotation: number | undefined;
  readonly status: number | undefined;
  /** There is an annotation, and it holds no time. */
  readonly isUnreadable: boolean;
  readonly lastSuccessfulAt: number | undefined;
}

export function recordedIn({ metadata, status }: RawResource): RecordedInObject {
  const text = metadata.annotations?.[lastScheduleAnnotation];
  const annotation = timeIn(text);
  const { lastScheduleTime, lastSuccessfulTime } = (status ?? {}) as Readonly<Record<string, unknown>>;
  return {
    annotation,
    status: timeIn(lastScheduleTime),
    isUnreadable: text !== undefined && annotation === undefined,
    lastSuccessfulAt: timeIn(lastSuccessfulTime),
  };
}
