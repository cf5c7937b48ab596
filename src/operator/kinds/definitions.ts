// The definitions of all custom resources, in the order in which a user meets them, without what the operator does with them.
import type { AnyDefinition } from '../api/definition.ts';
import { cluster } from './cluster/schema.ts';
import { clusterTemplate } from './cluster-template/schema.ts';
import { connection } from './connection/schema.ts';
import { sharedConnection } from './connection/shared-schema.ts';
import { dataSource } from './data-source/schema.ts';
import { imageRegistration } from './image-registration/schema.ts';
import { job } from './job/schema.ts';
import { jobBinary } from './job-binary/schema.ts';
import { jobExecution } from './job-execution/schema.ts';
import { jobSchedule } from './job-schedule/schema.ts';
import { nodeGroup } from './node-group/schema.ts';
import { nodeGroupTemplate } from './node-group-template/schema.ts';

/** A Connection, a SharedConnection, a JobSchedule and a NodeGroup stand for nothing in the service, so the registry does not have them. */
export const definitions: readonly AnyDefinition[] = [
  connection,
  sharedConnection,
  imageRegistration,
  nodeGroupTemplate,
  clusterTemplate,
  cluster,
  dataSource,
  jobBinary,
  job,
  jobExecution,
  jobSchedule,
  nodeGroup,
];
