// Which cell a request belongs to, by its path and body.
import type { Write } from './points.ts';

/** The names of all objects begin with that of their cell, and of events with that of their object; a lease is in a namespace of the cell. */
export function kubernetesCell({ path, body }: Write): string {
  const [, namespace = '', plural = '', name] = /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  if (plural === 'leases') return namespace.split('-').at(-1) ?? '';
  const { regarding, metadata } = (body ?? {}) as {
    readonly regarding?: { readonly name?: string };
    readonly metadata?: { readonly name?: string };
  };
  // What is made has its name in the body; the name of an event is generated.
  return (name ?? regarding?.name ?? metadata?.name ?? '').split('-')[0] ?? '';
}

/** Each cell is a tenant. */
export const serviceCell = ({ path }: Write): string => path.split('/')[2] ?? '';
