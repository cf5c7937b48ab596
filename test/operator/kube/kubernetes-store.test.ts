// The store on a scripted API server: what it sends, what it hands on, and what it makes of the answers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, refusalError } from '../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { ResourceKind } from '../../../src/kube/resource.ts';
import type { IndexOf } from '../../../src/kube/watch/cache-index.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { KubernetesStore } from '../../../src/operator/kube/kubernetes-store.ts';
import { readClusterUid } from '../../../src/operator/kube/read-object.ts';
import type { LateDeletion } from '../../../src/operator/kube/write/late-deletion.ts';
import type { ResourceChange } from '../../../src/operator/reconcile/pass-ports.ts';
import { ManualClock, settle } from '../../support/clock.ts';
import { limitMs } from '../../support/patience.ts';
import { FakeTransport } from './support/fake-transport.ts';
import { bookmark, event, list, status, widget, widgets } from './support/objects.ts';
import { fixedRandom, type RecordingLog, recordingLog } from './support/ports.ts';

const secrets: ResourceKind = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: 'type=ours' };
const key = { kind: 'Widget', namespace: 'team-a', name: 'one' };
const path = '/apis/test.dataprocessing.dev/v1/namespaces/team-a/widgets/one';
const finalizer = 'dataprocessing.dev/external';

let lateDeletion: LateDeletion | undefined;
let indexes: Map<string, IndexOf>;
let clock: ManualClock;
let transport: FakeTransport;
let log: RecordingLog;
let store: KubernetesStore;
let changes: ResourceChange[];
let own: ResourceChange[];

async function open(namespaces: readonly string[] = [], resources: readonly ResourceKind[] = [widgets]): Promise<void> {
  const random = fixedRandom(0.5);
  store = new KubernetesStore({ transport, resources, namespaces, indexes, clock, random, log, lateDeletion });
  store.subscribe((change) => changes.push(change));
  store.subscribeWrites((change) => own.push(change));
  store.start();
  await settle();
}

async function synced(...objects: readonly RawResource[]): Promise<void> {
  await open();
  await transport.newest.send(...objects.map((object) => ({ type: 'ADDED', object })), bookmark(100, true));
  changes.length = 0;
}

beforeEach(() => {
  lateDeletion = undefined;
  indexes = new Map();
  clock = new ManualClock();
  transport = new FakeTransport();
  log = recordingLog();
  changes = [];
  own = [];
});
afterEach(() => store.stop());

function lastCall(): ApiCall | undefined {
  return transport.calls.at(-1);
}

function refuse(code: number, message: string): ApiError {
  const text = JSON.stringify(status(code, message));
  return refusalError('patch', { status: code, contentType: 'application/json', retryAfter: undefined, text });
}

const absentKind = refusalError('get', { status: 404, contentType: 'text/plain', retryAfter: undefined, text: '404' });

describe('reading', () => {
  it('answers from the cache', async () => {
    await synced(widget({ version: 3 }), widget({ name: 'two' }));
    expect(store.read(key)).toEqual(widget({ version: 3 }));
    expect(store.read({ ...key, name: 'none' })).toBeUndefined();
    expect([...store.list('Widget')].map(({ metadata }) => metadata.name)).toEqual(['one', 'two']);
    expect(store.synced('Widget')).toBe(true);
  });

  it.each([
    ['finds what belongs to an object by the index of the kind', ['two'], 'Widget'],
    ['finds all of a kind without an index', ['one', 'two'], 'Gadget'],
  ])('%s', async (_title, expected, indexed) => {
    indexes.set(indexed, ({ spec }) => String(spec));
    await synced(widget({ spec: 'Owner/team-a/other' }), widget({ name: 'two', spec: 'Owner/team-a/this' }));
    const found = store.list('Widget', { kind: 'Owner', namespace: 'team-a', name: 'this' });
    expect([...found].map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it('before the first list is empty and says so', async () => {
    await open();
    expect(store.read(key)).toBeUndefined();
    expect(store.synced('Widget')).toBe(false);
    expect(store.health().synced).toBe(false);
  });

  it('of a kind that is not held is a bug', async () => {
    await open();
    expect(() => store.read({ ...key, kind: 'Gadget' })).toThrow('cannot use kind Gadget: the store does not watch it');
    expect(() => store.list('Gadget')).toThrow('cannot use kind Gadget');
    expect(() => store.synced('Gadget')).toThrow('cannot use kind Gadget');
  });
});

describe('several namespaces', () => {
  it('are followed one by one and read as one', async () => {
    await open(['team-a', 'team-b']);
    expect(transport.streams.map(({ call }) => call.path)).toEqual([
      '/apis/test.dataprocessing.dev/v1/namespaces/team-a/widgets',
      '/apis/test.dataprocessing.dev/v1/namespaces/team-b/widgets',
    ]);
    await transport.streams[0]?.send({ type: 'ADDED', object: widget() }, bookmark(5, true));
    expect(store.synced('Widget')).toBe(false);
    await transport.streams[1]?.send({ type: 'ADDED', object: widget({ namespace: 'team-b' }) }, bookmark(5, true));
    expect(store.synced('Widget')).toBe(true);
    expect([...store.list('Widget')]).toHaveLength(2);
    expect(store.health().sources.map(({ namespace }) => namespace)).toEqual(['team-a', 'team-b']);
  });
});

describe('subscribers', () => {
  it('hear of the first list as initial, and of the rest as changes', async () => {
    await open();
    await transport.newest.send(event('ADDED', { version: 3 }), bookmark(5, true));
    await transport.newest.send(event('MODIFIED', { version: 6 }), event('DELETED', { version: 7 }));
    expect(changes).toEqual([
      { key, previous: undefined, current: widget({ version: 3 }), initial: true },
      { key, previous: widget({ version: 3 }), current: widget({ version: 6 }), initial: false },
      { key, previous: widget({ version: 6 }), current: undefined, initial: false },
    ]);
  });

  it('may read what they hear of', async () => {
    await open();
    let seen: RawResource | undefined;
    store.subscribe((change) => (seen = store.read(change.key)));
    await transport.newest.send(event('ADDED', { version: 3 }), bookmark(5, true));
    expect(seen).toEqual(widget({ version: 3 }));
  });

  it('that throw harm nobody and are said aloud', async () => {
    await open();
    const bug = new Error('a bug');
    const heard: ResourceChange[] = [];
    store.subscribe(() => {
      throw bug;
    });
    store.subscribe((change) => heard.push(change));
    await transport.newest.send(event('ADDED', { version: 3 }), bookmark(5, true), event('MODIFIED', { version: 6 }));
    expect(heard).toHaveLength(2);
    expect(store.read(key)?.metadata.resourceVersion).toBe('6');
    expect(store.health().sources[0]?.failing).toBeUndefined();
    expect(log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toEqual([
      { ...key, err: bug },
      { ...key, err: bug },
    ]);
  });
});

describe('a long first list', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ type: 'ADDED', object: widget({ name: `w${index}` }) }));
  const lastVersions = (): readonly unknown[] =>
    [...changes, ...own]
      .filter((change) => change.key.name === 'w99')
      .map(({ current }) => current?.metadata.resourceVersion);

  /** Lets the list arrive and acts on its first change, while most of the others wait for their turns. */
  async function atFirstChange<T>(act: () => Promise<T>): Promise<T> {
    await open();
    const acted = Promise.withResolvers<T>();
    let seen = false;
    store.subscribe(() => {
      if (!seen) act().then(acted.resolve, acted.reject);
      seen = true;
    });
    await transport.newest.send(...many, bookmark(200, true));
    return acted.promise;
  }

  it('can be read at once, and counts as there when all of it was told', async () => {
    await open();
    const seen: (readonly [held: number, synced: boolean])[] = [];
    store.subscribe(() => seen.push([[...store.list('Widget')].length, store.synced('Widget')]));
    await transport.newest.send(...many, bookmark(200, true));
    await vi.waitFor(() => expect(store.synced('Widget')).toBe(true), limitMs);
    expect(new Set(seen.map(String))).toEqual(new Set(['100,false']));
    expect(changes).toHaveLength(100);
  });

  it('is told of an object before our own write of it', async () => {
    transport.answers.push(widget({ name: 'w99', version: 300, finalizers: [finalizer] }));
    const [synced, versions] = await atFirstChange(async () => {
      await store.claim(widget({ name: 'w99' }), '{}');
      return [store.synced('Widget'), lastVersions()] as const;
    });
    expect(synced).toBe(false);
    expect(versions).toEqual(['1', '300']);
    await vi.waitFor(() => expect(store.synced('Widget')).toBe(true), limitMs);
    expect(lastVersions()).toEqual(['1', '300']);
  });

  it('is told before the events that come after it', async () => {
    await open();
    await transport.newest.send(...many, bookmark(200, true), event('MODIFIED', { name: 'w99', version: 201 }));
    await vi.waitFor(() => expect(changes).toHaveLength(101), limitMs);
    expect(changes.at(-1)?.current?.metadata.resourceVersion).toBe('201');
    expect(changes.map(({ initial }) => initial).indexOf(false)).toBe(100);
  });

  it('does not hold up a stop', async () => {
    await atFirstChange(() => store.stop());
    const told = changes.length;
    await settle();
    expect(told).toBe(1);
    expect(changes).toHaveLength(told);
    expect(store.synced('Widget')).toBe(false);
  });
});

describe('claim', () => {
  it('applies finalizer and ledger with uid and version, by force', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(widget({ version: 11, finalizers: [finalizer] }));
    const claimed = await store.claim(widget({ version: 10 }), '{"v":1}');
    expect(claimed).toEqual(widget({ version: 11, finalizers: [finalizer] }));
    expect(lastCall()).toEqual({
      method: 'PATCH',
      path,
      query: { fieldManager: 'dataprocessing-operator/claims', force: true, fieldValidation: 'Ignore' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'test.dataprocessing.dev/v1',
        kind: 'Widget',
        metadata: {
          name: 'one',
          namespace: 'team-a',
          uid: 'uid-one',
          resourceVersion: '10',
          finalizers: [finalizer],
          annotations: { 'dataprocessing.dev/ledger': '{"v":1}' },
        },
      },
    });
  });

  it.each([
    ['shares the spec of the same generation, which need not be read again', 1, true],
    ['has the spec of another generation', 2, false],
  ])('%s', async (_name, generation, shares) => {
    const base = widget({ version: 10, spec: { size: 1 } });
    const answer = widget({ version: 11, spec: { size: generation } });
    await synced(base);
    transport.answers.push({ ...answer, metadata: { ...answer.metadata, generation } });
    const claimed = await store.claim(base, '{}');
    expect(claimed.spec).toEqual({ size: generation });
    expect(claimed.spec === base.spec).toBe(shares);
  });

  it('without a ledger sends no annotation', async () => {
    await synced(widget());
    transport.answers.push(widget({ version: 11 }));
    await store.claim(widget(), undefined);
    expect(lastCall()?.body).toMatchObject({ metadata: { finalizers: [finalizer] } });
    expect(JSON.stringify(lastCall()?.body)).not.toContain('annotations');
  });

  it('is there for the next read, wakes nobody, and its echo wakes nobody either', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(widget({ version: 11, finalizers: [finalizer] }));
    await store.claim(widget({ version: 10 }), '{}');
    expect(store.read(key)?.metadata.finalizers).toEqual([finalizer]);
    await transport.newest.send({ type: 'MODIFIED', object: widget({ version: 11, finalizers: [finalizer] }) });
    expect(changes).toEqual([]);
    expect(own.map(({ current }) => current?.metadata.resourceVersion)).toEqual(['11']);
  });

  it('that was refused changes nothing and is thrown as it is', async () => {
    await synced(widget({ version: 10 }));
    const conflict = refuse(409, 'the object has been modified');
    transport.answers.push(conflict);
    await expect(store.claim(widget({ version: 9 }), '{}')).rejects.toBe(conflict);
    expect(store.read(key)?.metadata.resourceVersion).toBe('10');
    expect(own).toEqual([]);
  });

  it('whose answer was lost is told like any change when the watch shows it', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(new ApiError('unreachable', 'cannot patch widgets: other side closed'));
    await expect(store.claim(widget({ version: 10 }), '{}')).rejects.toMatchObject({ category: 'unreachable' });
    await transport.newest.send(event('MODIFIED', { version: 11 }));
    expect(changes.map(({ current }) => current?.metadata.resourceVersion)).toEqual(['11']);
  });
});

describe('the first claim of an object', () => {
  const held = widget({ version: 11, finalizers: [finalizer] });
  const echo = { type: 'MODIFIED', object: held };
  const late: LateDeletion = { leastMs: 100, withinMs: 1_500 };

  /** What became of it, when it has ended. */
  async function claiming(base = widget({ version: 10 }), tookMs = 0): Promise<{ end?: unknown }> {
    lateDeletion = late;
    await synced(base);
    const slow = async () => {
      await clock.advance(tookMs);
      return held;
    };
    transport.answers.push(tookMs === 0 ? held : slow);
    const seen: { end?: unknown } = {};
    const ended = (end: unknown) => void (seen.end = end);
    store.claim(base, '{}').then(ended, ended);
    await settle();
    return seen;
  }

  it('waits for a deletion that may have begun before it, and then asks whether the object is still there', async () => {
    const seen = await claiming();
    transport.answers.push(held);
    await transport.newest.send(echo);
    await clock.advance(99);
    expect(lastCall()).toMatchObject({ method: 'PATCH' });
    await clock.advance(1);
    expect(lastCall()).toEqual({ method: 'GET', path });
    expect(seen).toEqual({ end: held });
  });

  it.each([
    ['is gone', refuse(404, 'widgets "one" not found')],
    ['is another one', widget({ version: 12, uid: 'uid-other' })],
  ])('fails when the object %s by then, also before the watch tells', async (_, answer) => {
    const seen = await claiming();
    transport.answers.push(answer);
    await transport.newest.send(echo);
    await clock.advance(100);
    expect(seen.end).toMatchObject({ category: 'gone', message: expect.stringContaining('was deleted while') });
  });

  it.each([
    ['longer for a server that took long for the claim', 70, 139],
    ['while there is time', 900, 599],
    ['still the least time where there is none', 5_000, 99],
  ])('waits %s', async (_, tookMs, waitedMs) => {
    const seen = await claiming(widget({ version: 10 }), tookMs);
    transport.answers.push(held);
    await clock.advance(waitedMs);
    expect(seen).toEqual({});
    await clock.advance(1);
    expect(seen).toEqual({ end: held });
  });

  it('does not wait without a ledger, for which nothing is made, nor asks for what it may not read', async () => {
    lateDeletion = late;
    await synced(widget({ version: 10 }));
    transport.answers.push(held);
    expect(await store.claim(widget({ version: 10 }), undefined)).toEqual(held);
    expect(lastCall()).toMatchObject({ method: 'PATCH' });
  });

  it('is the only one that waits', async () => {
    expect(await claiming(widget({ version: 10, finalizers: [finalizer] }))).toEqual({ end: held });
  });
});

describe('removal', () => {
  it('is of what was read, and of nothing else', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push({ kind: 'Status', status: 'Success' });
    await store.remove(widget({ version: 10 }));
    expect(lastCall()).toMatchObject({
      method: 'DELETE',
      path,
      body: { kind: 'DeleteOptions', preconditions: { uid: 'uid-one', resourceVersion: '10' } },
    });
  });

  it('of an object that is gone is done, of one that was edited it is a conflict', async () => {
    await synced(widget());
    transport.answers.push(refuse(404, 'widgets "one" not found'), refuse(409, 'the object has been modified'));
    await store.remove(widget());
    await expect(store.remove(widget())).rejects.toMatchObject({ category: 'conflict' });
  });
});

describe('release', () => {
  it('sends the remaining finalizers with uid and version, and nothing else', async () => {
    const held = widget({ version: 10, finalizers: ['a/b', finalizer, 'foregroundDeletion'] });
    await synced(held);
    transport.answers.push(widget({ version: 11, finalizers: ['a/b', 'foregroundDeletion'] }));
    await store.release(held);
    expect(lastCall()).toMatchObject({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: 'uid-one', resourceVersion: '10', finalizers: ['a/b', 'foregroundDeletion'] } },
    });
    expect(store.read(key)?.metadata.finalizers).toEqual(['a/b', 'foregroundDeletion']);
  });

  it('sends an empty list when none remains', async () => {
    await synced(widget({ finalizers: [finalizer] }));
    transport.answers.push(widget({ version: 11 }));
    await store.release(widget({ finalizers: [finalizer] }));
    expect(lastCall()?.body).toMatchObject({ metadata: { finalizers: [] } });
  });

  it('of an object that is gone is done, of one whose kind is absent it is not', async () => {
    await synced(widget());
    transport.answers.push(refuse(404, 'widgets "one" not found'), absentKind);
    await store.release(widget({ finalizers: [finalizer] }));
    await expect(store.release(widget({ finalizers: [finalizer] }))).rejects.toBe(absentKind);
  });

  it('on top of somebody else is a conflict', async () => {
    await synced(widget());
    transport.answers.push(refuse(409, 'the object has been modified'));
    await expect(store.release(widget())).rejects.toMatchObject({ category: 'conflict' });
  });

  it('does not bring back an object whose deletion was seen before the answer', async () => {
    await synced(widget({ version: 10, finalizers: [finalizer] }));
    transport.answers.push(async () => {
      await transport.newest.send(event('DELETED', { version: 12 }));
      return widget({ version: 11 });
    });
    await store.release(widget({ version: 10, finalizers: [finalizer] }));
    expect(store.read(key)).toBeUndefined();
    expect(changes.map(({ current }) => current)).toEqual([undefined]);
  });
});

describe('writeStatus', () => {
  const wanted = { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] };

  it('applies the complete status with the version, by force', async () => {
    await synced(widget({ version: 10, spec: { size: 1 } }));
    transport.answers.push(widget({ version: 11, status: wanted }));
    await store.writeStatus(widget({ version: 10, spec: { size: 1 } }), wanted);
    expect(transport.calls).toEqual([
      {
        method: 'PATCH',
        path: `${path}/status`,
        query: { fieldManager: 'dataprocessing-operator/status', force: true, fieldValidation: 'Ignore' },
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'test.dataprocessing.dev/v1',
          kind: 'Widget',
          metadata: { name: 'one', namespace: 'team-a', resourceVersion: '10' },
          status: wanted,
        },
      },
    ]);
    expect(store.read(key)?.status).toEqual(wanted);
  });

  it('wakes nobody, but those who depend on it may listen', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(async () => {
      const answer = widget({ version: 11, status: wanted });
      await transport.newest.send({ type: 'MODIFIED', object: answer });
      return answer;
    });
    await store.writeStatus(widget({ version: 10 }), wanted);
    expect(changes).toEqual([]);
    expect(own).toEqual([
      { key, previous: widget({ version: 10 }), current: widget({ version: 11, status: wanted }), initial: false },
    ]);
  });

  it('tells of what somebody else did meanwhile', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(async () => {
      const answer = widget({ version: 11, status: wanted });
      await transport.newest.send(
        { type: 'MODIFIED', object: answer },
        event('MODIFIED', { version: 12, spec: 'new' }),
      );
      return answer;
    });
    await store.writeStatus(widget({ version: 10 }), wanted);
    expect(changes.map(({ current }) => current?.spec)).toEqual(['new']);
    expect(store.read(key)?.spec).toBe('new');
  });

  it('that the API server changes is invalid, and says where', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push(widget({ version: 11, status: { ...wanted, extra: 1 } }));
    await expect(store.writeStatus(widget({ version: 10 }), wanted)).rejects.toMatchObject({
      category: 'invalid',
      message: 'cannot write status of Widget team-a/one: the API server changes extra',
    });
    expect(transport.calls).toHaveLength(1);
  });

  it('does not mind another order of conditions', async () => {
    await synced(widget({ version: 10 }));
    const conditions = [{ type: 'A' }, { type: 'B' }];
    transport.answers.push(widget({ version: 11, status: { conditions: conditions.toReversed() } }));
    await store.writeStatus(widget({ version: 10 }), { conditions });
    expect(transport.calls).toHaveLength(1);
  });

  it.each([
    [409, 'the object has been modified', 'conflict'],
    [404, 'widgets "one" not found', 'gone'],
    [500, 'failed to create typed patch object: .status.x: field not declared in schema', 'invalid'],
    [403, 'forbidden', 'forbidden'],
  ])('refused with %i %s is %s', async (code, message, category) => {
    await synced(widget({ version: 10 }));
    transport.answers.push(refuse(code, message));
    await expect(store.writeStatus(widget({ version: 10 }), wanted)).rejects.toMatchObject({ category });
  });
});

describe('readFresh', () => {
  it('asks the API server and leaves the cache alone', async () => {
    await synced(widget({ version: 10 }));
    transport.answers.push({
      ...widget({ version: 12 }),
      metadata: { ...widget({ version: 12 }).metadata, managedFields: [] },
    });
    expect(await store.readFresh(key)).toEqual(widget({ version: 12 }));
    expect(lastCall()).toEqual({ method: 'GET', path });
    expect(store.read(key)?.metadata.resourceVersion).toBe('10');
  });

  it('is undefined when the object is gone', async () => {
    await synced(widget());
    transport.answers.push(refuse(404, 'widgets "one" not found'));
    expect(await store.readFresh(key)).toBeUndefined();
  });

  it('never takes an absent kind for an absent object', async () => {
    await synced(widget());
    transport.answers.push(absentKind);
    await expect(store.readFresh(key)).rejects.toMatchObject({ category: 'unreachable' });
  });

  it('then claim on top of it tells of what the watch had not shown yet', async () => {
    await synced(widget({ version: 10 }));
    const fresh = widget({ version: 11, spec: 'theirs' });
    transport.answers.push(fresh, widget({ version: 12, spec: 'theirs', finalizers: [finalizer] }));
    await store.claim((await store.readFresh(key)) ?? widget(), '{}');
    await transport.newest.send(event('MODIFIED', { version: 11, spec: 'theirs' }));
    expect(changes.map(({ previous, current }) => [previous?.metadata.resourceVersion, current?.spec])).toEqual([
      ['10', 'theirs'],
    ]);
  });

  it('of a kind with a field selector never reads what is outside it', async () => {
    await open([], [secrets]);
    transport.answers.push(list(5, []), list(5, [{ metadata: { ...widget().metadata }, type: 'ours' }]));
    const secret = { kind: 'Secret', namespace: 'team-a', name: 'one' };
    expect(await store.readFresh(secret)).toBeUndefined();
    expect(await store.readFresh(secret)).toMatchObject({ kind: 'Secret', type: 'ours' });
    expect(lastCall()).toEqual({
      method: 'GET',
      path: '/api/v1/namespaces/team-a/secrets',
      query: { fieldSelector: 'metadata.name=one,type=ours' },
    });
  });

  it('of a kind with a field selector never takes an answer without items for an absent object', async () => {
    await open([], [secrets]);
    transport.answers.push({ kind: 'SecretList' });
    const secret = { kind: 'Secret', namespace: 'team-a', name: 'one' };
    await expect(store.readFresh(secret)).rejects.toMatchObject({ category: 'unreachable' });
  });
});

describe('stopping', () => {
  it('ends all sources and may be done twice', async () => {
    await open(['a', 'b'], [widgets, secrets]);
    expect(transport.streams).toHaveLength(4);
    await store.stop();
    await store.stop();
    expect(transport.streams.every(({ call }) => call.signal.aborted)).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('the identity of the cluster', () => {
  it('is the uid of kube-system', async () => {
    await open();
    transport.answers.push({ metadata: { name: 'kube-system', uid: 'the-uid', resourceVersion: '1' } });
    expect(await readClusterUid(transport)).toBe('the-uid');
    expect(lastCall()?.path).toBe('/api/v1/namespaces/kube-system');
  });
});
