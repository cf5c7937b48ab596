// Request bodies: translates them into neutral words, handles null, and checks them against the schemas of the dialect. All problems are reported at
// once.
import type { z } from 'zod';
import { reservedKey } from '../../../lib/own.ts';
import { boundedList } from '../../../wire/bounds.ts';
import { clusterCreate, clusterScale, clusterScaleAdding } from '../../../wire/cluster.ts';
import {
  clusterTemplateCreate,
  earlyNodeGroupRequest,
  lateClusterOptions,
  type NodeGroupRequest,
} from '../../../wire/cluster-template.ts';
import { earlyResourceName } from '../../../wire/common.ts';
import { type Dialect, fromWire, renameField } from '../../../wire/dialect.ts';
import { imageRegister, imageTags } from '../../../wire/image.ts';
import { lateNodeOptions, nodeGroupTemplateCreate } from '../../../wire/node-group-template.ts';
import { Refusal } from '../../model/refusal.ts';
import { sizeProblemOf } from './body-size.ts';
import { flavorsOf, ownFlavor, withSignedFlavors } from './flavor-ids.ts';
import { type FieldProblem, given, narrowed, narrowingOf, problemsOf, unknownField, unless } from './narrowing.ts';
import { accessFields, mayBeUnset, mayBeUnsetAnywhere, withoutUnset } from './null-fields.ts';

type FieldPath = readonly PropertyKey[];

const below = (list: string, names: readonly string[]) => names.map((name) => `${list}.*.${name}`);

const lateOfGroups: readonly string[] = [...Object.keys(lateNodeOptions), ...accessFields];
const lateOfClusters: readonly string[] = Object.keys(lateClusterOptions);

/** Section 2: a group of the interface has no pool. */
const foreignToGroups = ['floating_ip_pool', 'image_id', 'description', ...lateOfGroups];
const ownShape = [
  'flavor_id',
  'node_processes',
  'node_configs',
  'volumes_per_node',
  'volumes_size',
  'volume_mount_prefix',
];

/** Section 2: a group with a template has only a name, a count and the identifier of the template. */
function groupProblems(list: string, groups: readonly NodeGroupRequest[] | undefined): readonly FieldProblem[] {
  return (groups ?? []).flatMap((group, index) => {
    if (group.node_group_template_id === undefined) return [];
    return given(group, ownShape).map((name): FieldProblem => [[list, index, name], 'comes from the template']);
  });
}

const late = {
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, ownFlavor),
  clusterTemplateCreate: narrowed(clusterTemplateCreate, flavorsOf('node_groups')),
  clusterCreate: narrowed(clusterCreate, flavorsOf('node_groups')),
  clusterScale: narrowed(clusterScale, flavorsOf('add_node_groups')),
  imageRegister,
  imageTags,
};

// Section 4.5: image and key pair are not marked optional, and groups come either from the template or from the request.
const neutral: typeof late = {
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate, { without: ['image_id', ...lateOfGroups] }),
  clusterTemplateCreate: narrowed(
    clusterTemplateCreate,
    { without: ['default_image_id', ...lateOfClusters, ...below('node_groups', foreignToGroups)] },
    (body) => groupProblems('node_groups', body.node_groups),
  ),
  clusterCreate: narrowed(
    clusterCreate,
    {
      without: [
        'network_management_network',
        'is_transient',
        ...lateOfClusters,
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
  // In upstream, an empty user name ends the registration. The interface has DELETE for that.
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

const earlyGroups = boundedList(earlyNodeGroupRequest).optional();

const early: typeof late = {
  ...late,
  nodeGroupTemplateCreate: narrowed(nodeGroupTemplateCreate.extend({ name: earlyResourceName }), {
    ...ownFlavor,
    without: lateOfGroups,
  }),
  clusterTemplateCreate: narrowed(clusterTemplateCreate.extend({ name: earlyResourceName, node_groups: earlyGroups }), {
    ...flavorsOf('node_groups'),
    without: [...lateOfClusters, ...below('node_groups', lateOfGroups)],
  }),
  clusterCreate: narrowed(clusterCreate.extend({ node_groups: earlyGroups }), {
    ...flavorsOf('node_groups'),
    without: [...lateOfClusters, ...below('node_groups', lateOfGroups)],
  }),
  clusterScale: narrowed(clusterScaleAdding(earlyNodeGroupRequest), {
    ...flavorsOf('add_node_groups'),
    without: below('add_node_groups', lateOfGroups),
  }),
};

const schemas = { neutral, sahara: late, savanna: early };

export const bodySchemas = (dialect: Dialect): typeof late => schemas[dialect];

/** The same for a configuration file: it must have groups, and cannot refer to templates. */
export const configurationFile = (dialect: Dialect) =>
  narrowed(bodySchemas(dialect).clusterTemplateCreate, {
    needs: ['node_groups'],
    without: ['node_groups.*.node_group_template_id'],
  });

const showPath = (dialect: Dialect, path: FieldPath) =>
  path.map((part, index) => (index === 0 ? renameField(dialect, String(part)) : `[${String(part)}]`)).join('');

const showProblem = (dialect: Dialect, [path, text]: FieldProblem) => `${showPath(dialect, path) || 'body'}: ${text}`;

function showIssue(dialect: Dialect, issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [showProblem(dialect, [issue.path, issue.message])];
  return issue.keys.map((key) => `${showPath(dialect, [...issue.path, key])}: ${unknownField}`);
}

/** Where a body has a key that schemas drop without a word. */
function reservedKeysIn(value: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return key === reservedKey ? [at] : reservedKeysIn(inner, at);
  });
}

/** More help nobody, and a body can have as many as values. */
const mostProblems = 20;

/** One line for each problem. */
function refusalOf(problems: readonly string[]): Refusal {
  const distinct = [...new Set(problems)];
  const more = distinct.length - mostProblems;
  const lines = more > 0 ? [...distinct.slice(0, mostProblems), `and ${more} more`] : distinct;
  return Refusal.by('invalid', lines.join('\n'));
}

function parse<Schema extends z.ZodType>(dialect: Dialect, schema: Schema, words: unknown): z.output<Schema> {
  const result = schema.safeParse(words, {
    error: (issue) => (issue.input === undefined ? 'is required' : undefined),
  });
  const reserved = reservedKeysIn(words);
  if (result.success && reserved.length === 0) return result.data;
  const found = [
    ...reserved.map((path) => `${showPath(dialect, path)}: cannot be a key: choose another one`),
    ...(result.error?.issues ?? []).flatMap((issue) => showIssue(dialect, issue)),
  ];
  // The schema skips these checks if types are wrong, but all problems are to be reported at once.
  const narrower = problemsOf(words, narrowingOf(schema)).map((problem) => showProblem(dialect, problem));
  throw refusalOf([...found, ...narrower]);
}

function wordsOf(dialect: Dialect, raw: unknown): unknown {
  const tooMuch = sizeProblemOf(raw);
  if (tooMuch !== undefined) throw refusalOf([showProblem(dialect, tooMuch)]);
  const words = fromWire(dialect, raw ?? {});
  return dialect === 'neutral' ? words : withSignedFlavors(words);
}

/** The body in neutral words. Throws VALIDATION_ERROR with one line for each problem, by path, or for the first ones. */
export function readBody<Schema extends z.ZodType>(dialect: Dialect, schema: Schema, raw: unknown): z.output<Schema> {
  const words = wordsOf(dialect, raw);
  return parse(dialect, schema, withoutUnset(dialect, words, mayBeUnset(dialect)));
}

/** The same for resources in which null is refused, except in the access fields of late releases. */
export function readExactBody<Schema extends z.ZodType>(
  dialect: Dialect,
  schema: Schema,
  raw: unknown,
): z.output<Schema> {
  const words = wordsOf(dialect, raw);
  return parse(dialect, schema, withoutUnset(dialect, words, mayBeUnsetAnywhere(dialect)));
}
