// A picture of all that there is on both sides for one cell, without what no two runs have in common: names of the cell, ids, times.
import { stableText } from '../../../src/lib/json.ts';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { madeKinds } from '../../support/service/made-kinds.ts';
import { nameOfRow } from '../../support/service/runs.ts';
import type { Seen } from '../plane/mirror.ts';
import type { Scene } from './scene.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const address = /\b\d+\.\d+\.\d+\.\d+\b/g;

interface LedgerText {
  readonly claims: readonly {
    readonly role: string;
    readonly name: string;
    readonly attempts?: unknown;
    readonly hash?: string;
  }[];
  readonly change?: { readonly tries: number; readonly doubts?: number };
}

/** One line for each object of either side, in a fixed order. */
export function pictureOf(scene: Scene): readonly string[] {
  const { cell, endpoint, store } = scene;
  const objects = scene.objects();
  const former = new Set(objects.flatMap(formerRuns));
  const remotes = madeKinds
    .flatMap((kind) => store.list(kind, cell).map((row) => ({ kind, row })))
    // One run of a former attempt may be there; a second one stays in the picture.
    .filter(({ row }) => !former.delete(nameOfRow(row) ?? ''));
  const names = objects.flatMap(({ kind, metadata }) =>
    (ledgerOf(metadata.annotations)?.claims ?? []).map(
      ({ name, role }) => [name, `<${role} of ${kind} ${metadata.name}>`] as const,
    ),
  );
  const ids = remotes.map(({ row }) => [row.id, `<id of ${nameOfRow(row)}>`] as const);
  const lines = [
    ...objects.map((object) => stableText(ofObject(object))),
    ...remotes.map(({ kind, row }) => stableText({ kind, ...ofRow(row) })),
    ...store.list('images', cell).map((image) => stableText({ kind: 'images', ...image })),
  ];
  const replaced = [...ids, ...names, [endpoint, '<endpoint>'] as const];
  return lines
    .map((line) => replaced.reduce((text, [from, to]) => text.replaceAll(from, to), line))
    .map((line) => line.replaceAll(uuid, '<id>').replaceAll(time, '<time>').replaceAll(address, '<address>'))
    .map((line) => line.replaceAll(new RegExp(`\\b${cell}\\b`, 'g'), '~'))
    .toSorted();
}

/**
 * The runs of former attempts: their user wanted another one, as nobody knew of them. Whether the service has carried out the request for one in the end
 * is not the same each time.
 */
function formerRuns({ kind, metadata }: Seen): readonly string[] {
  if (kind !== 'JobExecution') return [];
  return (ledgerOf(metadata.annotations)?.claims ?? []).slice(0, -1).map(({ name }) => name);
}

function ledgerOf(annotations: Readonly<Record<string, string>> | undefined): LedgerText | undefined {
  const text = annotations?.[ledgerAnnotation];
  return text === undefined ? undefined : (JSON.parse(text) as LedgerText);
}

/**
 * Objects are counted some time after they changed; the limits depend on the answers; the ledger of status is a copy; how often a run was tried, and how long it took, is not
 * the same each time.
 */
const varying: readonly string[] = [
  'managedCount',
  'unclaimedCount',
  'unclaimed',
  'limits',
  'ledger',
  'attempts',
  'duration',
];

function ofObject({ kind, metadata, status = {} }: Seen): object {
  const ledger = ledgerOf(metadata.annotations);
  return {
    kind,
    name: metadata.name,
    generation: metadata.generation,
    deleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers,
    ledger: ledger && lastingOf(kind === 'JobExecution' ? { ...ledger, claims: ledger.claims.slice(-1) } : ledger),
    status: Object.fromEntries(Object.entries(status).filter(([field]) => !varying.includes(field))),
  };
}

/**
 * Without what a fault may leave: an attempt whose end nobody can know stays open, which costs no more than patience when it is deleted,
 * and the tries of a change that an image keeps on record.
 */
function lastingOf({ claims, change, ...ledger }: LedgerText): object {
  const { tries: _tries, doubts: _doubts, ...aim } = change ?? {};
  return { ...ledger, claims: claims.map(lastingClaim), change: change && aim };
}

/** The content of a private template has ids in it, which no two runs have in common. */
function lastingClaim({ attempts: _open, ...claim }: LedgerText['claims'][number]): object {
  return claim.role === 'private' ? { ...claim, hash: '<hash>' } : claim;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly node_groups?: readonly {
    readonly name: string;
    readonly count: number;
    readonly node_group_template_id?: string | undefined;
    readonly instances?: readonly unknown[];
  }[];
  readonly cluster_template_id?: string | undefined;
  readonly info?: { readonly status?: string };
}

function ofRow(row: Row): object {
  const { id, node_groups, cluster_template_id, status = row.info?.status } = row;
  const name = nameOfRow(row);
  const groups = node_groups?.map((group) => [
    group.name,
    group.count,
    group.node_group_template_id,
    group.instances?.length,
  ]);
  return { id, name, status, cluster_template_id, groups };
}

/** What only the one and only the other has. */
export function differences(wanted: readonly string[], found: readonly string[]): readonly string[] {
  const without = (lines: readonly string[], others: readonly string[], mark: string): readonly string[] => {
    const left = [...others];
    return lines.flatMap((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at >= 0 ? [] : [`${mark} ${line}`];
    });
  };
  return [...without(wanted, found, '-'), ...without(found, wanted, '+')];
}
