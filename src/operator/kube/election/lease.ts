// Reads and writes a Lease of coordination.k8s.io. Writes are compare-and-set.
import { z } from 'zod';
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiCall } from '../../../kube/http/call.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import { collectionPath, objectPath } from '../../../kube/resource.ts';
import { microTime } from '../events/event-body.ts';

/** The spec of a Lease. */
export interface LeaseSpec {
  /** Empty if nobody holds it. */
  readonly holder: string;
  /** How long the holder keeps it after a renewal. The API server stores whole seconds. */
  readonly durationMs: number;
  /** Unix time in ms, like renewedAt. Both are informational; no decision depends on them. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
  readonly transitions: number;
}

export interface Lease extends LeaseSpec {
  /** Changes with every renewal, but not with a change of metadata only. */
  readonly stamp: string;
  readonly object: LeaseObject;
}

export type CallLimits = Pick<ApiCall, 'signal' | 'timeoutMs'>;

export interface LeaseStore {
  /** Undefined if it does not exist. Rejects with ApiError. */
  read(limits: CallLimits): Promise<Lease | undefined>;
  /**
   * Replaces `previous`, or creates the Lease if that is undefined. Rejects with ApiError, of category `conflict` if the Lease was
   * changed, created or deleted in the meantime.
   */
  write(previous: Lease | undefined, next: LeaseSpec, limits: CallLimits): Promise<Lease>;
}

/** The next spec for `holder` at Unix time `now`, who renews or takes over the lease. */
export function claimed(
  previous: Lease | undefined,
  { holder, durationMs, now }: Pick<LeaseSpec, 'holder' | 'durationMs'> & { readonly now: number },
): LeaseSpec {
  if (previous?.holder === holder) return { ...previous, durationMs, renewedAt: now };
  const transitions = previous === undefined ? 0 : previous.transitions + 1;
  return { holder, durationMs, acquiredAt: now, renewedAt: now, transitions };
}

/** The spec of a released lease. The API server requires a duration. */
export function freed(previous: Lease, now: number): LeaseSpec {
  return { holder: '', durationMs: 1_000, acquiredAt: now, renewedAt: now, transitions: previous.transitions };
}

interface LeaseStoreOptions {
  readonly transport: ApiTransport;
  readonly namespace: string;
  readonly name: string;
}

// A Lease may have been edited by hand, so an invalid field counts as unset.
const text = z.string().optional().catch(undefined);
const count = z.number().int().nonnegative().optional().catch(undefined);
const leaseObject = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  spec: z
    .looseObject({
      holderIdentity: text,
      leaseDurationSeconds: count,
      leaseTransitions: count,
      acquireTime: text,
      renewTime: text,
    })
    .default({}),
});
type LeaseObject = z.output<typeof leaseObject>;

const apiVersion = 'coordination.k8s.io/v1';
const leases = { kind: 'Lease', apiVersion, plural: 'leases' } as const;

export function createLeaseStore({ transport, namespace, name }: LeaseStoreOptions): LeaseStore {
  const path = objectPath(leases, { namespace, name });
  return {
    async read(limits) {
      try {
        return leaseOf(await transport.request({ method: 'GET', path, ...limits }));
      } catch (error) {
        if (error instanceof ApiError && error.category === 'gone') return undefined;
        throw error;
      }
    },
    async write(previous, next, limits) {
      const call: Pick<ApiCall, 'method' | 'path' | 'body'> =
        previous === undefined
          ? {
              method: 'POST',
              path: collectionPath(leases, namespace),
              body: { apiVersion, kind: 'Lease', metadata: { namespace, name }, spec: specOf(next) },
            }
          : {
              method: 'PUT',
              path,
              body: { ...previous.object, spec: { ...previous.object.spec, ...specOf(next) } },
            };
      return leaseOf(await transport.request({ ...call, ...limits }));
    },
  };
}

function specOf({ holder, durationMs, acquiredAt, renewedAt, transitions }: LeaseSpec) {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime: microTime(acquiredAt),
    renewTime: microTime(renewedAt),
    leaseTransitions: transitions,
  };
}

function leaseOf(answer: unknown): Lease {
  const parsed = leaseObject.safeParse(answer);
  if (!parsed.success) throw new ApiError('unreachable', 'cannot read the Lease: the answer is not a Lease');
  const { spec } = parsed.data;
  return {
    holder: spec.holderIdentity ?? '',
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1_000,
    acquiredAt: timeOf(spec.acquireTime),
    renewedAt: timeOf(spec.renewTime),
    transitions: spec.leaseTransitions ?? 0,
    stamp: JSON.stringify(spec),
    object: parsed.data,
  };
}

function timeOf(text = ''): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
}
