// What the Connection's pass reads and writes: the settings of a service, and the registry of services. Types only.
import type { Dialect } from '../../../wire/dialect.ts';
import type { ServiceError } from '../../../wire/errors/service-error.ts';
import type { Ceiling } from '../../client/limits.ts';
import type { Service } from '../../client/service-client.ts';
import type { Key } from '../../reconcile/pass-ports.ts';

/** How requests obtain their token. Holds secrets: never logged. */
export type Authentication =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  /** The text of a clouds.yaml, and which cloud of it. */
  | { readonly type: 'keystone'; readonly clouds: string; readonly cloud: string };

/** Everything that a service is reached with. Holds secrets: never logged. */
export interface Settings {
  readonly uid: string;
  readonly endpoint: string;
  readonly formerEndpoints: readonly string[];
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly authentication: Authentication;
  /** PEM. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly timeoutMs: number;
  readonly limits: Ceiling;
  readonly pollSeconds: number;
}

/** As the user set it: what is undefined is left to the log-in. */
export interface LoginRequest extends Omit<Settings, 'endpoint' | 'tenant'> {
  readonly endpoint: string | undefined;
  readonly tenant: string | undefined;
}

/** The result of a log-in. `at`: the address of the identity service. */
export type LogIn =
  | { readonly state: 'in'; readonly settings: Settings }
  /** The file cannot be used. */
  | { readonly state: 'unfit'; readonly message: string }
  | { readonly state: 'failed'; readonly at: string; readonly error: ServiceError }
  /** It leads to another tenant than the wanted one. */
  | { readonly state: 'elsewhere'; readonly at: string; readonly settings: Settings; readonly error: ServiceError };

export interface Judgement {
  readonly mayCreate: boolean;
  readonly message?: string;
  /** The Connection is being deleted, which cannot be undone. */
  readonly leaving?: true;
  /** The last check of the Connection failed; it is repeated until one succeeds. */
  readonly failing?: true;
}

/** Why no call can be made. */
export interface Broken {
  readonly message: string;
  /** For lack of credentials. */
  readonly credentials: boolean;
  /** The identity service has refused them, and no service ever accepted this Connection. */
  readonly refused?: boolean;
}

/** A collection whose list cannot be read. */
export interface Unlisted {
  readonly collection: string;
  readonly why: string;
}

export interface Registry {
  /** Logs in unless there is a good token, and fills in what was left to it. Requests use this log-in from now on. */
  login(key: Key, wanted: LoginRequest): Promise<LogIn>;
  /**
   * The service for these settings: the same one as long as uid, endpoint, tenant and dialect stay the same. `accepted`: it accepted the
   * Connection before, according to status. Throws on a bad endpoint.
   */
  apply(key: Key, settings: Settings, accepted: boolean): Service;
  /** Whether new objects may be made through it, and why not. */
  judge(key: Key, judgement: Judgement): void;
  /** The service answers again: passes that failed need not wait any longer. */
  recovered(key: Key): void;
  /** No call can be made. */
  broken(key: Key, why: Broken): void;
  /** The service cannot be used now, and why. Counts where no service is known yet; a known one stays, and is no longer `broken`. */
  closed(key: Key, message: string, refused: boolean): void;
  /**
   * True once after requests of others began to fail as if the whole service were failing, or succeeded again while the Connection
   * failed.
   */
  suspected(key: Key): boolean;
  /** Lists of the service that could not be read several times in a row, and why. */
  unlisted(key: Key): readonly Unlisted[];
  /** True once, soon after the last of several changes of the objects in the service: count them again. */
  countDue(key: Key): boolean;
  forget(key: Key): void;
}
