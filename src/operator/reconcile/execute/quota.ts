// How many Clusters and nodes each namespace behind a SharedConnection may have.
//
// A Cluster counts from its intent until it is proven gone, with the nodes that it wants, has or was told to have, whichever is most. So
// neither a late answer nor an edit lets a namespace have more than its limits. What waits for room is admitted in the order of creation.
// A process that has just started knows of none that waits: it admits nothing before it has looked at each older one.
import type { RawResource } from '../../api/definition.ts';
import type { NamedKind } from '../kind/kind.ts';
import { recordedLedger } from '../ledger/ledger.ts';
import { refuse } from '../outcome.ts';
import { type Key, keyOf, keyText, nameText, type PassPorts } from '../pass-ports.ts';
import type { PassState } from '../pass-state.ts';
import type { Plan } from '../plan/next-step.ts';
import { countedSpec, specOf } from '../resource/facts.ts';
import { connectionOf, ledgerOf } from '../resource/references.ts';
import { byAge, ownedCounts, scalerKind } from '../resource/scalers.ts';
import { type NamespaceLimits, selectionIn, sharedConnectionOf, sharingTextOf } from '../resource/sharing.ts';

/** How soon to look again whether there is room. */
const roomMs = 15_000;
/** How soon to look again whether it is its turn. A first look at each object takes seconds. */
const turnMs = 1_000;

type QuotaPorts = Pick<PassPorts, 'store' | 'installation'>;
type Growth = Extract<Plan, { action: 'create' | 'update' }>;

interface NamespaceUse {
  readonly clusters: number;
  readonly nodes: number;
}

export class Quotas {
  readonly #ports: QuotaPorts;
  /** Nodes of Clusters whose pass goes on: their intents may not be recorded yet. */
  readonly #admitted = new Map<string, number>();
  /** Nodes of Clusters that wait for room. */
  readonly #waiting = new Map<string, number>();
  /** Clusters at which this process has looked: whether they wait for room is known. */
  readonly #seen = new Set<string>();
  readonly #inTurn: boolean;

  /** `inTurn`: all Clusters are looked at, each until `saw`. */
  constructor(ports: QuotaPorts, { inTurn = true }: { readonly inTurn?: boolean } = {}) {
    this.#ports = ports;
    this.#inTurn = inTurn;
  }

  /** The plan, if the limits allow it. Then its nodes are reserved until `release`. */
  admit(pass: PassState, plan: Plan): Plan {
    const { kind, resource, facts } = pass;
    const text = keyText(facts.key);
    this.#waiting.delete(text);
    if (kind.identity !== 'named' || !isGrowth(plan)) return plan;
    const shared = sharedConnectionOf(this.#ports.store, resource);
    if (shared === undefined) return plan;
    const nodes = facts.spec.ok ? kind.counts.nodes(facts.spec.value, plan.ledger, resource.status) : 0;
    const limits = selectionIn(shared);
    if (isLimited(limits) && this.#isBeforeItsTurn(kind, resource))
      return { action: 'none', outcome: { result: 'requeue', afterMs: turnMs } };
    const used = this.#usedBefore(kind, resource, limits);
    if (fits(used, nodes, limits)) {
      this.#admitted.set(text, nodes);
      return plan;
    }
    this.#waiting.set(text, nodes);
    const message = exceeded(facts.key, facts.connection, { used, nodes, limits });
    return { action: 'none', outcome: { ...refuse('QuotaExceeded', message), afterMs: roomMs } };
  }

  release(key: Key): void {
    this.#admitted.delete(keyText(key));
  }

  /** A pass has ended with something else than another pass. */
  saw({ kind, facts }: Pick<PassState, 'kind' | 'facts'>): void {
    if (kind.identity === 'named') this.#seen.add(keyText(facts.key));
  }

  /** The resource is gone. */
  forget(key: Key): void {
    this.#seen.delete(keyText(key));
    this.#waiting.delete(keyText(key));
  }

  /** An older one without anything in the service was not looked at yet, and may want the room that there is. */
  #isBeforeItsTurn(kind: NamedKind, resource: RawResource): boolean {
    const isUnseen = (one: RawResource): boolean =>
      !this.#seen.has(keyText(keyOf(one))) && this.#nodesOf(kind, one) === undefined;
    return this.#inTurn && this.#othersOf(kind, resource).some((one) => mayComeBefore(one, resource) && isUnseen(one));
  }

  /** What other Clusters of the namespace have, and what those are to have that waited before. */
  #usedBefore(kind: NamedKind, resource: RawResource, limits: NamespaceLimits): NamespaceUse {
    const others = this.#othersOf(kind, resource);
    const counted = others.flatMap((one) => this.#nodesOf(kind, one) ?? []);
    const used = { clusters: counted.length, nodes: counted.reduce((sum, nodes) => sum + nodes, 0) };
    const own = this.#nodesOf(kind, resource);
    const before = others.filter((one) => mayComeBefore(one, resource)).toSorted(byAge);
    return before.reduce((sum, one) => {
      const nodes = this.#waiting.get(keyText(keyOf(one)));
      if (nodes === undefined) return sum;
      // What this one has counts for those, too: otherwise each would wait for the other.
      const seen = own === undefined ? sum : plus(sum, own);
      return fits(seen, nodes, limits) ? plus(sum, nodes) : sum;
    }, used);
  }

  /** Those of the namespace behind the same SharedConnection. */
  #othersOf(kind: NamedKind, resource: RawResource): readonly RawResource[] {
    const sharing = { ...connectionOf(resource), namespace: resource.metadata.namespace };
    return [...this.#ports.store.list(kind.definition.kind, sharing)].filter(
      (one) => sharingTextOf(one) === keyText(sharing) && one.metadata.uid !== resource.metadata.uid,
    );
  }

  /** Undefined: it has nothing in the service, and nothing was begun. */
  #nodesOf(kind: NamedKind, resource: RawResource): number | undefined {
    const { store, installation } = this.#ports;
    const key = keyOf(resource);
    const admitted = this.#admitted.get(keyText(key));
    const ledger = recordedLedger(ledgerOf(resource, installation));
    if (ledger === undefined || ledger.claims.length === 0) return admitted;
    const spec = countedSpec(kind, specOf(kind, resource), ownedCounts(store.list(scalerKind, key), resource));
    const nodes = kind.counts.nodes(spec.ok ? spec.value : undefined, ledger, resource.status);
    return Math.max(nodes, admitted ?? 0);
  }
}

function mayComeBefore(one: RawResource, resource: RawResource): boolean {
  return one.metadata.deletionTimestamp === undefined && byAge(one, resource) < 0;
}

function isLimited({ maxClusters, maxNodes }: NamespaceLimits): boolean {
  return maxClusters !== Number.POSITIVE_INFINITY || maxNodes !== Number.POSITIVE_INFINITY;
}

function isGrowth(plan: Plan): plan is Growth {
  if (plan.action === 'update') return plan.differs.some(({ want, have }) => Number(want) > Number(have));
  return plan.action === 'create';
}

function plus({ clusters, nodes }: NamespaceUse, more: number): NamespaceUse {
  return { clusters: clusters + 1, nodes: nodes + more };
}

function fits({ clusters, nodes }: NamespaceUse, more: number, { maxClusters, maxNodes }: NamespaceLimits): boolean {
  return clusters + 1 <= maxClusters && nodes + more <= maxNodes;
}

interface Excess {
  readonly used: NamespaceUse;
  readonly nodes: number;
  readonly limits: NamespaceLimits;
}

function exceeded({ namespace }: Key, connection: Key, { used, nodes, limits }: Excess): string {
  const { maxClusters, maxNodes } = limits;
  const ofClusters = used.clusters + 1 > maxClusters;
  const what = ofClusters
    ? `${maxClusters} Clusters (spec.limits.maxClusters), and has ${used.clusters}`
    : `${maxNodes} nodes (spec.limits.maxNodes), and its other Clusters take ${used.nodes}, so the ${nodes} of this one do not fit`;
  const remedy = ofClusters ? 'delete a Cluster' : 'scale down or delete a Cluster';
  return `${nameText(connection)} allows namespace ${namespace} ${what}: ${remedy}, or ask the administrator of the cluster for more. It continues by itself`;
}
