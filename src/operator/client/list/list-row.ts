// Reads one row of a LIST.
import { stableText } from '../../../lib/json.ts';
import { type Identified, identifying } from '../../../wire/common.ts';
import { type Dialect, fromWire } from '../../../wire/dialect.ts';
import { cutText } from '../../../wire/errors/shapes.ts';
import { type AnyRow, type Collection, check } from '../../../wire/routes.ts';
import { withoutSecrets } from '../http/answer.ts';
import { parsePiece } from '../json/members.ts';
import type { KeptRow, UnreadableRow } from './list-view.ts';

/** What the rows must be. */
export interface Interface {
  readonly route: Collection;
  readonly dialect: Dialect;
}

/** A row as it was received. */
export interface ListRow {
  readonly bytes: Buffer;
  readonly digest: string;
  /** What each step over it counts for. */
  readonly step: number;
}

export type ReadRow = { readonly row: KeptRow } | { readonly unreadable: UnreadableRow };

/** A longer id or name is one that nobody asks for. */
const longestText = 1_024;
const longestProblem = 300;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestText;
}

export function describeRow(row: unknown, problem: string): UnreadableRow {
  const textOf = (key: string): unknown =>
    typeof row === 'object' && row !== null ? Reflect.get(row, key) : undefined;
  const told = identifying.map((key) => [key, textOf(key)] as const).filter(([, value]) => isText(value));
  return { problem: cutText(problem, longestProblem), ...(Object.fromEntries(told) as Identified) };
}

/** In steps, because a large row would take too long at once. Throws Unreadable. */
export function* readInSteps(
  { route, dialect }: Interface,
  { bytes, digest, step }: ListRow,
): Generator<number, ReadRow> {
  const json = parsePiece(bytes);
  yield step;
  const checked = check(route.answer, fromWire(dialect, json), route.single);
  if (!checked.fits) return { unreadable: describeRow(json, checked.problem) };
  const { id, name } = checked.value;
  if (id === '') return { unreadable: describeRow(json, 'its id is empty') };
  yield step;
  const { lasting, fleeting } = split(route, checked.value);
  return { row: { id, name, text: stableText(withoutSecrets(lasting)), fleeting, digest } };
}

function split({ fleeting: names = [] }: Collection, row: AnyRow) {
  if (!names.some((name) => Object.hasOwn(row, name))) return { lasting: row, fleeting: undefined };
  const parts = Object.groupBy(Object.entries(row), ([name]) => (names.includes(name) ? 'fleeting' : 'lasting'));
  const lasting = Object.fromEntries(parts.lasting ?? []) as unknown as AnyRow;
  return { lasting, fleeting: stableText(Object.fromEntries(parts.fleeting ?? [])) };
}
