// The route collections of section 4 as data, so that an adapter can be generic over them.
import type { z } from 'zod';
import { cluster } from './cluster.ts';
import { clusterTemplate } from './cluster-template.ts';
import { image } from './image.ts';
import { nodeGroupTemplate } from './node-group-template.ts';
import { plugin } from './plugin.ts';

/** One collection: its path segment, the keys that wrap one resource and a list, and the schema of an answered resource. */
export interface Route<Answer extends z.ZodType = z.ZodType> {
  readonly path: string;
  readonly single: string;
  readonly plural: string;
  readonly answer: Answer;
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
  clusters: { path: 'clusters', single: 'cluster', plural: 'clusters', answer: cluster },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteKey = keyof typeof routes;
