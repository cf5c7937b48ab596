// Reads hostile answers in a process of its own, whose heap is as large as the reading of one may take: `node hostile-reader.ts PARSER`.
import { writeSync } from 'node:fs';
import fc from 'fast-check';
import { parseBody, readRow, unwrap } from '../../../../src/operator/client/http/answer.ts';
import { Unreadable } from '../../../../src/operator/client/json/cursor.ts';
import { ListReading } from '../../../../src/operator/client/list/list-reading.ts';
import type { Snapshot } from '../../../../src/operator/client/list/list-view.ts';
import { readLedger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { ClaimIndex } from '../../../../src/operator/reconcile/ownership/claim-index.ts';
import { readErrorBody } from '../../../../src/wire/errors/shapes.ts';
import { type Collection, type RouteKey, routes } from '../../../../src/wire/routes.ts';
import { chunksOf } from './chunks.ts';

const deep = (open: string, end: string, depth: number): string => `${open.repeat(depth)}0${end.repeat(depth)}`;

/** What is said again and again; `#` is another number each time. */
const unit = fc.oneof(
  fc.constantFrom(
    '{}',
    '[]',
    '0',
    'null',
    '""',
    '[[]]',
    '{"id":"#"}',
    '{"id":""}',
    '{"id":"#","name":7}',
    '{"id":"#","name":"#"}',
    '{"id":"#","name":"#","status":"Active"}',
    '{"id":"#","name":"#","node_groups":[{}]}',
    '{"id":"#","name":"#","node_groups":[{"name":"a","count":1,"instances":[{},{},{}]}]}',
    '{"id":"#","name":"#","info":{"a":{"b":"http://h"}}}',
    '{"id":"#","name":"#","tags":["a","b"]}',
    '{"name":"a","count":1,"instances":[]}',
    '{"#":"#"}',
    '{"role":"main","collection":"clusters","name":"#","id":"#"}',
    `"${'x'.repeat(1_000)}"`,
    deep('[', ']', 60),
    deep('{"a":', '}', 60),
    deep('[', ']', 10_000),
    deep('{"a":', '}', 10_000),
  ),
  fc.json({ maxDepth: 3 }),
);

/** Where it is said: `*` stands for all of them, as a list or as members. */
const places = (single: string, plural: string): readonly string[] => [
  `{"${plural}":[*]}`,
  `{"${plural}":[{"id":"1","name":"1","status":"Active","node_groups":[*]}]}`,
  `{"${plural}":[{"id":"1","name":"1","status":"Active","node_groups":[{"name":"a","count":1,"instances":[*]}]}]}`,
  `{"${plural}":[{"id":"1","name":"1","status":"Active","x":[*]}]}`,
  `{"${plural}":[{"id":"1","name":"1","cluster_configs":{*}}]}`,
  `{"${plural}":[{"id":"1","name":"1","status":"Active","info":{*}}]}`,
  `{"${plural}":[{*}]}`,
  `{"x":[*],"${plural}":[]}`,
  `{*,"${plural}":[]}`,
  `{"${single}":{"id":"1","name":"1","status":"Active","node_groups":[{"name":"a","count":1,"instances":[*]}]}}`,
  `{"${single}":{"id":"1","name":"1","x":[*]}}`,
  `{"${single}":{*}}`,
  `{"${single}":[*]}`,
  '{"v":1,"installation":"i","uid":"u","endpoint":"http://e","tenant":"t","base":"b","claims":[*]}',
  '{"v":1,"installation":"i","uid":"u","endpoint":"http://e","tenant":"t","base":"b","claims":[],"x":[*]}',
  '{"v":1,"installation":"i","uid":"u","endpoint":"http://e","tenant":"t","base":"b","claims":[],"previousOwners":[*]}',
  '{"v":1,"installation":"i","uid":"u","endpoint":"http://e","tenant":"t","base":"b","claims":[],"madeFrom":{*}}',
];

function textOf(place: string, said: string, bytes: number): string {
  const asMember = place.includes('{*');
  const parts: string[] = [];
  for (let [size, n] = [0, 0]; size < bytes; n += 1) {
    const one = said.replaceAll('#', String(n));
    const part = asMember ? `"${n}":${one}` : one;
    parts.push(part);
    size += part.length + 1;
  }
  return place.replace('*', () => parts.join());
}

/** What is kept of the last one; it stays, as it does in the operator. */
let kept: unknown;

async function list(route: Collection, text: string): Promise<void> {
  const previous = (kept as { snapshot?: Snapshot } | undefined)?.snapshot;
  const reading = new ListReading({ route, dialect: 'neutral', previous });
  for (const chunk of chunksOf(text, 65_536)) await reading.take(chunk);
  kept = await reading.finish({ at: 1, order: 1 });
}

const ledgerOwner = { uid: 'u', installation: 'i' };

/** By name: what reads an answer, and how many bytes one may have. */
const parsers: Readonly<Record<string, { readonly bytes: number; readonly read: (text: string) => unknown }>> = {
  ...Object.fromEntries(
    (['clusters', 'nodeGroupTemplates', 'images'] as const satisfies readonly RouteKey[]).flatMap((key) => [
      [`list ${key}`, { bytes: 2_097_152, read: (text: string) => list(routes[key], text) }],
      [
        `row of ${key}`,
        { bytes: 1_000_000, read: (text: string) => readRow(routes[key], 'sahara', Buffer.from(text)) },
      ],
    ]),
  ),
  'large row of clusters': {
    bytes: 4_000_000,
    read: (text) => readRow(routes.clusters, 'neutral', Buffer.from(text)),
  },
  value: { bytes: 1_000_000, read: (text) => unwrap(Buffer.from(text), 'clusters', 'sahara') },
  'log-in': {
    bytes: 4_000_000,
    read: (text) => parseBody(Buffer.from(text), { bytes: 4_194_304, values: 100_000, depth: 64 }),
  },
  refusal: { bytes: 262_144, read: (text) => readErrorBody(400, text, []) },
  ledger: {
    bytes: 262_144,
    read(text) {
      // As many as are remembered.
      for (let n = 0; n < 30; n += 1) readLedger(`${text}${' '.repeat(n)}`, undefined, ledgerOwner);
      const state = readLedger(text, undefined, ledgerOwner);
      const index = new ClaimIndex('i');
      const metadata = { name: 'a', uid: 'u', generation: 1, annotations: { 'dataprocessing.dev/ledger': text } };
      const current = { apiVersion: 'v1', kind: 'Cluster', metadata: { ...metadata, namespace: 'a' }, spec: {} };
      index.changed({ key: { kind: 'Cluster', namespace: 'a', name: 'a' }, current: current as never });
      // Hundreds of resources may have one.
      kept = [...(Array.isArray(kept) ? (kept as unknown[]).slice(-20) : []), [state.state, index]];
    },
  },
};

const [, , name = '', runs = '10'] = process.argv;
const parser = parsers[name];
if (parser === undefined) {
  console.info(JSON.stringify(Object.entries(parsers).map(([key, { bytes }]) => [key, bytes])));
} else {
  const [, plural = 'clusters'] = / (?:of )?(\w+)$/.exec(name) ?? [];
  const route = routes[(plural in routes ? plural : 'clusters') as 'clusters'];
  // Objects that have no key in common.
  const examples = places(route.single, route.plural)
    .filter((place) => /instances":\[\*|"x":\[\*/.test(place))
    .map((place): [string, string] => ['{"#":"#"}', place]);
  await fc.assert(
    fc.asyncProperty(unit, fc.constantFrom(...places(route.single, route.plural)), async (said, place) => {
      writeSync(2, `${place.slice(0, 200)} of ${said.slice(0, 200)}\n`);
      const text = textOf(place, said, parser.bytes * 0.9);
      try {
        await parser.read(text);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
      }
    }),
    { numRuns: Number(runs) + examples.length, endOnFailure: true, examples },
  );
  console.info('done');
}
