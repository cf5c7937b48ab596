// One resource, one process and the model service: passes of the plan and the protocol, with crashes and lost answers between effects.

import { finalizer, ledgerAnnotation } from '../../../../src/operator/api/common.ts';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import type { View } from '../../../../src/operator/client/list/view.ts';
import { type KeyMemory, noteChange, noteDelete } from '../../../../src/operator/reconcile/key-memory.ts';
import type { AnyKind, ObjectKind, RemoteObject } from '../../../../src/operator/reconcile/kind.ts';
import {
  type Claim,
  currentClaim,
  type Ledger,
  openAttempts,
  serialiseLedger,
} from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { isOwnName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import type { Outcome } from '../../../../src/operator/reconcile/outcome.ts';
import { kindOf } from '../../../../src/operator/reconcile/ownership/ownership.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/types.ts';
import type { PlanInput } from '../../../../src/operator/reconcile/plan-input.ts';
import type { Effect, EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import { next } from '../../../../src/operator/reconcile/protocol/protocol.ts';
import { readResource } from '../../../../src/operator/reconcile/resource/facts.ts';
import { conditionsAs, installation, quarantineMs, resourceOf, uid, usable, viewOf, wall } from '../support.ts';
import { type Choices, ModelService, strangerId } from './model-service.ts';

/** Why a pass ended without an outcome. */
type Broken = 'crash' | 'conflict' | 'unseen';

const start = 1_000_000;

export class Model {
  readonly kind: AnyKind;
  readonly service: ModelService;
  /** The private templates of a resource whose name is fixed. */
  readonly templates: ModelService;
  readonly #fixed: string | undefined;
  /** Whose objects the pass reads and writes. */
  #acting: ObjectKind;
  readonly violations: string[] = [];
  /** Ids that somebody refers to in the service. */
  readonly mentioned = new Set<string>();
  readonly #choices: Choices;
  #now = start;
  /** As Kubernetes has it; undefined: gone. */
  resource: RawResource | undefined;
  /** As the pass has read or written it. */
  #seen: RawResource;
  #memory: KeyMemory = { uid };
  readonly #views = new Map<ObjectKind, View<RemoteObject>>();

  constructor(kind: AnyKind, spec: unknown, choices: Choices) {
    this.kind = kind;
    this.#choices = choices;
    this.#acting = kind;
    this.#fixed = (spec as { readonly name?: string }).name;
    this.templates = new ModelService(choices, { unique: false, prefix: 'template' });
    this.service = new ModelService(choices, { unique: kind.identity === 'named', templates: this.templates });
    this.resource = resourceOf({ kind, spec });
    this.#seen = this.resource;
  }

  get ownRows(): readonly RemoteObject[] {
    // Nobody but a stranger makes what bears another name.
    if (this.#fixed !== undefined) return this.service.rows.filter(({ id }) => id !== strangerId);
    return this.service.rows.filter((row) => isOwnName(row.name, { name: 'etl', uid, installation }));
  }

  /** Somebody else takes the name, where it is free. */
  strangerComes(): void {
    if (this.#fixed !== undefined) this.service.strangerComes(this.#fixed);
  }

  strangerGoes(): void {
    this.service.strangerGoes();
  }

  get ledger(): Ledger | undefined {
    return this.resource && ledgerIn(this.kind, this.resource);
  }

  advance(ms: number): void {
    this.#now += ms;
    this.service.advance(this.#now);
    this.templates.advance(this.#now);
    this.#check();
  }

  userDeletes(): void {
    if (!this.resource || this.resource.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = new Date(this.#wall()).toISOString();
    this.#write(this.resource, { metadata: { ...this.resource.metadata, deletionTimestamp } });
    if (this.resource.metadata.finalizers?.length === 0) this.resource = undefined;
  }

  userEdits(spec: unknown): void {
    const { resource } = this;
    if (!resource) return;
    this.#write(resource, { spec, metadata: { ...resource.metadata, generation: resource.metadata.generation + 1 } });
  }

  /** Somebody takes what the resource stands for now, and keeps it. */
  othersRefer(): void {
    const id = currentClaim(this.ledger)?.id;
    if (id !== undefined && this.service.rows.some((row) => row.id === id)) this.mentioned.add(id);
  }

  othersLetGo(): void {
    this.mentioned.clear();
  }

  /** One pass; its outcome, or why it has none. */
  pass(): Outcome | Broken | undefined {
    if (!this.resource) return undefined;
    this.#seen = this.resource;
    this.#views.clear();
    if (this.#look()) return 'unseen';
    const planned = plan(this.#input());
    this.#acting = kindOf(this.kind, claimOf(planned));
    const trail: EffectAnswer[] = [];
    for (let steps = 0; steps < 30; steps += 1) {
      if (this.#choices.happens(4)) return this.#crash();
      if (this.#choices.happens(2)) this.userDeletes();
      const step = next({
        plan: planned,
        ledger: ledgerIn(this.kind, this.#seen),
        input: this.#input(),
        trail,
      });
      if (step.effect === 'done') return this.#conclude(step.outcome);
      const answer = this.#perform(step);
      this.#check();
      if (typeof answer === 'string') return answer;
      trail.push(answer);
    }
    this.violations.push(`the protocol did not end: ${planned.action}`);
    return undefined;
  }

  /** At everything that a plan may need; true: it could not be seen. */
  #look(): boolean {
    const facts = readResource(this.kind, this.#seen, installation);
    const template = this.#fixed === undefined ? undefined : this.kind.fixedName?.privateTemplate;
    if (template) {
      this.#acting = template;
      if (this.#observe().error) return true;
    }
    this.#acting = this.kind;
    return (!facts.neverManaged || template !== undefined) && this.#observe().error !== undefined;
  }

  get #collection(): ModelService {
    return this.#acting === this.kind ? this.service : this.templates;
  }

  /** Of the status only what a later pass goes by. */
  #conclude(outcome: Outcome): Outcome {
    if (outcome.result !== 'settled' || !this.resource || this.resource !== this.#seen) return outcome;
    const { generation } = this.resource.metadata;
    const conditions = conditionsAs(generation, wall, [['Ready', 'True', 'Available']]);
    this.#write(this.resource, { status: { observedGeneration: generation, conditions } });
    return outcome;
  }

  #perform(effect: Effect): EffectAnswer | Broken {
    const sentAt = this.#now;
    this.advance(1 + this.#choices.next());
    switch (effect.effect) {
      case 'observe': {
        const { error } = this.#observe();
        return { of: 'observe', sentAt, at: this.#now, ...(error ? { error } : {}) };
      }
      case 'list-referrers': {
        const { error } = this.#observe();
        return { of: 'list-referrers', awaited: false, sentAt, at: this.#now, ...(error ? { error } : {}) };
      }
      case 'get-by-id':
        return this.#getById(effect.id, sentAt);
      case 'pin-and-intend':
      case 'intend-change':
      case 'own':
      case 'record':
      case 'close':
        return this.#writeLedger(effect) ?? { of: effect.effect, sentAt, at: this.#now };
      case 'release':
        return this.#release(sentAt);
      default:
        return this.#send(effect, sentAt);
    }
  }

  #send(effect: Extract<Effect, { effect: 'post' | 'change' | 'delete' }>, sentAt: number): EffectAnswer {
    const reply = this.#reply(effect);
    this.#memory.lastEffectAt = this.#now;
    if (effect.effect === 'delete' && (!('error' in reply) || reply.error.certainty === 'open'))
      noteDelete(this.#memory, effect.id, { at: this.#now });
    if (effect.effect === 'change')
      noteChange(this.#memory, this.ledger?.change, 'error' in reply ? reply.error.certainty : undefined);
    const timed = { of: effect.effect, sentAt, at: this.#now };
    this.advance(1);
    return ('error' in reply ? { ...timed, error: reply.error } : { ...timed, row: reply.value }) as EffectAnswer;
  }

  #reply(effect: Extract<Effect, { effect: 'post' | 'change' | 'delete' }>) {
    if ('id' in effect && effect.id === strangerId) this.violations.push(`a ${effect.effect} of what is not ours`);
    if (effect.effect === 'delete') {
      if (this.resource?.metadata.deletionTimestamp === undefined) this.#judgeDelete(effect.id);
      return this.#collection.remove(effect.id);
    }
    if (effect.effect === 'change') return this.service.change(effect.id, effect.change as object);
    const { name } = effect.body as { readonly name: string };
    const claim = this.ledger?.claims.find((one) => one.name === name);
    if (openAttempts(claim) === 0) this.violations.push('a POST without an open intent');
    const intended = Date.parse(claim?.attempts?.lastSentAt ?? '') - wall + start;
    if (this.#now - intended > 2_200) this.violations.push(`a POST ${this.#now - intended} ms after its intent`);
    return this.#collection.create(effect.body as { name: string }, this.#now, intended + quarantineMs - 1);
  }

  /** Of a resource that lives. */
  #judgeDelete(id: string): void {
    if (this.mentioned.has(id)) this.violations.push(`a DELETE of ${id}, which is referred to`);
    if (this.kind.identity === 'content' && currentClaim(this.ledger)?.id === id)
      this.violations.push(`a DELETE of ${id}, which is the current one`);
  }

  #getById(id: string, sentAt: number): EffectAnswer {
    const reply = this.#collection.get(id);
    if ('error' in reply) return { of: 'get-by-id', sentAt, at: this.#now, error: reply.error };
    if (reply.value) return { of: 'get-by-id', sentAt, at: this.#now, row: reply.value };
    this.#memory.goneGets = new Map([...(this.#memory.goneGets ?? []), [id, sentAt]]);
    return { of: 'get-by-id', sentAt, at: this.#now };
  }

  #observe() {
    const listSentAt = this.#now;
    this.advance(1);
    const reply = this.#collection.list();
    if ('error' in reply) return { error: reply.error };
    const view = viewOf<RemoteObject>(reply.value, { listSentAt });
    this.#views.set(this.#acting, view);
    this.#noteGone(view);
    if (this.#acting !== this.kind) return {};
    const id = currentClaim(ledgerIn(this.kind, this.#seen))?.id;
    if (id === undefined || view.byId(id)) delete this.#memory.missingSince;
    else this.#memory.missingSince ??= listSentAt;
    return {};
  }

  #noteGone(view: View<RemoteObject>): void {
    this.#memory.goneGets = new Map([...(this.#memory.goneGets ?? [])].filter(([gone]) => !view.byId(gone)));
  }

  #writeLedger({ effect, ledger }: Extract<Effect, { ledger: Ledger }>): Broken | undefined {
    if (this.#choices.happens(5)) this.advance(3_000);
    if (this.#choices.happens(4)) return 'conflict';
    const { resource } = this;
    const moved = resource !== this.#seen;
    const announces = effect === 'pin-and-intend' || effect === 'intend-change';
    const same = resource && claimText(this.kind, resource) === claimText(this.kind, this.#seen);
    if (!resource || (moved && (announces || !same))) return 'conflict';
    const { metadata } = resource;
    const annotations = { ...metadata.annotations, [ledgerAnnotation]: serialiseLedger(ledger) };
    this.#seen = this.#write(resource, { metadata: { ...metadata, annotations, finalizers: [finalizer] } });
    return this.#choices.happens(4) ? this.#crash() : undefined;
  }

  #release(sentAt: number): EffectAnswer | Broken {
    if (this.resource !== this.#seen) return 'conflict';
    if (this.resource.metadata.deletionTimestamp === undefined) this.violations.push('released what nobody deletes');
    this.resource = undefined;
    return { of: 'release', sentAt, at: this.#now };
  }

  #crash(): Broken {
    this.#memory = { uid };
    this.#views.clear();
    return 'crash';
  }

  #write(resource: RawResource, changes: Partial<RawResource>): RawResource {
    this.resource = { ...resource, ...changes };
    return this.resource;
  }

  #wall(): number {
    return wall + this.#now - start;
  }

  #input(): PlanInput {
    const facts = readResource(this.kind, this.#seen, installation);
    const ledger = ledgerIn(this.kind, this.#seen);
    const now = { wall: this.#wall(), monotonic: this.#now };
    const known = {
      resolutions: [],
      remotes: new Map(),
      isSuperseded: false,
      users: [],
      claimedBy: undefined,
      ownerOf: () => undefined,
      contestOf: () => undefined,
      massDeletion: undefined,
    };
    const mentioned = new Set(this.mentioned);
    const template = this.kind.fixedName?.privateTemplate;
    const process = {
      memory: this.#memory,
      view: this.#views.get(this.kind),
      templates: template && this.#views.get(template),
      service: usable(),
      quarantineMs,
      installation,
      seesAll: true,
    };
    return { kind: this.kind, facts, ledger, now, referencedIds: mentioned, ...known, ...process };
  }

  #check(): void {
    if (this.kind.identity === 'named' && this.ownRows.length > 1) this.violations.push('two clusters of one resource');
    const [left] = [...this.ownRows, ...this.templates.rows];
    if (!this.resource && left) this.violations.push(`released, and ${left.id} is left`);
  }
}

function claimOf(planned: Plan): Claim | undefined {
  if ('claims' in planned) return planned.claims[0];
  return 'claim' in planned ? planned.claim : undefined;
}

function ledgerIn(kind: AnyKind, resource: RawResource): Ledger | undefined {
  const { ledger } = readResource(kind, resource, installation);
  return ledger.state === 'ours' ? ledger.ledger : undefined;
}

function claimText(kind: AnyKind, resource: RawResource): string {
  return JSON.stringify(ledgerIn(kind, resource)?.claims);
}
