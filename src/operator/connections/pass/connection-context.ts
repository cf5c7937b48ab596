// What a pass over a Connection works with.
import type { Clock } from '../../../lib/ports.ts';
import type { Plugin } from '../../../wire/plugin.ts';
import type { RawResource } from '../../api/definition.ts';
import { canonicalJson } from '../../reconcile/ledger/naming.ts';
import type { MassDeletion } from '../../reconcile/lists/mass-deletion.ts';
import type { ObjectCount } from '../../reconcile/lists/object-count.ts';
import type { EventSink, Key, ResourceStore } from '../../reconcile/pass-ports.ts';
import { secretKeys } from './connection-settings.ts';
import type { Registry } from './service-registry.ts';

export interface ConnectionPorts {
  readonly store: ResourceStore;
  readonly registry: Registry;
  readonly events: EventSink;
  readonly clock: Clock;
  /** What this installation has in the service; undefined until every collection was listed. */
  objectCount(key: Key): ObjectCount | undefined;
  /** What vanished from the service at once and was not confirmed. */
  massDeletion(key: Key): Promise<MassDeletion | undefined>;
  /** Resources with something in the service, for which they need this Connection. */
  users(key: Key): readonly RawResource[];
}

/** The last successful check of the service. */
export interface CheckedConnection {
  /** Monotonic ms. */
  readonly at: number;
  /** Fingerprint of the Connection's settings that it used. */
  readonly of: string;
  readonly plugins: readonly Plugin[];
  /** The volume of the service was full. */
  readonly isFull: boolean;
}

/** What this process knows of a Connection; losing it costs one request. */
export interface ConnectionMemory {
  readonly uid: string;
  checked?: CheckedConnection;
  /** The last count, as status has it: it is corrected where somebody wrote another one. */
  counted?: { readonly at: number; readonly count: Count };
  /** Monotonic ms since when credentials are missing. */
  missingSince?: number | undefined;
  missed?: { readonly count: number; readonly since: number };
}

export interface Context {
  readonly ports: ConnectionPorts;
  readonly key: Key;
  readonly resource: RawResource;
  readonly memory: ConnectionMemory;
  readonly signal: AbortSignal;
}

/** The Secrets that the Connection refers to, as far as they exist. */
export function secretsOf({ store }: ConnectionPorts, resource: RawResource): readonly RawResource[] {
  return secretKeys(resource).flatMap((key) => store.read(key) ?? []);
}

/** A new generation, or new content of a Secret, causes a new check. */
export function connectionFingerprint({ ports, resource }: Context): string {
  return [
    resource.metadata.generation,
    ...secretsOf(ports, resource).map((secret) => secret.metadata.uid + canonicalJson(secret.data)),
  ].join();
}

export interface Count {
  readonly managedCount: number;
  readonly unclaimedCount: number;
  readonly unclaimed?: ObjectCount['unclaimed'];
}

const unclaimedShown = 50;

export function countOf({ managed, unclaimed }: ObjectCount): Count {
  const shown = unclaimed.slice(0, unclaimedShown);
  return { managedCount: managed, unclaimedCount: unclaimed.length, ...(shown.length > 0 ? { unclaimed: shown } : {}) };
}
