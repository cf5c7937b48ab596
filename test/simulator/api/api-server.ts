// The simulated API server: objects with versions, two field managers, finalizers, grace periods of pods, and the changes that watches tell.
import { isDeepStrictEqual } from 'node:util';
import { defaultStatus } from '../../../dev/generate/crd.ts';
import type { ApiCall, ApiQuery } from '../../../src/kube/http/call.ts';
import { placeOf } from '../../../src/kube/resource.ts';
import { targetOf } from '../../../src/kube/target.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { applyMetadata, type Metadata, mergePatched, type Owned, type Stored, updated } from './fields.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type Request = Pick<ApiCall, 'method' | 'path' | 'query' | 'body' | 'contentType'>;

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly plural: string;
  readonly object: Stored;
  /** Undefined: the object was not there. */
  readonly before: Stored | undefined;
}

interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface ApiServerOptions {
  /** Wall-clock ms. */
  readonly wall: () => number;
  /** The uid of the object that is made now. */
  readonly uid: (plural: string, name: string) => string;
  /** Runs the garbage collector, in the background. When absent: at once. */
  readonly collect?: (run: () => void) => void;
}

interface Place {
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** Thrown by checks; answered in one place. */
class Refused extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const conflict = (message: string) => new Refused(409, 'Conflict', message);
const otherUid = (uid: string) =>
  new Refused(422, 'Invalid', `metadata.uid: Invalid value: "${uid}": field is immutable`);
const notFound = ({ plural, name }: Place) => new Refused(404, 'NotFound', `${plural} "${name}" not found`);

export function statusAnswer(status: number, reason: string, message: string): Answer {
  return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status } };
}

const ownersOf = ({ metadata }: Stored): readonly string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid);

const kindsWithoutSpec: readonly string[] = ['secrets', 'leases', 'events'];
/** The status of a new object that is not ours. That of other kinds is the default of their schema. */
const firstStatus: Readonly<Record<string, unknown>> = { jobs: {}, pods: { phase: 'Pending' } };
const keptChanges = 5_000;
const firstVersion = 1_000;
const usualGraceSeconds = 30;

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #shelves = new Map<string, Map<string, Owned>>();
  readonly #changes: Change[] = [];
  readonly #listeners: ((change: Change) => void)[] = [];
  #version = firstVersion;
  #forgotten = firstVersion;
  #events = 0;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  get version(): number {
    return this.#version;
  }

  get(plural: string, namespace: string, name: string): Stored | undefined {
    return this.#shelf(plural).get(`${namespace}/${name}`)?.object;
  }

  list(plural: string): readonly Stored[] {
    return [...this.#shelf(plural).values()].map(({ object }) => object);
  }

  /** Called after each change, in order. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Later changes of a collection; undefined where it is no longer known what they were. */
  since(plural: string, version: number): readonly Change[] | undefined {
    if (version < this.#forgotten) return undefined;
    return this.#changes.filter((change) => change.plural === plural && change.version > version);
  }

  /** What was before is forgotten: watches from there have to list. */
  compact(): void {
    this.#forgotten = this.#version;
    this.#changes.length = 0;
  }

  handle(request: Request): Answer {
    try {
      return this.#route(request);
    } catch (error) {
      if (error instanceof Refused) return statusAnswer(error.status, error.reason, error.message);
      throw error;
    }
  }

  #route({ method, path, query = {}, body: sent, contentType = '' }: Request): Answer {
    const { resource, namespace = '', name = '' } = targetOf(path);
    const [plural = '', subresource] = resource.split('/');
    const place: Place = { plural, namespace, name, subresource };
    const body = asSent(sent);
    switch (method) {
      case 'GET':
        return name === '' ? this.#list(place, query) : { status: 200, body: this.#need(place).object };
      case 'POST':
        return { status: 201, body: this.#create(place, body as Stored) };
      case 'PUT':
        return { status: 200, body: this.#replace(place, body as Stored) };
      case 'PATCH':
        return { status: 200, body: this.#patch(place, body as Stored, { query, contentType }) };
      case 'DELETE':
        return { status: 200, body: this.#delete(place, body as DeleteOptions | undefined) };
    }
  }

  #shelf(plural: string): Map<string, Owned> {
    const known = this.#shelves.get(plural);
    if (known !== undefined) return known;
    const shelf = new Map<string, Owned>();
    this.#shelves.set(plural, shelf);
    return shelf;
  }

  #find({ plural, namespace, name }: Place): Owned | undefined {
    return this.#shelf(plural).get(`${namespace}/${name}`);
  }

  #need(place: Place): Owned {
    const found = this.#find(place);
    if (found === undefined) throw notFound(place);
    return found;
  }

  #list({ plural, namespace }: Place, query: ApiQuery): Answer {
    const items = inOrder(this.list(plural))
      .filter((object) => (namespace === '' || object.metadata.namespace === namespace) && selects(query, object))
      .map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
    const version = `${this.#version}`;
    return { status: 200, body: { kind: 'List', metadata: { resourceVersion: version }, items } };
  }

  #create(place: Place, { metadata, status: _status, ...rest }: Stored): Stored {
    const { generateName } = metadata as { generateName?: string };
    this.#events += generateName === undefined ? 0 : 1;
    const name = metadata.name ?? `${generateName}${this.#events}`;
    const at = { ...place, name };
    if (this.#find(at) !== undefined)
      throw new Refused(409, 'AlreadyExists', `${place.plural} "${name}" already exists`);
    const custom = rest.apiVersion === apiVersion || !kindsWithoutSpec.includes(place.plural);
    const object: Stored = {
      ...withData(rest),
      metadata: {
        ...metadata,
        name,
        namespace: place.namespace,
        uid: this.#options.uid(place.plural, name),
        creationTimestamp: this.#time(),
        resourceVersion: '',
        ...(custom && { generation: 1 }),
      },
      ...(custom && {
        status: (rest.apiVersion === apiVersion ? undefined : firstStatus[place.plural]) ?? defaultStatus,
      }),
      ...(place.plural === 'secrets' && { type: rest.type ?? 'Opaque' }),
    };
    const bare = { ...object, metadata: { ...object.metadata, finalizers: [], annotations: {} } };
    const made = updated({ object: bare, owners: {} }, object, 'user');
    const kept = this.#keep(at, undefined, custom ? { ...made, asMade: true } : made);
    for (const uid of ownersOf(object)) if (!this.#isThere(uid)) this.#collect(uid);
    return kept;
  }

  #replace(place: Place, body: Stored): Stored {
    const known = this.#need(place);
    requireVersion(known.object, body.metadata);
    const { generation, uid, creationTimestamp } = known.object.metadata;
    const metadata = { ...body.metadata, uid, creationTimestamp, ...(generation !== undefined && { generation }) };
    return this.#keep(place, known, updated(known, { ...body, metadata }, 'user'));
  }

  #patch(
    place: Place,
    body: Stored,
    { query, contentType }: { readonly query: ApiQuery; readonly contentType: string },
  ): Stored {
    const manager = String(query['fieldManager'] ?? 'user');
    if (contentType === 'application/apply-patch+yaml') return this.#apply(place, body, manager);
    const known = this.#need(place);
    const { uid, resourceVersion } = body.metadata ?? {};
    if (uid !== undefined && uid !== known.object.metadata.uid) throw otherUid(uid);
    if (resourceVersion !== undefined) requireVersion(known.object, body.metadata);
    if (place.subresource === 'status') {
      const status = mergePatched(known.object.status, body.status);
      return this.#keep(place, known, { ...known, object: { ...known.object, status } });
    }
    const { status } = known.object;
    const merged = withData(mergePatched(known.object, body) as Stored);
    const after: Stored = status === undefined ? merged : { ...merged, status };
    forbidNewFinalizers(known.object.metadata, after.metadata);
    return this.#keep(place, known, updated(known, after, manager));
  }

  #apply(place: Place, body: Stored, manager: string): Stored {
    const known = this.#find(place);
    const { uid } = body.metadata;
    if (uid === undefined && place.subresource === undefined)
      throw new Error('the simulated API server does not apply objects that may be new');
    if (known === undefined) {
      if (place.subresource !== undefined) throw notFound(place);
      throw conflict(`uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
    }
    const status = place.subresource === 'status';
    if (!status && uid !== undefined && uid !== known.object.metadata.uid) throw otherUid(uid);
    requireVersion(known.object, body.metadata);
    if (status)
      return this.#keep(place, known, { object: { ...known.object, status: body.status }, owners: known.owners });
    const next = applyMetadata(known, body as unknown as Record<string, unknown>, manager);
    forbidNewFinalizers(known.object.metadata, next.object.metadata);
    return this.#keep(place, known, next);
  }

  #delete(place: Place, options: DeleteOptions = {}): unknown {
    const { preconditions = {}, propagationPolicy } = options;
    const known = this.#need(place);
    const { object, owners } = known;
    const { uid, resourceVersion } = preconditions;
    if (uid !== undefined && uid !== object.metadata.uid)
      throw conflict(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`);
    if (resourceVersion !== undefined) requireVersion(object, { resourceVersion });
    if (propagationPolicy === 'Orphan') this.#orphan(object.metadata.uid);
    const { finalizers = [], deletionTimestamp } = object.metadata;
    const isPod = place.plural === 'pods';
    const graceSeconds = isPod ? graceSecondsOf(object, options) : 0;
    const endsNow = finalizers.length === 0 && graceSeconds === 0;
    if (endsNow && !isPod) return this.#remove(place, object);
    if (deletionTimestamp !== undefined && !endsNow) return object;
    const doomed = this.#store(place, { object: this.#doomed(object, graceSeconds), owners }, known);
    // The end of a pod is shown before it is gone, also where it is at once.
    return endsNow ? this.#remove(place, doomed) : doomed;
  }

  #doomed(object: Stored, graceSeconds: number): Stored {
    const { generation, deletionTimestamp } = object.metadata;
    const metadata: Metadata = {
      ...object.metadata,
      deletionTimestamp: deletionTimestamp ?? this.#time(graceSeconds),
      deletionGracePeriodSeconds: graceSeconds,
      ...(generation !== undefined && deletionTimestamp === undefined && { generation: generation + 1 }),
    };
    return { ...object, metadata };
  }

  /** Stores what differs, under a new version; the last finalizer of what is being deleted takes the object along. */
  #keep(place: Place, before: Owned | undefined, after: Owned): Stored {
    const { object } = after;
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
    if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0) {
      this.#remove(place, object);
      return object;
    }
    if (before !== undefined && isDeepStrictEqual(before, after)) return before.object;
    return this.#store(place, after, before);
  }

  #store(place: Place, after: Owned, before: Owned | undefined): Stored {
    const { object } = after;
    const changed = before !== undefined && !isDeepStrictEqual(before.object.spec, object.spec);
    const generation = changed ? (object.metadata.generation ?? 0) + 1 : object.metadata.generation;
    const kept = this.#versioned(object, generation);
    this.#shelf(place.plural).set(`${place.namespace}/${place.name}`, { ...after, object: kept });
    this.#tell(
      { type: before === undefined ? 'ADDED' : 'MODIFIED', object: kept, before: before?.object },
      place.plural,
    );
    return kept;
  }

  #remove(place: Place, object: Stored): Answer['body'] {
    const before = this.#need(place).object;
    this.#shelf(place.plural).delete(`${place.namespace}/${place.name}`);
    this.#tell({ type: 'DELETED', object: this.#versioned(object, object.metadata.generation), before }, place.plural);
    this.#collect(object.metadata.uid);
    return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
  }

  /** As the garbage collector of Kubernetes: what the object owned goes after it. */
  #collect(owner: string): void {
    const { collect = (run) => run() } = this.#options;
    collect(() => {
      for (const [place] of this.#ownedBy(owner)) this.#delete(place);
    });
  }

  /** What the object owns stays when it goes. */
  #orphan(owner: string): void {
    for (const [place, known] of this.#ownedBy(owner)) {
      const { ownerReferences = [], ...metadata } = known.object.metadata;
      const others = ownerReferences.filter(({ uid }) => uid !== owner);
      const left = { ...metadata, ...(others.length > 0 && { ownerReferences: others }) };
      this.#keep(place, known, { ...known, object: { ...known.object, metadata: left } });
    }
  }

  #ownedBy(owner: string): readonly (readonly [Place, Owned])[] {
    const found: [Place, Owned][] = [];
    for (const [plural, shelf] of this.#shelves)
      for (const known of shelf.values()) {
        const { namespace, name } = known.object.metadata;
        if (ownersOf(known.object).includes(owner))
          found.push([{ plural, namespace, name, subresource: undefined }, known]);
      }
    return found;
  }

  #isThere(uid: string): boolean {
    return [...this.#shelves.values()].some((shelf) =>
      [...shelf.values()].some(({ object }) => object.metadata.uid === uid),
    );
  }

  #versioned(object: Stored, generation: number | undefined): Stored {
    this.#version += 1;
    const versioned = { ...object.metadata, resourceVersion: `${this.#version}` };
    return {
      ...object,
      metadata:
        generation === undefined || versioned.generation === undefined ? versioned : { ...versioned, generation },
    };
  }

  #tell(told: Pick<Change, 'type' | 'object' | 'before'>, plural: string): void {
    const change = { ...told, plural, version: this.#version };
    this.#changes.push(change);
    if (this.#changes.length > keptChanges) {
      this.#forgotten = this.#changes[0]?.version ?? 0;
      this.#changes.shift();
    }
    for (const listener of this.#listeners) listener(change);
  }

  #time(laterSeconds = 0): string {
    return `${new Date(this.#options.wall() + laterSeconds * 1000).toISOString().slice(0, 19)}Z`;
  }
}

/** What arrives of a body: a copy, without what JSON does not tell. */
function asSent(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if (Array.isArray(body)) return body.map(asSent);
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) if (value !== undefined) copy[key] = asSent(value);
  return copy;
}

/** As lists have them. */
export const inOrder = (objects: readonly Stored[]): readonly Stored[] =>
  objects.toSorted((one, other) => (placeOf(one.metadata) < placeOf(other.metadata) ? -1 : 1));

const requirement = /^(.*?)(?:(!?=)(.*))?$/;

/** Whether each requirement of a selector holds: `name`, `!name`, `name=value` or `name!=value`. */
function matches(selector: ApiQuery[string], valueOf: (name: string) => string | undefined): boolean {
  const parts = selector === undefined ? [] : String(selector).split(',');
  return parts.every((part) => {
    if (part.startsWith('!')) return valueOf(part.slice(1)) === undefined;
    const [, name = '', operator, value] = requirement.exec(part) ?? [];
    const found = valueOf(name);
    return operator === undefined ? found !== undefined : (found === value) === (operator === '=');
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldOf(object: unknown, path: string): string {
  const found = path.split('.').reduce((at, name) => (at as Fields | undefined)?.[name], object);
  return typeof found === 'string' ? found : '';
}

/** Whether a list or a watch with the selectors of the query shows the object. */
export const selects = ({ labelSelector, fieldSelector }: ApiQuery = {}, object: Stored): boolean =>
  matches(labelSelector, (name) => object.metadata.labels?.[name]) &&
  matches(fieldSelector, (path) => fieldOf(object, path));

/** How long a pod may take to end. One that is on no node, or has ended, goes at once. */
function graceSecondsOf({ spec, status }: Stored, { gracePeriodSeconds }: DeleteOptions): number {
  const { nodeName, terminationGracePeriodSeconds = usualGraceSeconds } = (spec ?? {}) as {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
  };
  const { phase = '' } = (status ?? {}) as { readonly phase?: string };
  if (nodeName === undefined || ['Succeeded', 'Failed'].includes(phase)) return 0;
  return gracePeriodSeconds ?? terminationGracePeriodSeconds;
}

function withData<T extends Partial<Stored>>(object: T): T {
  const { stringData, ...rest } = object as T & { readonly stringData?: Readonly<Record<string, string>> };
  if (stringData === undefined) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  return { ...(rest as unknown as T), data: { ...object.data, ...Object.fromEntries(encoded) } };
}

function requireVersion(known: Stored, sent: Partial<Metadata>): void {
  const { resourceVersion } = sent;
  if (resourceVersion === undefined || resourceVersion === known.metadata.resourceVersion) return;
  throw conflict('the object has been modified; please apply your changes to the latest version and try again');
}

function forbidNewFinalizers(before: Metadata, after: Metadata): void {
  if (before.deletionTimestamp === undefined) return;
  const added = (after.finalizers ?? []).filter((name) => !(before.finalizers ?? []).includes(name));
  if (added.length > 0)
    throw new Refused(
      422,
      'Invalid',
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted',
    );
}
