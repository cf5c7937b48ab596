// All processes of this computer at one moment, by what they belong to: one look at all of them tells it of any number of machines and runs.
import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../../../../lib/errors.ts';
import { turn } from '../../../../lib/timing/slices.ts';
import { isGoneFrom, isRunningState, type ProcessRecord, type ProcessState, parseStat } from './process-record.ts';

/** The variable that every process of a machine has, and passes on. */
export const machineMark = 'DATAPROCESSING_MACHINE';
/** The same for the processes of a run. */
export const runMark = 'DATAPROCESSING_RUN';

interface Seen {
  readonly process: ProcessState;
  /** Undefined if its environment is empty, or nobody may read it: programs with capabilities, or the rights of another user, are protected. */
  readonly marks: readonly string[] | undefined;
}

const isProtected = (error: unknown): boolean => hasCode(error, 'EACCES') || hasCode(error, 'EPERM');
const isMark = (variable: string): boolean => [machineMark, runMark].some((mark) => variable.startsWith(`${mark}=`));

function marksOf(pid: string): readonly string[] | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return environment === '' ? undefined : environment.split('\0').filter(isMark);
  } catch (error) {
    if (isProtected(error)) return undefined;
    throw error;
  }
}

/** The environment is read last: what has got the identifier meanwhile has another start time, so it gets no signal for it, and is seen the next time. */
function seeProcess(pid: string): readonly Seen[] {
  try {
    const process = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return process === undefined ? [] : [{ process, marks: marksOf(pid) }];
  } catch (error) {
    // With `hidepid`, nothing of other users can be read.
    if (isProtected(error) || isGoneFrom(error)) return [];
    throw error;
  }
}

export class Sight {
  readonly #byPid: ReadonlyMap<number, Seen>;
  readonly #bySession: ReadonlyMap<number, readonly Seen[]>;
  readonly #byParent: ReadonlyMap<number, readonly Seen[]>;
  readonly #byMark = new Map<string, ProcessState[]>();
  readonly #inherited = new Map<number, readonly string[]>();

  constructor(all: readonly Seen[]) {
    this.#byPid = new Map(all.map((seen) => [seen.process.pid, seen]));
    this.#bySession = Map.groupBy(all, ({ process }) => process.session);
    this.#byParent = Map.groupBy(all, ({ process }) => process.parent);
    for (const seen of all)
      for (const mark of new Set(this.#marksOf(seen))) {
        const marked = this.#byMark.get(mark);
        if (marked === undefined) this.#byMark.set(mark, [seen.process]);
        else marked.push(seen.process);
      }
  }

  /** The processes that have the mark of the machine. */
  ofMachine(machine: string): readonly ProcessRecord[] {
    return this.#byMark.get(`${machineMark}=${machine}`) ?? [];
  }

  /**
   * The processes of the run: those with its mark and, as long as its first process is there, all of its session. Later the identifier of the session can be
   * that of a foreign one.
   */
  ofRun(run: string, first: ProcessRecord | undefined): readonly ProcessRecord[] {
    const marked = this.#byMark.get(`${runMark}=${run}`) ?? [];
    const session = first !== undefined && this.#has(first) ? (this.#bySession.get(first.pid) ?? []) : [];
    return [...new Set([...marked, ...session.map(({ process }) => process)])];
  }

  /** The processes that this one has started itself. */
  childrenOf(parent: ProcessRecord): readonly ProcessRecord[] {
    return this.#has(parent) ? (this.#byParent.get(parent.pid) ?? []).map(({ process }) => process) : [];
  }

  #has({ pid, startedAt }: ProcessRecord): boolean {
    const process = this.#byPid.get(pid)?.process;
    return process?.startedAt === startedAt && isRunningState(process);
  }

  /** What shows no marks belongs to what has started it, and to what leads its session. */
  #marksOf({ process, marks }: Seen): readonly string[] {
    if (marks !== undefined) return marks;
    if (!isRunningState(process)) return [];
    const known = this.#inherited.get(process.pid);
    if (known !== undefined) return known;
    // Two that were read one after the other can look as if each had started the other one.
    this.#inherited.set(process.pid, []);
    const origins = [process.parent, process.session].flatMap((pid) => this.#byPid.get(pid) ?? []);
    const inherited = origins.flatMap((origin) => this.#marksOf(origin));
    this.#inherited.set(process.pid, inherited);
    return inherited;
  }
}

/** Takes as long as there are processes on this computer. Throws if that cannot be found out. */
export function lookNow(): Sight {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Sight(pids.flatMap(seeProcess));
}

let next: Promise<Sight> | undefined;

/** Resolves to what is seen after the call. All who call before that share one look. */
export function look(): Promise<Sight> {
  next ??= turn().then(() => {
    next = undefined;
    return lookNow();
  });
  return next;
}
