// The registry of kinds: one import and one line each. The definitions are in a list of their own, which the plugin reads, too.
import type { Kind } from '../reconcile/kind/kind.ts';
import { clusterKind } from './cluster/index.ts';
import { clusterTemplateKind } from './cluster-template/index.ts';
import { dataSourceKind } from './data-source/index.ts';
import { imageRegistrationKind } from './image-registration/index.ts';
import { jobKind } from './job/index.ts';
import { jobBinaryKind } from './job-binary/index.ts';
import { jobExecutionKind } from './job-execution/index.ts';
import { nodeGroupTemplateKind } from './node-group-template/index.ts';

export { definitions } from './definitions.ts';

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
