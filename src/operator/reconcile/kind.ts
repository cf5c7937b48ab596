// The contract of a kind: data and pure functions that say what a custom resource means to the service. Its author reads this file.

import type { Dialect } from '../../wire/dialect.ts';
import type { ServiceError } from '../../wire/errors/errors.ts';
import { type RouteKey, routes } from '../../wire/routes.ts';
import type { AnyDefinition, RawResource, Spec } from '../api/definition.ts';
import type { View } from '../client/list/view.ts';
import type { Service } from '../client/service.ts';
import type { Permit } from '../client/throttle/budget.ts';
import type { Baseline, Ledger } from './ledger/ledger.ts';

export type { Baseline, Ledger };

/** The routes whose objects have ids and names. */
export type ObjectRoute = Exclude<RouteKey, 'plugins' | 'jobExecutions'>;

/** What every object of the service has. */
export interface RemoteObject {
  readonly id: string;
  readonly name: string;
}

/** One custom resource that another refers to, in the same namespace; `field` is the path in spec. */
export interface ResourceReference {
  readonly field: string;
  readonly kind: string;
  readonly name: string;
  /** Its id alone is not enough: it must be Ready. */
  readonly ready?: true;
}

/** What building a request may ask for. Only resolved references may be asked for; anything else is a bug and throws. */
export interface MappingContext {
  readonly externalName: string;
  readonly dialect: Dialect;
  readonly idOf: (reference: ResourceReference) => string;
  /** Under a fixed name: the private template to start from. */
  readonly privateTemplateId?: string;
  /** The referenced custom resource itself. */
  readonly resourceOf: (reference: ResourceReference) => RawResource;
  /** An object of the service that `lookups` named. */
  readonly remote: (route: ObjectRoute, id: string) => RemoteObject | undefined;
}

/** What the object's state means to us. `message` is the service's own text. */
export type Health =
  | { readonly state: 'ready' | 'busy' | 'deleting'; readonly message?: string }
  | { readonly state: 'failed'; readonly message: string };

/** One field that the object has otherwise than the spec. */
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
  /** Of a resource that stands for such an object. */
  readonly kind: string;
}

/** What differs between the spec and the object, in fields that the user set. */
export type Difference<Diff> =
  | { readonly state: 'none' }
  | {
      readonly state: 'change';
      readonly diff: Diff;
      /**
       * Wanted number of each thing that changes, a group's nodes: tells whether a later try is the same one. Of a given object, the
       * number of the request, where it takes several to get there: a later one is no further try.
       */
      readonly target: Readonly<Record<string, number>>;
      /** References that carrying it out needs. */
      readonly uses: readonly ResourceReference[];
      /** The same, field by field, as text. */
      readonly drift: readonly Drift[];
      /** For people: `worker from 3 to 5`. */
      readonly summary: string;
    }
  /** The service cannot be brought to it: `message` names the field and the remedy. `drift`: all that differs, where something does. */
  | { readonly state: 'unfixable'; readonly message: string; readonly drift: readonly Drift[] };

/** How carrying out a difference is spoken of. */
export interface ChangeWords {
  readonly to: 'scale' | 'update';
  readonly doing: 'scaling' | 'updating';
  /** Of Ready, while a change that the user asked for is carried out. */
  readonly reason: 'Scaling' | 'Provisioning';
  readonly noEffect: 'ScaleHasNoEffect' | 'UpdateHasNoEffect';
}

/** The body of a create, with what must be remembered of it. */
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

/** The only effects of a kind. Each throws ServiceError. */
export interface External<Body, Remote, Change> {
  create(body: Body, call: WriteCall): Promise<Remote>;
  change?(id: string, change: Change, call: WriteCall): Promise<Remote>;
  remove(id: string, call: WriteCall): Promise<void>;
}

/**
 * How an object bears a name that the user has fixed, which others may have given to theirs: each is started from a template of its
 * own, under a generated name, and the template's id in the object proves whose it is.
 */
export interface FixedName<D extends AnyDefinition, Remote> {
  of(spec: Spec<D>): string | undefined;
  readonly privateTemplate: PrivateTemplate;
  /** Id of the template that the object was started from. */
  startedFrom(remote: Remote): string | undefined;
}

/** What it takes to find, create and delete an object of the service, whatever it is made for. */
export interface ObjectKind {
  /** `kind`: for people. */
  readonly definition: { readonly kind: string };
  readonly route: ObjectRoute;
  readonly identity: 'named' | 'content' | 'given';
  health(remote: RemoteObject): Health;
  isFailedCreate?(remote: RemoteObject): boolean;
  remedy?(error: ServiceError): string | undefined;
  external(service: Service): External<unknown, RemoteObject, unknown>;
}

/** Templates that objects of a fixed name are started from: one for each content, and for one resource alone. */
export interface PrivateTemplate extends ObjectKind {
  /** All that the object is made of. */
  body(spec: Record<string, unknown>, given: MappingContext): unknown;
}

/** The send permit that was taken before, and the end of the process. */
export interface WriteCall {
  readonly permit: Permit;
  readonly signal: AbortSignal;
}

export interface Kind<D extends AnyDefinition, Body, Remote extends RemoteObject, Diff = never, Change = never> {
  readonly definition: D;
  readonly route: ObjectRoute;
  /**
   * named: one object that lives as long as the resource. content: another content is another object. given: the spec names
   * an object that is there already, and being in the list is what we make of it; its claim bears the id as its name.
   */
  readonly identity: 'named' | 'content' | 'given';
  /** What to do when it vanishes from the service. */
  readonly onVanished: 'recreate' | 'report';
  /** Steady poll in seconds; a Connection's pollSeconds where undefined. */
  readonly pollSeconds?: number;

  references(spec: Spec<D>): readonly ResourceReference[];
  /** Objects of the service that `desired` reads; asked for once the references are resolved. */
  lookups(spec: Spec<D>, idOf: (reference: ResourceReference) => string): readonly Lookup[];
  /** What the dialect cannot carry or CEL cannot see: a message that names the field and the remedy. */
  check(spec: Spec<D>, dialect: Dialect): string | undefined;
  /** The same, as far as it takes the objects that `lookups` named; asked before a create. */
  checkCreate?(spec: Spec<D>, given: MappingContext): string | undefined;
  /** Config maps that are fixed once sent and that CEL cannot see. */
  readonly fixedConfigs?: {
    /** By path in spec. */
    of(spec: Spec<D>): Readonly<Record<string, unknown>>;
    /** What a changed one asks for: the remedy in `... cannot change: <remedy>`. */
    readonly remedy: string;
  };
  /** Content identity: the remote fields that the user set; a reference enters as `hashOf` it. */
  content(spec: Spec<D>, hashOf: (reference: ResourceReference) => string): unknown;
  /** The template whose content, as it is at the time of the create, the object keeps ever after. */
  template?(spec: Spec<D>): ResourceReference | undefined;
  /** Missing: the names of the kind are always generated. */
  readonly fixedName?: FixedName<D, Remote>;
  /** The fixed name or the given id as the spec has it, read from a spec that may be anything: deletion must not depend on a spec that parses. */
  statedName?(spec: unknown): string | undefined;
  /** Given identity: the id that the spec names. */
  givenId?(spec: Spec<D>): string;
  /** Letters of the longest group name: host names bound the cluster's name with it. */
  longestGroup?(spec: Spec<D>, given: MappingContext): number;
  desired(spec: Spec<D>, given: MappingContext): Desired<Body>;
  /** What a refused create asks of the user, where the kind knows better than that the spec may be wrong. */
  remedy?(error: ServiceError): string | undefined;
  health(remote: Remote): Health;
  /** A row without machines, as a create that the service refuses can leave it: it holds the name and is nothing else. */
  isFailedCreate?(remote: Remote): boolean;
  difference(spec: Spec<D>, remote: Remote, known: ComparedWith): Difference<Diff>;
  change?(diff: Diff, given: MappingContext): Change;
  readonly changeWords?: ChangeWords;
  /** After a change was carried out: what its groups were made from. */
  madeFrom?(spec: Spec<D>, diff: Diff, ledger: Ledger): Readonly<Record<string, string>>;
  /** Status fields of the kind. Pure; no time stamps. */
  report(remote: Remote, spec: Spec<D> | undefined, ledger: Ledger): Readonly<Record<string, unknown>>;
  /** Objects that this one refers to: such an object must not be deleted yet. */
  referencesIn?(remote: Remote): readonly { readonly route: ObjectRoute; readonly id: string }[];
  external(service: Service): External<Body, Remote, Change>;
}

/** A kind whose types are its own business: what a pass works with. */
export type AnyKind = Kind<AnyDefinition, unknown, RemoteObject, unknown, unknown>;

/** Hides the types of a kind. Sound because a pass only hands a kind what the same kind gave out. */
export function register<D extends AnyDefinition, Body, Remote extends RemoteObject, Diff, Change>(
  kind: Kind<D, Body, Remote, Diff, Change>,
): AnyKind {
  return kind as unknown as AnyKind;
}

export function collectionOf(kind: Pick<ObjectKind, 'route'>): string {
  return routes[kind.route].path;
}

export function remoteKey(route: ObjectRoute, id: string): string {
  return `${route}/${id}`;
}

/** The objects that bear the name of a claim, whosever they are; where the id is given, that name is the id. */
export function objectsNamed(kind: ObjectKind, view: View<RemoteObject>, name: string): readonly RemoteObject[] {
  if (kind.identity !== 'given') return view.byName(name);
  const row = view.byId(name);
  return row ? [row] : [];
}
