// What belongs to no resource, as a table. PURE.
import { ago, counted, labelled, type Paint, table } from '../output/page.ts';
import type { Orphan } from './orphans.ts';

export interface FoundOrphans {
  readonly connection: string;
  readonly endpoint: string;
  readonly orphans: readonly Orphan[];
  readonly problems: readonly string[];
}

const madeBy: Readonly<Record<Orphan['madeBy'], string>> = {
  'this installation': 'this operator',
  'another installation': 'another operator',
  unknown: 'others',
};

/** `now`: Unix ms. */
export function orphansPage(
  found: FoundOrphans,
  { now, paint }: { readonly now: number; readonly paint: Paint },
): string {
  const { connection, endpoint, orphans, problems } = found;
  const rows = orphans.map((one) => [
    one.collection,
    one.name,
    one.id,
    ageOf(one.createdAt, now),
    `${madeBy[one.madeBy]}${one.mark === undefined ? '' : ` (${one.mark})`}`,
    one.status ?? '',
    one.usedBy ?? '',
  ]);
  const header = ['COLLECTION', 'NAME', 'ID', 'AGE', 'MADE BY', 'STATUS', 'USED BY'];
  const what = `${counted(orphans.length, 'object')} of the service at ${endpoint} (Connection ${connection})`;
  const lines = [
    paint(
      'bold',
      orphans.length === 0
        ? 'Nothing is unclaimed'
        : `${what} ${orphans.length === 1 ? 'belongs' : 'belong'} to no resource`,
    ),
    ...(orphans.length === 0 ? [] : table([header, ...rows])),
    ...problems.flatMap((problem) => labelled('Warning', problem, 3)).map((line) => paint('yellow', line)),
    ...(orphans.length === 0
      ? []
      : ['', 'kubectl dataprocessing import prints manifests for them. Nothing was deleted.']),
  ];
  return `${lines.join('\n')}\n`;
}

/** Services write times in an unknown zone, often UTC, so hours are not worth telling from less. */
function ageOf(createdAt: string | undefined, now: number): string {
  const zoned = createdAt === undefined || /(Z|[+-]\d\d:?\d\d)$/.test(createdAt) ? createdAt : `${createdAt}Z`;
  return ago(zoned, now)?.replace(/ ago$/, '') ?? '?';
}
