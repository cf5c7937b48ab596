// An API server with a JobSchedule and its executions, whose cache may lag and whose process may die at any call.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { kinds } from '../../../src/operator/kinds/index.ts';
import { jobKind } from '../../../src/operator/kinds/job/index.ts';
import { type EventNote, type Key, type NewObject, StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { isUnrecorded } from '../../../src/operator/reconcile/resource/scheduled.ts';
import type { SchedulePorts } from '../../../src/operator/schedules/schedule-context.ts';
import { createSchedulePass } from '../../../src/operator/schedules/schedule-pass.ts';
import { claimOf, conditionsAs, installation, ledgerOf, resourceOf } from '../reconcile/support.ts';
import { at } from './support.ts';

export class Crash extends Error {}

const apiVersion = 'dataprocessing.dev/v1alpha1';
const namespace = 'team-a';
export const key: Key = { kind: 'JobSchedule', namespace, name: 'nightly' };
const textOf = ({ kind, name }: Pick<Key, 'kind' | 'name'>): string => `${kind}/${name}`;
const execution = (name: string) => ({ kind: 'JobExecution', name });

export const template = { spec: { jobRef: { name: 'words' }, clusterRef: { name: 'small' } } };

const kindsByName = new Map(kinds.map((kind) => [kind.definition.kind, kind]));

/** What the template names, and the Connection: all of it is Ready. */
const dependencies = ['Connection/default', 'Job/words', 'Cluster/small'].map((text): RawResource => {
  const [kind = '', name = ''] = text.split('/');
  const conditions = conditionsAs(1, at('00:10'), [['Ready', 'True', 'Available']]);
  const made = resourceOf({
    kind: kind === 'Job' ? jobKind : clusterKind,
    ledger: ledgerOf([claimOf({ id: name })]),
    status: { observedGeneration: 1, conditions },
    metadata: { name },
  });
  return { ...made, kind };
});

type Planted = (ports: SchedulePorts) => SchedulePorts;

export class FakeCluster {
  readonly objects = new Map<string, RawResource>();
  /** What each of two replicas sees: what its watch has delivered, with its own writes. */
  #cache = new Map<string, RawResource>();
  #otherCache = new Map<string, RawResource>();
  readonly events: EventNote[] = [];
  /** Every execution that ever was created, by name. */
  readonly created: string[] = [];
  /** The same without those that nobody can have started. */
  readonly mayHaveRun: string[] = [];
  readonly removed: string[] = [];
  missed = 0;
  now = at('00:10');
  /** The process dies at this call: before it takes effect, or after. */
  crash: { readonly call: number; readonly after: boolean } | undefined;
  /** What the next create gets. */
  refusal: StoreError | undefined;
  #calls = 0;
  #versions = 1;
  readonly #planted: Planted;
  #pass: ReturnType<typeof createSchedulePass>;

  /** `planted`: a bug between the pass and the API server. */
  constructor(spec: Readonly<Record<string, unknown>> = {}, planted: Planted = (ports) => ports) {
    this.#planted = planted;
    this.#pass = this.#begin();
    const metadata = {
      ...key,
      uid: 'schedule-1',
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:10:00Z',
    };
    this.put({ apiVersion, kind: key.kind, metadata, spec: { schedule: '0 * * * *', template, ...spec } });
    for (const one of dependencies) this.put(one);
    this.deliver();
    this.#otherCache = new Map(this.objects);
  }

  put(object: RawResource): RawResource {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: `${(this.#versions += 1)}` } };
    this.objects.set(textOf({ kind: object.kind, name: object.metadata.name }), stored);
    return stored;
  }

  /** The watch of the leader catches up. */
  deliver(): void {
    this.#cache = new Map(this.objects);
  }

  get schedule(): RawResource {
    const found = this.objects.get(textOf(key));
    if (found === undefined) throw new Error('no schedule');
    return found;
  }

  get status(): Readonly<Record<string, unknown>> {
    return (this.schedule.status ?? {}) as Readonly<Record<string, unknown>>;
  }

  get executions(): readonly string[] {
    return [...this.objects.values()]
      .filter(({ kind }) => kind === 'JobExecution')
      .map(({ metadata }) => metadata.name);
  }

  /** Somebody edits the spec. */
  edit(change: Readonly<Record<string, unknown>>): void {
    const { spec, metadata } = this.schedule;
    this.put({
      ...this.schedule,
      spec: { ...(spec as object), ...change },
      metadata: { ...metadata, generation: metadata.generation + 1 },
    });
  }

  /** Somebody sets or removes an annotation. */
  mark(name: string, value: string | undefined): void {
    const { [name]: _before, ...others } = this.schedule.metadata.annotations ?? {};
    const annotations = value === undefined ? others : { ...others, [name]: value };
    this.put({ ...this.schedule, metadata: { ...this.schedule.metadata, annotations } });
  }

  finish(name: string, type: 'Complete' | 'Failed'): void {
    const object = this.objects.get(textOf(execution(name)));
    if (object === undefined) return;
    const lastTransitionTime = new Date(this.now).toISOString().replace('.000', '');
    const reason = type === 'Complete' ? 'Succeeded' : 'Failed';
    const end = { type, status: 'True', reason, message: '', observedGeneration: 1, lastTransitionTime };
    this.put({ ...object, status: { observedGeneration: 1, conditions: [end] } });
  }

  /** Nobody knows whether the run of this execution took place. */
  lose(name: string): void {
    const object = this.objects.get(textOf(execution(name)));
    if (object !== undefined) this.put({ ...object, status: { observedGeneration: 1, state: 'Unknown' } });
  }

  /** The operator takes up the executions: from now on they may run. */
  takeUp(): void {
    for (const name of this.executions) {
      const object = this.#executionNamed(name);
      const { deletionTimestamp, finalizers } = object.metadata;
      if (deletionTimestamp === undefined && finalizers === undefined)
        this.put({ ...object, metadata: { ...object.metadata, finalizers: [finalizer] } });
    }
  }

  /** A user deletes an execution. One that was not taken up goes without a trace, and cannot have run. */
  delete(name: string): void {
    const { metadata } = this.#executionNamed(name);
    if (metadata.finalizers === undefined && metadata.deletionTimestamp === undefined)
      this.mayHaveRun.splice(this.mayHaveRun.lastIndexOf(name), 1);
    this.#delete(name);
  }

  /** The operator has deleted what the executions being deleted had in the service, and lets them go where it may. */
  release(): void {
    for (const name of this.executions) {
      const { metadata } = this.#executionNamed(name);
      const isKept = isUnrecorded(this.#executionNamed(name), this.now, (one) => this.#cache.get(textOf(one)));
      if (metadata.deletionTimestamp !== undefined && !isKept) this.objects.delete(textOf(execution(name)));
    }
  }

  #executionNamed(name: string): RawResource {
    const found = this.objects.get(textOf(execution(name)));
    if (found === undefined) throw new Error(`no execution ${name}`);
    return found;
  }

  #delete(name: string): void {
    const object = this.#executionNamed(name);
    if (object.metadata.finalizers === undefined) this.objects.delete(textOf(execution(name)));
    else if (object.metadata.deletionTimestamp === undefined)
      this.put({ ...object, metadata: { ...object.metadata, deletionTimestamp: new Date(this.now).toISOString() } });
  }

  restart(): void {
    this.#pass = this.#begin();
    this.deliver();
  }

  /** The other replica leads, whose watch may be far behind. */
  failOver(): void {
    [this.#cache, this.#otherCache] = [this.#otherCache, this.#cache];
    this.#pass = this.#begin();
  }

  /** By name: the executions that have not ended. */
  get active(): readonly string[] {
    return this.executions.filter((name) => this.objects.get(textOf(execution(name)))?.status === undefined);
  }

  #begin() {
    return createSchedulePass(this.#planted(this.#ports()));
  }

  async run(): Promise<Requeue> {
    this.#calls = 0;
    return this.#pass(key);
  }

  #ports(): SchedulePorts {
    return {
      store: {
        read: (one) => this.#cache.get(textOf(one)),
        list: (kind) => [...this.#cache.values()].filter((one) => one.kind === kind),
        readFresh: (one) => this.#call(() => this.objects.get(textOf(one))),
        writeStatus: (base, status) => this.#call(() => this.#write(base, { status })),
        annotate: (base, annotations) => this.#call(() => this.#annotate(base, annotations)),
        create: (object) => this.#call(() => this.#create(object)),
        removeExactly: ({ name, uid }) => this.#call(() => this.#remove(name, uid)),
      },
      events: { emit: (event) => void this.events.push(event) },
      clock: { wall: () => this.now, monotonic: () => this.now },
      missed: (count) => {
        this.missed += count;
      },
      kinds: kindsByName,
      installation,
    };
  }

  async #call<Answer>(effect: () => Answer): Promise<Answer> {
    const call = (this.#calls += 1);
    if (this.crash?.call === call && !this.crash.after) throw new Crash();
    const answer = effect();
    if (this.crash?.call === call) throw new Crash();
    return answer;
  }

  #write(base: RawResource, change: Partial<RawResource>): RawResource {
    const name = textOf({ kind: base.kind, name: base.metadata.name });
    const stored = this.objects.get(name);
    if (stored?.metadata.resourceVersion !== base.metadata.resourceVersion)
      throw new StoreError('conflict', 'conflict');
    const written = this.put({ ...stored, ...change });
    this.#cache.set(name, written);
    return written;
  }

  #annotate(base: RawResource, more: Readonly<Record<string, string>>): RawResource {
    return this.#write(base, {
      metadata: { ...base.metadata, annotations: { ...base.metadata.annotations, ...more } },
    });
  }

  #create(object: NewObject): 'created' | 'exists' {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal !== undefined) throw refusal;
    const { kind } = object;
    const { name } = object.metadata;
    if (this.objects.has(textOf({ kind, name }))) return 'exists';
    this.created.push(name);
    this.mayHaveRun.push(name);
    const metadata = { ...object.metadata, uid: `uid-${this.created.length}`, generation: 1, resourceVersion: '0' };
    this.put({ apiVersion, kind, metadata, spec: object.spec });
    return 'created';
  }

  #remove(name: string, uid: string): void {
    const stored = this.objects.get(textOf(execution(name)));
    if (stored === undefined) return;
    if (stored.metadata.uid !== uid) throw new StoreError('conflict', 'another object has the name');
    this.#delete(name);
    this.removed.push(textOf(execution(name)));
  }
}

/** The name of the execution of a time. */
export const named = (time: string): string => `nightly-${at(time) / 60_000}`;
