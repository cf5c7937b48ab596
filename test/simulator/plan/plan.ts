// What a seed makes of a world: who does what when, and what goes wrong meanwhile. Data only, so that it can be printed and made smaller.
import type { Personality } from '../../../dev/personality/personality.ts';
import { secretType } from '../../../src/operator/api/shared-api.ts';

export interface ReplicaPlan {
  /** How far its wall clock is off, in ms, and how fast its clocks run. */
  readonly offset: number;
  readonly rate: number;
  /** Somebody keeps setting its wall clock, which stays off by the same. When absent: it drifts. */
  readonly isKept?: true;
}

/** What users and others do. */
export type Deed =
  | { readonly does: 'apply'; readonly kind: string; readonly name: string; readonly spec: object }
  | { readonly does: 'edit'; readonly kind: string; readonly name: string; readonly spec: object }
  | { readonly does: 'delete'; readonly kind: string; readonly name: string }
  /** A user asks for a look. */
  | { readonly does: 'poke'; readonly kind: string; readonly name: string }
  /** Somebody else makes an object in the service under a name that looks like this one's. */
  | { readonly does: 'stranger'; readonly like: string }
  /** Somebody else makes a cluster in the service under this very name, or takes it away again. */
  | { readonly does: 'take name' | 'free name'; readonly name: string }
  /** Somebody else registers an image in the service. */
  | { readonly does: 'register'; readonly image: string }
  /** Somebody else deletes the cluster of this resource in the service. */
  | { readonly does: 'vanish'; readonly name: string }
  /** Somebody else makes the job in the service that all runs are of. */
  | { readonly does: 'bring job' }
  /** Somebody else deletes the runs of this resource in the service, or cancels them. */
  | { readonly does: 'vanish run' | 'stop run'; readonly name: string }
  /** The service loses all that this installation made there; or finds what it lost, as far as nothing has its name by then. */
  | { readonly does: 'lose all' | 'find all' }
  /** A user sets an annotation, or takes it away. */
  | {
      readonly does: 'annotate';
      readonly kind: string;
      readonly name: string;
      readonly annotation: string;
      readonly value: string | null;
    }
  /** A user approves the plan that waits just then, or the first one that ever did. */
  | {
      readonly does: 'approve';
      readonly kind: string;
      readonly name: string;
      readonly which: 'waits' | 'waited first';
    }
  /** A user asks for another object in the place of the one that is there. */
  | { readonly does: 'recreate'; readonly kind: string; readonly name: string }
  /** A user waits until the ledger tells an id, and takes the annotation away; the mirror in status stays. */
  | { readonly does: 'lose ledger'; readonly kind: string; readonly name: string }
  /** A user waits until the ledger tells an id, and makes the object anew from what it was: another uid, the same ledger. */
  | { readonly does: 'restore'; readonly kind: string; readonly name: string; readonly from: 'here' | 'elsewhere' }
  /** A user waits until the ledger tells an id, and copies all that the object shows under another name. */
  | { readonly does: 'copy'; readonly kind: string; readonly name: string; readonly to: string };

/** What users do with one object of the API server. */
export type UserDeed = Extract<Deed, { readonly kind: string }>;

/** `part` of the way: before it took effect, after, or long after. */
export type Lost = 'refused' | 'before' | 'after' | 'late';

export type Trouble =
  | { readonly what: 'api answers'; readonly status: number; readonly applied: boolean; readonly share: number }
  | { readonly what: 'api loses'; readonly applied: boolean; readonly share: number }
  | { readonly what: 'api is slow'; readonly ms: number; readonly share: number }
  | { readonly what: 'watches end' }
  | { readonly what: 'versions are forgotten' }
  | { readonly what: 'watches lag'; readonly replica: number }
  | { readonly what: 'service'; readonly personality: Personality }
  | {
      readonly what: 'service loses';
      readonly part: Lost;
      readonly method: string | undefined;
      readonly share: number;
      readonly lateMs: number;
    }
  | { readonly what: 'service is slow'; readonly ms: number; readonly share: number }
  | { readonly what: 'crash'; readonly replica: number }
  | { readonly what: 'stop'; readonly replica: number }
  | { readonly what: 'pause'; readonly replica: number }
  | { readonly what: 'cut off'; readonly replica: number; readonly from: 'api' | 'service' };

/** Something that happens at `at` ms. */
export interface Step {
  readonly at: number;
  readonly deed: Deed;
}

/** Something that goes wrong from `at` for `ms`. */
export interface Fault {
  readonly at: number;
  readonly ms: number;
  readonly trouble: Trouble;
}

export interface Plan {
  readonly seed: number;
  readonly replicas: readonly ReplicaPlan[];
  readonly election: boolean;
  readonly auth: boolean;
  /** The API server knows no list by stream. */
  readonly oldApiServer: boolean;
  readonly stageMs: number;
  readonly latencyMs: number;
  /** The share of runs that fail. */
  readonly failingRuns: number;
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
  /** All that goes wrong has ended by then, in ms, and all that was said has been said. */
  readonly calmAt: number;
}

/** On the wall clock of the world, which no replica has exactly. */
export const startWall = Date.UTC(2026, 0, 1);
/** Of the operators. */
export const quarantineMs = 180_000;
/** A request that got lost takes effect before this is over, or never. */
export const longestLateMs = 90_000;
/** A replica knows of each change in so many ms, unless the API server is troubled. */
export const promptMs = 2_000;
export const namespace = 'team';
export const installation = 'simulator';
/** The installation that some objects are restored from. */
export const elsewhere = 'another-installation';
export const endpoint = 'http://service.test:8386';
/** Where the same service is after it has moved. */
export const movedEndpoint = 'http://moved.test:8386';
/** One that the cloud has, and nobody has registered. */
export const image = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
export const tenant = 'demo';
export const token = 'open-sesame-7f3a';
/** Deeds and faults begin before this, in ms. */
export const busyMs = 150_000;
/** How often something goes wrong while it does. */
export const shares = [0.05, 0.2, 0.5, 1] as const;

/** Of the collections that users put objects into. */
export const plurals: Readonly<Record<string, string>> = {
  Connection: 'connections',
  Cluster: 'clusters',
  ClusterTemplate: 'clustertemplates',
  NodeGroupTemplate: 'nodegrouptemplates',
  ImageRegistration: 'imageregistrations',
  DataSource: 'datasources',
  JobBinary: 'jobbinaries',
  Job: 'jobs',
  JobExecution: 'jobexecutions',
  JobSchedule: 'jobschedules',
  NodeGroup: 'nodegroups',
  Secret: 'secrets',
};

/** Of what is in no namespace. */
export const clusterPlurals: Readonly<Record<string, string>> = {
  SharedConnection: 'sharedconnections',
  Namespace: 'namespaces',
};

/** The collection and the namespace of an object that users have. */
export const placeOf = (kind: string): { readonly plural: string; readonly namespace: string } => {
  const plural = clusterPlurals[kind];
  return plural === undefined ? { plural: plurals[kind] ?? '', namespace } : { plural, namespace: '' };
};

/** What a Secret holds that a Connection logs in with. */
export const credentials = (text: string): object => ({ type: secretType, stringData: { token: text } });
