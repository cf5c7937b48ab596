// The answer of /api/objects: what the page shows. Types only, because the page has them as well.

/**
 * Stalled: needs a change by a user, or its deadline has passed. Waiting: `blockedOn` names what for. Failed and Succeeded: a run that is
 * over. In the order in which they need attention.
 */
export type WebState = 'Stalled' | 'Waiting' | 'Progressing' | 'Failed' | 'Suspended' | 'Ready' | 'Succeeded';

export interface WebBlocker {
  readonly kind: string;
  /** As the status names it: `etl`, or `team-a/etl` in another namespace. */
  readonly name: string;
  /** Where it is, if it is of a kind of the operator. */
  readonly object?: WebName;
  readonly reason: string;
  readonly message: string;
}

export interface WebCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

export interface WebName {
  readonly kind: string;
  readonly resource: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

export interface WebObject extends WebName {
  readonly state: WebState;
  /** Of the condition that explains the state. */
  readonly reason: string;
  readonly message: string;
  /** When the state began, if it is known. */
  readonly since?: string;
  readonly created: string;
  readonly deleting: boolean;
  /** The columns of `kubectl get` that have a value, besides those above. */
  readonly columns: readonly { readonly name: string; readonly value: string }[];
  /** Addresses that the service reports, of http and https only. */
  readonly links: readonly { readonly name: string; readonly url: string }[];
  readonly blockedOn: readonly WebBlocker[];
  /** Only if the question names the object. */
  readonly conditions?: readonly WebCondition[];
  /** What waits for the object. Only if the question names it. */
  readonly blocks?: readonly WebName[];
}

export interface WebKind {
  readonly kind: string;
  readonly resource: string;
  /** How many objects the user may see, by state. */
  readonly states: Readonly<Partial<Record<WebState, number>>>;
}

export interface WebAnswer {
  /** The replica that answers. All replicas have the same objects; only one leads. */
  readonly replica: { readonly name: string; readonly leading: boolean };
  /** The name of the user in Kubernetes. */
  readonly user: string;
  /** Why the answer may be incomplete or old. */
  readonly notes: readonly string[];
  /** All kinds of which the user may list objects. */
  readonly kinds: readonly WebKind[];
  /** The namespaces of these objects. */
  readonly namespaces: readonly string[];
  /** Those that need attention first. */
  readonly objects: readonly WebObject[];
  /** How many more objects there are for the question. */
  readonly more: number;
}
