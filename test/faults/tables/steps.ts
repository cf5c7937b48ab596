// What a user can do in a workload, and wait for.

/** Services that differ in how far clusters get: to the end, or only to the middle of being started or scaled. Of the last one, runs do not end. */
export type ServiceName = 'prompt' | 'never started' | 'never scaled' | 'never ended';

export type Kind =
  | 'Secret'
  | 'Connection'
  | 'NodeGroupTemplate'
  | 'ClusterTemplate'
  | 'Cluster'
  | 'ImageRegistration'
  | 'DataSource'
  | 'JobBinary'
  | 'Job'
  | 'JobExecution'
  | 'JobSchedule'
  | 'NodeGroup';
/**
 * Kind and name; all names begin with that of the cell, the Connection's is nothing more. What ends with `*` is the one object whose name begins
 * so.
 */
export type Target = readonly [kind: Kind, name: string];

/** In a spec `~` stands for the name of the cell, `~endpoint` and `~token` for those of the service. */
export type Step =
  | { readonly apply: Target; readonly spec: object; readonly annotations?: Readonly<Record<string, string>> }
  /** Brings back an object as it was when the steps began, ledger and finalizers included, as from a backup. */
  | { readonly restore: Target; readonly spec: object }
  | { readonly remove: readonly Target[] }
  /** By the annotation that asks for another one in the service. */
  | { readonly anew: Target }
  | { readonly ready: readonly Target[] }
  /** Ready with another object in the service than when the steps began, which is gone from there. */
  | { readonly renewed: readonly Target[] }
  | { readonly gone: readonly Target[] }
  /** Complete or Failed. Where nobody can know whether it was started, the user asks for another one. */
  | { readonly over: Target }
  /** Not Ready, for this reason. */
  | { readonly tells: string; readonly of: Target }
  /** Somebody else makes the job in the service that all runs are of. */
  | { readonly bring: 'job' }
  /** The write was sent to the service, or would have been if nothing had gone wrong. */
  | { readonly sent: string }
  /** The operator is asked to end, and another one starts. */
  | { readonly handOver: true };

export interface Workload {
  readonly name: string;
  readonly service: ServiceName;
  /** Several replicas could run: the operator holds the lease, and faults may befall it from its start on. */
  readonly elects?: true;
  /** Nothing goes wrong here. */
  readonly before: readonly Step[];
  readonly steps: readonly Step[];
  /** The write points that are passed during `steps`; a run without a fault has to agree. */
  readonly passes: readonly string[];
}
