// The collections of section 4 as data, so that clients can be generic over them, and the check of an answered value against its schema.
import type { z } from 'zod';
import { cluster } from './cluster.ts';
import { clusterTemplate } from './cluster-template.ts';
import type { Immutable } from './common.ts';
import { apiPrefix, type Dialect } from './dialect.ts';
import { image } from './image.ts';
import { dataSource, job, jobBinary, jobBinaryInternal, jobExecution } from './jobs.ts';
import { nodeGroupTemplate } from './node-group-template.ts';
import { plugin } from './plugin.ts';

/** One collection: its path segment, the keys that wrap one resource and a list, and the schema of an answered resource. */
export interface Route<Answer extends z.ZodType = z.ZodType> {
  readonly path: string;
  readonly single: string;
  readonly plural: string;
  readonly answer: Answer;
  /** A resource can list thousands of machines. */
  readonly large?: true;
  /** Fields of an answer that change all the time: who follows the resource is not told of a change of them alone. */
  readonly fleeting?: readonly string[];
  /** The only version that has it. When absent: all. */
  readonly version?: 'v1.1';
}

export const routes = {
  plugins: { path: 'plugins', single: 'plugin', plural: 'plugins', answer: plugin },
  images: { path: 'images', single: 'image', plural: 'images', answer: image },
  nodeGroupTemplates: {
    path: 'node-group-templates',
    single: 'node_group_template',
    plural: 'node_group_templates',
    answer: nodeGroupTemplate,
  },
  clusterTemplates: {
    path: 'cluster-templates',
    single: 'cluster_template',
    plural: 'cluster_templates',
    answer: clusterTemplate,
  },
  clusters: {
    path: 'clusters',
    single: 'cluster',
    plural: 'clusters',
    answer: cluster,
    large: true,
    fleeting: ['load'],
  },
  // Section 4.6 shows no bodies. These are those of real services, which wrap lists of both kinds of binaries in the same key.
  dataSources: {
    path: 'data-sources',
    single: 'data_source',
    plural: 'data_sources',
    answer: dataSource,
    version: 'v1.1',
  },
  jobBinaryInternals: {
    path: 'job-binary-internals',
    single: 'job_binary_internal',
    plural: 'binaries',
    answer: jobBinaryInternal,
    version: 'v1.1',
  },
  jobBinaries: {
    path: 'job-binaries',
    single: 'job_binary',
    plural: 'binaries',
    answer: jobBinary,
    version: 'v1.1',
  },
  jobs: { path: 'jobs', single: 'job', plural: 'jobs', answer: job, version: 'v1.1' },
  jobExecutions: {
    path: 'job-executions',
    single: 'job_execution',
    plural: 'job_executions',
    answer: jobExecution,
    version: 'v1.1',
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteKey = keyof typeof routes;

const versions = new Map<string, Route['version']>(
  Object.values<Route>(routes).map(({ path, version }) => [path, version]),
);

/** The first path segment for a collection (section 9). */
export const prefixOf = (dialect: Dialect, path: string): 'v1.0' | 'v1.1' => versions.get(path) ?? apiPrefix(dialect);

export interface AnyRow {
  readonly id: string;
  readonly name?: string | undefined;
}

/** A route whose rows have identifiers, which are all routes except plugins. */
export type Collection = Route<z.ZodType<AnyRow>>;
export type RowOf<R extends Route> = Immutable<z.output<R['answer']>>;

export type Checked<Value> =
  | { readonly fits: true; readonly value: Value }
  | { readonly fits: false; readonly problem: string };

const maxIssues = 3;

/** Describes up to three problems by path below `name`, without quoting values. */
const describeIssues = (error: z.ZodError, name: string): string => {
  const texts = error.issues.slice(0, maxIssues).map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`);
  const more = error.issues.length - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
};

/** Checks `value` against `schema`. Returns the parsed value or the problem. */
export const check = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): Checked<Immutable<z.output<Schema>>> => {
  const result = schema.safeParse(value);
  if (!result.success) return { fits: false, problem: describeIssues(result.error, name) };
  return { fits: true, value: result.data as Immutable<z.output<Schema>> };
};
