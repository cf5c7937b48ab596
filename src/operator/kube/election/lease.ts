// A Lease of coordination.k8s.io: read, and written by compare-and-set only.
import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { microTime } from '../events/event-body.ts';
import type { ApiCall } from '../http/call.ts';
import type { ApiTransport } from '../http/transport.ts';
import { collectionPath, objectPath } from '../resource-kind.ts';

/** Who has it, since when and for how long. */
export interface LeaseHolding {
  /** Empty: nobody. */
  readonly holder: string;
  /** How long after its last renewal others leave it alone; the API server keeps whole seconds. */
  readonly durationMs: number;
  /** Wall-clock ms, as the next; both are for people, and nothing is decided by them. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
  /** How often it has changed hands. */
  readonly transitions: number;
}

/** The Lease as it was read or left by a write of ours. */
export interface Lease extends LeaseHolding {
  /** Another text after every renewal, and the same while only labels or the like are changed. */
  readonly stamp: string;
  readonly object: LeaseObject;
}

export type CallLimits = Pick<ApiCall, 'signal' | 'timeoutMs'>;

export interface LeaseStore {
  /** Undefined when there is none. Rejects with ApiError. */
  read(limits: CallLimits): Promise<Lease | undefined>;
  /**
   * Writes over `previous`, or makes the Lease where that is undefined. Rejects with ApiError: `conflict` when somebody else has written,
   * made or deleted it meanwhile.
   */
  write(previous: Lease | undefined, next: LeaseHolding, limits: CallLimits): Promise<Lease>;
}

/** The lease in the hands of `holder`, at wall-clock ms `now`: renewed, or taken from whoever had it before. */
export function claimed(
  previous: Lease | undefined,
  { holder, durationMs, now }: Pick<LeaseHolding, 'holder' | 'durationMs'> & { readonly now: number },
): LeaseHolding {
  if (previous?.holder === holder) return { ...previous, durationMs, renewedAt: now };
  const transitions = previous === undefined ? 0 : previous.transitions + 1;
  return { holder, durationMs, acquiredAt: now, renewedAt: now, transitions };
}

/** The lease in nobody's hands; the API server wants a duration all the same. */
export function freed(previous: Lease, now: number): LeaseHolding {
  return { holder: '', durationMs: 1_000, acquiredAt: now, renewedAt: now, transitions: previous.transitions };
}

export interface LeasePlace {
  readonly transport: ApiTransport;
  readonly namespace: string;
  readonly name: string;
}

// A Lease may be made or changed by hand: what cannot be read counts as not set.
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

export function createLeaseStore({ transport, namespace, name }: LeasePlace): LeaseStore {
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

function specOf({ holder, durationMs, acquiredAt, renewedAt, transitions }: LeaseHolding) {
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
  if (!parsed.success) throw new ApiError('unreachable', 'cannot read the Lease: the answer is none');
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

/** 1970 for what is no time. */
function timeOf(text = ''): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
}
