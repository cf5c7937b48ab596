// The registry of kinds: one import and one line each.
import type { Kind } from '../reconcile/kind.ts';
import { clusterKind } from './cluster/index.ts';
import { clusterTemplateKind } from './cluster-template/index.ts';
import { connection } from './connection/schema.ts';
import { dataSourceKind } from './data-source/index.ts';
import { imageRegistrationKind } from './image-registration/index.ts';
import { jobKind } from './job/index.ts';
import { jobBinaryKind } from './job-binary/index.ts';
import { jobExecutionKind } from './job-execution/index.ts';
import { jobSchedule } from './job-schedule/schema.ts';
import { nodeGroup } from './node-group/schema.ts';
import { nodeGroupTemplateKind } from './node-group-template/index.ts';

export const kinds: readonly Kind[] = [
  imageRegistrationKind,
  nodeGroupTemplateKind,
  clusterTemplateKind,
  clusterKind,
  dataSourceKind,
  jobBinaryKind,
  jobKind,
  jobExecutionKind,
];

/** All custom resources, in the order in which a user meets them. A Connection, a JobSchedule and a NodeGroup stand for nothing in the service, so they are no kinds. */
export const definitions = [connection, ...kinds.map((kind) => kind.definition), jobSchedule, nodeGroup];
