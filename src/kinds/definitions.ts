// All custom resources, in the order in which a user meets them.
import { cluster } from './cluster/schema.ts';
import { clusterTemplate } from './cluster-template/schema.ts';
import { connection } from './connection/schema.ts';
import { nodeGroupTemplate } from './node-group-template/schema.ts';

export const definitions = [connection, nodeGroupTemplate, clusterTemplate, cluster] as const;
