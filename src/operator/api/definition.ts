// The definition of a kind.
import type { z } from 'zod';
import type { Rule } from './keywords.ts';

export type { FileDigest, Metadata, OwnerReference, RawResource } from '../../kube/resource.ts';

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
  readonly shortName: string;
  /** Cluster: its objects are in no namespace. */
  readonly scope?: 'Cluster';
  readonly description: string;
  readonly spec: S;
  readonly status: T;
  readonly columns: readonly Column[];
  /** Rules of the whole object, which can access `self.metadata.name`. */
  readonly rules?: readonly Rule[];
  /** For `kubectl scale` and autoscalers. */
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath: string;
  };
}
export type AnyDefinition = Definition;

export type Spec<D extends AnyDefinition> = z.output<D['spec']>;
export type Status<D extends AnyDefinition> = z.output<D['status']>;
