// Whether what a resource refers to through a SharedConnection is its own: whoever may edit it can write another object into its ledger.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation, sharedConnectionKind } from '../../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { type Claim, serialiseLedger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { contentHash, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { proveReferents } from '../../../../src/operator/reconcile/observe/referents.ts';
import { createPass } from '../../../../src/operator/reconcile/pass.ts';
import { type Key, keyOf, keyText, type PassPorts } from '../../../../src/operator/reconcile/pass-ports.ts';
import { PassState } from '../../../../src/operator/reconcile/pass-state.ts';
import type { Requeue } from '../../../../src/operator/reconcile/requeue.ts';
import { routes } from '../../../../src/wire/routes.ts';
import { ManualClock } from '../../../support/clock.ts';
import { byReference, workerReference } from '../resource/worker-reference.ts';
import { aloneWith } from '../running.ts';
import {
  claimOf,
  clusterRow,
  clusterSpec,
  conditionsAs,
  installation,
  ledgerOf,
  resourceOf,
  templateSpec,
  usable,
  viewOf,
  wall,
} from '../support.ts';

const silent = () => undefined;
const shared = { connectionRef: { kind: sharedConnectionKind, name: 'platform' } };
const paths = { workers: routes.nodeGroupTemplates.path, templates: routes.clusterTemplates.path };
const context = { signal: new AbortController().signal, pollMs: 1_000 };

type Rows = Readonly<Record<string, readonly RemoteObject[]>>;

interface Options {
  readonly resources: readonly RawResource[];
  /** By collection: what is known without any request, and what a LIST shows. */
  readonly known?: Rows;
  readonly listed?: Rows;
  readonly allowAdopt?: boolean;
  /** Who else claims what the ledgers name. */
  readonly others?: readonly RawResource[];
}

/** A service, and the operator before it. */
class World {
  readonly lists: string[] = [];
  readonly sent: unknown[] = [];
  status: Readonly<Record<string, unknown>> | undefined;
  next: Requeue | undefined;
  readonly #options: Options;
  #rows: Rows;

  constructor(options: Options) {
    this.#options = options;
    this.#rows = options.known ?? {};
  }

  get #service(): Service {
    const view = ({ path }: { readonly path: string }) => viewOf(this.#rows[path] ?? []);
    const observe = async (route: { readonly path: string }) => {
      this.lists.push(route.path);
      this.#rows = { ...this.#rows, ...this.#options.listed };
      return view(route);
    };
    return {
      inventory: { observe, known: view, age: silent, droppedAt: silent, isGone: () => false, restMs: () => 0 },
      budget: { limits: { requestsPerSecond: 500 }, take: async () => ({ signal: undefined, release: silent }) },
      create: async (_route: unknown, body: object) => {
        this.sent.push(body);
        return { ...body, id: 'made' };
      },
    } as unknown as Service;
  }

  #read({ kind, ...key }: Key): RawResource | undefined {
    const { resources, allowAdopt } = this.#options;
    const any = { ...resourceOf(), kind, metadata: { ...resourceOf().metadata, labels: {} } };
    if (kind === sharedConnectionKind) return { ...any, spec: { namespaceSelector: {}, allowAdopt } };
    return kind === 'Namespace' ? any : resources.find((one) => keyText(keyOf(one)) === keyText({ kind, ...key }));
  }

  get ports(): PassPorts {
    const kinds = [clusterKind, clusterTemplateKind, jobExecutionKind, nodeGroupTemplateKind];
    const service = this.#service;
    return {
      store: {
        read: (key: Key) => this.#read(key),
        list: () => [],
        synced: () => true,
        claim: async (one: RawResource, ledger: string) => {
          const metadata = { ...one.metadata, annotations: { [ledgerAnnotation]: ledger }, finalizers: [finalizer] };
          return { ...one, metadata };
        },
        writeStatus: async (one: RawResource, status: Readonly<Record<string, unknown>>) => {
          this.status = status;
          return { ...one, status };
        },
      },
      services: { lookup: () => usable({ service }) },
      clock: new ManualClock({ tickMs: 1 }),
      ...aloneWith(kinds),
      claimants: () => this.#options.others ?? [],
    } as unknown as PassPorts;
  }
}

const spec = { ...templateSpec, ...shared };
const hash = contentHash(nodeGroupTemplateKind.content(spec, () => ''));
const nameOf = (uid: string) => revisionName({ name: 'worker', uid, installation }, hash);
const metadata = { name: 'worker', uid: 'worker-uid' };
const own = { id: 'own', name: nameOf(metadata.uid) };
const foreign = { id: 'foreign', name: nameOf('of-another-namespace') };
const claim = (changes: Partial<Claim> = {}): Claim =>
  claimOf({ role: 'revision', collection: paths.workers, hash, ...own, ...changes });
const worker = (
  claims: readonly Claim[] = [claim()],
  options: { spec?: object; status?: object; from?: string } = {},
) =>
  resourceOf({
    kind: nodeGroupTemplateKind,
    spec: { ...spec, ...options.spec },
    metadata,
    ledger: ledgerOf(claims, {
      uid: metadata.uid,
      ...(options.from !== undefined && { previousOwners: [{ uid: options.from, installation }] }),
    }),
    ...(options.status && { status: { observedGeneration: 1, ...options.status } }),
  });

/** A pass over a new ClusterTemplate that refers to it. */
async function refer(options: Partial<Options> & { readonly worker: RawResource; readonly spec?: object }) {
  const template = resourceOf({
    kind: clusterTemplateKind,
    spec: { ...byReference, ...(options.spec ?? shared) },
    status: { observedGeneration: 1 },
  });
  const world = new World({ ...options, resources: [template, options.worker] });
  world.next = await createPass(world.ports)(keyOf(template), context);
  return world;
}

const sentWith = (id: string) => [
  expect.objectContaining({ node_groups: [expect.objectContaining({ node_group_template_id: id })] }),
];

describe('a create through a SharedConnection names what was made for the resource that it refers to', () => {
  test('without a request, as soon as that is made', async () => {
    const { sent, lists } = await refer({ worker: worker(), known: { [paths.workers]: [own] } });
    expect(sent).toEqual(sentWith('own'));
    expect(lists).not.toContain(paths.workers);
  });

  test('after a list, which a new process does not have yet', async () => {
    const { sent } = await refer({ worker: worker(), listed: { [paths.workers]: [own] } });
    expect(sent).toEqual(sentWith('own'));
  });

  test.each<readonly [string, readonly Claim[]]>([
    ['under the name of its own one', [claim({ id: foreign.id })]],
    ['beside its own one', [claim(), claim({ id: foreign.id, name: 'x' })]],
    ['under the name that it has', [claim(foreign)]],
    ['as one that was adopted', [claim({ ...foreign, origin: 'adopted' })]],
  ])('and nothing of others that somebody wrote into its ledger %s', async (_how, claims) => {
    const { sent, status } = await refer({ worker: worker(claims), known: { [paths.workers]: [own, foreign] } });
    expect(sent).toEqual([]);
    expect(status?.['conditions']).toContainEqual(
      expect.objectContaining({
        type: 'Ready',
        reason: 'DependencyNotReady',
        message: expect.stringContaining(
          `${workerReference.field}: NodeGroupTemplate worker cannot be used yet: nothing`,
        ),
      }),
    );
  });

  test('and nothing that the service does not list', async () => {
    const { sent, next } = await refer({ worker: worker([claim({ id: foreign.id })]) });
    expect(sent).toEqual([]);
    // Nothing in Kubernetes tells when it does.
    expect(next).toEqual({ next: 'at', afterMs: 30_000 });
  });

  test('of a resource with a Connection of its own, what its ledger says: all of it is of this namespace', async () => {
    const given = { worker: worker([claim({ id: foreign.id })], { spec: { connectionRef: undefined } }), spec: {} };
    const { sent, lists } = await refer({ ...given, known: { [paths.workers]: [own, foreign] } });
    expect(sent).toEqual(sentWith('foreign'));
    expect(lists).not.toContain(paths.workers);
  });
});

describe('what the referenced resource did not make is used', () => {
  const known = { [paths.workers]: [foreign] };
  const adopted = claim({ ...foreign, origin: 'adopted' });
  const adopting = { spec: { adopt: { id: foreign.id } } };
  const mirrored = { ledger: serialiseLedger(ledgerOf([adopted], { uid: metadata.uid })) };

  test('if it may adopt, or the operator confirmed that it did', async () => {
    const isUsed = async (of: RawResource, allowAdopt: boolean) =>
      (await refer({ worker: of, known, allowAdopt })).sent.length > 0;
    expect(await isUsed(worker([adopted], adopting), true)).toBe(true);
    expect(await isUsed(worker([adopted], adopting), false)).toBe(false);
    expect(await isUsed(worker([adopted], { ...adopting, status: mirrored }), false)).toBe(true);
  });

  test('if it may look at what exists, and its status shows that', async () => {
    const observed = { id: foreign.id, externalName: foreign.name, revision: hash };
    const isUsed = async (of: object, allowAdopt: boolean) => {
      const resource = { ...worker(), spec: { ...spec, policy: 'Observe', ...of }, status: observed };
      const { annotations: _ledger, ...rest } = resource.metadata;
      return (await refer({ worker: { ...resource, metadata: rest }, known, allowAdopt })).sent.length > 0;
    };
    expect(await isUsed(adopting.spec, true)).toBe(true);
    expect(await isUsed(adopting.spec, false)).toBe(false);
    expect(await isUsed({}, true)).toBe(false);
  });

  test('if its ledger was restored in its namespace, and the one that it was made for does not claim it', async () => {
    const from = 'of-another-namespace';
    const text = worker([claim(foreign)], { from }).metadata.annotations?.[ledgerAnnotation];
    const restored = worker([claim(foreign)], { from, status: { ledger: text } });
    expect((await refer({ worker: restored, known })).sent).toEqual(sentWith('foreign'));
    expect((await refer({ worker: worker([claim(foreign)], { from }), known })).sent, 'not proven').toEqual([]);
    const maker = resourceOf({
      kind: nodeGroupTemplateKind,
      spec,
      metadata: { name: 'worker', namespace: 'team-b', uid: 'of-another-namespace' },
      ledger: ledgerOf([claim(foreign)], { uid: 'of-another-namespace' }),
    });
    expect((await refer({ worker: restored, known, others: [maker] })).sent).toEqual([]);
  });
});

describe('a run on a cluster of a fixed name', () => {
  const uid = 'cluster-uid';
  const template = { id: 'template', name: revisionName({ name: 'etl', uid, installation }, 'aaaaaaaa') };
  const privately = { ...claimOf({ role: 'private', collection: paths.templates, hash: 'aaaaaaaa' }), ...template };
  const cluster = resourceOf({
    kind: clusterKind,
    spec: { ...clusterSpec, ...shared, name: 'etl' },
    metadata: { name: 'etl', uid },
    ledger: ledgerOf([claimOf({ name: 'etl', id: 'id-1' }), privately], { uid }),
    status: { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) },
  });
  const run = resourceOf({
    kind: jobExecutionKind,
    spec: { ...shared, jobID: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f', clusterRef: { name: 'etl' } },
    metadata: { name: 'pi', uid: 'run-uid' },
  });

  test.each([
    ['waits if that was started from the template of another one', 'other', 'awaited'],
    ['is started if that was started from its own template', template.id, 'resolved'],
  ])('%s', async (_what, from, state) => {
    const rows = { clusters: [clusterRow({ name: 'etl', cluster_template_id: from })], [paths.templates]: [template] };
    const { ports } = new World({ resources: [run, cluster], listed: rows, allowAdopt: true });
    const pass = new PassState(ports, { kind: jobExecutionKind, resource: run, memory: { uid: 'run-uid' }, context });
    pass.resolutions = pass.resolve();
    expect(pass.resolutions).toMatchObject([{ state: 'resolved', id: 'id-1' }]);
    expect(await proveReferents(pass)).toMatchObject([{ state }]);
  });
});
