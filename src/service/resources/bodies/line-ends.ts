// Upstream accepts a line end after names and similar texts, because its patterns match before it, and keeps it in the name. PURE.
import { isJsonObject } from '../../../lib/json.ts';

/** The fields that upstream checks with patterns. */
export const patterned: ReadonlySet<string> = new Set(['name', 'tags', 'user_keypair_id', 'volume_mount_prefix']);
/** The maximum length of a name, including its line end. */
const longestName = 50;

function cut(key: string, text: string): string {
  const isLong = key === 'name' && text.length > longestName;
  return patterned.has(key) && !isLong ? text.replace(/\n$/, '') : text;
}

/** The body without line ends, for the check against the schema. */
export function withoutLineEnds(body: unknown, key = ''): unknown {
  if (typeof body === 'string') return cut(key, body);
  if (Array.isArray(body)) return body.map((item: unknown) => withoutLineEnds(item, key));
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withoutLineEnds(value, name)]));
}

/** The checked body with the line ends of the original. */
export function withLineEnds<Checked>(checked: Checked, sent: unknown): Checked {
  const restore = (value: unknown, of: unknown): unknown => {
    if (typeof value === 'string') return of === `${value}\n` ? of : value;
    if (Array.isArray(value) && Array.isArray(of)) return value.map((item, index) => restore(item, of[index]));
    if (!isJsonObject(value) || !isJsonObject(of)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restore(inner, of[name])]));
  };
  return restore(checked, sent) as Checked;
}
