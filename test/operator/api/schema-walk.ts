// Visits every schema inside a CRD's structural schema, with the path that a user would write.
import type { Schema } from '../../../dev/generate/fields.ts';

export interface Place {
  readonly path: string;
  readonly schema: Schema;
  /** A field of an object, in contrast to the items of a list or the values of a map. */
  readonly isField: boolean;
}

export function walk(schema: Schema, path = '', isField = true): readonly Place[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => walk(field, `${path}.${name}`));
  const items = schema.items === undefined ? [] : walk(schema.items, `${path}[]`, false);
  const values = schema.additionalProperties === undefined ? [] : walk(schema.additionalProperties, `${path}.*`, false);
  return [{ path, schema, isField }, ...fields, ...items, ...values];
}
