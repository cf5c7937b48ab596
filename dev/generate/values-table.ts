// The table of the chart's values, from values.yaml and its comments. PURE.
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { code, table } from './markdown.ts';

export interface Value {
  /** Such as `image.tag`. */
  readonly path: string;
  readonly usual: unknown;
  readonly description: string;
}

export const valuesTable = (text: string): string =>
  table(
    ['Value', 'Default', 'Description'],
    valuesOf(text).map(({ path, usual, description }) => [code(path), code(JSON.stringify(usual)), description]),
  );

/** The values that a comment describes. Throws if one has no comment. */
export function valuesOf(text: string): readonly Value[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error('cannot read values.yaml: it is no map');
  return entriesOf(contents, []);
}

const entriesOf = (map: YAMLMap, path: readonly string[]): readonly Value[] =>
  map.items.flatMap((pair, index) => {
    // The parser takes the first comment of a map for one of the map.
    const description = commentOf(pair.key) ?? (index === 0 ? commentOf(map) : undefined);
    return valuesIn(pair, [...path, nameOf(pair)], description);
  });

function valuesIn({ value }: Pair, path: readonly string[], description: string | undefined): readonly Value[] {
  if (isMap(value) && isSection(value)) return entriesOf(value, path);
  if (description === undefined) throw new Error(`cannot describe ${path.join('.')}: it has no comment in values.yaml`);
  return [{ path: path.join('.'), usual: plain(value), description }];
}

/** A map whose entries are described, and not as a whole. */
const isSection = (map: YAMLMap): boolean =>
  commentOf(map) !== undefined ||
  map.items.some(({ key, value }) => commentOf(key) !== undefined || (isMap(value) && isSection(value)));

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');

function commentOf(node: unknown): string | undefined {
  const { commentBefore } = node as { readonly commentBefore?: string | null };
  return commentBefore
    ?.split('\n')
    .map((line) => line.trim())
    .join(' ');
}

const plain = (value: unknown): unknown => (value as { toJSON(): unknown }).toJSON();
