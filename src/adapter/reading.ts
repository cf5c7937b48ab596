// Turns the body of a good answer into a checked value in neutral words, or says what is wrong with it.
import type { z } from 'zod';
import { type Dialect, fromWire } from '../wire/dialect.ts';
import type { Route } from '../wire/routes.ts';

/** A 2xx whose body is not what the interface says. The message names the place, not the value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** JSON of a whole body. Throws Unreadable. */
export function parseBody(body: Buffer): unknown {
  if (body.byteLength === 0) throw new Unreadable('its body is empty');
  try {
    return JSON.parse(body.toString().replace(/^\uFEFF/, ''));
  } catch {
    throw new Unreadable('its body is not JSON');
  }
}

const maxIssues = 3;

/** Up to three of the places at which a value is not what its schema says. */
export function describeIssues(error: z.ZodError, root: string): string {
  const texts = error.issues.slice(0, maxIssues).map((issue) => `${[root, ...issue.path].join('.')}: ${issue.message}`);
  const more = error.issues.length - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** The value under `key`. Throws Unreadable, also for a 200 whose body is a text about a 404. */
export function unwrap(json: unknown, key: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key)) {
    throw new Unreadable(`it has no "${key}"`);
  }
  return Reflect.get(json, key);
}

/** One value as its schema has it. Throws Unreadable. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new Unreadable(describeIssues(result.error, name));
  return result.data;
}

/** The one row of an answer, in its wrapping key (section 2). Throws Unreadable. */
export function readOne<R extends Route>(route: R, dialect: Dialect, body: Buffer): z.output<R['answer']> {
  const wrapped = unwrap(parseBody(body), route.single);
  return check(route.answer as R['answer'], fromWire(dialect, wrapped), route.single);
}
