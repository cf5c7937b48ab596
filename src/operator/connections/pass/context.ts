// What a pass over a Connection works with.

import type { Clock } from '../../../lib/ports.ts';
import type { Plugin } from '../../../wire/plugin.ts';
import type { RawResource } from '../../api/definition.ts';
import { canonicalJson } from '../../reconcile/ledger/naming.ts';
import type { MassDeletion } from '../../reconcile/lists/mass-deletion.ts';
import type { ObjectCount } from '../../reconcile/lists/object-count.ts';
import type { EventSink, Key, ResourceStore } from '../../reconcile/ports.ts';
import type { Count } from './count.ts';
import type { Registry } from './registry.ts';
import { secretNames } from './settings.ts';

export interface ConnectionPorts {
  readonly store: ResourceStore;
  readonly registry: Registry;
  readonly events: EventSink;
  readonly clock: Clock;
  /** What this installation has in the service; undefined before every collection was listed. */
  objectCount(key: Key): ObjectCount | undefined;
  /** What is gone from the service at once, and not accepted. */
  massDeletion(namespace: string, name: string): Promise<MassDeletion | undefined>;
  /** Resources with something in the service that they need this Connection for. */
  users(key: Key): readonly RawResource[];
}

/** The last look at the service that went well. */
export interface CheckedConnection {
  /** Monotonic ms. */
  readonly at: number;
  /** The words of the Connection that it was of. */
  readonly of: string;
  readonly plugins: readonly Plugin[];
}

/** What this process knows of a Connection; losing it costs one request. */
export interface ConnectionMemory {
  readonly uid: string;
  checked?: CheckedConnection;
  /** What was counted last, as status has it: put right there where somebody wrote another one. */
  counted?: { readonly at: number; readonly count: Count };
  missed?: { readonly count: number; readonly since: number };
}

export interface Context {
  readonly ports: ConnectionPorts;
  readonly key: Key;
  readonly resource: RawResource;
  readonly memory: ConnectionMemory;
  readonly signal: AbortSignal;
}

/** The Secrets that the Connection refers to, as far as they are there. */
export function secretsOf({ store }: ConnectionPorts, resource: RawResource): readonly RawResource[] {
  const { namespace } = resource.metadata;
  return secretNames(resource.spec).flatMap((name) => store.read({ kind: 'Secret', namespace, name }) ?? []);
}

/** A new generation or new content of a Secret is looked at anew. */
export const connectionFingerprint = ({ ports, resource }: Context): string =>
  [
    resource.metadata.generation,
    ...secretsOf(ports, resource).map((secret) => secret.metadata.uid + canonicalJson(secret.data)),
  ].join();
