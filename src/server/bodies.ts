// Request bodies: neutral words, unset fields, and the schemas by dialect; all that is wrong is reported at once.
import type { z } from 'zod';
import { clusterCreate, clusterScale } from '../wire/cluster.ts';
import { clusterTemplateCreate, type NodeGroupRequest } from '../wire/cluster-template.ts';
import { access } from '../wire/common.ts';
import { type Dialect, fromWire, renameField } from '../wire/dialect.ts';
import { imageRegister, imageTags } from '../wire/image.ts';
import { nodeGroupTemplateCreate } from '../wire/node-group-template.ts';
import { Refusal } from './refusal.ts';

type Path = readonly PropertyKey[];
type Problem = readonly [path: Path, message: string];

const unknownField = 'unknown field';
const given = (fields: object, names: readonly string[]) =>
  names.filter((name) => Object.getOwnPropertyDescriptor(fields, name)?.value !== undefined);

const foreignToGroups = ['floating_ip_pool', 'image_id'];
const ownShape = [
  'flavor_id',
  'node_processes',
  'node_configs',
  'volumes_per_node',
  'volumes_size',
  'volume_mount_prefix',
];

/** Section 2: a group of the interface has no pool, and one by template carries only name, count and the identifier. */
function groupProblems(list: string, groups: readonly NodeGroupRequest[] | undefined): readonly Problem[] {
  return (groups ?? []).flatMap((group, index) => {
    const foreign = given(group, foreignToGroups).map((name): Problem => [[list, index, name], unknownField]);
    if (group.node_group_template_id === undefined) return foreign;
    const surplus = given(group, ownShape);
    return [...foreign, ...surplus.map((name): Problem => [[list, index, name], 'comes from the template'])];
  });
}

export const unless = (condition: boolean, path: Path, message: string): readonly Problem[] =>
  condition ? [] : [[path, message]];
export const unknownAmong = (body: object, names: readonly string[]) =>
  given(body, names).map((name): Problem => [[name], unknownField]);

/** A schema of upstream, narrowed to what the interface as written shows. */
export const narrowed = <Schema extends z.ZodType>(
  schema: Schema,
  problems: (body: z.output<Schema>) => readonly Problem[],
) =>
  schema.superRefine((body, context) => {
    for (const [path, message] of problems(body)) context.addIssue({ code: 'custom', path: [...path], message });
  });

/** Fields of late releases. */
export const accessFields: readonly string[] = Object.keys(access);

const late = {
  nodeGroupTemplateCreate,
  clusterTemplateCreate,
  clusterCreate,
  clusterScale,
  imageRegister,
  imageTags,
};

// Section 4.5: image and key pair are not marked optional, and the groups come either from a template or from the request.
const neutral: typeof late = {
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, (body) =>
    unknownAmong(body, ['image_id', ...accessFields]),
  ),
  clusterTemplateCreate: narrowed(clusterTemplateCreate, (body) => [
    ...unknownAmong(body, ['default_image_id', ...accessFields]),
    ...groupProblems('node_groups', body.node_groups),
  ]),
  clusterCreate: narrowed(clusterCreate, (body) => [
    ...unknownAmong(body, ['network_management_network', 'is_transient', ...accessFields]),
    ...unless(body.default_image_id !== undefined, ['default_image_id'], 'is required'),
    ...unless(body.user_keypair_id !== undefined, ['user_keypair_id'], 'is required'),
    ...unless(
      (body.cluster_template_id === undefined) !== (body.node_groups === undefined),
      ['node_groups'],
      'exactly one of cluster_template_id and node_groups is required',
    ),
    ...groupProblems('node_groups', body.node_groups),
  ]),
  // Upstream takes an empty user name for the end of the registration; here that is what DELETE is for.
  imageRegister: narrowed(imageRegister, ({ username }) => unless(username !== '', ['username'], 'is empty')),
  imageTags,
  clusterScale: narrowed(clusterScale, (body) => [
    ...groupProblems('add_node_groups', body.add_node_groups),
    ...(body.add_node_groups ?? []).flatMap((group, index) =>
      unless(
        group.node_group_template_id !== undefined,
        ['add_node_groups', index, 'node_group_template_id'],
        'is required',
      ),
    ),
  ]),
};

const early: typeof late = {
  ...late,
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, (body) => unknownAmong(body, accessFields)),
  clusterTemplateCreate: narrowed(clusterTemplateCreate, (body) => unknownAmong(body, accessFields)),
  clusterCreate: narrowed(clusterCreate, (body) => unknownAmong(body, accessFields)),
};

const schemas = { neutral, sahara: late, savanna: early };

/** The request schemas of a dialect. */
export const bodySchemas = (dialect: Dialect): typeof late => schemas[dialect];

/** The same for a file that describes a whole cluster: it has groups, and nothing in it refers to what the service has. */
export const configurationFile = (dialect: Dialect) =>
  narrowed(bodySchemas(dialect).clusterTemplateCreate, ({ node_groups }) => [
    ...unless(node_groups !== undefined, ['node_groups'], 'is required'),
    ...(node_groups ?? []).flatMap((group, index) =>
      given(group, ['node_group_template_id']).map((name): Problem => [['node_groups', index, name], unknownField]),
    ),
  ]);

const refusesNull: ReadonlySet<string> = new Set(['volumes_per_node', 'user_keypair_id']);
const listsGroups: ReadonlySet<string> = new Set(['node_groups', 'add_node_groups']);

/** Null stands for "not set" in the fields of a resource and of its groups; inside configurations it stays, and is refused. */
function withoutUnset(body: unknown, mayBeNull = (field: string) => !refusesNull.has(field)): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const kept = Object.entries(body).filter(([key, value]) => value !== null || !mayBeNull(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      listsGroups.has(key) && Array.isArray(value) ? value.map((group) => withoutUnset(group)) : value,
    ]),
  );
}

const showPath = (dialect: Dialect, path: Path) =>
  path.map((part, index) => (index === 0 ? renameField(dialect, String(part)) : `[${String(part)}]`)).join('');

function showIssue(dialect: Dialect, issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [`${showPath(dialect, issue.path) || 'body'}: ${issue.message}`];
  return issue.keys.map((key) => `${showPath(dialect, [...issue.path, key])}: ${unknownField}`);
}

function parse<Schema extends z.ZodType>(dialect: Dialect, schema: Schema, words: unknown): z.output<Schema> {
  const result = schema.safeParse(words, {
    error: (issue) => (issue.input === undefined ? 'is required' : undefined),
  });
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap((issue) => showIssue(dialect, issue));
  throw new Refusal([400, 'VALIDATION_ERROR'], lines.join('\n'));
}

/** The body in neutral words. Throws VALIDATION_ERROR with every problem on a line of its own, by path. */
export function readBody<Schema extends z.ZodType>(dialect: Dialect, schema: Schema, raw: unknown): z.output<Schema> {
  const words = fromWire(dialect, raw ?? {});
  // Early upstream releases refuse null everywhere.
  return parse(dialect, schema, dialect === 'savanna' ? words : withoutUnset(words));
}

/** The same for resources of which no release takes null for "not set", but in the fields that late releases have for all. */
export function readExactBody<Schema extends z.ZodType>(
  dialect: Dialect,
  schema: Schema,
  raw: unknown,
): z.output<Schema> {
  const words = fromWire(dialect, raw ?? {});
  return parse(
    dialect,
    schema,
    dialect === 'sahara' ? withoutUnset(words, (field) => accessFields.includes(field)) : words,
  );
}

/** What can be changed, and which of it null sets back to what it is when it is not given. */
export interface Changeable<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly clearable: readonly string[];
}

/** The fields that a change has. One that is set back is there, and undefined. */
export function readChange<Schema extends z.ZodType<object>>(
  dialect: Dialect,
  { schema, clearable }: Changeable<Schema>,
  raw: unknown,
): z.output<Schema> {
  const words = fromWire(dialect, raw ?? {});
  const nulls = new Map(Object.entries(words ?? {}).filter(([, value]) => value === null));
  const cleared = clearable.filter((field) => nulls.has(field)).map((field) => [field, undefined] as const);
  return {
    ...Object.fromEntries(cleared),
    ...parse(
      dialect,
      schema,
      withoutUnset(words, (field) => clearable.includes(field)),
    ),
  };
}
