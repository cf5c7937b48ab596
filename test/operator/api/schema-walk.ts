// Visits every schema inside a CRD's structural schema, with the path that a user would write.
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly {
    readonly rule: string;
    readonly message: string;
    readonly fieldPath?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
}

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
