// How the simulated API server changes an object: server-side apply of metadata and status, merge patches, and who owns what. PURE.
import type { Metadata as CustomMetadata, RawResource } from '../../../src/operator/api/definition.ts';

/** Leases, events and Secrets have no generation. */
export interface Metadata extends Omit<CustomMetadata, 'generation' | 'creationTimestamp'> {
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionGracePeriodSeconds?: number;
}

export interface Stored extends Omit<RawResource, 'metadata'> {
  readonly metadata: Metadata;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

export function conditionsOf({ status }: Stored): readonly Condition[] {
  return (status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

/** Who set each finalizer and annotation, by `f:name` or `a:key`: managers, with an asterisk where they applied it. */
export type Owners = Readonly<Record<string, readonly string[]>>;

export interface Owned {
  readonly object: Stored;
  readonly owners: Owners;
  /** Kept without the status that its schema gives it: its first write is one even where it changes nothing. */
  readonly asMade?: true;
}

type Fields = Readonly<Record<string, unknown>>;
/** Finalizers and annotations by the key of their owners, with their value. */
type Marks = ReadonlyMap<string, string>;

function marksOf({ finalizers = [], annotations = {} }: Pick<Metadata, 'finalizers' | 'annotations'>): Marks {
  return new Map([
    ...finalizers.map((name) => [`f:${name}`, ''] as const),
    ...Object.entries(annotations).map(([key, value]) => [`a:${key}`, value] as const),
  ]);
}

function withMarks({ finalizers: _finalizers, annotations: _annotations, ...rest }: Metadata, marks: Marks): Metadata {
  const named = (sign: string) => [...marks].filter(([key]) => key.startsWith(sign));
  const finalizers = named('f:').map(([key]) => key.slice(2));
  const annotations = Object.fromEntries(named('a:').map(([key, value]) => [key.slice(2), value]));
  return {
    ...rest,
    ...(finalizers.length > 0 && { finalizers }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

/** Server-side apply by force: what the manager applied before and applies no more goes, unless others own it, too. */
export function applyMetadata({ object, owners }: Owned, body: Fields, manager: string): Owned {
  const applier = `${manager}*`;
  const wanted = marksOf((body['metadata'] ?? {}) as Metadata);
  const marks = new Map(marksOf(object.metadata));
  const next: Record<string, readonly string[]> = {};
  for (const [key, names] of Object.entries(owners)) {
    const others = names.filter((name) => name !== applier);
    if (wanted.has(key) || others.length > 0) next[key] = others;
    else marks.delete(key);
  }
  for (const [key, value] of wanted) {
    const same = marks.get(key) === value;
    marks.set(key, value);
    next[key] = [...(same ? (next[key] ?? []) : []), applier];
  }
  return { object: { ...object, metadata: withMarks(object.metadata, marks) }, owners: next };
}

/** A merge patch or a replacement by somebody: what is new or other belongs to them alone. */
export function updated({ object, owners }: Owned, after: Stored, manager: string): Owned {
  const before = marksOf(object.metadata);
  const next: Record<string, readonly string[]> = {};
  for (const [key, value] of marksOf(after.metadata))
    next[key] = before.get(key) === value ? (owners[key] ?? []) : [manager];
  return { object: { ...after, metadata: withMarks(after.metadata, marksOf(after.metadata)) }, owners: next };
}

/** RFC 7386. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  const merged = base as Record<string, unknown>;
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatched(merged[key], value);
  }
  return merged;
}
