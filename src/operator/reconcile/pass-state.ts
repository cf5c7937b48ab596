// One pass under way: what it has read and written so far. The only mutable thing of a pass, owned by it alone.

import type { RawResource } from '../api/definition.ts';
import type { View } from '../client/list/view.ts';
import type { Memory } from './key-memory.ts';
import type { AnyKind, RemoteObject } from './kind.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Loss } from './lists/mass-deletion.ts';
import { contestOf, isForestalled, ownerOf } from './ownership/claimants.ts';
import type { Now, Situation } from './plan-input.ts';
import type { PassContext, PassPorts, ServiceLookup } from './ports.ts';
import { type Facts, readFacts } from './resource/facts.ts';
import { leadElsewhere, type Resolution } from './resource/references.ts';
import { resolve } from './resource/resolve.ts';

/** For kinds that name no interval of their own. */
const defaultPollSeconds = 30;

export class Run {
  readonly ports: PassPorts;
  readonly kind: AnyKind;
  readonly memory: Memory;
  readonly context: PassContext;
  readonly service: ServiceLookup;
  readonly startedAt: number;
  resource: RawResource;
  facts: Facts;
  ledger: Ledger | undefined;
  /** Whose objects are read and written now: the resource's own, or its private templates. */
  acting: AnyKind;
  readonly #views = new Map<AnyKind, View<RemoteObject>>();
  /** The answer to our own write, where it is newer than the view. */
  answered: RemoteObject | undefined;
  resolutions: readonly Resolution[] = [];
  remotes = new Map<string, RemoteObject>();
  mentioned: ReadonlySet<string> | undefined;
  claimedBy: string | undefined;
  loss: Loss | undefined;
  /** A write of the service was sent in this pass. */
  effected = false;

  constructor(
    ports: PassPorts,
    options: { kind: AnyKind; resource: RawResource; memory: Memory; context: PassContext },
  ) {
    this.ports = ports;
    this.kind = options.kind;
    this.acting = options.kind;
    this.memory = options.memory;
    this.context = options.context;
    this.startedAt = ports.clock.monotonic();
    this.resource = options.resource;
    this.facts = readFacts(this.kind, this.resource, ports.installation);
    this.ledger = this.facts.ledger.state === 'ours' ? this.facts.ledger.ledger : undefined;
    this.service = ports.services.lookup(this.facts.key.namespace, this.facts.connection);
  }

  /** The objects of the kind's own route, as far as they were looked at. */
  get view(): View<RemoteObject> | undefined {
    return this.#views.get(this.kind);
  }

  saw(kind: AnyKind, view: View<RemoteObject>): void {
    this.#views.set(kind, view);
  }

  /** The resource as our own write left it. */
  wrote(resource: RawResource): void {
    this.resource = resource;
    this.facts = readFacts(this.kind, resource, this.ports.installation);
    this.ledger = this.facts.ledger.state === 'ours' ? this.facts.ledger.ledger : undefined;
  }

  /** What the references of the spec lead to, now. */
  resolve(): readonly Resolution[] {
    return this.facts.deleting ? [] : resolve(this.ports, this.kind, this.resource);
  }

  now(): Now {
    return { wall: this.ports.clock.wall(), monotonic: this.ports.clock.monotonic() };
  }

  /** How often a settled resource of this kind is looked at, in ms. */
  steadyMs(): number {
    const connection = this.service.state === 'usable' ? this.service.pollSeconds : defaultPollSeconds;
    return (this.kind.pollSeconds ?? connection) * 1000;
  }

  /** What all resources of this kind that use this Connection are seen in. */
  look(): string {
    return `${this.facts.key.namespace}/${this.facts.connection} ${this.facts.key.kind}`;
  }

  situation(acting: AnyKind = this.acting): Situation {
    const { kind, facts, ledger, service, resolutions, remotes, mentioned, claimedBy, memory, loss, ports } = this;
    const template = kind.fixedName?.privateTemplate;
    const { installation, quarantineMs, seesAll } = ports;
    const outrun = () => leadElsewhere(resolutions, this.resolve()) || isForestalled(this);
    return {
      kind: acting,
      facts,
      installation,
      ledger,
      service,
      view: this.#views.get(acting),
      ownView: this.view,
      templates: template && this.#views.get(template),
      resolutions,
      remotes,
      // Of the many situations of a pass few ask, and each answer hashes all that the resource refers to.
      get outrun() {
        return outrun();
      },
      mentioned,
      claimedBy,
      ownerOf: (id) => ownerOf(this, id),
      contestOf: (claim) => contestOf(this, claim),
      loss,
      seesAll,
      quarantineMs,
      memory,
      now: this.now(),
    };
  }
}
