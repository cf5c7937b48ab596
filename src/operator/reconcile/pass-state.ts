// One pass in progress: what it has read and written so far. The only mutable state of a pass, owned by it alone.
import { isDeepStrictEqual } from 'node:util';
import type { RawResource } from '../api/definition.ts';
import type { View } from '../client/list/list-view.ts';
import type { KeyMemory } from './key-memory.ts';
import { loadPollMs } from './kind/intervals.ts';
import {
  type Kind,
  type ObjectKind,
  type OwnedCounts,
  pollSecondsOf,
  privateKindOf,
  type RemoteObject,
} from './kind/kind.ts';
import type { Rights } from './ledger/alleged.ts';
import { currentClaim, type Ledger } from './ledger/ledger.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';
import type { User } from './outcome.ts';
import { contestOf, isForestalled, ownerOf } from './ownership/claimants.ts';
import { keyOf, keyText, type PassContext, type PassPorts, type ServiceLookup } from './pass-ports.ts';
import type { ExistingObject, Now, PlanInput } from './plan-input.ts';
import { wantedHash } from './resource/content-hash.ts';
import { isOutdated, type ResourceFacts, readResource, within } from './resource/facts.ts';
import type { LifecycleFinding } from './resource/lifecycle.ts';
import { endedOwner } from './resource/owned.ts';
import { leadElsewhere, type Resolution } from './resource/references.ts';
import { resolve } from './resource/resolve.ts';
import { ownedCounts, scalerKind } from './resource/scalers.ts';
import { leavingProblem, rightsOf, sharingProblem } from './resource/sharing.ts';

/** For kinds without an interval of their own. */
const defaultPollSeconds = 30;

export class PassState {
  readonly ports: PassPorts;
  readonly kind: Kind;
  readonly memory: KeyMemory;
  readonly context: PassContext;
  readonly service: ServiceLookup;
  readonly #notAllowed: string | undefined;
  readonly #rights: Rights;
  readonly startedAt: number;
  /** The version that the pass decides for. */
  readonly #begun: RawResource;
  /** As they were when the pass began. */
  readonly #given: OwnedCounts;
  /** The same, as autoscaling decided after the observation: what it reports is what it planned with. */
  #owned: OwnedCounts;
  resource: RawResource;
  facts: ResourceFacts;
  ledger: Ledger | undefined;
  readonly #views = new Map<ObjectKind, View<RemoteObject>>();
  /** The answer to our own write, which is newer than the view. */
  answered: RemoteObject | undefined;
  resolutions: readonly Resolution[] = [];
  remotes = new Map<string, RemoteObject>();
  readonly files = new Map<string, Buffer>();
  referencedIds: ReadonlySet<string> | undefined;
  users: readonly User[] = [];
  claimedBy: string | undefined;
  massDeletion: MassDeletion | undefined;
  adoption: ExistingObject | undefined;
  /** Undefined until the service was observed. */
  lifecycle: LifecycleFinding | undefined;
  /** The kind of object that a write was sent for in this pass. */
  wrote: ObjectKind | undefined;

  constructor(
    ports: PassPorts,
    options: { kind: Kind; resource: RawResource; memory: KeyMemory; context: PassContext },
  ) {
    this.ports = ports;
    this.kind = options.kind;
    this.memory = options.memory;
    this.context = options.context;
    this.startedAt = ports.clock.monotonic();
    this.#begun = options.resource;
    this.resource = options.resource;
    this.#given = this.#countsNow();
    this.#owned = this.#given;
    this.#notAllowed = sharingProblem(ports.store, this.resource);
    this.#rights = rightsOf(ports.store, this.resource);
    this.facts = this.#read(this.resource);
    this.ledger = this.facts.ledger.state === 'ours' ? this.facts.ledger.ledger : undefined;
    this.service = this.#isShutOut()
      ? { state: 'notAllowed', message: this.#notAllowed ?? '', credentials: false }
      : ports.services.lookup(this.facts.connection);
    this.autoscale();
  }

  /** A pass over another resource, of which this process remembers nothing: to judge what that one claims. */
  over(kind: Kind, resource: RawResource): PassState {
    return new PassState(this.ports, { kind, resource, memory: { uid: resource.metadata.uid }, context: this.context });
  }

  /** The interval at which it is polled for itself: nothing but passes over it find out about its load, or that a deadline is near. Undefined: its LIST is enough. */
  get aloneMs(): number | undefined {
    if (this.followsLoad) return this.loadPollMs();
    const isAlone = this.isAutoscaled || (this.facts.lifecycle !== undefined && !this.facts.deleting);
    return isAlone ? this.steadyMs() : undefined;
  }

  /** Its load can change a count now. */
  get followsLoad(): boolean {
    const { deleting, isSuspended, policy } = this.facts;
    return this.isAutoscaled && !deleting && !isSuspended && policy !== 'Observe';
  }

  /** The counts of some parts follow their load, which has to be observed again and again. */
  get isAutoscaled(): boolean {
    return [...this.#given.values()].some(({ bounds }) => bounds !== undefined);
  }

  /** Decides autoscaled counts. Until the service was observed, and while the resource is suspended, they stay. */
  autoscale(): void {
    const { kind, memory, resource, view } = this;
    if (kind.identity !== 'named' || this.facts.deleting || !this.isAutoscaled) return;
    const id = currentClaim(this.ledger)?.id;
    memory.loads ??= new Map();
    this.#owned = kind.counts.autoscaled(this.#given, {
      remote:
        id === undefined || this.facts.isSuspended || this.facts.policy === 'Observe' ? undefined : view?.byId(id),
      ledger: id === undefined ? undefined : this.ledger,
      reported: id === undefined ? new Map() : kind.counts.reported(resource.status),
      pollMs: this.loadPollMs(),
      steadyMs: this.steadyMs(),
      now: this.now(),
      memory: memory.loads,
    });
    this.facts = this.#read(resource);
  }

  /** A NodeGroup came, changed its count or went since the pass began. */
  #isRecounted(): boolean {
    return !isDeepStrictEqual(this.#countsNow(), this.#given);
  }

  /** What was never made for the resource is not even looked for: it belongs to somebody else. Its deletion looks for what it may have made, and for nothing else. */
  #isShutOut(): boolean {
    const { deleting, ledger, alleged } = this.facts;
    const claims = ledger.state === 'ours' ? ledger.ledger.claims : [];
    const hasNothing = ledger.state === 'none' || (ledger.state === 'ours' && claims.length === alleged.length);
    return this.#notAllowed !== undefined && hasNothing && (!deleting || alleged.length > 0);
  }

  /**
   * Somebody else has changed what the pass decides by: the resource, or whether its namespace may use the service. Asks the cache, so it costs no request.
   * Not even such a namespace delays a deletion.
   */
  get isOutdated(): boolean {
    const { store } = this.ports;
    if (isOutdated(this.#begun, store.read(keyOf(this.#begun)))) return true;
    return !this.facts.deleting && sharingProblem(store, this.resource) !== this.#notAllowed;
  }

  /** The same, or what a create or change was made from is not as it was. */
  get isSuperseded(): boolean {
    if (this.isOutdated) return true;
    return leadElsewhere(this.resolutions, this.resolve()) || isForestalled(this) || this.#isRecounted();
  }

  /** The objects of the kind's own route, once observed. */
  get view(): View<RemoteObject> | undefined {
    return this.#views.get(this.kind);
  }

  get #privates(): View<RemoteObject> | undefined {
    const hidden = privateKindOf(this.kind);
    return hidden && this.#views.get(hidden);
  }

  observed(kind: ObjectKind, view: View<RemoteObject>): void {
    this.#views.set(kind, view);
  }

  /** Takes over the resource as our own write left it. */
  resourceWritten(resource: RawResource): void {
    this.resource = resource;
    this.facts = this.#read(resource);
    this.ledger = this.facts.ledger.state === 'ours' ? this.facts.ledger.ledger : undefined;
  }

  #countsNow(): OwnedCounts {
    const { kind, ports, resource } = this;
    return kind.identity === 'named' ? ownedCounts(ports.store.list(scalerKind, keyOf(resource)), resource) : new Map();
  }

  #read(resource: RawResource): ResourceFacts {
    const { kind, ports } = this;
    const facts = readResource(kind, resource, ports.installation, this.#owned);
    return within(this.#rights, kind, facts, ports.installation);
  }

  /** Resolves the references of the spec as they are now. */
  resolve(): readonly Resolution[] {
    return this.facts.deleting ? [] : resolve(this.ports, this.kind, this.resource);
  }

  now(): Now {
    return { wall: this.ports.clock.wall(), monotonic: this.ports.clock.monotonic() };
  }

  /** Interval at which a settled resource of this kind is polled, in ms. */
  steadyMs(): number {
    const connection = this.service.state === 'usable' ? this.service.pollSeconds : defaultPollSeconds;
    return (pollSecondsOf(this.kind) ?? connection) * 1000;
  }

  /** The same for one whose load is followed. */
  loadPollMs(): number {
    return loadPollMs(this.service, this.steadyMs());
  }

  /** Names the LIST that all resources of this kind behind this Connection share. */
  sharedPoll(): string {
    return `${keyText(this.facts.connection)} ${this.facts.key.kind}`;
  }

  /** `ledger`: in place of the recorded one. */
  planInput(ledger = this.ledger): PlanInput {
    const { kind, facts, service, resolutions, remotes, files, referencedIds, memory, massDeletion } = this;
    const { users, claimedBy, adoption, lifecycle } = this;
    const madeFor = endedOwner(this.ports, this.resource);
    const isSuperseded = () => this.isSuperseded;
    return {
      ...this.#ofProcess(),
      kind,
      facts,
      ledger,
      service,
      notAllowed: this.#notAllowed,
      mayNotLeave: kind.identity === 'named' ? leavingProblem(this.ports.store, this.resource) : undefined,
      view: this.view,
      privates: this.#privates,
      resolutions,
      remotes,
      files,
      get wantedHash() {
        return madeFor === undefined ? wantedHash({ kind, facts, resolutions }) : undefined;
      },
      madeFor,
      // Lazy: few plans ask, and each answer hashes everything that the resource refers to.
      get isSuperseded() {
        return isSuperseded();
      },
      referencedIds,
      users,
      claimedBy,
      ownerOf: (id) => ownerOf(this, id),
      contestOf: (claim) => contestOf(this, claim),
      massDeletion,
      adoption,
      lifecycle,
      memory,
      now: this.now(),
    };
  }

  #ofProcess(): Pick<PlanInput, 'installation' | 'process' | 'quarantineMs' | 'seesAll'> {
    const { installation, process, quarantineMs, seesAll } = this.ports;
    return { installation, process, quarantineMs, seesAll };
  }
}
