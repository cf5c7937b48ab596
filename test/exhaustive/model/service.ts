// The service of the model: what a request does to its objects when it takes effect.
import { factsOf, newest } from './api-server.ts';
import type { Body } from './passes.ts';
import type { Row, Tables } from './tables.ts';
import type { Flight, Rules, World } from './world.ts';

/** What a create asks for. */
export type Sent = Extract<Flight, { readonly post: string }>;

/** What a request did: its answer, and the service after it. */
export interface Effect {
  readonly answer: string;
  readonly world: World;
}

export const stranger = 'stranger';

export function ownerOf(id: string): string {
  return id.split('-')[0] ?? '';
}

export function rowsOf({ tables }: Rules, { rows }: World): readonly Row[] {
  return tables.rows.at(rows);
}

export function withRows({ tables }: Rules, world: World, rows: readonly Row[]): World {
  return { ...world, rows: tables.rows.numberOf([...rows].sort((a, b) => (a.id < b.id ? -1 : 1))) };
}

const answerRow = ({ rows }: Tables, row: Row): string => `rows ${rows.numberOf([row])}`;

export function post(rules: Rules, world: World, { post: name, uid, counts, of, from }: Omit<Sent, 'until'>): Effect {
  const rows = rowsOf(rules, world);
  const unique = rules.kind.identity === 'named' && of === undefined;
  if (unique && isTaken(rows, name)) return { answer: 'failure nameTaken', world };
  const template = rows.find(({ id }) => id === from);
  if (from !== undefined && !template) return { answer: 'failure quota', world };
  const made = world.made + 1;
  const row: Row = {
    id: `${uid}-${made}`,
    name,
    status: 'Active',
    ...(rules.kind.identity === 'once' ? { info: { status: 'RUNNING' } } : {}),
    ...(of === undefined ? {} : { of }),
    ...(from === undefined ? {} : { cluster_template_id: from }),
    node_groups: template?.node_groups ?? groupsOf(counts),
  };
  return { answer: answerRow(rules.tables, row), world: { ...withRows(rules, world, [...rows, row]), made } };
}

/** Every run that is in progress ends. */
export function ended(rules: Rules, world: World, id: string, status: 'SUCCEEDED' | 'FAILED'): World {
  const rows = rowsOf(rules, world).map((row): Row => (row.id === id ? { ...row, info: { status } } : row));
  return withRows(rules, world, rows);
}

export const isRunning = ({ info }: Row): boolean => info?.status === 'RUNNING';

/** Names of templates are nobody's alone. */
export const isTaken = (rows: readonly Row[], name: string): boolean =>
  rows.some((row) => row.of === undefined && row.name === name);

/** The refused create leaves a row without machines, which holds the name. */
export function postRemnant(rules: Rules, world: World, sent: Sent): World | undefined {
  const done = post(rules, world, sent);
  if (done.world === world || rules.kind.identity !== 'named' || sent.of !== undefined) return undefined;
  const rows = rowsOf(rules, done.world).map((row): Row => {
    if (row.id !== `${sent.uid}-${done.world.made}`) return row;
    return {
      ...row,
      status: 'Error',
      node_groups: (row.node_groups ?? []).map((group) => ({ ...group, instances: [] })),
    };
  });
  return withRows(rules, done.world, rows);
}

export type Counts = Readonly<Record<string, number>>;

export function countsOf({
  node_groups,
  resize_node_groups,
}: Pick<Body, 'node_groups' | 'resize_node_groups'>): Counts {
  return Object.fromEntries((resize_node_groups ?? node_groups ?? []).map(({ name, count }) => [name, count]));
}

function groupsOf(counts: Counts) {
  return Object.entries(counts).map(([name, count]) => ({ name, count }));
}

export function put(
  rules: Rules,
  world: World,
  { id, counts }: { readonly id: string; readonly counts: Counts },
): Effect {
  const rows = rowsOf(rules, world);
  const found = rows.find((row) => row.id === id);
  if (!found) return { answer: 'failure notFound', world };
  const groups = found.node_groups ?? [];
  const all = groupsOf({ ...countsOf({ node_groups: groups }), ...counts });
  const changed = {
    ...found,
    node_groups: all.map((group) => ({ ...groups.find(({ name }) => name === group.name), ...group })),
  };
  const others = rows.filter((row) => row !== found);
  return { answer: answerRow(rules.tables, changed), world: withRows(rules, world, [...others, changed]) };
}

/** What the user deletes while something refers to it is kept by the service; of all else the operator has to see to that. */
export function remove(rules: Rules, world: World, id: string): Effect {
  const rows = rowsOf(rules, world);
  if (world.referrer.made === id && (factsOf(rules, newest(world))?.deleting ?? true))
    return { answer: 'failure inUse', world };
  const left = rows.filter((row) => row.id !== id);
  if (left.length === rows.length) return { answer: 'failure notFound', world };
  if (left.some((row) => row.cluster_template_id === id)) return { answer: 'failure inUse', world };
  return { answer: 'ok', world: withRows(rules, world, left) };
}

export function land(rules: Rules, world: World, flight: Flight): World {
  if ('post' in flight) return post(rules, world, flight).world;
  if ('put' in flight) return put(rules, world, { id: flight.put, counts: flight.counts }).world;
  return remove(rules, world, flight.delete).world;
}
