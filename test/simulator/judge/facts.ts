// What is known of a simulated world beyond what its parts say of themselves: who made what, what is under way, what was when.
import { memoize } from '../../../src/lib/memoize.ts';
import { group, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ClusterRecord, JobExecutionRecord, Kind, Records } from '../../../src/service/model/records/records.ts';
import { routes } from '../../../src/wire/routes.ts';
import { madeKinds } from '../../support/service/made-kinds.ts';
import { nameOfRow } from '../../support/service/runs.ts';
import type { ApiServer, Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import type { SimulatedService } from '../service/service.ts';
import type { Sent } from '../service/service-way.ts';
import { Approvals } from './approvals.ts';
import { type Happening, type Target, targetOf, type Write } from './happening.ts';
import { History } from './history.ts';
import { NodeGroups } from './node-groups.ts';
import { isOfInstallation, leavesObjects, Ownership } from './ownership.ts';
import { Returns } from './returns.ts';
import { Runs } from './runs.ts';
import { Schedules } from './schedules.ts';
import { Suspensions } from './suspensions.ts';

/** What is broken by a happening, or nothing. */
export type Invariant = (facts: Facts, happening: Happening) => string | undefined;

export interface Row {
  readonly kind: Kind;
  readonly record: Records[Kind];
}

const ledgered: readonly string[] = [
  'clusters',
  'clustertemplates',
  'nodegrouptemplates',
  'imageregistrations',
  'datasources',
  'jobbinaries',
  'jobs',
  'jobexecutions',
];
/** Most versions of an object have it in common with the one before. */
const readLedger = memoize((text: string): Ledger => JSON.parse(text) as Ledger);

export interface FactsOptions {
  readonly server: ApiServer;
  readonly service: SimulatedService;
  readonly tenant: string;
  readonly now: () => number;
  readonly election: boolean;
  /** That nobody may ever see. */
  readonly secret: string | undefined;
  /** Lists of the service may be so old. */
  readonly listLagMs: () => number;
  /** What a pass goes by may be so old when it sends something. */
  readonly behindMs: () => number;
}

export class Facts {
  readonly options: FactsOptions;
  readonly ownership = new Ownership();
  readonly returns = new Returns();
  readonly runs = new Runs();
  readonly schedules = new Schedules();
  readonly nodeGroups = new NodeGroups();
  readonly suspensions = new Suspensions();
  readonly approvals = new Approvals();
  /** POSTs that may still take effect. */
  readonly posts = new Map<number, Target>();
  /** Writes that may still take effect, by number. */
  readonly underWay = new Set<number>();
  /** Released by the user's word, by id and by name. */
  readonly orphans = new Set<string>();
  /** Ids that the service said it does not have, to who asked for just them. */
  readonly denied = new Set<string>();
  /** The newest generation that a scale was sent for, by id and uid. */
  readonly scaled = new Map<string, number>();
  readonly #history = new History();
  /** What has a ledger or may get one, by uid. */
  readonly #resources = new Map<string, Stored>();
  readonly #lastName = new Map<string, string>();
  readonly #ledgers = new WeakMap<Stored, { readonly ledger: Ledger | undefined }>();

  constructor(options: FactsOptions) {
    this.options = options;
  }

  /** Takes note, before the invariants are asked. */
  note(happening: Happening): void {
    switch (happening.is) {
      case 'kubernetes read':
        return this.schedules.read(happening.by, happening.status, happening.body);
      case 'kubernetes changed':
        this.schedules.changed(happening.change);
        this.suspensions.changed(happening.change, this.options.now());
        this.approvals.changed(this, happening.change);
        this.nodeGroups.changed(this.options.server, happening.change, this.options.now());
        return this.#changed(happening.change, happening.by);
      case 'service sent': {
        const target = targetOf(happening.sent);
        if (target.method !== 'GET') this.underWay.add(happening.sent.number);
        if (target.method === 'POST' && target.name !== undefined) this.#posted(happening.sent, target.name);
        if (target.operation === 'execute' && target.name !== undefined) this.runs.requests.sent(target.name);
        return;
      }
      case 'service settled':
        this.posts.delete(happening.sent.number);
        this.underWay.delete(happening.sent.number);
        return this.#settled(happening);
      case 'service changed':
        return this.#recorded(happening);
      default:
    }
  }

  ownerOf(id: string): string | undefined {
    return this.ownership.of(id);
  }

  /** The uid that a name in the service tells; or of the resource that claims it: a name may be the user's choice, or come from a backup. */
  ownerOfName(name: string): string | undefined {
    const told = this.ownership.ofName(name);
    return this.resourceOf(told) === undefined ? (this.#claimantOf(name) ?? told) : told;
  }

  #claimantOf(name: string): string | undefined {
    const claims = (object: Stored) => this.ledgerOf(object)?.claims.some((claim) => claim.name === name) ?? false;
    for (const plural of ledgered)
      for (const object of this.options.server.list(plural)) if (claims(object)) return object.metadata.uid;
    return undefined;
  }

  resourceOf(uid: string | undefined): Stored | undefined {
    return uid === undefined ? undefined : this.#resources.get(uid);
  }

  ledgerOf(object: Stored | undefined): Ledger | undefined {
    if (object === undefined) return undefined;
    const known = this.#ledgers.get(object);
    if (known !== undefined) return known.ledger;
    const text =
      object.metadata.annotations?.[ledgerAnnotation] ?? (object.status as { ledger?: string } | undefined)?.ledger;
    const ledger = text === undefined ? undefined : readLedger(text);
    this.#ledgers.set(object, { ledger });
    return ledger;
  }

  rowsOf(uid: string): readonly Row[] {
    return this.rows().filter(({ record }) => this.ownerOf(record.id) === uid);
  }

  rows(): readonly Row[] {
    return madeKinds.flatMap((kind) =>
      this.options.service.store.list(kind, this.options.tenant).map((record) => ({ kind, record: named(record) })),
    );
  }

  nameOf(id: string): string | undefined {
    return this.#lastName.get(id);
  }

  /** How a cluster was at any time since our last effect on it, as far as a list may show it. */
  since(id: string): readonly ClusterRecord[] {
    return this.#history.since(id, this.options.listLagMs());
  }

  #changed(change: Change, by: Write | undefined): void {
    const { type, object, before, plural } = change;
    const { uid } = object.metadata;
    if (type === 'ADDED') this.ownership.born(uid);
    if (type === 'DELETED') this.#resources.delete(uid);
    else if (ledgered.includes(plural)) this.#resources.set(uid, object);
    this.#adopt(object);
    if (this.ownership.isBeingReplaced(uid) || !leavesObjects(change, by !== undefined)) return;
    for (const { id = '', name } of this.ledgerOf(before)?.claims ?? []) {
      // A copy that nobody was asked about names what is another's.
      if (by === undefined && this.ownerOf(id) !== uid && this.ownership.ofName(name) !== uid) continue;
      this.orphans.add(name);
      if (id !== '') this.orphans.add(id);
    }
  }

  /** What came back from a backup owns what its ledger has ids of. */
  #adopt(object: Stored): void {
    const { uid } = object.metadata;
    const ledger = this.ledgerOf(object);
    if (ledger?.uid !== uid) return;
    for (const { id = '' } of ledger.claims) {
      const owner = this.ownerOf(id);
      if (owner !== undefined && this.resourceOf(owner) === undefined) this.ownership.adopted(id, uid);
    }
  }

  #posted(sent: Sent, name: string): void {
    this.posts.set(sent.number, targetOf(sent));
    if (isOfInstallation(name)) return;
    const asking = this.options.server
      .list('clusters')
      .find((object) => this.ledgerOf(object)?.claims.some((claim) => claim.name === name));
    if (asking !== undefined) this.ownership.asked(name, asking.metadata.uid);
  }

  #settled({ sent, answer, late }: Extract<Happening, { is: 'service settled' }>): void {
    const { method, id, name, operation } = targetOf(sent);
    if (operation === 'execute' && name !== undefined && answer?.end === 'whole')
      this.runs.requests.answered(name, answer.status);
    if (answer === undefined || id === undefined) return;
    if (method === 'GET' && answer.status === 404) this.denied.add(id);
    // What is late surprises its sender, who has long seen how things were after it.
    if (method !== 'GET' && !late) this.#history.effected(id, this.options.now());
  }

  #recorded({ kind, before, after }: Extract<Happening, { is: 'service changed' }>): void {
    const found = after ?? before;
    if (found === undefined || kind === 'images') return;
    const record = named(found);
    const now = this.options.now();
    this.ownership.made(record.id, () => this.ownerOfName(record.name));
    if (kind === 'jobExecutions') this.runs.record(record as JobExecutionRecord);
    this.returns.note(record.id, after !== undefined, now);
    this.#lastName.set(record.id, record.name);
    if (kind !== 'clusters') return;
    this.#history.record(record as ClusterRecord, now);
    if (before === undefined) this.#history.effected(record.id, now);
  }
}

/** The name of a run is its marker. */
function named<Row extends Records[Kind]>(record: Row): Row {
  const name = nameOfRow(record) ?? record.name;
  return name === record.name ? record : { ...record, name };
}

export const isOurs = ({ apiVersion }: Stored): boolean => apiVersion.startsWith(`${group}/`);
export const collectionOf = (kind: Kind): string => routes[kind].path;
