// The contracts of kinds: data and pure functions that map a custom resource to the service. The author of a kind reads this file.
import type { Dialect } from '../../../wire/dialect.ts';
import type { ServiceError } from '../../../wire/errors/service-error.ts';
import { type RouteKey, routes } from '../../../wire/routes.ts';
import type { AutoscalingReason } from '../../api/autoscaling.ts';
import type { AnyDefinition, RawResource, Spec } from '../../api/definition.ts';
import type { SecretKeys } from '../../api/secret-references.ts';
import type { View } from '../../client/list/list-view.ts';
import type { Service } from '../../client/service-client.ts';
import type { Permit } from '../../client/throttle/budget.ts';
import type { Baseline, Ledger } from '../ledger/ledger.ts';
import type { RunProgress, RunSettings } from './run-types.ts';

export type { AutoscalingReason, Baseline, Ledger, SecretKeys };

/** Routes whose objects have an id and a name. That of an execution is its marker. */
export type ObjectRoute = Exclude<RouteKey, 'plugins'>;

/** The fields that every object of the service has. */
export interface RemoteObject {
  readonly id: string;
  readonly name: string;
}

/** A reference to another custom resource in the same namespace, or to a Secret of our type; `field` is its path in spec. */
export interface ResourceReference {
  readonly field: string;
  readonly kind: string;
  readonly name: string;
  /** Its id is not enough: the referenced resource must be Ready. */
  readonly ready?: true;
  /** The field is immutable: to correct it, the resource has to be deleted and applied again. */
  readonly fixed?: true;
  /** The operator creates it for the resource, which controls it, with the name of the resource. */
  readonly owned?: true;
  /** Of a Secret: what is read of it. Without it, nothing is. */
  readonly keys?: SecretKeys;
  /** Of a ConfigMap or Secret: the key whose bytes are a file. */
  readonly file?: string;
}

/** What building a request may ask for. Asking for an unresolved reference is a bug and throws. */
export interface MappingContext {
  /** Of the custom resource. */
  readonly name: string;
  readonly externalName: string;
  readonly dialect: Dialect;
  readonly idOf: (reference: ResourceReference) => string;
  /** The same of every revision that is left of it: older objects refer to the former ones. */
  readonly idsOf: (reference: ResourceReference) => readonly string[];
  /** The private object that the object refers to. */
  readonly privateId?: string;
  /** The referenced custom resource. */
  readonly resourceOf: (reference: ResourceReference) => RawResource;
  /** The values of a referenced Secret, by key. */
  readonly secretOf: (reference: ResourceReference) => Readonly<Record<string, string>>;
  /** The bytes of a key of a referenced ConfigMap or Secret; undefined: they are not read yet. */
  readonly fileOf: (reference: ResourceReference) => Buffer | undefined;
  /** An object of the service that `lookups` named. */
  readonly remote: (route: ObjectRoute, id: string) => RemoteObject | undefined;
}

/** What the state of an object means. `message` is the service's own text. `acceptsChange`: a newer change replaces the one that the service is at work on. */
export type Health =
  | { readonly state: 'ready' | 'deleting'; readonly message?: string }
  | { readonly state: 'busy'; readonly message?: string; readonly acceptsChange?: true }
  | { readonly state: 'failed'; readonly message: string };

/** One field in which the object differs from the spec. */
export interface Drift {
  readonly path: string;
  readonly want: string;
  readonly have: string;
  readonly fixable: boolean;
}

/** An object of the service that a create reads, and the field of the spec that names it. */
export interface Lookup {
  readonly route: ObjectRoute;
  readonly id: string;
  readonly field: string;
  /** The kind of resource that represents such an object. */
  readonly kind: string;
}

/** What one request changes, and whether it takes something away. */
export interface NextRequest {
  readonly changes: readonly Drift[];
  readonly removes: boolean;
  /** For people: `tags from [a, b] to [a]`. */
  readonly summary: string;
}

/** What differs between spec and object, among the fields that the user set. */
export type Difference<Diff> =
  | { readonly state: 'none' }
  | {
      readonly state: 'change';
      readonly diff: Diff;
      /**
       * Wanted number of each thing that changes, such as the nodes of a group: two tries with one target are tries of one change. For a
       * given object, which can take several requests, the number of the request.
       */
      readonly target: Readonly<Record<string, number>>;
      /** References that the change needs. */
      readonly uses: readonly ResourceReference[];
      /** The differences, field by field. */
      readonly drift: readonly Drift[];
      /** For people: `worker from 3 to 5`. */
      readonly summary: string;
      /** Any of the requests takes away what no number shows. */
      readonly removes?: boolean;
      /** The next request, where it takes several to put all of that right, or takes away what no number shows. */
      readonly next?: NextRequest;
    }
  /** The service cannot be made to match: `message` names the field and the remedy. `drift`: the fields that differ. */
  | { readonly state: 'unfixable'; readonly message: string; readonly drift: readonly Drift[] };

/** The words for a change of this kind. */
export interface ChangeWords {
  readonly to: 'scale' | 'update';
  readonly doing: 'scaling' | 'updating';
  /** The reason of Ready while a change that the user asked for is carried out. */
  readonly reason: 'Scaling' | 'Provisioning';
  readonly noEffect: 'ScaleHasNoEffect' | 'UpdateHasNoEffect';
}

/** The body of a create, and what the ledger must remember of it. */
export interface Desired<Body> {
  readonly body: Body;
  readonly baseline?: Baseline;
  readonly madeFrom?: Readonly<Record<string, string>>;
}

/** What a comparison may use besides spec and object. */
export interface ComparedWith {
  readonly ledger: Ledger;
  readonly dialect: Dialect;
}

/** What finding, creating and deleting an object of the service takes. */
export type ObjectKind = Kind | PrivateKind;

/** Objects that those of one resource refer to, and nobody else's: created before these, and deleted after them. Each content has its own. */
export interface PrivateKind {
  readonly identity: 'private';
  /** `kind`: the name that people read. */
  readonly definition: { readonly kind: string };
  readonly route: ObjectRoute;
  /** The body of its create; undefined: what it is made of is not read yet. */
  body(spec: Record<string, unknown>, given: MappingContext): unknown;
  remedy(error: ServiceError): string | undefined;
  /** Why the service can never take this body: a message that names the remedy. */
  invalid(error: ServiceError, body: unknown): string | undefined;
  health(remote: RemoteObject): Health;
  /** As that of a kind. */
  create(service: Service, body: unknown, permit: Permit): Promise<RemoteObject>;
}

/** Content identity: each revision refers to a private object of its own. */
export interface PrivateContent<D extends AnyDefinition> {
  readonly kind: PrivateKind;
  /** The field of the spec that asks for one; undefined: this spec needs none. */
  field(spec: Spec<D>): string | undefined;
}

/** Objects that an object of the service refers to: they must not be deleted yet. */
export interface ReferencesIn<Remote> {
  /** Where they can be. The users of an object that is elsewhere are looked up without a list of this kind, which not every service has. */
  readonly routes: readonly ObjectRoute[];
  of(remote: Remote): readonly { readonly route: ObjectRoute; readonly id: string }[];
}

export const noReferences: ReferencesIn<RemoteObject> = { routes: [], of: () => [] };

/** What all kinds have. */
interface CommonKind<D extends AnyDefinition, Body, Remote> {
  readonly definition: D;
  readonly route: ObjectRoute;
  /** `name`: of the resource, whose own objects have it, too. */
  references(spec: Spec<D>, name: string): readonly ResourceReference[];
  readonly referencesIn: ReferencesIn<Remote>;
  /** What the dialect cannot express or CEL cannot check: a message that names the field and the remedy. */
  check(spec: Spec<D>, dialect: Dialect): string | undefined;
  desired(spec: Spec<D>, given: MappingContext): Desired<Body>;
  /** The remedy for a refused create, where the kind knows a better one than "correct the spec". `another`: how another run is made, if not by hand. */
  remedy(error: ServiceError, another?: string): string | undefined;
  health(remote: Remote): Health;
  /** The status fields of the kind. Pure; no time stamps. */
  report(remote: Remote, spec: Spec<D> | undefined, ledger: Ledger, name: string): Readonly<Record<string, unknown>>;
  /** Has an effect, and throws ServiceError. Objects of all kinds are deleted by their route. */
  create(service: Service, body: Body, permit: Permit): Promise<Remote>;
}

/** The part of a kind whose objects change. */
interface ChangingKind<D extends AnyDefinition, Body, Remote, Diff, Change> extends CommonKind<D, Body, Remote> {
  difference(spec: Spec<D>, remote: Remote, known: ComparedWith): Difference<Diff>;
  change(diff: Diff, given: MappingContext): Change;
  readonly changeWords: ChangeWords;
  /** The fixed name or given id, read from a spec of any shape: deletion must not depend on a spec that parses. */
  statedName(spec: unknown): string | undefined;
  /** The same for a change. */
  sendChange(service: Service, id: string, change: Change, permit: Permit): Promise<Remote>;
}

/** Within which an autoscaled count stays. */
export interface AutoscalingBounds {
  readonly minCount: number;
  readonly maxCount: number;
  readonly scaleDownAfterMs: number;
}

/** The count of a part that another resource owns, and the name of that resource. */
export interface OwnedCount {
  readonly name: string;
  readonly count: number;
  /** It is autoscaled. The count of its owner is only what it begins with. */
  readonly bounds?: AutoscalingBounds;
  /** Its owner is being deleted: the count stays as it is. */
  readonly isLeaving?: true;
  /** What autoscaling found, once the service was observed. */
  readonly decision?: { readonly reason: AutoscalingReason; readonly wanted?: number };
}

/** By part. */
export type OwnedCounts = ReadonlyMap<string, OwnedCount>;

/** What is remembered of the load of a part. Times are monotonic. */
export interface AutoscalingMemory {
  readonly owner: string;
  /** The time that the load bears, and when it was first seen with that. */
  readonly observedAt: string | undefined;
  readonly seenAt: number;
  /** Work that waits has no place on its nodes. */
  readonly isUnfit: boolean;
  /** Its work has filled less than `asked` since then, and did when it was last seen. */
  readonly less: { readonly asked: number; readonly since: number; readonly seenAt: number } | undefined;
}

/** What autoscaling decides with. `remote`: undefined until it was observed. */
export interface AutoscalingSeen<Remote> {
  readonly remote: Remote | undefined;
  /** Undefined: no object is recorded. */
  readonly ledger: Ledger | undefined;
  /** The counts that the status reports, by part. */
  readonly reported: ReadonlyMap<string, number>;
  /** The interval at which the load is read. */
  readonly pollMs: number;
  /** That at which the service is polled otherwise. */
  readonly steadyMs: number;
  readonly now: { readonly wall: number; readonly monotonic: number };
  readonly memory: Map<string, AutoscalingMemory>;
}

/** When an object expires. The first deadline counts. */
export interface LifecycleSettings {
  /** So long without use. */
  readonly idleMs?: number;
  /** So long after it first became Ready. */
  readonly ageMs?: number;
  /** At this time, wall-clock ms. */
  readonly endsAt?: number;
  /** The resource stays without its object. */
  readonly releases: boolean;
}

/** What the service reports of the work on an object. */
export interface ReportedWork {
  /** When that was observed there, ISO 8601, by the clock of the service. */
  readonly observedAt: string;
  /** Something runs, or waits. */
  readonly isBusy: boolean;
}

/** One object, which lives as long as the resource. If it vanishes from the service, that is reported: what it held is lost. */
export interface NamedKind<
  D extends AnyDefinition = AnyDefinition,
  Body = unknown,
  Remote extends RemoteObject = RemoteObject,
  Diff = unknown,
  Change = unknown,
> extends ChangingKind<D, Body, Remote, Diff, Change> {
  readonly identity: 'named';
  /** Objects of the service that `desired` reads; called once the references are resolved. */
  lookups(spec: Spec<D>, idOf: (reference: ResourceReference) => string): readonly Lookup[];
  /** The same as `check` for what depends on the objects that `lookups` named; called before a create. */
  checkCreate(spec: Spec<D>, given: MappingContext): string | undefined;
  /** Config maps that cannot change once they were sent, and that CEL cannot compare. */
  readonly fixedConfigs: {
    /** By path in spec. */
    of(spec: Spec<D>): Readonly<Record<string, unknown>>;
    /** The remedy in `... is immutable; restore it, or <remedy>`. */
    readonly remedy: string;
  };
  /** The template that the object copies when it is created. */
  template(spec: Spec<D>): ResourceReference | undefined;
  /** Length of the longest group name: it limits the cluster's name, because host names contain both. */
  longestGroup(spec: Spec<D>, given: MappingContext): number;
  readonly fixedName: FixedName<D, Remote>;
  /** What other resources own of the spec. */
  readonly counts: {
    /** The spec with these counts in place of its own. */
    of(spec: Spec<D>, owned: OwnedCounts): Spec<D>;
    /** The counts that the status reports, by part. */
    reported(status: unknown): ReadonlyMap<string, number>;
    /** The counts that the spec asks for, by part; undefined: it cannot be carried out. */
    wanted(spec: Spec<D>, ledger: Ledger): ReadonlyMap<string, number> | undefined;
    /** Nodes that the object has, wants or was told to have, whichever is most for each part. */
    nodes(spec: Spec<D> | undefined, ledger: Ledger, status: unknown): number;
    /** Decides those that are autoscaled. */
    autoscaled(owned: OwnedCounts, seen: AutoscalingSeen<Remote>): OwnedCounts;
    /** An owner has changed its count since this status was written: what differs now is no drift. */
    isNew(spec: Spec<D>, status: unknown): boolean;
  };
  readonly lifecycle: {
    /** Undefined: it stays until somebody deletes it. */
    of(spec: Spec<D>): LifecycleSettings | undefined;
    /** Undefined: the service reports none. */
    work(remote: Remote): ReportedWork | undefined;
  };
  /** How an existing object is taken over. */
  readonly adoption: {
    /** What the spec asks for and no change can set, in the words of the interface. */
    fixed(spec: Spec<D>, remote: Remote, given: MappingContext): Readonly<Record<string, unknown>>;
    /** What the ledger remembers in place of what a create would have sent. */
    made(
      spec: Spec<D>,
      remote: Remote,
    ): { readonly baseline: Baseline; readonly madeFrom: Readonly<Record<string, string>> };
  };
  /** A row without machines, which a refused create can leave behind: it only occupies the name. */
  isFailedCreate(remote: Remote): boolean;
  /** After a change: the template revision that each group was made from. */
  madeFrom(spec: Spec<D>, diff: Diff, ledger: Ledger): Readonly<Record<string, string>>;
  /** Status fields that are known before there is an object, from the spec and its template. */
  expected(spec: Spec<D>, template: RawResource | undefined): Readonly<Record<string, unknown>>;
}

/**
 * How an object bears a name that the user has fixed, and that others may have given to theirs: each is started from a template
 * of its own with a generated name, and the template's id in the object proves whose it is.
 */
export interface FixedName<D extends AnyDefinition, Remote> {
  /** Undefined: this spec fixes none, and a name is generated. */
  of(spec: Spec<D>): string | undefined;
  readonly privateTemplate: PrivateKind;
  /** Id of the template that the object was started from. */
  startedFrom(remote: Remote): string | undefined;
}

/** Objects that never change: other content means another object. One that vanishes from the service is created again. */
export interface ContentKind<
  D extends AnyDefinition = AnyDefinition,
  Body = unknown,
  Remote extends RemoteObject = RemoteObject,
> extends CommonKind<D, Body, Remote> {
  readonly identity: 'content';
  /** The remote fields that the user set; `hashOf` stands in for a reference. */
  content(spec: Spec<D>, hashOf: (reference: ResourceReference) => string): unknown;
  /** The end of generated names, such as `.py`, of at most 5 characters. Services call a file by the name of its object. */
  nameEnding(spec: Spec<D>): string | undefined;
  /** Undefined: objects of this kind refer to no private object. */
  readonly privateContent: PrivateContent<D> | undefined;
}

/**
 * The spec names an existing object, and what is made is its entry in the list; the claim's name is that id. An entry that vanishes is
 * made again.
 */
export interface GivenKind<
  D extends AnyDefinition = AnyDefinition,
  Body = unknown,
  Remote extends RemoteObject = RemoteObject,
  Diff = unknown,
  Change = unknown,
> extends ChangingKind<D, Body, Remote, Diff, Change> {
  readonly identity: 'given';
  /** The id that the spec names. */
  givenId(spec: Spec<D>): string;
}

/**
 * Each object is a run, which happens at most once for each attempt; the claim's name is its marker. One that vanishes before its end was
 * seen is reported. The only change is to cancel it.
 */
export interface RunKind<
  D extends AnyDefinition = AnyDefinition,
  Body = unknown,
  Remote extends RemoteObject = RemoteObject,
> extends CommonKind<D, Body, Remote> {
  readonly identity: 'once';
  /** What depends on the referenced resources; called before a create. As `check`. */
  checkCreate(spec: Spec<D>, given: MappingContext): string | undefined;
  /** The spec of the object that an owned reference leads to, without what every spec has. */
  owned(spec: Spec<D>, reference: ResourceReference): object;
  progress(remote: Remote): RunProgress;
  settings(spec: Spec<D>): RunSettings;
  /** Status fields that are known before there is a run, from the spec and the name of the resource. */
  expected(spec: Spec<D>, name: string): Readonly<Record<string, unknown>>;
  /** Cancels the run. Has an effect, and throws ServiceError. */
  sendChange(service: Service, id: string, change: unknown, permit: Permit): Promise<Remote>;
}

/**
 * The contract of a kind, by how a resource relates to its object. Without type arguments, the types are hidden: a pass hands a kind only
 * what the same kind returned. An author writes `const kind: NamedKind = { ... } satisfies NamedKind<...>`.
 */
export type Kind = NamedKind | ContentKind | GivenKind | RunKind;

/** The steady poll interval of objects that do not change by themselves, in seconds; undefined: that of the Connection. */
export function pollSecondsOf({ identity }: Kind): number | undefined {
  return identity === 'content' || identity === 'given' ? 120 : undefined;
}

/** What each revision refers to; undefined: the objects of this kind refer to no private object of their own. */
export function privateContentOf(kind: Kind): PrivateContent<AnyDefinition> | undefined {
  return kind.identity === 'content' ? kind.privateContent : undefined;
}

/** The kind of the private objects that belong to objects of this kind. */
export function privateKindOf(kind: Kind): PrivateKind | undefined {
  return kind.identity === 'named' ? kind.fixedName.privateTemplate : privateContentOf(kind)?.kind;
}

export function collectionOf(kind: Pick<ObjectKind, 'route'>): string {
  return routes[kind.route].path;
}

export function remoteKey(route: ObjectRoute, id: string): string {
  return `${route}/${id}`;
}

/** All objects with the name of a claim, whoever created them. Where the id is given, the name is the id. */
export function objectsNamed(kind: ObjectKind, view: View<RemoteObject>, name: string): readonly RemoteObject[] {
  if (kind.identity !== 'given') return view.byName(name);
  const row = view.byId(name);
  return row ? [row] : [];
}
