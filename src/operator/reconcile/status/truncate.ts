// Cuts a status to what its schema accepts: one long word of the service must not cost the whole status. PURE.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';
import { cutText } from '../../../wire/errors/shapes.ts';
import { keywords } from '../../api/keywords.ts';

interface TextBounds {
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: TextBounds;
  readonly properties?: Readonly<Record<string, TextBounds>>;
}

type StatusPart = Readonly<Record<string, unknown>>;

const boundless: TextBounds = {};
const boundsOf = memoize(
  (schema: z.ZodType) =>
    z.toJSONSchema(schema, {
      target: 'openapi-3.0',
      io: 'input',
      override: ({ zodSchema, jsonSchema }) =>
        Object.assign(jsonSchema, keywords.get(zodSchema as unknown as z.ZodType)),
    }) as TextBounds,
);

/** Limits on the characters of a text and the entries of a list. */
interface StatusRoom {
  readonly text: number;
  readonly list: number;
}

/** In bytes: together they must leave room for the spec. */
const largest = 262_144;
const rooms: readonly StatusRoom[] = [
  { text: Number.POSITIVE_INFINITY, list: Number.POSITIVE_INFINITY },
  { text: 1_024, list: 50 },
  { text: 256, list: 20 },
];

/**
 * The same status with texts, numbers and lists within the bounds of `schema`, and smaller ones where it is too large as a
 * whole. What is within the bounds stays unchanged.
 */
export function truncated<Value extends StatusPart>(schema: z.ZodType, status: Value): Value {
  const bounds = boundsOf(schema);
  const tries = rooms.values().map((room) => fit(bounds, status, room) as Value);
  return (
    tries.find((one) => Buffer.byteLength(JSON.stringify(one)) <= largest) ?? (fit(bounds, status, smallest) as Value)
  );
}

const smallest: StatusRoom = { text: 64, list: 10 };

function fit(bounds: TextBounds, value: unknown, room: StatusRoom): unknown {
  // Half a surrogate pair would come back from the API server as another text, and be written again and again.
  if (typeof value === 'string') {
    return cutText(value.toWellFormed(), Math.min(bounds.maxLength ?? Number.POSITIVE_INFINITY, room.text));
  }
  if (typeof value === 'number') return clamp(value, bounds);
  if (Array.isArray(value)) {
    const most = Math.min(bounds.maxItems ?? Number.POSITIVE_INFINITY, room.list);
    const items = value.slice(0, most).map((item) => fit(bounds.items ?? boundless, item, room));
    return items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as StatusPart;
  const names = Object.keys(fields);
  const fits = names.map((name) => fit(bounds.properties?.[name] ?? boundless, fields[name], room));
  if (names.every((name, index) => fields[name] === fits[index])) return fields;
  return Object.fromEntries(names.map((name, index) => [name, fits[index]]));
}

function clamp(value: number, { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: TextBounds) {
  return Math.min(Math.max(value, minimum), maximum);
}
