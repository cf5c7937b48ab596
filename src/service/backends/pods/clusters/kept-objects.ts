// What is kept of the objects of a cluster that are listed. PURE.
import type { KubeObject } from '../api/api.ts';
import { keptOf } from '../api/kept.ts';
import { machinesAnnotation } from '../api/names.ts';
import type { ServiceObject } from '../manifests/web-pages.ts';

export interface StatefulSetObject extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly template?: { readonly spec?: unknown } };
}

export interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Enough to know its machines. */
export function keptOfSet(set: StatefulSetObject): StatefulSetObject {
  const { metadata } = keptOf(set);
  const machines = set.metadata.annotations?.[machinesAnnotation];
  const { replicas } = set.spec;
  const annotations = machines === undefined ? {} : { [machinesAnnotation]: machines };
  return { metadata: { ...metadata, annotations }, spec: { ...(replicas !== undefined && { replicas }) } };
}

/** Without the files of its group. */
export const keptOfSecret = ({ metadata, data }: SecretObject): SecretObject => {
  const secret = data?.['secret'];
  return { ...keptOf({ metadata }), data: { ...(secret !== undefined && { secret }) } };
};

/** Where it shows pages. */
export function keptOfService({ metadata, spec, status }: ServiceObject): ServiceObject {
  const { ports } = spec ?? {};
  const { loadBalancer } = status ?? {};
  return {
    ...keptOf({ metadata }),
    spec: { ...(ports && { ports }) },
    status: { ...(loadBalancer && { loadBalancer }) },
  };
}
