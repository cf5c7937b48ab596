// Whether an operator runs, as far as its Lease and its Deployment tell.
import type { PodTransport } from '../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../kube/resource.ts';
import { jsonOf } from './bounded-json.ts';

/** Of the Lease and the Deployment, as in deploy/. */
const name = 'dataprocessing-operator';
export const usualNamespace = 'dataprocessing-system';

const leases: ResourceKind = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', plural: 'leases' };
const deployments: ResourceKind = { kind: 'Deployment', apiVersion: 'apps/v1', plural: 'deployments' };
const waitMs = 5_000;

export interface OperatorState {
  /** running: the Lease is renewed. stopped: it is not any more. absent: there is none. unknown: you may not read it. */
  readonly state: 'running' | 'stopped' | 'absent' | 'unknown';
  /** Where the Lease is, or was looked for. */
  readonly namespace: string;
  readonly holder?: string;
  /** In Unix ms, as `now`: the time by the clock of the API server. */
  readonly renewedAt?: number;
  readonly now: number;
  /** The namespaces that the operator watches; undefined: not known. Empty: all. */
  readonly watched?: readonly string[];
  readonly image?: string;
  /** Replicas that are ready, of those that the Deployment asks for. */
  readonly replicas?: { readonly ready: number; readonly wanted: number };
}

interface LeaseFound {
  readonly metadata?: { readonly namespace?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

interface LeasePlace {
  /** Given by the user. */
  readonly operatorNamespace: string | undefined;
  /** Of the objects: an operator for one namespace runs in it. */
  readonly namespace: string;
}

export async function readOperatorState(
  transport: PodTransport,
  { operatorNamespace, namespace: own }: LeasePlace,
): Promise<OperatorState> {
  const places = operatorNamespace === undefined ? [own, usualNamespace] : [operatorNamespace];
  const answers = await Promise.all(places.map((namespace) => ask(transport, objectPath(leases, { namespace, name }))));
  const found = answers.find(({ status }) => status === 200);
  const isGiven = operatorNamespace !== undefined;
  const lease = (found?.value as LeaseFound | undefined) ?? (isGiven ? undefined : await findAnywhere(transport));
  const now = answers.find(({ date }) => date !== undefined)?.date ?? transport.clock.wall();
  const namespace = lease?.metadata?.namespace ?? operatorNamespace ?? usualNamespace;
  if (lease !== undefined)
    return { ...stateOf(lease, namespace, now), ...(await readDeployment(transport, namespace)) };
  return { state: answers.at(-1)?.status === 404 ? 'absent' : 'unknown', namespace, now };
}

async function findAnywhere(transport: PodTransport): Promise<LeaseFound | undefined> {
  const { status, value } = await ask(transport, collectionPath(leases), { fieldSelector: `metadata.name=${name}` });
  return status === 200 ? newest(value) : undefined;
}

function newest(value: unknown): LeaseFound | undefined {
  const { items = [] } = (value ?? {}) as { readonly items?: readonly LeaseFound[] };
  return items.toSorted((one, other) => renewedAt(other) - renewedAt(one))[0];
}

function renewedAt({ spec }: LeaseFound): number {
  return Date.parse(spec?.renewTime ?? '') || 0;
}

/** A Lease that ended without a takeover, and as long again, because clocks differ. */
function stateOf({ spec }: LeaseFound, namespace: string, now: number): OperatorState {
  const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds = 15 } = spec ?? {};
  const at = Date.parse(renewTime);
  const known = { namespace, now, holder, ...(Number.isNaN(at) ? {} : { renewedAt: at }) };
  const isRenewed = holder !== '' && now - at <= 2_000 * leaseDurationSeconds + waitMs;
  return { state: isRenewed ? 'running' : 'stopped', ...known };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } };
}

interface DeploymentFound {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly image?: string;
          readonly args?: readonly string[];
          readonly env?: readonly EnvironmentVariable[];
        }[];
      };
    };
  };
  readonly status?: { readonly readyReplicas?: number };
}

/** Nothing without the right to read it. */
async function readDeployment(transport: PodTransport, namespace: string): Promise<Partial<OperatorState>> {
  const { status, value } = await ask(transport, objectPath(deployments, { namespace, name }));
  if (status !== 200) return {};
  const { spec, status: found } = value as DeploymentFound;
  const [container] = spec?.template?.spec?.containers ?? [];
  const watched = watchedBy(container, namespace);
  return {
    replicas: { ready: found?.readyReplicas ?? 0, wanted: spec?.replicas ?? 1 },
    ...(container?.image === undefined ? {} : { image: container.image }),
    ...(watched === undefined ? {} : { watched }),
  };
}

type Container = NonNullable<
  NonNullable<NonNullable<NonNullable<DeploymentFound['spec']>['template']>['spec']>['containers']
>[number];

/** The flag `--namespaces`, or its variable; undefined if its value is somewhere else. */
function watchedBy(container: Container | undefined, own: string): readonly string[] | undefined {
  if (container === undefined) return undefined;
  const { args = [], env = [] } = container;
  const at = args.findIndex((one) => one === '--namespaces' || one.startsWith('--namespaces='));
  const flag = at < 0 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1]);
  const variable = env.find((one) => one.name === 'DATAPROCESSING_NAMESPACES');
  if (flag === undefined && variable?.valueFrom?.fieldRef?.fieldPath === 'metadata.namespace') return [own];
  if (flag === undefined && variable?.valueFrom !== undefined) return undefined;
  return (flag ?? variable?.value ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
}

/** Whatever goes wrong is status 0: what cannot be read is not known. */
async function ask(transport: PodTransport, path: string, query?: Readonly<Record<string, string>>) {
  try {
    return await jsonOf(await transport.open({ method: 'GET', path, ...(query && { query }), timeoutMs: waitMs }));
  } catch {
    return { status: 0, date: undefined, value: undefined };
  }
}

export function isNotRunning({ state }: OperatorState): boolean {
  return state === 'stopped' || state === 'absent';
}
