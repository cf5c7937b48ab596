// The commands of the plugin with what they were asked for. Types only.
import type { ObjectName } from '../kind-names.ts';
import type { ConnectionName } from '../observed.ts';
import type { Access, Format, LogWish, RunWish } from './cli-flags.ts';
import type { Offer } from './completion.ts';

export type Command =
  | { readonly command: 'print'; readonly text: string }
  | { readonly command: 'complete'; readonly offer: Offer }
  | ({ readonly command: 'logs'; readonly access: Access } & LogWish)
  | ({ readonly command: 'run'; readonly access: Access } & RunWish)
  | ({ readonly command: 'why'; readonly access: Access } & WhyWish)
  | ({ readonly command: 'status'; readonly access: Access } & StatusWish)
  | ({ readonly command: 'plan'; readonly access: Access } & PlanWish)
  | ({ readonly command: 'approve'; readonly access: Access } & ApproveWish)
  | ({ readonly command: 'orphans'; readonly access: Access } & OrphansWish)
  | ({ readonly command: 'import'; readonly access: Access } & ImportWish)
  | ({ readonly command: 'doctor'; readonly access: Access } & DoctorWish);

export interface WhyWish {
  readonly object: ObjectName;
  readonly format: Format;
  readonly operatorNamespace: string | undefined;
}

export interface StatusWish {
  readonly format: Format;
  readonly allNamespaces: boolean;
}

export interface PlanWish {
  /** Undefined: all plans that wait. */
  readonly object: ObjectName | undefined;
  /** What applying these would do, in place of plans that wait; none: the latter. */
  readonly files: readonly string[];
  readonly format: Format;
  readonly allNamespaces: boolean;
}

export interface ApproveWish {
  readonly object: ObjectName;
  readonly format: Format;
  /** Approves without asking. */
  readonly yes: boolean;
  /** Approves only the plan with this hash. */
  readonly hash: string | undefined;
  /** Until the plan is carried out. */
  readonly wait: boolean;
  readonly timeoutMs: number;
}

export interface OrphansWish {
  readonly format: Format;
  readonly connection: ConnectionName;
}

export interface ImportWish extends OrphansWish {
  /** Also what another installation made. */
  readonly all: boolean;
  /** Names or identifiers in the service; none: everything. */
  readonly only: readonly string[];
}

export interface DoctorWish {
  readonly format: Format;
  readonly operatorNamespace: string | undefined;
}
