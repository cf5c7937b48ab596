// The stages that operations pass through, as data, and the way from one to the next. PURE.
import type { Dialect } from '../../../wire/dialect.ts';

/** `status`: what the record shows. `action`: what is done at the end of the stage. */
export interface Stage {
  readonly status: string;
  readonly action: string;
}

/** An operation under way, and the stage it is in. Stages go by their status, which no operation shows twice. */
interface StageWork {
  readonly operation: string;
  readonly stage: string;
}

export type NewWork<W extends StageWork> = W extends StageWork ? Omit<W, 'stage'> : never;

type OperationStages<W extends StageWork, S extends Stage> = Readonly<Record<W['operation'], readonly S[]>>;

export class StageTable<W extends StageWork, S extends Stage> {
  readonly #stages: Readonly<Record<Dialect, OperationStages<W, S>>>;
  readonly #applies: (work: W, stage: S) => boolean;

  /** `applies`: whether the stage has anything to do in this work. Stages after the first are skipped if not. */
  constructor(
    stages: Readonly<Record<Dialect, OperationStages<W, S>>>,
    applies: (work: W, stage: S) => boolean = () => true,
  ) {
    this.#stages = stages;
    this.#applies = applies;
  }

  /** The stage that the work is in. Undefined if the operation has no stage of this name. */
  find(dialect: Dialect, work: W): S | undefined {
    return this.#of(dialect, work).find(({ status }) => status === work.stage);
  }

  /** The work in its first stage. Undefined if there is nothing to do. */
  first(dialect: Dialect, work: NewWork<W>): W | undefined {
    // New work lacks nothing but its stage.
    const begun = work as unknown as W;
    const [stage] = this.#of(dialect, begun);
    return stage && { ...begun, stage: stage.status };
  }

  /** The work in its next stage. Undefined after the last one. */
  next(dialect: Dialect, work: W): W | undefined {
    const stages = this.#of(dialect, work);
    const rest = stages.slice(stages.findIndex(({ status }) => status === work.stage) + 1);
    const stage = rest.find((each) => this.#applies(work, each));
    return stage && { ...work, stage: stage.status };
  }

  /** All statuses that records of this dialect pass through. */
  statuses(dialect: Dialect): readonly string[] {
    const lists: readonly (readonly S[])[] = Object.values(this.#stages[dialect]);
    return [...new Set(lists.flatMap((stages) => stages.map(({ status }) => status)))];
  }

  #of(dialect: Dialect, { operation }: W): readonly S[] {
    return this.#stages[dialect][operation as W['operation']];
  }
}
