// How an existing object differs from what a request would send. PURE.

import { looksSecret } from '../../../lib/secrets.ts';
import { serviceID } from '../../../wire/common.ts';
import { cleanWord, cutText } from '../../../wire/errors/shapes.ts';
import type { Drift } from '../kind/kind.ts';
import { wordOf } from '../ledger/adoption.ts';
import { canonicalJson } from '../ledger/naming.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What no service reports, so that nothing can be compared. */
const unreported: readonly string[] = ['name', 'credentials', 'extra'];
/** Lists whose order matters. */
const ordered: readonly string[] = ['mains', 'libs'];
/** What is an identifier without being called one. */
const identifiers: readonly string[] = [...ordered, 'network_management_network'];

/**
 * The fields of `wanted` that `object` does not have with the same value, both in the words of the interface. What `wanted` leaves out may be
 * anything, except for entries of lists. The paths are those of the spec.
 */
export function objectDifference(wanted: Fields, object: Fields): readonly Drift[] {
  const compared = Object.entries(wanted).filter(([field]) => !unreported.includes(field));
  return compared.flatMap(([field, want]) => differ({ path: `spec.${specWord(field)}`, field }, want, object[field]));
}

/** What an existing object must have: what a create would send, and nothing where the spec has an empty list, which is not always sent. */
export function wantedOf(spec: object, body: object): Fields {
  const empty = Object.entries(spec).filter(([, value]) => Array.isArray(value) && value.length === 0);
  return { ...Object.fromEntries(empty.map(([field]) => [wordOf(field), []])), ...body };
}

/** Where a value is. `isOption`: below a map of options, whose keys belong to users. */
interface Position {
  readonly path: string;
  readonly field: string;
  readonly isOption?: boolean;
}

function differ(place: Position, want: unknown, have: unknown): readonly Drift[] {
  if (want === undefined) return [];
  if (Array.isArray(want)) return differInList(place, want, Array.isArray(have) ? have : []);
  if (isFields(want)) return differInFields(place, want, isFields(have) ? have : {});
  return comparedOf(place, want) === comparedOf(place, have) ? [] : [drift(place, want, have)];
}

/** A spec may spell an identifier otherwise than the service. */
function comparedOf({ field, isOption }: Position, value: unknown): string {
  const isID = isOption !== true && (field.endsWith('_id') || identifiers.includes(field));
  return isID ? serviceID(textOf(value)) : textOf(value);
}

function differInFields({ path, field, isOption }: Position, want: Fields, have: Fields): readonly Drift[] {
  const areOptions = isOption === true || field.endsWith('configs');
  return Object.entries(want).flatMap(([name, value]) => {
    const below = areOptions ? `${path}[${name}]` : `${path}.${specWord(name)}`;
    return differ({ path: below, field: name, isOption: areOptions }, value, have[name]);
  });
}

function differInList(place: Position, want: readonly unknown[], have: readonly unknown[]): readonly Drift[] {
  if (want.length > 0 && want.every(isNamed)) return differInEntries(place, want, have);
  const [wanted, present] = [want, have].map((list) => {
    const texts = list.map((one) => comparedOf(place, isFields(one) ? (one['id'] ?? one['name']) : one));
    return ordered.includes(place.field) ? texts : texts.toSorted();
  });
  return canonicalJson(wanted) === canonicalJson(present) ? [] : [drift(place, wanted, present)];
}

type Named = Fields & { readonly name: string };

/** A list whose entries have names. */
function differInEntries(place: Position, want: readonly Named[], have: readonly unknown[]): readonly Drift[] {
  const there = new Map(have.flatMap((one) => (isNamed(one) ? [[one.name, one] as const] : [])));
  const at = (name: string): Position => ({ path: `${place.path}[${name}]`, field: place.field });
  const differing = want.flatMap((entry) => {
    const found = there.get(entry.name);
    return found ? differInFields(at(entry.name), entry, found) : [drift(at(entry.name), 'an entry', undefined)];
  });
  const names = new Set(want.map(({ name }) => name));
  // Some services list a group that was taken away.
  const extra = [...there.values()].filter(({ name, count }) => !names.has(name) && count !== 0);
  return [...differing, ...extra.map(({ name }) => drift(at(name), undefined, 'an entry'))];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Named {
  return isFields(value) && typeof value['name'] === 'string';
}

/** Services answer numbers as texts, and the other way round. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : canonicalJson(value);
}

const shownLetters = 200;

function drift({ path, field, isOption }: Position, want: unknown, have: unknown): Drift {
  const shown = (value: unknown): string => {
    const text = textOf(value);
    if (text === '') return 'none';
    return isOption && looksSecret(field) ? '(secret)' : cutText(cleanWord(text), shownLetters);
  };
  return { path: cutText(cleanWord(path), shownLetters), want: shown(want), have: shown(have), fixable: false };
}

/** `node_group_template_id` is `nodeGroupTemplateID` in a spec. */
function specWord(field: string): string {
  const [first = '', ...rest] = field.split('_');
  const capital = (word: string): string =>
    /^(id|ip)$/.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1);
  return first + rest.map(capital).join('');
}
