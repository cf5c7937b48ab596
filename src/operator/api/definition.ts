// The definition of a kind, and an object as the API server returns it.
import type { z } from 'zod';
import type { Rule } from './keywords.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
  readonly description?: string;
}

export interface Definition<S extends z.ZodObject = z.ZodObject, T extends z.ZodObject = z.ZodObject> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
  readonly description: string;
  readonly spec: S;
  readonly status: T;
  readonly columns: readonly Column[];
  /** Rules of the whole object, which can access `self.metadata.name`. */
  readonly rules?: readonly Rule[];
}
export type AnyDefinition = Definition;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** A decimal number that grows with every write. */
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Stands for the bytes of a key of a ConfigMap. */
export interface FileDigest {
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** Spec and status are not validated. */
export interface RawResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: unknown;
  /** The type of a Secret, and its data in base64. The data of a ConfigMap is text. */
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  /** Of a ConfigMap, in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Of a ConfigMap in the cache: what is kept of the keys that are used, in place of the data. */
  readonly files?: Readonly<Record<string, FileDigest>>;
  /** Of a ConfigMap that was not read yet: why not, or an empty text if nothing failed. */
  readonly unread?: string;
}

export type Spec<D extends AnyDefinition> = z.output<D['spec']>;
export type Status<D extends AnyDefinition> = z.output<D['status']>;
