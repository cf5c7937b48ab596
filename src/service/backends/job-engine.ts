// The interface through which executions run jobs on clusters, and an engine that simulates them.
import type { Random } from '../../lib/ports.ts';
import type { FlatConfigs } from '../../wire/common.ts';
import type { JobConfigs, JobType, Termination } from '../../wire/jobs.ts';
import { createId } from '../model/records/identifiers.ts';
import type {
  ClusterRecord,
  DataSourceRecord,
  Ending,
  JobBinaryRecord,
  JobExecutionRecord,
  JobRecord,
  PreparedBinary,
} from '../model/records/records.ts';

/** A file of the job. */
export interface Binary extends PreparedBinary {
  /** Credentials of the place that the URL names. */
  readonly extra: FlatConfigs;
  /** How many bytes the service itself stores. Undefined: none. */
  readonly size: number | undefined;
  /** These bytes. */
  read(): Uint8Array | undefined;
}

/** A data source of the run. */
export interface Source {
  readonly id: string;
  readonly type: DataSourceRecord['type'];
  /** With its placeholders filled in. */
  readonly url: string;
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** Something that an engine reports while a run is under way. It is stored at once. */
export interface RunReport {
  /** From 0 to 1. */
  readonly progress?: number;
  /** Empty if what was told before is over. */
  readonly message?: string;
  /** Whether the run waits in a queue: its program has not begun, and begins at an unknown time. When absent: as before. */
  readonly isQueued?: boolean;
}

/** The run that a call is about. Its key is the identifier of the execution: a repeated call is recognized by it. */
export interface RunOrder {
  readonly tenant: string;
  /** With `engine_job_id`, if one was accepted. */
  readonly execution: JobExecutionRecord;
  /** Undefined once the cluster is gone. */
  readonly cluster: ClusterRecord | undefined;
  /** Whose the cluster is. Records of earlier releases can refer to one of another tenant. When absent: that of the run. */
  readonly clusterTenant?: string;
  /** The reason of the abort is an `Interruption`. The call should then settle within seconds, and undo nothing. */
  readonly signal: AbortSignal;
  /**
   * Rejects with an Error that names the limit and the remedy if the runs of the tenant must not keep so many bytes more, and after an abort of the signal. It can
   * take a while. When absent: there is no limit.
   */
  readonly admit?: (bytes: number) => Promise<void>;
}

/** A run that is to end, whether there is a record of its execution or not. */
export type KillOrder = Omit<RunOrder, 'execution'> & { readonly execution: Pick<JobExecutionRecord, 'id'> };

/** Whose the cluster of the run is. */
export const ownerOfCluster = ({
  tenant,
  clusterTenant = tenant,
}: Pick<RunOrder, 'tenant' | 'clusterTenant'>): string => clusterTenant;

/** A run of this service that an engine finds. */
export interface FoundRun {
  /** One for which the engine finds and kills it. */
  readonly tenant: string;
  /** The identifier of its execution. It can be made up by whoever can make such a run. */
  readonly id: string;
  /** Its program has ended by itself, and the engine keeps what is left of it until it is forgotten. */
  readonly isOver: boolean;
}

/** Where runs are looked for. `tenants`: those that can have runs there. */
export interface FindOrder extends Pick<KillOrder, 'signal'> {
  readonly tenants: readonly string[];
  readonly cluster: ClusterRecord;
}

/** What a run consists of. */
export interface RunPlan extends Pick<RunOrder, 'tenant' | 'clusterTenant' | 'execution'> {
  readonly cluster: ClusterRecord;
  readonly job: JobRecord;
  readonly mains: readonly Binary[];
  readonly libs: readonly Binary[];
  readonly input: Source | undefined;
  readonly output: Source | undefined;
  /** With the values of the interface of the job at their places. */
  readonly job_configs: JobConfigs;
  /** Data sources by the texts that refer to them wherever they are in `job_configs`. */
  readonly references: ReadonlyMap<string, Source>;
}

/** Everything that a run needs. A repeated submission gets the same, except for credentials that have been changed meanwhile. */
export interface ExecutionOrder extends RunOrder, RunPlan {
  readonly cluster: ClusterRecord;
  /** Stores the identifier that the engine has assigned, at once, even if the run is being canceled. Never throws. */
  accepted(engineJobId: string): void;
  /** Never throws. */
  report(report: RunReport): void;
}

export interface RunEnd {
  readonly status: Ending;
  readonly returnCode?: number | undefined;
  /** What ended the program. When absent, the return code says it, if there is one. */
  readonly cause?: Extract<Termination['reason'], 'OOMKilled' | 'Evicted' | 'Lost'> | undefined;
  /** Shown to the user. */
  readonly message?: string;
}

/** A part of the output of a run, in bytes. */
export interface LogRange {
  readonly from: number;
  readonly limit: number;
}
export interface LogPart {
  readonly text: string;
  /** Where the next part begins. */
  readonly next: number;
  readonly total: number;
}

/** What an engine refuses before anything is stored. Each one throws an Error that names the field and the remedy. */
export interface EngineChecks {
  source(source: Pick<DataSourceRecord, 'type' | 'url' | 'credentials'>): void;
  binary(binary: Pick<JobBinaryRecord, 'url' | 'extra'>): void;
  job(type: JobType): void;
  /** All binaries of a job. */
  files(binaries: readonly PreparedBinary[]): void;
  /** A run that is about to be stored. Its cluster may not be Active yet. What can change until it starts is checked again by `submit`. */
  run(plan: RunPlan): void;
}

/**
 * Calls for one execution never overlap, except for `logs`, and for a call that goes on after its abort. Every method can be called again for the same
 * execution, also after a restart of the service, and must then lead to the same result: a run is never started twice. A rejection with `Transient` is
 * repeated later, and so is every rejection of `finish`, `kill`, `runsOn` and `strays`: that a run cannot be observed does not mean that it has ended. Any
 * other one is final. Users see its message.
 */
export interface JobEngine {
  /** The schemes of URLs that jobs can use besides those that every service knows. When absent: none. */
  readonly schemes?: { readonly binaries: readonly string[]; readonly sources: readonly string[] };
  /** When absent: nothing is refused. */
  readonly checks?: EngineChecks;
  /**
   * Submits the run to its cluster, which is Active. Resolves to the identifier that the engine assigned. After a final rejection, or at its deadline, the
   * run is killed. Once that has succeeded, it is FAILED.
   */
  submit(order: ExecutionOrder): Promise<string>;
  /** Resolves to the result when the program has ended. A run that cannot be found is FAILED once it is sure that nothing of it runs or starts later. */
  finish(order: ExecutionOrder): Promise<RunEnd>;
  /**
   * Resolves when nothing of the run is there any more and nothing of it can start: also one whose submission has not ended, or whose effects appear only
   * later, and one that has no record.
   */
  kill(order: KillOrder): Promise<void>;
  /** All runs that are on the cluster, or whose submission is under way there, also those that no record knows. */
  runsOn(order: FindOrder): Promise<readonly FoundRun[]>;
  /** All runs of this service whose objects are there. When absent: nothing of a run can appear after it was killed or forgotten. */
  strays?(signal: AbortSignal): Promise<readonly FoundRun[]>;
  /** The pages of the cluster that show the run, by name. When absent: runs have no pages and keep no output. */
  pages?(plan: Pick<RunPlan, 'cluster' | 'job'>): Readonly<Record<string, string>>;
  /** The end of the run is stored: its output is all of it that is needed. Never throws. */
  release?(run: Pick<RunOrder, 'execution'>): void;
  /** How many bytes of files and output the run keeps on the disk. When absent: none. Never throws. */
  bytes?(run: Pick<RunOrder, 'execution'>): number;
  /** The output of the run. Undefined if there is none. */
  logs(order: RunOrder, range: LogRange): Promise<LogPart | undefined>;
  /**
   * The execution is about to be removed: nothing of the run is needed any more. It is over, was killed or was never submitted, and must not start later.
   * Never throws. What takes time is done afterwards, if need be by the next life of the service.
   */
  forget(run: Pick<KillOrder, 'tenant' | 'execution'>): void;
}

/** Simulates runs. Every run succeeds at once. */
export function createSimulatedEngine(random: Random): JobEngine {
  return {
    submit: async ({ execution }) => execution.engine_job_id ?? createId(random),
    finish: async () => ({ status: 'SUCCEEDED' }),
    kill: async () => {},
    runsOn: async () => [],
    logs: async () => undefined,
    forget() {},
  };
}
