// The contract of a kind: data and pure functions that map a custom resource to the service. The author of a kind reads this file.
import type { Dialect } from '../../wire/dialect.ts';
import type { ServiceError } from '../../wire/errors/errors.ts';
import { type RouteKey, routes } from '../../wire/routes.ts';
import type { SecretKeys } from '../api/credentials.ts';
import type { AnyDefinition, RawResource, Spec } from '../api/definition.ts';
import type { View } from '../client/list/view.ts';
import type { Service } from '../client/service.ts';
import type { Permit } from '../client/throttle/budget.ts';
import type { Baseline, Ledger } from './ledger/ledger.ts';
import type { Runs } from './runs.ts';

export type { Baseline, Ledger, SecretKeys };

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

/** The only side effects of a kind. Each throws ServiceError. */
export interface External<Body, Remote, Change> {
  create(body: Body, call: WriteCall): Promise<Remote>;
  change?(id: string, change: Change, call: WriteCall): Promise<Remote>;
  remove(id: string, call: WriteCall): Promise<void>;
}

/**
 * How an object bears a name that the user has fixed, and that others may have given to theirs: each is started from a template
 * of its own with a generated name, and the template's id in the object proves whose it is.
 */
export interface FixedName<D extends AnyDefinition, Remote> {
  of(spec: Spec<D>): string | undefined;
  readonly privateTemplate: PrivateKind;
  /** Id of the template that the object was started from. */
  startedFrom(remote: Remote): string | undefined;
}

/**
 * named: one object, which lives as long as the resource. content: other content means another object. given: the spec names
 * an existing object, and what we make is its entry in the list; the claim's name is that id. once: each object is a run, which
 * happens at most once for each attempt; the claim's name is its marker.
 */
export type KindIdentity = 'named' | 'content' | 'given' | 'once';

/** What finding, creating and deleting an object of the service takes. */
export interface ObjectKind {
  /** `kind`: the name that people read. */
  readonly definition: { readonly kind: string };
  readonly route: ObjectRoute;
  readonly identity: KindIdentity;
  health(remote: RemoteObject): Health;
  isFailedCreate?(remote: RemoteObject): boolean;
  remedy?(error: ServiceError): string | undefined;
  external(service: Service): External<unknown, RemoteObject, unknown>;
}

/** Objects that those of one resource refer to, and nobody else's: created before these, and deleted after them. Each content has its own. */
export interface PrivateKind extends ObjectKind {
  /** The body of its create; undefined: what it is made of is not read yet. */
  body(spec: Record<string, unknown>, given: MappingContext): unknown;
  /** Why the service can never take this body: a message that names the remedy. */
  invalid?(error: ServiceError, body: unknown): string | undefined;
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

/** The permit for this write, and the signal that the process is ending. */
export interface WriteCall {
  readonly permit: Permit;
  readonly signal: AbortSignal;
}

export interface Kind<D extends AnyDefinition, Body, Remote extends RemoteObject, Diff = never, Change = never> {
  readonly definition: D;
  readonly route: ObjectRoute;
  readonly identity: KindIdentity;
  /** What to do when the object vanishes from the service. */
  readonly onVanished: 'recreate' | 'report';
  /** Steady poll interval in seconds; the Connection's pollSeconds where undefined. */
  readonly pollSeconds?: number;

  /** `name`: of the resource, whose own objects have it, too. */
  references(spec: Spec<D>, name: string): readonly ResourceReference[];
  /** The spec of the object that an owned reference leads to, without what every spec has. */
  owned?(spec: Spec<D>, reference: ResourceReference): object;
  /** Objects of the service that `desired` reads; called once the references are resolved. */
  lookups(spec: Spec<D>, idOf: (reference: ResourceReference) => string): readonly Lookup[];
  /** What the dialect cannot express or CEL cannot check: a message that names the field and the remedy. */
  check(spec: Spec<D>, dialect: Dialect): string | undefined;
  /** The same for what depends on the objects that `lookups` named; called before a create. */
  checkCreate?(spec: Spec<D>, given: MappingContext): string | undefined;
  /** Config maps that cannot change once they were sent, and that CEL cannot compare. */
  readonly fixedConfigs?: {
    /** By path in spec. */
    of(spec: Spec<D>): Readonly<Record<string, unknown>>;
    /** The remedy in `... is immutable; restore it, or <remedy>`. */
    readonly remedy: string;
  };
  /** Content identity: the remote fields that the user set; `hashOf` stands in for a reference. */
  content(spec: Spec<D>, hashOf: (reference: ResourceReference) => string): unknown;
  /** The template that the object copies when it is created. */
  template?(spec: Spec<D>): ResourceReference | undefined;
  /** Undefined: names of this kind are always generated. */
  readonly fixedName?: FixedName<D, Remote>;
  /** Undefined: objects of this kind refer to no private object. */
  readonly privateContent?: PrivateContent<D>;
  /** The fixed name or given id, read from a spec of any shape: deletion must not depend on a spec that parses. */
  statedName?(spec: unknown): string | undefined;
  /** Given identity: the id that the spec names. */
  givenId?(spec: Spec<D>): string;
  /** Length of the longest group name: it limits the cluster's name, because host names contain both. */
  longestGroup?(spec: Spec<D>, given: MappingContext): number;
  /** Content identity: the end of generated names, such as `.py`, of at most 5 characters. Services call a file by the name of its object. */
  nameEnding?(spec: Spec<D>): string | undefined;
  desired(spec: Spec<D>, given: MappingContext): Desired<Body>;
  /** The remedy for a refused create, where the kind knows a better one than "correct the spec". */
  remedy?(error: ServiceError): string | undefined;
  health(remote: Remote): Health;
  /** A row without machines, which a refused create can leave behind: it only occupies the name. */
  isFailedCreate?(remote: Remote): boolean;
  difference(spec: Spec<D>, remote: Remote, known: ComparedWith): Difference<Diff>;
  change?(diff: Diff, given: MappingContext): Change;
  readonly changeWords?: ChangeWords;
  /** After a change: the template revision that each group was made from. */
  madeFrom?(spec: Spec<D>, diff: Diff, ledger: Ledger): Readonly<Record<string, string>>;
  /** The status fields of the kind. Pure; no time stamps. */
  report(remote: Remote, spec: Spec<D> | undefined, ledger: Ledger, name: string): Readonly<Record<string, unknown>>;
  /** Status fields that are known before there is an object, from the spec, its template and the name of the resource. */
  expected?(spec: Spec<D>, template: RawResource | undefined, name: string): Readonly<Record<string, unknown>>;
  readonly referencesIn?: ReferencesIn<Remote>;
  readonly runs?: Runs<D, Remote>;
  external(service: Service): External<Body, Remote, Change>;
}

/** A kind with its types hidden: what a pass works with. */
export type AnyKind = Kind<AnyDefinition, unknown, RemoteObject, unknown, unknown>;

/** Hides the types of a kind. Sound, because a pass hands a kind only what the same kind returned. */
export function register<D extends AnyDefinition, Body, Remote extends RemoteObject, Diff, Change>(
  kind: Kind<D, Body, Remote, Diff, Change>,
): AnyKind {
  return kind as unknown as AnyKind;
}

/** The kind of the private objects that belong to objects of this kind. */
export function privateKindOf({ fixedName, privateContent }: AnyKind): PrivateKind | undefined {
  return fixedName?.privateTemplate ?? privateContent?.kind;
}

export function collectionOf(kind: Pick<ObjectKind, 'route'>): string {
  return routes[kind.route].path;
}

export function remoteKey(route: ObjectRoute, id: string): string {
  return `${route}/${id}`;
}

/** The objects that bear the name of a claim, whoever made them. Where the id is given, the name is the id. */
export function objectsNamed(kind: ObjectKind, view: View<RemoteObject>, name: string): readonly RemoteObject[] {
  if (kind.identity !== 'given') return view.byName(name);
  const row = view.byId(name);
  return row ? [row] : [];
}
