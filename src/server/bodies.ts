// Request bodies: neutral words, unset fields, and the schemas by dialect; all that is wrong is reported at once.
import type { z } from 'zod';
import { clusterCreate, clusterScale } from '../wire/cluster.ts';
import { clusterTemplateCreate, type NodeGroupRequest } from '../wire/cluster-template.ts';
import { access } from '../wire/common.ts';
import { type Dialect, fromWire, renameField } from '../wire/dialect.ts';
import { imageRegister, imageTags } from '../wire/image.ts';
import { nodeGroupTemplateCreate } from '../wire/node-group-template.ts';
import { given, narrowed, type Problem, unknownField, unless } from './narrowing.ts';
import { Refusal } from './refusal.ts';

type Path = readonly PropertyKey[];

const below = (list: string, names: readonly string[]) => names.map((name) => `${list}.*.${name}`);

/** Section 2: a group of the interface has no pool. */
const foreignToGroups = ['floating_ip_pool', 'image_id'];
const ownShape = [
  'flavor_id',
  'node_processes',
  'node_configs',
  'volumes_per_node',
  'volumes_size',
  'volume_mount_prefix',
];

/** Section 2: a group by template carries only name, count and the identifier. */
function groupProblems(list: string, groups: readonly NodeGroupRequest[] | undefined): readonly Problem[] {
  return (groups ?? []).flatMap((group, index) => {
    if (group.node_group_template_id === undefined) return [];
    return given(group, ownShape).map((name): Problem => [[list, index, name], 'comes from the template']);
  });
}

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
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, { without: ['image_id', ...accessFields] }),
  clusterTemplateCreate: narrowed(
    clusterTemplateCreate,
    { without: ['default_image_id', ...accessFields, ...below('node_groups', foreignToGroups)] },
    (body) => groupProblems('node_groups', body.node_groups),
  ),
  clusterCreate: narrowed(
    clusterCreate,
    {
      without: [
        'network_management_network',
        'is_transient',
        ...accessFields,
        ...below('node_groups', foreignToGroups),
      ],
      needs: ['default_image_id', 'user_keypair_id'],
    },
    (body) => [
      ...unless(
        (body.cluster_template_id === undefined) !== (body.node_groups === undefined),
        ['node_groups'],
        'exactly one of cluster_template_id and node_groups is required',
      ),
      ...groupProblems('node_groups', body.node_groups),
    ],
  ),
  // Upstream takes an empty user name for the end of the registration; here that is what DELETE is for.
  imageRegister: narrowed(imageRegister, {}, ({ username }) => unless(username !== '', ['username'], 'is empty')),
  imageTags,
  clusterScale: narrowed(
    clusterScale,
    {
      without: below('add_node_groups', foreignToGroups),
      needs: ['add_node_groups.*.node_group_template_id'],
    },
    (body) => groupProblems('add_node_groups', body.add_node_groups),
  ),
};

const early: typeof late = {
  ...late,
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, { without: accessFields }),
  clusterTemplateCreate: narrowed(clusterTemplateCreate, { without: accessFields }),
  clusterCreate: narrowed(clusterCreate, { without: accessFields }),
};

const schemas = { neutral, sahara: late, savanna: early };

/** The request schemas of a dialect. */
export const bodySchemas = (dialect: Dialect): typeof late => schemas[dialect];

/** The same for a file that describes a whole cluster: it has groups, and nothing in it refers to what the service has. */
export const configurationFile = (dialect: Dialect) =>
  narrowed(bodySchemas(dialect).clusterTemplateCreate, {
    needs: ['node_groups'],
    without: ['node_groups.*.node_group_template_id'],
  });

const refusesNull: ReadonlySet<string> = new Set(['volumes_per_node', 'user_keypair_id']);
const listsGroups: ReadonlySet<string> = new Set(['node_groups', 'add_node_groups']);

/** Whether null stands for "not set" in the field that this path leads to: for `readBody`, and for `readExactBody` of late releases. */
export const mayBeUnset = ([first = '', second, ...below]: readonly string[]): boolean =>
  second === undefined
    ? !refusesNull.has(first)
    : listsGroups.has(first) && below.length === 0 && !refusesNull.has(second);
export const mayBeUnsetInLate = ([field = '', ...below]: readonly string[]): boolean =>
  below.length === 0 && accessFields.includes(field);

/** Null stands for "not set" in the fields of a resource and of its groups; inside configurations it stays, and is refused. */
function withoutUnset(body: unknown, mayBeNull: (path: readonly string[]) => boolean = mayBeUnset): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const kept = Object.entries(body).filter(([key, value]) => value !== null || !mayBeNull([key]));
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
  return parse(dialect, schema, dialect === 'sahara' ? withoutUnset(words, mayBeUnsetInLate) : words);
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
      withoutUnset(words, ([field = '']) => clearable.includes(field)),
    ),
  };
}
