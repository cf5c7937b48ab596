// The records of the service, one for each resource, in neutral words. Records are replaced, never changed in place.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { Argument, DataSourceCreate, JobConfigs, JobType, Termination } from '../../../wire/jobs.ts';
import type { Share } from '../../../wire/node-group-template.ts';

export type Unset<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** The names of fields that were sent as null. Late releases show them as null, although the record has a default value for them. */
type NullFields = Unset<{ nulls: readonly string[] }>;

type JobIdentity = { readonly id: string; readonly name: string; readonly created_at: string } & NullFields;

export type DataSourceRecord = JobIdentity & { readonly type: DataSourceCreate['type']; readonly url: string } & Unset<{
    description: string;
    credentials: Readonly<Record<string, unknown>>;
    updated_at: string;
  }>;

export type JobBinaryInternalRecord = JobIdentity & { readonly datasize: number } & Unset<{ updated_at: string }>;

export type JobBinaryRecord = JobIdentity & { readonly url: string } & Unset<{
    description: string;
    extra: FlatConfigs;
    updated_at: string;
  }>;

/** `mains` and `libs` are identifiers of job binaries. */
export type JobRecord = JobIdentity & {
  readonly type: JobType;
  readonly mains: readonly string[];
  readonly libs: readonly string[];
  readonly interface: readonly Argument[];
} & Unset<{ description: string; updated_at: string }>;

/** The operation on an execution, and its stage. It is stored, so that a restart continues with it. */
export type ExecutionWork = ExecutionOperation & { readonly stage: string };
type ExecutionOperation =
  /** `forget`: a deletion whose execution cannot be seen any more, while its run is still to be killed. */
  | { readonly operation: 'run' | 'cancel' | 'delete' | 'forget' }
  /** The run is killed because it cannot go on. Its execution then ends as FAILED. */
  | { readonly operation: 'fail'; readonly message: string };

/** How a run can end on its own. */
export type Ending = 'SUCCEEDED' | 'FAILED' | 'DONEWITHERROR';

/** A binary of a run, as it was when the run was prepared. */
export interface PreparedBinary {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** What its file is called in the folder of the run. When absent: like the binary. */
  readonly file_name?: string;
}

/** What a run consists of. Credentials are not part of it. */
export interface PreparedRun {
  /** The identifiers of data sources by the texts in configs, params and args that refer to them. When absent: none. */
  readonly references?: Readonly<Record<string, string>>;
  readonly mains: readonly PreparedBinary[];
  readonly libs: readonly PreparedBinary[];
}

/** An execution with an end time is over. `cluster_id` is unset once the cluster is gone. Executions have no names, so `name` is the identifier. */
export type JobExecutionRecord = JobIdentity & {
  readonly job_id: string;
  readonly job_configs: JobConfigs;
  readonly interface: FlatConfigs;
  readonly info: {
    readonly status: string;
    readonly message?: string;
    readonly termination?: Termination;
    /** The run waits in a queue outside of the service. */
    readonly queued?: true;
  };
  readonly data_source_urls: Readonly<Record<string, string>>;
} & Unset<{
    cluster_id: string;
    input_id: string;
    output_id: string;
    /** Set before the run is submitted, so that a repeated submission is the same. */
    prepared: PreparedRun;
    engine_job_id: string;
    /** Links of the run, by name: URLs, and paths of the service. */
    urls: Readonly<Record<string, string>>;
    /** From 0 to 1. */
    progress: number;
    return_code: number;
    start_time: string;
    end_time: string;
    updated_at: string;
    work: ExecutionWork;
  }>;

export type ConfigMap = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
export type InfoMap = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The attributes of a node. Sizes are in GiB. */
export type NodeShape = {
  readonly flavor_id: string;
  readonly node_processes: readonly string[];
  readonly node_configs: ConfigMap;
  readonly volumes_per_node: number;
  readonly volumes_size: number;
  readonly volume_mount_prefix: string;
} & Unset<{ floating_ip_pool: string; image_id: string }> &
  LateShape;

/** Attributes of a node in late releases only. */
type LateShape = Unset<{
  volume_type: string;
  volumes_availability_zone: string;
  volume_local_to_instance: boolean;
  availability_zone: string;
  security_groups: readonly string[];
  auto_security_group: boolean;
  is_proxy_gateway: boolean;
  shares: readonly Share[];
  use_autoconfig: boolean;
}>;

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly plugin_name: string;
  readonly bigdata_version: string;
  readonly created_at: string;
}

export type NodeGroupTemplateRecord = Identity &
  NodeShape &
  NullFields &
  Unset<{ description: string; updated_at: string }>;

export type GroupRecord = NodeShape & {
  readonly id: string;
  readonly name: string;
  readonly count: number;
} & Unset<{ node_group_template_id: string }> &
  NullFields;

interface Definition extends Identity {
  readonly cluster_configs: ConfigMap;
  readonly anti_affinity: readonly string[];
}
type DefinitionOptions = NullFields &
  Unset<{ description: string; network_management_network: string; default_image_id: string }> &
  Unset<{ shares: readonly Share[]; use_autoconfig: boolean; domain_name: string }>;

export type ClusterTemplateRecord = Definition &
  DefinitionOptions &
  Unset<{ updated_at: string }> & { readonly node_groups: readonly GroupRecord[] };

export type Machine = { readonly instance_id: string; readonly instance_name: string } & Unset<{
  internal_ip: string;
  management_ip: string;
  created_at: string;
  updated_at: string;
  /** Its removal has begun: it goes, whatever count is wanted later. */
  leaving: boolean;
}>;

export interface ClusterGroupRecord extends GroupRecord {
  readonly created: string;
  readonly updated: string;
  readonly instances: readonly Machine[];
}

type Targets = Readonly<Record<string, number>>;

/** An operation under way: its stage, and the counts that it leads to. It is stored, so that a restart continues with it. */
export type Work =
  | { readonly operation: 'delete'; readonly stage: string }
  /** Lost machines are started again. */
  | { readonly operation: 'repair'; readonly stage: string }
  /** `targets`: set once the counts of the groups are those of existing machines. */
  | (WorkFailure & { readonly operation: 'start'; readonly stage: string; readonly targets?: Targets })
  /** `before`: the number of machines that each group had. Those beyond it are new. */
  | (WorkFailure & {
      readonly operation: 'scale';
      readonly stage: string;
      readonly targets: Targets;
      readonly grows: boolean;
      readonly shrinks: boolean;
      readonly before?: Targets;
    });

/** `failed`: why the operation failed, while the machines that it made are still to be removed. */
interface WorkFailure {
  readonly failed?: string;
}

export type ClusterRecord = Definition &
  DefinitionOptions &
  Unset<{
    cluster_template_id: string;
    user_keypair_id: string;
    is_transient: boolean;
    status_description: string;
    work: Work;
  }> & {
    readonly status: string;
    readonly info: InfoMap;
    readonly updated_at: string;
    readonly node_groups: readonly ClusterGroupRecord[];
  };

/** What the work on the machines of a node group needs. */
export interface GroupLoad {
  /** How many machines all work that runs and waits would fill. */
  readonly wantedNodes: number;
  /** How many machines run something. */
  readonly busyNodes: number;
}

/** What the work on a cluster needs, by node group, and when its engine was asked. */
export type ClusterLoad = Readonly<Record<string, GroupLoad & { readonly observedAt: string }>>;

/** The registration of an image of the cloud by a tenant. Without a user name the image is not registered. */
export type ImageRecord = { readonly id: string; readonly name: string; readonly tags: readonly string[] } & Unset<{
  username: string;
  description: string;
}>;

export interface Records {
  readonly images: ImageRecord;
  readonly nodeGroupTemplates: NodeGroupTemplateRecord;
  readonly clusterTemplates: ClusterTemplateRecord;
  readonly clusters: ClusterRecord;
  readonly dataSources: DataSourceRecord;
  readonly jobBinaryInternals: JobBinaryInternalRecord;
  readonly jobBinaries: JobBinaryRecord;
  readonly jobs: JobRecord;
  readonly jobExecutions: JobExecutionRecord;
}
export type Kind = keyof Records;
