// The sections of a fixtures file as data, in the order in which objects can refer to each other: which request makes one. PURE.
import { type Dialect, internalUrl } from '../wire/dialect.ts';
import type { Kind } from './records.ts';

/** One object of the file: the fields of the request that makes it, and what it is known by. */
export type Fixture = Readonly<Record<string, unknown>> & {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
};

/** A route, the variable parts of its path, and what is sent there. */
export interface FixtureRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly id?: string;
  readonly name?: string;
  readonly body: unknown;
}

/** A field that names another object. `*`: every item of a list. */
export interface Reference {
  readonly path: readonly string[];
  readonly kind: Kind;
  /** What stands before the name. */
  readonly prefix?: (dialect: Dialect) => string;
}

export type SectionKey =
  | 'images'
  | 'node_group_templates'
  | 'cluster_templates'
  | 'clusters'
  | 'data_sources'
  | 'job_binary_internals'
  | 'job_binaries'
  | 'jobs'
  | 'job_executions';

export interface Section {
  readonly kind: Kind;
  readonly key: SectionKey;
  readonly references: readonly Reference[];
  /** Without `id`, which no request has. */
  requests(fields: Omit<Fixture, 'id'>, id: string | undefined): readonly FixtureRequest[];
}

const posting =
  (path: string): Section['requests'] =>
  (body) => [{ method: 'POST', path, body }];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Registers the image, and tags it where there are tags. */
const registering: Section['requests'] = ({ tags, ...body }, id = '') => [
  { method: 'POST', path: 'images/:id', id, body },
  ...(tags === undefined ? [] : [{ method: 'POST', path: 'images/:id/tag', id, body: { tags } } as const]),
];

const uploading: Section['requests'] = ({ name, text: plain, base64 }) => {
  const bytes = base64 === undefined ? Buffer.from(text(plain)) : Buffer.from(text(base64), 'base64');
  return [{ method: 'PUT', path: 'job-binary-internals/:name', name: text(name), body: bytes }];
};

const executing: Section['requests'] = ({ job, ...body }) => [
  { method: 'POST', path: 'jobs/:id/execute', id: text(job), body },
];

const groups: Reference = { path: ['node_groups', '*', 'node_group_template_id'], kind: 'nodeGroupTemplates' };
const image: Reference = { path: ['default_image_id'], kind: 'images' };

export const sections: readonly Section[] = [
  { key: 'images', kind: 'images', references: [], requests: registering },
  {
    key: 'node_group_templates',
    kind: 'nodeGroupTemplates',
    references: [{ path: ['image_id'], kind: 'images' }],
    requests: posting('node-group-templates'),
  },
  {
    key: 'cluster_templates',
    kind: 'clusterTemplates',
    references: [groups, image],
    requests: posting('cluster-templates'),
  },
  {
    key: 'clusters',
    kind: 'clusters',
    references: [{ path: ['cluster_template_id'], kind: 'clusterTemplates' }, groups, image],
    requests: posting('clusters'),
  },
  { key: 'data_sources', kind: 'dataSources', references: [], requests: posting('data-sources') },
  { key: 'job_binary_internals', kind: 'jobBinaryInternals', references: [], requests: uploading },
  {
    key: 'job_binaries',
    kind: 'jobBinaries',
    references: [{ path: ['url'], kind: 'jobBinaryInternals', prefix: internalUrl }],
    requests: posting('job-binaries'),
  },
  {
    key: 'jobs',
    kind: 'jobs',
    references: ['mains', 'libs'].map((list) => ({ path: [list, '*'], kind: 'jobBinaries' })),
    requests: posting('jobs'),
  },
  {
    key: 'job_executions',
    kind: 'jobExecutions',
    references: [
      { path: ['job'], kind: 'jobs' },
      { path: ['cluster_id'], kind: 'clusters' },
      { path: ['input_id'], kind: 'dataSources' },
      { path: ['output_id'], kind: 'dataSources' },
    ],
    requests: executing,
  },
];

/** The fields with every text at the path changed; `at` is where it stands in the file. */
export function rewrite(
  value: unknown,
  [step, ...rest]: readonly string[],
  at: string,
  change: (text: string, at: string) => string,
): unknown {
  if (step === undefined) return typeof value === 'string' ? change(value, at) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (step === '*')
    return Array.isArray(value) ? value.map((item, index) => rewrite(item, rest, `${at}[${index}]`, change)) : value;
  const inner = Object.getOwnPropertyDescriptor(value, step)?.value as unknown;
  return inner === undefined ? value : { ...value, [step]: rewrite(inner, rest, `${at}.${step}`, change) };
}
