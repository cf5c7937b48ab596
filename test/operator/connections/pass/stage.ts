// One Connection with a service of the test's making behind it, and a store that takes a write of its newest version only.
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { finalizer } from '../../../../src/operator/api/shared-api.ts';
import type { Limits } from '../../../../src/operator/client/limits.ts';
import type { ConnectionPorts } from '../../../../src/operator/connections/pass/connection-context.ts';
import { createConnectionPass } from '../../../../src/operator/connections/pass/connection-pass.ts';
import type { Judgement, LogIn } from '../../../../src/operator/connections/pass/service-registry.ts';
import type { MassDeletion } from '../../../../src/operator/reconcile/lists/mass-deletion.ts';
import { type EventNote, StoreError } from '../../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../../src/operator/reconcile/requeue.ts';
import type { Plugin } from '../../../../src/wire/plugin.ts';

const key = { kind: 'Connection', namespace: 'x', name: 'default' };
const metadata = {
  ...key,
  uid: 'u',
  generation: 1,
  resourceVersion: '0',
  finalizers: [finalizer],
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const first = { endpoint: 'http://host', tenantID: 'demo' };

export interface Answers {
  /** The volume of the service is full. */
  isFull?: boolean;
  /** The objects in the service. By default one more each time. */
  counted?: number;
  /** What the operator allows itself. */
  limits?: Partial<Limits>;
  readonly plugins?: () => Promise<readonly Plugin[]>;
  readonly login?: () => Promise<LogIn>;
  /** In base64. */
  readonly secret?: Readonly<Record<string, string>>;
  /** Somebody has deleted the Secret, and a finalizer keeps it. */
  readonly secretDeleted?: true;
  readonly loss?: MassDeletion;
  /** Requests of others fail. */
  suspected?: boolean;
  /** So many resources need the Connection. */
  readonly users?: number;
}

const vanilla = [{ name: 'vanilla', versions: ['1.2.1'] }] as unknown as readonly Plugin[];

/** The service answers where nothing else is said; the answers may change. */
export function stageConnection(answers: Answers = {}) {
  const at = { now: 0, looks: 0, counts: 0, writes: 0 };
  const recoveries: string[] = [];
  const judgements: Judgement[] = [];
  const events: EventNote[] = [];
  let resource = { metadata, spec: first, status: { observedGeneration: -1 } } as unknown as RawResource;
  const secret = () =>
    answers.secret &&
    ({
      metadata: {
        ...metadata,
        name: 'token',
        ...(answers.secretDeleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
      data: answers.secret,
    } as unknown as RawResource);
  const put = (change: Partial<RawResource>) => {
    const version = String(Number(resource.metadata.resourceVersion) + 1);
    resource = {
      ...resource,
      ...change,
      metadata: { ...(change.metadata ?? resource.metadata), resourceVersion: version },
    };
    return resource;
  };
  const answer = async () => {
    at.looks += 1;
    return answers.plugins?.() ?? vanilla;
  };
  const registry = {
    login: () => answers.login?.(),
    apply: () => ({
      plugins: answer,
      isFull: answers.isFull === true,
      budget: { limits: { maxInFlight: 12, burst: 4, requestsPerSecond: 20, ...answers.limits } },
    }),
    suspected: () => answers.suspected ?? false,
    unlisted: () => [],
    countDue: () => false,
    judge: (_key: unknown, judgement: Judgement) => void judgements.push(judgement),
    recovered: ({ name }: { readonly name: string }) => void recoveries.push(name),
    closed: () => undefined,
    broken: () => undefined,
  };
  const store = {
    read: ({ kind }: { readonly kind: string }) => (kind === 'Secret' ? secret() : resource),
    writeStatus: async (of: RawResource, status: unknown) => {
      if (of.metadata.resourceVersion !== resource.metadata.resourceVersion) throw new StoreError('conflict', 'old');
      at.writes += 1;
      return put({ status } as Partial<RawResource>);
    },
  };
  const ports = {
    store,
    registry,
    events: { emit: (event: EventNote) => void events.push(event) },
    clock: { wall: () => at.now, monotonic: () => at.now },
    objectCount: () => ({ managed: answers.counted ?? (at.counts += 1), unclaimed: [] }),
    massDeletion: async () => answers.loss,
    users: () => Array.from({ length: answers.users ?? 0 }, () => resource),
  } as unknown as ConnectionPorts;
  const pass = createConnectionPass(ports);
  const status = () => resource.status as Record<string, unknown>;
  return {
    at,
    judgements,
    recoveries,
    events,
    status,
    pass: (): Promise<Requeue> => pass(key, new AbortController().signal),
    async look() {
      await this.pass();
      return status();
    },
    write: (changes: object) => void put({ status: { ...status(), ...changes } } as Partial<RawResource>),
    remove: () => {
      const deletionTimestamp = '2026-01-01T00:00:00Z';
      put({ metadata: { ...resource.metadata, deletionTimestamp } } as Partial<RawResource>);
    },
    edit: (spec: object) => {
      const generation = resource.metadata.generation + 1;
      put({ spec: { ...first, ...spec }, metadata: { ...resource.metadata, generation } } as Partial<RawResource>);
    },
  };
}
