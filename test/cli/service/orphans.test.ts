// What belongs to no resource, and who made it.
import { expect, test } from 'vitest';
import { painter } from '../../../src/cli/output/page.ts';
import { type AskedPlace, claimedBy } from '../../../src/cli/service/claims.ts';
import { collections } from '../../../src/cli/service/collections.ts';
import { orphansIn } from '../../../src/cli/service/orphans.ts';
import { orphansPage } from '../../../src/cli/service/orphans-page.ts';
import { installationMark } from '../../../src/lib/generated-name.ts';
import { clusterName, revisionName } from '../../../src/operator/reconcile/ledger/naming.ts';
import { now, ready } from '../why/objects.ts';

const id = (one: number): string => `00000000-0000-4000-8000-${`${one}`.padStart(12, '0')}`;
const row = (one: number, name: string, fields: object = {}) => ({
  id: id(one),
  name,
  fields: { id: id(one), name, ...fields },
});
const nameOf = (uid: string, installation: string) => clusterName({ name: 'etl', uid, installation }, 6);
const recorded = (ledger: object) => ({
  metadata: { annotations: { 'dataprocessing.dev/ledger': JSON.stringify({ v: 1, installation: 'here', ...ledger }) } },
});
const ledgerOf = (...claims: readonly object[]) => recorded({ claims });

const place: AskedPlace = {
  connection: { kind: 'Connection', name: 'default' },
  namespace: 'team',
  endpoints: ['http://now', 'http://before'],
  tenant: 'demo',
};

function orphansOf(kind: string, rows: readonly ReturnType<typeof row>[], resources: Parameters<typeof claimedBy>[0]) {
  const collection = collections.find((one) => one.kind === kind);
  if (collection === undefined) throw new Error(kind);
  const claimed = claimedBy(resources, place);
  return orphansIn([{ ...collection, rows }], claimed, claimed.marks);
}

test('an object is claimed by its identifier, or by a generated name whose identifier is not known yet', () => {
  const [pending, left, foreign] = [nameOf('pending', 'here'), nameOf('left', 'here'), nameOf('any', 'there')];
  const resources = [
    ready('Cluster', 'etl', ledgerOf({ id: id(1), name: 'fixed' }, { name: pending })),
    ready('Cluster', 'seen', { more: { id: id(2) } }),
    ready('Cluster', 'mirrored', { more: { ledger: JSON.stringify({ claims: [{ id: id(3) }] }) } }),
  ];
  const rows = [
    row(1, 'one'),
    row(2, 'two'),
    row(3, 'three'),
    row(4, pending),
    row(5, left, { created_at: '2026-11-28T09:00:00', status: 'Active' }),
    row(6, foreign),
    // Anybody may give this name, so it proves nothing.
    row(7, 'fixed'),
  ];
  const [here, there] = [installationMark('here'), installationMark('there')];
  expect(orphansOf('Cluster', rows, resources)).toMatchObject([
    { id: id(5), madeBy: 'this installation', mark: here, status: 'Active', createdAt: '2026-11-28T09:00:00' },
    { id: id(6), madeBy: 'another installation', mark: there },
    { id: id(7), name: 'fixed', madeBy: 'unknown' },
  ]);
});

test('a cluster of a fixed name was made by whoever made its private template', () => {
  const template = (one: number, installation: string) =>
    row(one, revisionName({ name: 'Nightly.etl', uid: 'any', installation }, 'aaaaaaaa'));
  const cluster = (one: number, from: number, name = 'Nightly.etl') =>
    row(one, name, { cluster_template_id: id(from) });
  const clusters = [cluster(1, 11), cluster(2, 12), cluster(3, 12, 'by-hand'), cluster(4, 13)];
  const read = collections.flatMap((one) => {
    if (one.kind === 'Cluster') return [{ ...one, rows: clusters }];
    return one.kind === 'ClusterTemplate' ? [{ ...one, rows: [template(11, 'here'), template(12, 'there')] }] : [];
  });
  const found = orphansIn(read, claimedBy([], place), new Set([installationMark('here')]));
  expect(found.filter(({ kind }) => kind === 'Cluster')).toMatchObject([
    { id: id(1), madeBy: 'this installation', mark: installationMark('here') },
    { id: id(2), madeBy: 'another installation', mark: installationMark('there') },
    { id: id(3), madeBy: 'unknown' },
    { id: id(4), madeBy: 'unknown' },
  ]);
});

test('a resource that only names an identifier uses the object, and does not own it', () => {
  const user = ready('Cluster', 'etl', { spec: { clusterTemplateID: id(1) } });
  expect(orphansOf('ClusterTemplate', [row(1, 'small')], [user])).toMatchObject([{ usedBy: 'Cluster team/etl' }]);
});

test('images that nobody registered belong to nobody, and runs to the JobExecution in their marker', () => {
  const image = ready('ImageRegistration', 'ubuntu', { spec: { imageID: id(1) } });
  const rows = [
    row(1, 'ubuntu', { username: 'ubuntu' }),
    row(2, 'raw', { username: null }),
    row(3, 'old', { username: 'x' }),
  ];
  expect(orphansOf('ImageRegistration', rows, [image]).map(({ name }) => name)).toEqual(['old']);
  const run = ready('JobExecution', 'words');
  expect(orphansOf('JobExecution', [row(1, 'uid-words-2'), row(2, 'uid-gone-1'), row(3, '')], [run])).toHaveLength(2);
});

const ofImage = (one: number) => ({
  spec: { imageID: id(one), connectionRef: { name: 'other' } },
  more: { id: id(one) },
});

test('an image belongs to an ImageRegistration only where that is of the same service and tenant', () => {
  const at = (one: number, endpoint: string, tenant: string) => ({
    ...ofImage(one),
    ...recorded({ endpoint, tenant, claims: [{ id: id(one) }] }),
  });
  const resources = [
    ready('ImageRegistration', 'no-ledger', ofImage(1)),
    ready('ImageRegistration', 'other-tenant', at(2, 'http://now', 'other')),
    ready('ImageRegistration', 'other-service', at(3, 'http://elsewhere', 'demo')),
    ready('ImageRegistration', 'same', at(4, 'http://now', 'demo')),
    ready('ImageRegistration', 'same-before', at(5, 'http://before', 'demo')),
    ready('ImageRegistration', 'default', { spec: { imageID: id(6) } }),
    ready('ImageRegistration', 'default-elsewhere', { spec: { imageID: id(7) }, metadata: { namespace: 'x' } }),
  ];
  const rows = [1, 2, 3, 4, 5, 6, 7].map((one) => row(one, 'ubuntu', { username: 'ubuntu' }));
  const orphans = orphansOf('ImageRegistration', rows, resources);
  expect(orphans.map((one) => one.id)).toEqual([1, 2, 3, 7].map(id));
  expect(orphans.map(({ usedBy }) => usedBy)).toEqual([undefined, undefined, undefined, undefined]);
});

test('unreadable ledgers claim nothing', () => {
  const broken = (ledger: string) =>
    ready('Cluster', 'etl', { metadata: { annotations: { 'dataprocessing.dev/ledger': ledger } } });
  for (const ledger of ['{', 'null', '[]', '{"claims":[null,{"id":5}]}'])
    expect(orphansOf('Cluster', [row(1, 'x')], [broken(ledger)])).toHaveLength(1);
});

test('the table has the age, and what may be wrong with it', () => {
  const orphans = orphansOf(
    'Cluster',
    [row(1, 'old\u001b[2J', { created_at: '2026-11-26T12:00:00' }), row(2, 'new')],
    [],
  );
  const found = {
    connection: 'default',
    endpoint: 'http://x',
    orphans,
    problems: ['2 of the clusters cannot be read'],
  };
  expect(orphansPage(found, { now, paint: painter(false) })).toBe(`\
2 objects of the service at http://x (Connection default) belong to no resource
COLLECTION  NAME     ID                                    AGE     MADE BY  STATUS  USED BY
clusters    old?[2J  ${id(1)}  2 days  others
clusters    new      ${id(2)}  ?       others
Warning    2 of the clusters cannot be read

kubectl dataprocessing import prints manifests for them. Nothing was deleted.
`);
  expect(orphansPage({ ...found, orphans: [], problems: [] }, { now, paint: painter(false) })).toBe(
    'Nothing is unclaimed\n',
  );
});
