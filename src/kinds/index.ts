// The registry: one import and one line a kind.
import type { AnyKind } from '../reconcile/kind.ts';
import { clusterKind } from './cluster/index.ts';
import { clusterTemplateKind } from './cluster-template/index.ts';
import { nodeGroupTemplateKind } from './node-group-template/index.ts';

export const kinds: readonly AnyKind[] = [nodeGroupTemplateKind, clusterTemplateKind, clusterKind];
