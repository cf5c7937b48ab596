// A small stand-in for the API server, and a provisioner that makes clusters there.
import { onTestFinished } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import type { KubeApi, KubeObject, Made, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import { PodProvisioner, type PodsOptions } from '../../../../../src/service/backends/pods/clusters/pod-provisioner.ts';
import type { ClusterOrder } from '../../../../../src/service/backends/provisioner.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { polledObjects } from './polled-objects.ts';
import { settingOf, sparkCluster } from './scene.ts';

export interface StatefulSet extends Made {
  readonly spec: {
    readonly replicas: number;
    readonly updateStrategy: object;
    readonly template: object;
    readonly volumeClaimTemplates: readonly object[];
  };
}

const changeable = ['replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy'];

/** The API server lets nobody change anything else in a StatefulSet. */
function checkFixed(before: Made | undefined, after: Made): void {
  if (before === undefined || after.kind !== 'StatefulSet') return;
  const [one, other] = [before, after].map(({ spec }) =>
    JSON.stringify(Object.entries(spec as object).filter(([field]) => !changeable.includes(field))),
  );
  if (one !== other) throw new ApiError('invalid', 'spec: Forbidden', { status: 422 });
}

/** Pods of the first machine of each group are ready at once. All others never come. */
export class StandIn {
  readonly objects = new Map<string, Made>();
  readonly removed: string[] = [];
  /** Why a webhook refuses a change. Undefined if none does. */
  refuses: (before: Made, after: Made) => string | undefined = () => undefined;
  /** The kinds that were on record, by namespace. */
  readonly recalled = new Map<string, readonly string[]>();
  readonly #generations = new Map<string, number>();

  recall(namespace: string, kinds: readonly ObjectKind[]): void {
    this.recalled.set(
      namespace,
      kinds.map(({ kind }) => kind),
    );
  }

  async get(kind: ObjectKind, _namespace: string, name: string) {
    return this.objects.get(`${kind.kind} ${name}`);
  }

  async create(kind: ObjectKind, object: Made) {
    const data = Object.entries((object['stringData'] ?? {}) as Record<string, string>);
    const encoded = Object.fromEntries(data.map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
    this.objects.set(`${kind.kind} ${object.metadata.name}`, { ...object, data: encoded });
    return true;
  }

  async apply(kind: ObjectKind, object: Made) {
    const name = `${kind.kind} ${object.metadata.name}`;
    const before = this.objects.get(name);
    checkFixed(before, object);
    const why = before && this.refuses(before, object);
    if (why !== undefined)
      throw new ApiError('forbidden', `403 admission webhook "w" denied the request: ${why}`, { status: 403 });
    const changed = before !== undefined && JSON.stringify(before['spec']) !== JSON.stringify(object['spec']);
    this.#generations.set(name, (this.#generations.get(name) ?? 1) + (changed ? 1 : 0));
    this.objects.set(name, object);
    return { ...object, metadata: { ...object.metadata, generation: this.#generations.get(name) } };
  }

  async remove(kind: ObjectKind, _namespace: string, name: string) {
    this.removed.push(`${kind.kind} ${name}`);
    this.objects.delete(`${kind.kind} ${name}`);
  }

  async list(kind: ObjectKind): Promise<readonly KubeObject[]> {
    const sets = [...this.objects.values()].filter((object) => object.kind === 'StatefulSet');
    if (kind.kind === 'StatefulSet') return sets;
    if (kind.kind !== 'Pod') return [];
    const status = { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };
    return sets.map(({ metadata }) => ({ metadata: { ...metadata, name: `${metadata.name}-0` }, status }));
  }

  setOf(group: string): StatefulSet {
    const sets = [...this.objects.entries()].filter(([name]) => name.startsWith('StatefulSet '));
    const found = sets.find(([name]) => name.endsWith(`-${group}`));
    if (found === undefined) throw new Error(`there is no StatefulSet of ${group}`);
    return found[1] as StatefulSet;
  }
}

/** `options`: of another version of the service, or with other flags. */
export function openService(api: StandIn, options: Partial<PodsOptions> = {}) {
  const clock = new ManualClock();
  const { engine, flavors, imageOf, reach } = settingOf(sparkCluster());
  const [reports, warnings]: [string[], string[]] = [[], []];
  const provisioner = new PodProvisioner({
    api: api as unknown as KubeApi,
    informers: polledObjects(api as unknown as KubeApi, clock),
    engines: [engine],
    imageOf: (_cluster, process) => imageOf(process),
    pullSecrets: [],
    flavors,
    namespaceOf: () => 'data',
    domain: 'cluster.local',
    reach,
    storageClass: undefined,
    stateSize: 1,
    publishing: { allowed: [], domain: undefined, className: undefined },
    clock,
    log: { debug() {}, info() {}, warn: (_fields, text) => void warnings.push(text), error() {} },
    get: async () => ({ ok: true, text: '{}' }),
    createSecret: () => 'secret',
    ...options,
  });
  const end = provisioner.watch(() => true);
  onTestFinished(end);
  const controller = new AbortController();
  const orderOf = (cluster: ClusterRecord): ClusterOrder => ({
    tenant: 't',
    cluster,
    signal: controller.signal,
    report: ({ message }) => void (message !== undefined && reports.push(message)),
  });
  return { clock, provisioner, orderOf, reports, warnings, end, stop: () => controller.abort(new Error('stopped')) };
}
