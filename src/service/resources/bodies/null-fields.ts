// The meaning of null in bodies: which fields it leaves unset, and which refuse it. PURE.
import { access } from '../../../wire/common.ts';
import type { Dialect } from '../../../wire/dialect.ts';

/** Whether null means "not set" in the field at this path. */
export type MayBeUnset = (path: readonly string[]) => boolean;

/** The access fields that late releases have in all resources. */
export const accessFields: readonly string[] = Object.keys(access);

const refusesNull = ['volumes_per_node', 'user_keypair_id'];
const lateRefusesNull = [
  ...refusesNull,
  'cluster_template_id',
  'is_transient',
  'node_group_template_id',
  'resize_node_groups',
  'shares',
];
const listsGroups: ReadonlySet<string> = new Set(['node_groups', 'add_node_groups']);

const but =
  (names: readonly string[]): MayBeUnset =>
  ([first = '', second, ...below]) =>
    second === undefined
      ? !names.includes(first)
      : listsGroups.has(first) && below.length === 0 && !names.includes(second);

const never: MayBeUnset = () => false;
const inTemplatesAndClusters: Readonly<Record<Dialect, MayBeUnset>> = {
  neutral: but(refusesNull),
  sahara: but(lateRefusesNull),
  savanna: never,
};

/** For templates, clusters and their groups. Early upstream releases refuse null everywhere. */
export const mayBeUnset = (dialect: Dialect): MayBeUnset => inTemplatesAndClusters[dialect];

/** For all other resources. */
export const mayBeUnsetAnywhere = (dialect: Dialect): MayBeUnset =>
  dialect === 'sahara' ? ([field = '', ...below]) => below.length === 0 && accessFields.includes(field) : never;

/** Late releases remember fields that were sent as null: they are present with the value undefined. Other releases treat them as absent. */
const remembersNull = (dialect: Dialect): boolean => dialect === 'sahara';

/** What late releases store where these fields are null. */
const storedForNull: Readonly<Record<string, unknown>> = { use_autoconfig: true };

/** Replaces null where it means "not set". Inside configurations null stays, and is refused later. */
export function withoutUnset(dialect: Dialect, body: unknown, mayBeNull: MayBeUnset): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isUnset = ([key, value]: readonly [string, unknown]) => value === null && mayBeNull([key]);
  const kept = Object.entries(body).filter((entry) => remembersNull(dialect) || !isUnset(entry));
  return Object.fromEntries(
    kept.map(([key, value]: [string, unknown]) => {
      if (isUnset([key, value])) return [key, remembersNull(dialect) ? storedForNull[key] : undefined];
      if (!listsGroups.has(key) || !Array.isArray(value)) return [key, value];
      return [key, value.map((group) => withoutUnset(dialect, group, (path) => mayBeNull([key, ...path])))];
    }),
  );
}

/** The fields of a body that were sent as null. */
export const nullFieldsIn = (fields: object): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [name] : []));

/** The part of a record that remembers these fields. Lists of groups are empty instead of null. */
export function recordNulls(nulls: readonly string[]): { readonly nulls?: readonly string[] } {
  const fields = nulls.filter((name) => !listsGroups.has(name));
  return fields.length === 0 ? {} : { nulls: [...new Set(fields)] };
}

/** The fields of a record, with null in the remembered ones. */
export function showNulls({ nulls, ...fields }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = (Array.isArray(nulls) ? nulls : []).filter((name: string) => Object.hasOwn(fields, name));
  return { ...fields, ...Object.fromEntries(names.map((name: string) => [name, null])) };
}
