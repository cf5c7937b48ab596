// The simulated API server answers like the real one: the same random commands go to both, and every answer is compared, field by field.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, refusalError } from '../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { collectionPath, objectPath, type ResourceKind, toResource } from '../../../src/kube/resource.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { claimCall, releaseCall, removeCall, statusCall } from '../../../src/operator/kube/write/writes.ts';
import { noPlane, PlaneBench } from '../../operator/kube/support/plane-bench.ts';
import { createNamespace } from '../../support/kubernetes/api-server.ts';
import { ApiServer } from '../api/api-server.ts';
import { comparable } from './comparable.ts';

type Base = 'newest' | 'stale' | 'other uid';
type Command = { readonly kind: 'Widget' | 'Secret'; readonly name: string } & (
  | { readonly does: 'create'; readonly size: number; readonly finalizer: boolean; readonly ledger: boolean }
  | { readonly does: 'edit'; readonly size: number }
  | { readonly does: 'annotate'; readonly value: string | null }
  | { readonly does: 'finalizers'; readonly names: readonly string[] }
  | { readonly does: 'claim'; readonly ledger: string; readonly base: Base }
  | { readonly does: 'release' | 'remove'; readonly base: Base }
  | { readonly does: 'status'; readonly phase: string; readonly base: Base }
  | { readonly does: 'delete' }
  | { readonly does: 'get' }
  | { readonly does: 'list' }
);

const base = fc.constantFrom<Base>('newest', 'newest', 'newest', 'stale', 'other uid');
const target = {
  kind: fc.constantFrom('Widget' as const, 'Widget' as const, 'Secret' as const),
  name: fc.constantFrom('a', 'b'),
};
const ours = 'dataprocessing.dev/external';
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...target,
      does: fc.constant('create' as const),
      size: fc.nat(2),
      finalizer: fc.boolean(),
      ledger: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...target, does: fc.constant('edit' as const), size: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...target,
      does: fc.constant('annotate' as const),
      value: fc.constantFrom('x', '{"v":1}', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...target,
      does: fc.constant('finalizers' as const),
      names: fc.constantFrom<readonly string[]>([], ['others.io/it'], [ours], ['others.io/it', ours]),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...target,
      does: fc.constant('claim' as const),
      ledger: fc.constantFrom('{"v":1}', '{"v":1,"claims":[]}'),
      base,
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...target, does: fc.constant('release' as const), base }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...target,
      does: fc.constant('status' as const),
      phase: fc.constantFrom('up', 'down'),
      base,
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...target, does: fc.constant('remove' as const), base }) },
  { weight: 2, arbitrary: fc.record({ ...target, does: fc.constant('delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...target, does: fc.constant('get' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...target, does: fc.constant('list' as const) }) },
);

const secrets: ResourceKind = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' };

/** One of the two servers, and what it has shown of each object so far. */
class Side {
  readonly #request: (call: ApiCall) => Promise<unknown>;
  readonly #widgets: ResourceKind;
  readonly #namespace: string;
  readonly #seen = new Map<string, RawResource[]>();

  constructor(request: (call: ApiCall) => Promise<unknown>, widgets: ResourceKind, namespace: string) {
    this.#request = request;
    this.#widgets = widgets;
    this.#namespace = namespace;
  }

  kindOf({ kind }: Pick<Command, 'kind'>): ResourceKind {
    return kind === 'Secret' ? secrets : this.#widgets;
  }

  /** The objects that the answer holds, or how it was refused. */
  async run(command: Command): Promise<readonly RawResource[] | object> {
    const call = this.#callOf(command);
    if (call === undefined) return [];
    const kind = this.kindOf(command);
    try {
      const answer = (await this.#request(call)) as { items?: unknown[]; metadata?: { uid?: string } };
      const objects = (answer.items ?? (answer.metadata?.uid === undefined ? [] : [answer])).map((one) =>
        toResource(kind, one),
      );
      for (const object of objects) this.#note(command.kind, object);
      return objects;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { category: error.category, status: error.status };
    }
  }

  #note(kind: string, object: RawResource): void {
    const key = `${kind}/${object.metadata.name}`;
    const versions = this.#seen.get(key) ?? [];
    if (versions.at(-1)?.metadata.resourceVersion !== object.metadata.resourceVersion) versions.push(object);
    this.#seen.set(key, versions);
  }

  #baseOf({ kind, name }: Command, which: Base): RawResource | undefined {
    const versions = this.#seen.get(`${kind}/${name}`) ?? [];
    const newest = versions.at(-1);
    if (which === 'stale') return versions.at(-2) ?? newest;
    if (which === 'newest' || newest === undefined) return newest;
    return { ...newest, metadata: { ...newest.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
  }

  #callOf(command: Command): ApiCall | undefined {
    const kind = this.kindOf(command);
    const place = { namespace: this.#namespace, name: command.name };
    const path = objectPath(kind, place);
    const patch = (body: object): ApiCall => ({
      method: 'PATCH',
      path,
      body,
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'somebody' },
    });
    switch (command.does) {
      case 'create':
        return { method: 'POST', path: collectionPath(kind, this.#namespace), body: this.#made(command) };
      case 'edit':
        return patch(
          command.kind === 'Secret' ? { stringData: { size: `${command.size}` } } : { spec: { size: command.size } },
        );
      case 'annotate':
        return patch({ metadata: { annotations: { 'dataprocessing.dev/ledger': command.value } } });
      case 'finalizers':
        return patch({ metadata: { finalizers: command.names } });
      case 'delete':
        return { method: 'DELETE', path };
      case 'get':
        return { method: 'GET', path };
      case 'list':
        return { method: 'GET', path: collectionPath(kind, this.#namespace) };
      default:
        return this.#writeOf(command);
    }
  }

  #writeOf(command: Extract<Command, { readonly base: Base }>): ApiCall | undefined {
    const kind = this.kindOf(command);
    const from = this.#baseOf(command, command.base);
    if (from === undefined) return undefined;
    switch (command.does) {
      case 'claim':
        return claimCall(kind, from, command.kind === 'Secret' ? undefined : command.ledger);
      case 'release':
        return releaseCall(kind, from);
      case 'remove':
        return removeCall(kind, from);
      case 'status':
        return command.kind === 'Secret'
          ? undefined
          : statusCall(kind, from, { observedGeneration: from.metadata.generation, phase: command.phase });
    }
  }

  #made(command: Extract<Command, { readonly does: 'create' }>): object {
    const { kind, apiVersion } = this.kindOf(command);
    const metadata = {
      name: command.name,
      namespace: this.#namespace,
      ...(command.finalizer && { finalizers: ['others.io/it'] }),
      ...(command.ledger && { annotations: { 'dataprocessing.dev/ledger': '{"v":0}' } }),
    };
    const content =
      kind === 'Secret' ? { type: 'test', stringData: { size: `${command.size}` } } : { spec: { size: command.size } };
    return { apiVersion, kind, metadata, ...content };
  }
}

async function runOn(side: Side, commands: readonly Command[]): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const command of commands) results.push(await side.run(command));
  return results;
}

const pretend =
  (server: ApiServer) =>
  async (call: ApiCall): Promise<unknown> => {
    const { status, body } = server.handle(call);
    if (status < 300) return body;
    throw refusalError('ask', {
      status,
      contentType: 'application/json',
      retryAfter: undefined,
      text: JSON.stringify(body),
    });
  };

interface Told {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
}

interface Sides {
  readonly real: Side;
  readonly fake: Side;
  readonly server: ApiServer;
  readonly namespace: string;
}

let opened = 0;

async function openSides(bench: PlaneBench): Promise<Sides> {
  opened += 1;
  const namespace = await createNamespace(bench.server, `simulated-${opened}`);
  let uids = 0;
  const server = new ApiServer({ wall: () => Date.UTC(2026, 0, 1), uid: () => `uid-${(uids += 1)}` });
  const real = new Side((call) => bench.transport.request(call), bench.kind, namespace);
  const fake = new Side(pretend(server), bench.kind, namespace);
  return { real, fake, server, namespace };
}

const marker: Command = { kind: 'Widget', name: 'marker', does: 'create', size: 0, finalizer: false, ledger: false };

/** What a watch of the real API server tells since this version, up to the marker. */
async function toldSince(bench: PlaneBench, path: string, resourceVersion: string): Promise<readonly Told[]> {
  const told: Told[] = [];
  const stop = new AbortController();
  const query = { watch: true, resourceVersion };
  for await (const event of await bench.transport.stream({ path, query, signal: stop.signal, idleMs: 10_000 })) {
    told.push(event as Told);
    if ((event as Told).object.metadata.name === marker.name) break;
  }
  stop.abort();
  return told;
}

async function compareWatches(bench: PlaneBench, commands: readonly Command[]): Promise<void> {
  const { real, fake, server, namespace } = await openSides(bench);
  const path = collectionPath(bench.kind, namespace);
  const { metadata } = (await bench.transport.request({ method: 'GET', path })) as {
    metadata: { resourceVersion: string };
  };
  const before = server.version;
  await runOn(real, [...commands, marker]);
  await runOn(fake, [...commands, marker]);
  const told = await toldSince(bench, path, metadata.resourceVersion);
  const shown = (events: readonly Pick<Told, 'type' | 'object'>[]) =>
    comparable(events.map(({ type, object }) => ({ type, object: toResource(bench.kind, object) })));
  expect(shown((server.since(bench.kind.plural, before) ?? []) as readonly Told[])).toEqual(shown(told));
}

/** How many series of commands are tried, and with how many of them a watch is compared. */
export function sameAnswers({ answers, watches }: { readonly answers: number; readonly watches: number }): void {
  describe.skipIf(noPlane)('the simulated API server', () => {
    let bench: PlaneBench;

    beforeAll(async () => {
      bench = await PlaneBench.open('simulated');
    });
    afterAll(() => bench?.close());

    it('gives the same answers to the same commands', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40 }), async (commands) => {
          const { real, fake } = await openSides(bench);
          expect(comparable(await runOn(fake, commands))).toEqual(comparable(await runOn(real, commands)));
        }),
        { numRuns: answers, seed: 7 },
      );
    });

    it('tells watches the same changes in the same order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30 }), async (commands) => {
          const ofWidgets = commands.filter(({ kind }) => kind === 'Widget');
          await compareWatches(bench, ofWidgets);
        }),
        { numRuns: watches, seed: 11 },
      );
    });
  });
}
