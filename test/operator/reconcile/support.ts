// Builds what plans and protocols are asked with: resources, ledgers, views and situations, each with sound values where none are given.
import type { Metadata, RawResource } from '../../../src/operator/api/definition.ts';
import { apiVersion, type Condition, finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { UnreadableRow, View } from '../../../src/operator/client/list/list-view.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import type { KeyMemory } from '../../../src/operator/reconcile/key-memory.ts';
import type { Kind, OwnedCounts, RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import { type Claim, type Ledger, serialiseLedger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { digest, clusterName as generatedName, revisionName } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { MassDeletion } from '../../../src/operator/reconcile/lists/mass-deletion.ts';
import type { ServiceLookup } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Contest, PlanInput } from '../../../src/operator/reconcile/plan-input.ts';
import { wantedHash } from '../../../src/operator/reconcile/resource/content-hash.ts';
import { type ResourceFacts, readResource } from '../../../src/operator/reconcile/resource/facts.ts';
import type { Resolution } from '../../../src/operator/reconcile/resource/references.ts';
import type { Cluster } from '../../../src/wire/cluster.ts';

export const installation = 'kube-system-uid';
export const uid = '5b0c3a52-1f44-4d10-9a57-5f0c8e2b4a61';
export const image = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
export const endpoint = 'http://service.example:8386';
export const tenant = 'demo';
/** Both clocks of a input that says nothing else. */
export const wall = Date.UTC(2026, 0, 1, 10, 2, 0);
export const monotonic = 1_000_000;
export const quarantineMs = 15 * 60_000;
export const iso = (ms: number): string => new Date(ms).toISOString();

/** A cluster without template and references. */
export const clusterSpec = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: image,
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode'] },
    { name: 'worker', count: 2, flavorID: '2', nodeProcesses: ['datanode'] },
  ],
} as const;

export const templateSpec = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  flavorID: '2',
  nodeProcesses: ['datanode', 'tasktracker'],
} as const;

export interface ResourceOptions {
  readonly kind?: Kind;
  readonly spec?: unknown;
  readonly metadata?: Partial<Metadata>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** Goes into the annotation. */
  readonly ledger?: Ledger | string;
  /** Whether our finalizer is on it; by default together with a ledger. */
  readonly held?: boolean;
  readonly deleting?: boolean;
  /** Counts that NodeGroups set. */
  readonly owned?: OwnedCounts;
}

export function resourceOf(options: ResourceOptions = {}): RawResource {
  const { kind = clusterKind, spec = clusterSpec, ledger, held = ledger !== undefined, deleting = false } = options;
  const text = typeof ledger === 'object' ? serialiseLedger(ledger) : ledger;
  return {
    apiVersion,
    kind: kind.definition.kind,
    metadata: {
      name: 'etl',
      namespace: 'team-a',
      uid,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: iso(wall - 60_000),
      finalizers: held ? [finalizer] : [],
      ...(text === undefined ? {} : { annotations: { [ledgerAnnotation]: text } }),
      ...(deleting ? { deletionTimestamp: iso(wall - 5_000) } : {}),
      ...options.metadata,
    },
    spec,
    status: options.status ?? { observedGeneration: -1 },
  };
}

export function factsOf(options: ResourceOptions = {}): ResourceFacts {
  return readResource(options.kind ?? clusterKind, resourceOf(options), installation, options.owned);
}

/** As the product generates it. */
export const clusterName = generatedName({ name: 'etl', uid, installation }, 0);
/** What a cluster of the resource with this uid is called, by this installation or another. */
export const nameFor = (of: string, at = installation): string =>
  generatedName({ name: 'etl', uid: of, installation: at }, 0);
/** The generated name of a template with this content, which any word may stand for. */
export const revisionNamed = (content: string, of = uid): string =>
  revisionName({ name: 'etl', uid: of, installation }, digest(content, 8));
export const claimOf = (changes: Partial<Claim> = {}): Claim => ({
  role: 'main',
  collection: 'clusters',
  name: clusterName,
  ...changes,
});
export const attempts = (open: number, lastSentAt = iso(wall - 1_000)) => ({ attempts: { open, lastSentAt } });

export function ledgerOf(claims: readonly Claim[] = [claimOf()], changes: Partial<Ledger> = {}): Ledger {
  return { v: 1, installation, uid, endpoint, tenant, base: 'etl', claims: [...claims], ...changes };
}

interface ViewOptions {
  readonly listSentAt?: number;
  readonly complete?: boolean;
  readonly unreadable?: readonly UnreadableRow[];
}

/** A LIST sent just now, unless told otherwise. */
export function viewOf<Row extends RemoteObject = RemoteObject>(
  rows: readonly Row[],
  options: ViewOptions = {},
): View<Row> {
  return {
    listSentAt: options.listSentAt ?? monotonic - 10,
    complete: options.complete ?? options.unreadable === undefined,
    unreadable: options.unreadable ?? (options.complete === false ? [{ problem: 'its id is empty' }] : []),
    has: (id) => rows.some((row) => row.id === id),
    byId: (id) => rows.find((row) => row.id === id),
    byName: (name) => rows.filter((row) => row.name === name),
    all: () => rows,
    names: () => rows,
  };
}

type Usable = Extract<ServiceLookup, { state: 'usable' }>;

export function usable(changes: Partial<Usable> = {}): Usable {
  return {
    state: 'usable',
    // Plans and protocols are pure: none of them may touch it.
    service: new Proxy({}, { get: () => expectNever('the service was used') }) as Service,
    endpoint,
    endpoints: [endpoint],
    tenant,
    dialect: 'neutral',
    pollSeconds: 30,
    accepted: true,
    mayCreate: true,
    ...changes,
  };
}

function expectNever(what: string): never {
  throw new Error(what);
}

export const missingConnection: ServiceLookup = {
  state: 'missing',
  message: 'Connection default does not exist in this namespace',
  credentials: false,
};
export const brokenConnection: ServiceLookup = {
  state: 'broken',
  message: 'Secret token is missing',
  credentials: true,
};

export interface SituationOptions extends ResourceOptions {
  /** What the LIST shows; `view` where that is not enough to say. */
  readonly rows?: readonly RemoteObject[];
  readonly view?: View<RemoteObject> | undefined;
  /** The same of the resource's own route, while `rows` are its private templates. */
  readonly service?: ServiceLookup;
  readonly resolutions?: readonly Resolution[];
  readonly remotes?: ReadonlyMap<string, RemoteObject>;
  readonly files?: ReadonlyMap<string, Buffer>;
  readonly isSuperseded?: boolean;
  /** Private templates, in a LIST sent just now. */
  readonly templates?: readonly RemoteObject[];
  readonly referencedIds?: ReadonlySet<string> | undefined;
  readonly users?: PlanInput['users'];
  readonly claimedBy?: string;
  /** Of what others have on record: by id. */
  readonly owners?: Readonly<Record<string, string>>;
  /** By name of the claim. */
  readonly contests?: Readonly<Record<string, Contest>>;
  readonly seesAll?: boolean;
  readonly loss?: MassDeletion;
  readonly mayNotLeave?: string;
  readonly memory?: Partial<KeyMemory>;
  readonly now?: { readonly wall: number; readonly monotonic: number };
}

export function situationOf(options: SituationOptions = {}): PlanInput {
  const kind = options.kind ?? clusterKind;
  const facts = factsOf(options);
  const view = 'view' in options ? options.view : viewOf(options.rows ?? []);
  return {
    kind,
    facts,
    installation,
    process: 'this-one',
    ledger: facts.ledger.state === 'ours' ? facts.ledger.ledger : undefined,
    service: options.service ?? usable(),
    view,
    privates: options.templates && viewOf(options.templates),
    resolutions: options.resolutions ?? [],
    wantedHash: wantedHash({ kind, facts, resolutions: options.resolutions ?? [] }),
    remotes: options.remotes ?? new Map(),
    files: options.files ?? new Map(),
    isSuperseded: options.isSuperseded ?? false,
    referencedIds: options.referencedIds,
    users: options.users ?? [],
    claimedBy: options.claimedBy,
    ownerOf: (id) => options.owners?.[id],
    contestOf: (claim) => options.contests?.[claim.name],
    seesAll: options.seesAll ?? true,
    massDeletion: options.loss,
    mayNotLeave: options.mayNotLeave,
    quarantineMs,
    memory: { uid, ...options.memory },
    now: options.now ?? { wall, monotonic },
  };
}

/** A cluster as the service has it, Active with what `clusterSpec` asks for. */
export function clusterRow(changes: Partial<Cluster> = {}): Cluster {
  return {
    id: 'id-1',
    name: clusterName,
    status: 'Active',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    node_groups: groups({ master: 1, worker: 2 }),
    ...changes,
  };
}

export function groups(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([name, count]) => ({ name, count }));
}

export function conditionsAs(
  generation: number,
  since: number,
  list: readonly (readonly [type: string, status: Condition['status'], reason: string, message?: string])[],
): readonly Condition[] {
  return list.map(([type, status, reason, message = 'm']) => ({
    type,
    status,
    reason,
    message,
    observedGeneration: generation,
    lastTransitionTime: iso(since).replace(/\.\d+Z$/, 'Z'),
  }));
}
