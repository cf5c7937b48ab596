// Cuts a status to what its schema takes: one long word of the service must not cost the whole status. PURE.
import type { z } from 'zod';
import { type Structural, toStructural } from '../api/openapi.ts';
import { cutText } from '../wire/error-shapes.ts';

interface Bounds {
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Bounds;
  readonly properties?: Readonly<Record<string, Bounds>>;
}

type Fields = Readonly<Record<string, unknown>>;

const known = new WeakMap<z.ZodType, Structural>();

/** The same status with texts, counts and lists no larger than `schema` says. What is within the bounds stays as it is. */
export function fitted<Value extends Fields>(schema: z.ZodType, status: Value): Value {
  const bounds = known.get(schema) ?? toStructural(schema);
  known.set(schema, bounds);
  return fit(bounds, status) as Value;
}

function fit(bounds: Bounds, value: unknown): unknown {
  // Half a surrogate pair would come back from the API server as another text, and be written again and again.
  if (typeof value === 'string') return cutText(value.toWellFormed(), bounds.maxLength ?? Number.POSITIVE_INFINITY);
  if (typeof value === 'number') return clamp(value, bounds);
  if (Array.isArray(value)) return value.slice(0, bounds.maxItems).map((item) => fit(bounds.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, fit(bounds.properties?.[name] ?? {}, inner)]);
  return Object.fromEntries(fields) as Fields;
}

function clamp(value: number, { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Bounds) {
  return Math.min(Math.max(value, minimum), maximum);
}
