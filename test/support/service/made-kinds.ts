// What the operator makes in the service, as kinds of records. Images are not among them: they are registered, and not made.
import type { Kind } from '../../../src/service/model/records/records.ts';

export const madeKinds = [
  'clusters',
  'clusterTemplates',
  'nodeGroupTemplates',
  'dataSources',
  'jobBinaryInternals',
  'jobBinaries',
  'jobs',
  'jobExecutions',
] as const satisfies readonly Kind[];
