// The kind Cluster: one named object that is started, scaled and terminated.
import type { Cluster, ClusterCreate, ClusterScale } from '../../../wire/cluster.ts';
import { routes } from '../../../wire/routes.ts';
import type { NamedKind } from '../../reconcile/kind/kind.ts';
import { groupConfigs } from '../node-groups.ts';
import { fixedFields, madeLike } from './adoption.ts';
import { autoscaled } from './autoscaled-counts.ts';
import { check, checkCreate, refusedStart } from './checks.ts';
import { isRecounted, nodesOf, reportedCounts, wantedCounts, withCounts } from './counts.ts';
import { difference, type GroupDiff, madeFrom } from './difference.ts';
import { lifecycleOf, workOf } from './lifecycle.ts';
import {
  change,
  desired,
  health,
  isRemnant,
  longestGroup,
  references,
  referencesIn,
  templateID,
  templateReference,
} from './mapping.ts';
import { statedName } from './name.ts';
import { privateTemplate } from './private-template.ts';
import { expectedPlugin, report } from './report.ts';
import { cluster } from './schema.ts';

export const clusterKind: NamedKind = {
  definition: cluster,
  route: 'clusters',
  identity: 'named',
  references,
  lookups: (spec, idOf) => {
    const id = templateID(spec, idOf);
    const field = spec.clusterTemplateRef ? 'spec.clusterTemplateRef' : 'spec.clusterTemplateID';
    return id === undefined ? [] : [{ route: 'clusterTemplates', id, field, kind: 'ClusterTemplate' }];
  },
  check,
  checkCreate,
  fixedConfigs: {
    of: (spec) => ({ clusterConfigs: spec.clusterConfigs, ...groupConfigs(spec.nodeGroups ?? []) }),
    remedy: 'create another Cluster',
  },
  template: templateReference,
  longestGroup,
  fixedName: {
    of: (spec) => spec.name,
    privateTemplate,
    startedFrom: (remote) => remote.cluster_template_id,
  },
  counts: {
    of: withCounts,
    reported: reportedCounts,
    wanted: wantedCounts,
    nodes: nodesOf,
    autoscaled,
    isNew: isRecounted,
  },
  lifecycle: { of: lifecycleOf, work: workOf },
  statedName,
  desired,
  remedy: ({ category, why }) => (category === 'rejected' ? refusedStart(why) : undefined),
  health,
  adoption: { fixed: fixedFields, made: madeLike },
  isFailedCreate: isRemnant,
  difference,
  change,
  changeWords: { to: 'scale', doing: 'scaling', reason: 'Scaling', noEffect: 'ScaleHasNoEffect' },
  madeFrom,
  report,
  expected: expectedPlugin,
  referencesIn: { routes: ['clusterTemplates', 'nodeGroupTemplates'], of: referencesIn },
  create: (service, request, permit) => service.create(routes.clusters, request, permit),
  sendChange: (service, id, request, permit) => service.scaleCluster(id, request, permit),
} satisfies NamedKind<typeof cluster, ClusterCreate, Cluster, GroupDiff, ClusterScale>;
