// The service that `npm run contract` was given, as its flags and its own answers describe it.

export const dialects = ['neutral', 'sahara', 'savanna'] as const;
export type Spoken = (typeof dialects)[number];

/** An option that the plugin lets users configure. */
export interface Option {
  readonly target: string;
  readonly name: string;
  /** The only value that is known to be good for it. Undefined: any value of the type is. */
  readonly only?: string | number;
}

/** What the tests send where the interface leaves the choice to the service: a plugin with its processes, and the cloud. */
export interface Scene {
  readonly plugin: string;
  readonly version: string;
  /** Processes of the one machine that leads a cluster, and of those that do the work. */
  readonly masters: readonly string[];
  readonly workers: readonly string[];
  /** `large` differs from the others if the service is known to have more than one. */
  readonly flavors: Readonly<Record<'small' | 'workers' | 'masters' | 'large', string>>;
  readonly image: string;
  readonly keypair: string;
  /** The tags that the plugin requires of an image. */
  readonly imageTags: readonly string[];
  /** Options by the type of their values; `general` is a switch of the whole cluster. */
  readonly options: Readonly<Record<'number' | 'text' | 'flag' | 'general', Option | undefined>>;
  /** The types of jobs that its clusters run. Undefined: the service does not say. */
  readonly jobTypes: readonly string[] | undefined;
  /** The types of jobs and data sources, and the schemes of external binaries, that the service refuses although the interface has them. */
  readonly refused: Readonly<Record<'jobs' | 'sources' | 'binaries', readonly string[]>>;
  /** Whether the plugins are those of the bundled service with simulated machines. */
  readonly bundled: boolean;
}

export const bundledScene: Scene = {
  plugin: 'vanilla',
  version: '1.2.1',
  masters: ['namenode', 'jobtracker'],
  workers: ['tasktracker', 'datanode'],
  flavors: { small: '1', workers: '2', masters: '3', large: '5' },
  image: 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4',
  keypair: 'my-key',
  imageTags: ['vanilla', '1.2.1'],
  options: {
    number: { target: 'HDFS', name: 'Data Node Heap Size' },
    text: { target: 'HDFS', name: 'dfs.replication' },
    flag: { target: 'HDFS', name: 'dfs.permissions' },
    general: { target: 'general', name: 'Enable Swift' },
  },
  jobTypes: undefined,
  refused: { jobs: [], sources: [], binaries: [] },
  bundled: true,
};

/** The pool of floating IP addresses that tests ask for where no flag names one. */
export const anyPool = 'public';

/** Where the service is, and how it is talked to. */
export interface Access {
  /** Base address without a trailing slash. */
  readonly endpoint: string;
  readonly dialect: Spoken;
  readonly tenant: string;
  readonly token: string | undefined;
}

export interface Target extends Access {
  /** Whether it is the bundled service: then its wording, its order and its choices are judged, too. */
  readonly ours: boolean;
  readonly scene: Scene;
  /** Another tenant that the token is good for. */
  readonly otherTenant: string | undefined;
  /** The network of clusters. */
  readonly network: string | undefined;
  /** Images that the tests may register and tag. */
  readonly spareImages: readonly string[];
  /** Sections that were asked for. Those that are no promises of the interface are judged only then. */
  readonly asked: readonly string[];
  /** How many clusters the run may start. */
  readonly maxClusters: number;
  /** A pool of floating IP addresses of the cloud. */
  readonly pool: string | undefined;
  /** Part of every name that this run gives away. */
  readonly mark: string;
  /** The file with the paths of what the run makes. Undefined: it is not written down. */
  readonly journal?: string;
}
