// One custom resource under test: what a user does to it, passes over it, and what is seen of it on both sides.
import { expect } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { approvePlanAnnotation, finalizer, ledgerAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { kinds } from '../../../../src/operator/kinds/index.ts';
import { isOwnName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import type { EventNote } from '../../../../src/operator/reconcile/pass-ports.ts';
import type { Kind, Records } from '../../../../src/service/model/records/records.ts';
import { executionMarker } from '../../../../src/wire/jobs.ts';
import type { Sent } from '../../../support/service/service-proxy.ts';
import { eventually, installation } from './bench.ts';
import {
  judgeObjects,
  judgeStatus,
  ledgerOf,
  type ShownClaim,
  type ShownCondition,
  type ShownLedger,
  type ShownStatus,
  statusOf,
} from './invariants.ts';
import type { PassEnd, World } from './world.ts';

/** More passes than anything takes. */
const patience = 40;
const progressMs = [1_000, 2_000, 5_000, 10_000];

export type Row = Records[Kind];

/** What the request put into the configs of a run. */
function markerOf(row: Row): string {
  const marker = 'job_configs' in row ? row.job_configs.configs?.[executionMarker] : undefined;
  return typeof marker === 'string' ? marker : '';
}

export class Subject {
  readonly key: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly uid: string;
  readonly path: string;
  readonly world: World;
  /** Its object may stay in the service when it goes. */
  mayLeave = false;
  /** So many objects of its name may be there. */
  most = 1;
  /** The id that its spec names. */
  readonly #given: string | undefined;
  /** The name that its spec fixes. */
  readonly #fixed: string | undefined;
  #before: RawResource | undefined;
  #polls = 0;

  constructor(
    world: World,
    {
      kind,
      path,
      name,
      uid,
      given,
      fixed,
    }: {
      readonly kind: string;
      readonly path: string;
      readonly name: string;
      readonly uid: string;
      readonly given: string | undefined;
      readonly fixed: string | undefined;
    },
  ) {
    this.world = world;
    this.key = { kind, namespace: world.bench.namespace, name };
    this.path = path;
    this.uid = uid;
    this.#given = given;
    this.#fixed = fixed;
  }

  // --- what is seen ------------------------------------------------------------------------------------------------------

  get resource(): RawResource | undefined {
    const found = this.world.store.read(this.key);
    return found?.metadata.uid === this.uid ? found : undefined;
  }

  get status(): ShownStatus {
    return statusOf(this.resource);
  }

  get ledger(): ShownLedger | undefined {
    return ledgerOf(this.resource);
  }

  get claim(): ShownClaim | undefined {
    return this.ledger?.claims.at(-1);
  }

  condition(type: string): ShownCondition | undefined {
    return this.status.conditions?.find((one) => one.type === type);
  }

  get isReady(): boolean {
    return (
      this.condition('Ready')?.status === 'True' &&
      this.status.observedGeneration === this.resource?.metadata.generation
    );
  }

  get isGone(): boolean {
    return this.resource === undefined;
  }

  get collection(): string {
    return this.world.collectionOf(this.key.kind);
  }

  get route(): Kind {
    return kinds.find((one) => one.definition.kind === this.key.kind)?.route as Kind;
  }

  /** Its objects in the service: by the id that its spec names, else by the name that only it can have given. */
  get rows(): readonly Row[] {
    const { uid } = this;
    const identity = { uid, name: this.key.name, installation };
    const rows = this.world.backend.rows(this.route) as readonly Row[];
    if (this.key.kind === 'JobExecution') return rows.filter((row) => markerOf(row).startsWith(`${uid}-`));
    if (this.#fixed !== undefined) return this.#proven(this.#fixed);
    if (this.#given === undefined) return rows.filter((row) => isOwnName(row.name, identity));
    return rows.filter((row) => row.id === this.#given && 'username' in row && row.username !== undefined);
  }

  /** Those of a fixed name that were started from a template of its own. */
  #proven(name: string): readonly Row[] {
    const own = new Set(this.privateRows.map(({ id }) => id));
    const rows = this.world.backend.rows('clusters');
    return rows.filter((row) => row.name === name && own.has(row.cluster_template_id ?? ''));
  }

  /** What objects of a fixed name are started from, or the bytes of job binaries. */
  get privateRows(): readonly Row[] {
    const { uid } = this;
    const identity = { uid, name: this.key.name, installation };
    if (this.key.kind === 'JobBinary')
      return this.world.backend.rows('jobBinaryInternals').filter((row) => isOwnName(row.name, identity));
    if (this.#fixed === undefined) return [];
    return this.world.backend.rows('clusterTemplates').filter((row) => isOwnName(row.name, identity));
  }

  /** Its only object in the service. */
  get row(): Row {
    const [row, ...others] = this.rows;
    if (!row || others.length > 0) throw new Error(`${this.key.kind} has ${this.rows.length} objects in the service`);
    return row;
  }

  /** What its object has, as text; of bytes of its own, these. */
  get shown(): string {
    const files = this.privateRows.map(({ id }) => this.world.backend.bytes(id));
    return JSON.stringify([this.row, ...(this.key.kind === 'JobBinary' ? files : [])]);
  }

  /** Requests to its collection, but for those that ask an action of an object. */
  sent(method: string): readonly Sent[] {
    return this.changes({ method });
  }

  /** Requests of an action to its objects. */
  changes(of: { readonly method: string; readonly action?: string } | undefined): readonly Sent[] {
    return this.world.proxy.sent.filter(
      (one) => one.method === of?.method && one.action === of.action && one.collection === this.collection,
    );
  }

  /** Oldest first. */
  get events(): readonly EventNote[] {
    return this.world.events.filter((one) => one.regarding.metadata.uid === this.uid);
  }

  get eventReasons(): readonly string[] {
    return this.events.map((one) => one.reason);
  }

  /** From the API server itself. */
  async fetch(): Promise<RawResource | undefined> {
    const { status, body } = await this.world.bench.api.send({ path: this.path });
    return status === 404 || (body as RawResource).metadata.uid !== this.uid ? undefined : (body as RawResource);
  }

  // --- what a user does --------------------------------------------------------------------------------------------------

  /** Until the caches hold this version, or a later one. */
  async seen({ metadata: { resourceVersion } }: RawResource): Promise<void> {
    await eventually(`${this.key.name} is in the caches`, () => {
      const found = this.resource;
      return found === undefined ? false : Number(found.metadata.resourceVersion) >= Number(resourceVersion);
    });
  }

  async patch(body: object, subresource = ''): Promise<void> {
    const { api } = this.world.bench;
    const answer = await api.send({ method: 'PATCH', path: `${this.path}${subresource}`, body });
    if (answer.status >= 300) throw new Error(`cannot patch ${this.key.name}: ${JSON.stringify(answer.body)}`);
    await this.seen(answer.body as RawResource);
  }

  edit(spec: object): Promise<void> {
    return this.patch({ spec });
  }

  /** `kubectl annotate`, with the hash of a plan. */
  approve(hash: string): Promise<void> {
    return this.patch({ metadata: { annotations: { [approvePlanAnnotation]: hash } } });
  }

  annotate(ledger: string | null): Promise<void> {
    return this.patch({ metadata: { annotations: { [ledgerAnnotation]: ledger } } });
  }

  /** Writes into the status by hand; what was there before is no measure for what comes. */
  async mangle(status: object): Promise<void> {
    this.#before = undefined;
    await this.patch({ status }, '/status');
  }

  /** `kubectl delete`. */
  async remove(): Promise<void> {
    await this.world.bench.api.send({ method: 'DELETE', path: this.path });
    await eventually(
      `${this.key.name} is being deleted`,
      () => this.resource?.metadata.deletionTimestamp !== undefined || this.isGone,
    );
  }

  // --- passes ------------------------------------------------------------------------------------------------------------

  /** One pass, what it does to clusters, and every invariant after it. */
  async pass(): Promise<PassEnd> {
    const { world } = this;
    const mark = world.trace.length;
    const end = await world.run(this);
    if (!world.held) await world.backend.rest();
    if (world.trace.slice(mark).some((line) => line.startsWith('release'))) await this.#released();
    this.check();
    return end;
  }

  /** A status as it was just stored: judged alone and beside the one before. */
  shows(stored: RawResource): void {
    this.world.violations.push(...judgeStatus(stored, this.#before));
    this.#before = stored;
  }

  check(): void {
    const { resource, world, rows: own, privateRows, mayLeave, most } = this;
    const problems = [
      ...world.violations,
      ...world.bugs,
      ...judgeObjects(resource, { own, mayLeave, most }),
      ...judgeObjects(resource, { own: privateRows, mayLeave, most: 3 }),
    ];
    if (problems.length > 0) expect(problems, this.describe()).toEqual([]);
  }

  /** The release shows at once, and that the object is gone when the watch tells it. Somebody else's finalizer may keep it. */
  async #released(): Promise<void> {
    await eventually(`${this.key.name} is let go`, () => {
      const finalizers = this.resource?.metadata.finalizers ?? [];
      return this.resource === undefined || (finalizers.length > 0 && !finalizers.includes(finalizer));
    });
  }

  /** Passes one after the other, each when the one before asked for it, until it is so. */
  async until(what: string, done: () => boolean): Promise<void> {
    const ends: PassEnd[] = [];
    for (let count = 0; count < patience; count += 1) {
      if (done()) return;
      const end = await this.pass();
      ends.push(end);
      if (end === 'crashed') throw new Error('the process died');
      this.world.clock.leap(this.#delay(end));
    }
    const verdicts = ends.slice(-6).map((end) => JSON.stringify(end));
    throw new Error(`${what} did not come true in ${patience} passes: ${verdicts.join(' ')}\n${this.describe()}`);
  }

  ready(): Promise<void> {
    return this.until('Ready', () => this.isReady);
  }

  gone(): Promise<void> {
    return this.until('gone', () => this.isGone);
  }

  async passes(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const end = await this.pass();
      if (end !== 'crashed') this.world.clock.leap(this.#delay(end));
    }
  }

  /** Passes until the process dies. */
  async dies(): Promise<void> {
    for (let count = 0; count < patience; count += 1) {
      const end = await this.pass();
      if (end === 'crashed') return;
      this.world.clock.leap(this.#delay(end));
    }
    throw new Error(`the process did not die in ${patience} passes`);
  }

  #delay(end: Exclude<PassEnd, 'crashed'>): number {
    if (end.next !== 'progress') this.#polls = 0;
    switch (end.next) {
      case 'settled':
        return end.pollMs;
      case 'again':
      case 'gone':
        return 0;
      case 'progress':
        return progressMs[Math.min(this.#polls++, progressMs.length - 1)] ?? 0;
      case 'retry':
        return Math.max(end.afterMs ?? 0, 1_000);
      case 'at':
        return end.afterMs;
      case 'watch':
      case 'budget':
        return 1_000;
    }
  }

  describe(): string {
    const { status, ledger, world } = this;
    const conditions = (status.conditions ?? []).map(
      (one) => `${one.type}=${one.status}/${one.reason}: ${one.message}`,
    );
    const finalizers = this.resource?.metadata.finalizers?.includes(finalizer) ? 'held' : 'not held';
    return [...conditions, finalizers, JSON.stringify(ledger?.claims), world.trace.slice(-25).join(', ')].join('\n');
  }
}
