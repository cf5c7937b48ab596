// Builds a pass of one of several resources, whose claims are known as the operator itself gets to know them.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../src/operator/kinds/image-registration/index.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import { ClaimIndex } from '../../../src/operator/reconcile/ownership/claim-index.ts';
import { type Key, keyOf, keyText, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { PassState } from '../../../src/operator/reconcile/pass-state.ts';
import { scalerKind } from '../../../src/operator/reconcile/resource/scalers.ts';
import { installation, monotonic, wall } from './support.ts';

export type Lookup = ReturnType<PassPorts['services']['lookup']>;

const kinds: Readonly<Record<string, Kind>> = {
  Cluster: clusterKind,
  ImageRegistration: imageRegistrationKind,
  JobExecution: jobExecutionKind,
  NodeGroupTemplate: nodeGroupTemplateKind,
};
const never = () => {
  throw new Error('nothing may be asked');
};

const silent = () => undefined;

/** What a pass has beside its store, its service and its clock where there is nobody else: no claims of others, no other replica, and nothing is told. */
export const aloneWith = (known: readonly Kind[]) => ({
  events: { emit: silent },
  leadership: { leading: () => true },
  log: { debug: silent, info: silent, warn: silent, error: silent },
  kinds: new Map(known.map((one) => [one.definition.kind, one])),
  installation,
  quarantineMs: 0,
  claimants: () => [],
  claimantsOfId: () => [],
  rivals: () => [],
  holder: silent,
  isNamed: () => false,
  process: 'this-one',
  seesAll: true,
  massDeletion: async () => undefined,
  mayExpire: () => true,
});

/** A pass of `mine`, of resources that became known in this order; `elsewhere`: where Connections other than `default` lead. */
export function runOf(
  service: Lookup,
  mine: RawResource,
  resources: readonly RawResource[],
  elsewhere: Readonly<Record<string, Lookup>> = {},
  changes: Partial<PassPorts> = {},
): PassState {
  const index = new ClaimIndex(installation);
  const [scalers = [], others = []] = [true, false].map((is) =>
    resources.filter(({ kind }) => (kind === scalerKind) === is),
  );
  for (const current of others) index.changed({ key: keyOf(current), current });
  // A Cluster looks for the NodeGroups of its counts.
  const list = (of: string) => (of === scalerKind ? scalers : never());
  // Nor does anybody write it while the pass is under way.
  const read = (key: Key) => (keyText(key) === keyText(keyOf(mine)) ? mine : never());
  const store = { read, list, synced: never, claim: never, release: never, writeStatus: never };
  const ports: PassPorts = {
    store: { ...store, create: never, remove: never, readFresh: never },
    services: {
      lookup: ({ name }) => (name === 'default' ? service : (elsewhere[name] ?? service)),
    },
    events: { emit: never },
    leadership: { leading: never },
    clock: { wall: () => wall, monotonic: () => monotonic, after: never },
    log: { debug: never, info: never, warn: never, error: never },
    kinds: new Map(Object.entries(kinds)),
    installation,
    quarantineMs: 0,
    claimants: (ledger) => index.claimants(ledger),
    claimantsOfId: (place, id) => index.claimantsOfId(place, id),
    rivals: (ledger) => index.rivals(ledger),
    holder: (resource, ledger, counts) => index.holder(resource, ledger, { counts }),
    isNamed: (collection, object) => index.isNamed(collection, object),
    process: 'this-one',
    seesAll: true,
    massDeletion: async () => undefined,
    mayExpire: () => true,
    ...changes,
  };
  const kind = kinds[mine.kind];
  if (!kind) throw new Error(`cannot run a pass of ${mine.kind}: the kind is not known here`);
  const context = { signal: new AbortController().signal, pollMs: 1_000 };
  return new PassState(ports, { kind, resource: mine, memory: { uid: mine.metadata.uid }, context });
}
