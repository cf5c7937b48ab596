// What `import` says beside the manifests, on standard error.
import { expect, test } from 'vitest';
import type { ImportWish } from '../../../src/cli/arguments/commands.ts';
import { printImport } from '../../../src/cli/import/import-command.ts';
import { Objects } from '../../../src/cli/objects.ts';
import type { ConnectionName, Observed } from '../../../src/cli/observed.ts';
import type { Printer } from '../../../src/cli/output/run-output.ts';
import type { Reach } from '../../../src/cli/reach.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { now, planeOf, ready } from '../why/objects.ts';

const image = { id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61', name: 'ubuntu', username: 'ubuntu', tags: [] };
const shared = (spec: object = {}): Observed =>
  ready('SharedConnection', 'platform', {
    metadata: { namespace: undefined },
    spec: { endpoint: 'http://service.system.svc:8386', tenantID: 'demo', ...spec },
  });
const own = ready('Connection', 'platform', { spec: { ...shared().spec } });

/** A service that has an image only. */
async function open({ path }: ApiCall) {
  const collection = path.split('/').at(-1)?.replaceAll('-', '_') ?? '';
  const body = { [collection]: collection === 'images' ? [image] : [] };
  const bytes = (async function* () {
    yield Buffer.from(JSON.stringify(body));
  })();
  return { status: 200, bytes };
}

async function told(objects: readonly Observed[], kind: ConnectionName['kind'], only: readonly string[] = []) {
  const { transport } = planeOf({ objects });
  const clock = { wall: () => now, monotonic: () => 0, after: () => () => undefined };
  const objectsOf = new Objects(transport, 'team');
  const reach = { objects: objectsOf, transport: { ...transport, open, clock }, isInCluster: false };
  const lines: string[] = [];
  let printed = '';
  const printer = {
    print: async (bytes: Uint8Array) => void (printed += Buffer.from(bytes).toString()),
    tell: (line: string) => void lines.push(line),
    signal: new AbortController().signal,
  } as unknown as Printer;
  const wish = { connection: { kind, name: 'platform' }, all: false, only, format: 'json' } as unknown as ImportWish;
  await printImport(reach as unknown as Reach, wish, printer);
  const { items } = JSON.parse(printed) as { readonly items: readonly object[] };
  return { items, notes: lines.filter((line) => line.startsWith('note: ')) };
}

test('that the operator refuses all of it where the SharedConnection lets nobody take what exists', async () => {
  const { items, notes } = await told([shared()], 'SharedConnection');
  expect(items).toMatchObject([{ kind: 'ImageRegistration' }]);
  expect(notes).toEqual([
    'note: the operator refuses these manifests (ConnectionNotAllowed) until spec.allowAdopt of SharedConnection "platform" is true: ask the administrator of the cluster, who alone can set it',
  ]);
});

test.each<readonly [string, Observed, ConnectionName['kind'], readonly string[]]>([
  ['where it lets namespaces do so', shared({ allowAdopt: true }), 'SharedConnection', []],
  ['through a Connection of the namespace', own, 'Connection', []],
  ['where nothing is imported', shared(), 'SharedConnection', ['another']],
])('nothing of that %s', async (_name, connection, kind, only) => {
  const { items, notes } = await told([connection], kind, only);
  expect([items.length, notes]).toEqual([only.length === 0 ? 1 : 0, []]);
});
