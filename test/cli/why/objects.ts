// Objects as the operator leaves them in broken situations, and a plane that has nothing but these.

import { objectNamed } from '../../../src/cli/kind-names.ts';
import type { Observed, ObservedBlocker } from '../../../src/cli/observed.ts';
import { type Explanation, explain } from '../../../src/cli/why/explanation.ts';
import { readSituation } from '../../../src/cli/why/situation.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../src/kube/http/transport.ts';

export const now = Date.parse('2026-11-28T12:00:00Z');
export const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1_000).toISOString();

export interface Given {
  readonly reason: string;
  readonly message: string;
  readonly status?: string;
  readonly stalled?: boolean;
  readonly retrying?: boolean;
  readonly blockedOn?: readonly Partial<ObservedBlocker>[];
  readonly spec?: object;
  readonly more?: object;
  readonly conditions?: readonly object[];
  readonly metadata?: object;
  readonly observedGeneration?: number;
}

const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: at(300),
});

export function object(kind: string, name: string, given: Given): Observed {
  const { reason, message, status = 'False', stalled = false, retrying = false } = given;
  return {
    apiVersion: 'dataprocessing.dev/v1alpha1',
    kind,
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: at(600),
      ...given.metadata,
    },
    spec: { ...given.spec },
    status: {
      observedGeneration: given.observedGeneration ?? 1,
      conditions: [
        condition('Ready', status, reason, message),
        ...(stalled ? [condition('Stalled', 'True', reason, message)] : []),
        ...(retrying ? [condition('Reconciling', 'True', 'ProgressingWithRetry')] : []),
        ...(given.conditions ?? []),
      ],
      ...(given.blockedOn ? { blockedOn: given.blockedOn } : {}),
      ...given.more,
    },
  } as Observed;
}

export const ready = (kind: string, name: string, more: Partial<Given> = {}): Observed =>
  object(kind, name, {
    reason: 'Available',
    message: 'the service has what the spec asks for',
    status: 'True',
    ...more,
  });

export const needs = (kind: string, name: string, message: string, reason = 'DependencyNotReady') => ({
  kind,
  name,
  reason,
  message,
});

/** How the API server refuses to show an object. */
export type Refused = 'forbidden' | 'kindAbsent';

export interface Plane {
  readonly objects?: readonly Observed[];
  /** By `kind/name`, or by `kind` for the list. */
  readonly refused?: Readonly<Record<string, Refused>>;
  /** Seconds since the last renewal; undefined: there is no Lease. */
  readonly renewed?: number;
  readonly leaseRefused?: boolean;
  readonly watched?: string;
  readonly warnings?: readonly object[];
  /** The NetworkPolicy of the operator. */
  readonly policy?: object;
}

const errors = {
  forbidden: () => new ApiError('forbidden', 'forbidden', { status: 403 }),
  kindAbsent: () =>
    new ApiError(
      'unreachable',
      'cannot get: 404 the API server does not serve this kind (is its CustomResourceDefinition installed?)',
      { status: 404 },
    ),
  missing: () => new ApiError('gone', 'not found', { status: 404 }),
};

/** Answers with these objects, and counts what was read. */
export function planeOf(plane: Plane): { readonly transport: PodTransport; readonly reads: readonly string[] } {
  const reads: string[] = [];
  const request = async ({ path }: ApiCall) => {
    reads.push(path);
    if (path.endsWith('/events')) return { kind: 'List', items: plane.warnings ?? [] };
    const parts = path.split('/');
    // What is in no namespace has a shorter path.
    const [plural, name] = parts.slice(parts[4] === 'namespaces' ? 6 : 4);
    const inKind = (plane.objects ?? []).filter(
      ({ kind }) => `${kind.toLowerCase()}s` === plural?.replace(/ies$/, 'ys'),
    );
    const refused = plane.refused?.[name === undefined ? `${plural}` : `${plural}/${name}`];
    if (refused !== undefined) throw errors[refused]();
    if (name === undefined) return { kind: 'List', items: inKind };
    const found = inKind.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw errors.missing();
    return found;
  };
  const open = async ({ path }: ApiCall) => {
    reads.push(path);
    const value = valueAt(plane, path);
    const status = plane.leaseRefused === true ? 403 : value === undefined ? 404 : 200;
    const bytes = (async function* () {
      yield Buffer.from(JSON.stringify(value ?? {}));
    })();
    return { status, date: new Date(now).toUTCString(), bytes };
  };
  return { transport: { request, open, clock: { wall: () => now } } as unknown as PodTransport, reads };
}

function valueAt({ renewed, watched, policy }: Plane, path: string): object | undefined {
  if (path.includes('/networkpolicies/')) return policy;
  if (!path.includes('/namespaces/dataprocessing-system/') || renewed === undefined) return undefined;
  const metadata = { namespace: 'dataprocessing-system' };
  if (path.includes('/leases/'))
    return { metadata, spec: { holderIdentity: 'operator-1', renewTime: at(renewed), leaseDurationSeconds: 15 } };
  const env = watched === undefined ? [] : [{ name: 'DATAPROCESSING_NAMESPACES', value: watched }];
  return { metadata, spec: { replicas: 2, template: { spec: { containers: [{ image: 'x:1', env }] } } }, status: {} };
}

export async function explained(plane: Plane, words: string): Promise<Explanation> {
  const name = objectNamed([words]);
  if (typeof name === 'string') throw new Error(name);
  const { transport } = planeOf(plane);
  return explain(await readSituation(transport, name, { namespace: 'team', operatorNamespace: undefined }));
}
