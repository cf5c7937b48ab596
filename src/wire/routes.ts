// The collections of section 4 as data, so that clients can be generic over them.
import type { z } from 'zod';
import { cluster, clusterOutline } from './cluster.ts';
import { clusterTemplate } from './cluster-template.ts';
import { apiPrefix, type Dialect } from './dialect.ts';
import { image } from './image.ts';
import { dataSource } from './jobs/data-source.ts';
import { job } from './jobs/job.ts';
import { jobBinary, jobBinaryInternal } from './jobs/job-binary.ts';
import { jobExecution } from './jobs/job-execution.ts';
import { nodeGroupTemplate } from './node-group-template.ts';
import type { Outline } from './outline.ts';
import { plugin } from './plugin.ts';

/** One collection: its path segment, the keys that wrap one resource and a list, and the schema of an answered resource. */
export interface Route<Answer extends z.ZodType = z.ZodType> {
  readonly path: string;
  readonly single: string;
  readonly plural: string;
  readonly answer: Answer;
  /** What is read of a resource that is too large. When absent: only the members that identify it. */
  readonly outline?: Outline;
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
  clusters: { path: 'clusters', single: 'cluster', plural: 'clusters', answer: cluster, outline: clusterOutline },
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
