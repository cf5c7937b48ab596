// What the API server cannot check of a Cluster: what the dialect cannot carry, and what takes the template to tell. PURE.
import type { Given } from '../../reconcile/kind.ts';
import { capabilities, type Dialect } from '../../wire/dialect.ts';
import { checkGroups } from '../node-groups.ts';
import { wantedGroups } from './groups.ts';
import { baselineOf, type ClusterSpec, imageOf, mustMerge, templateOf } from './mapping.ts';
import { checkName } from './name.ts';

export function check(spec: ClusterSpec, dialect: Dialect): string | undefined {
  const can = capabilities(dialect);
  const template = spec.clusterTemplateRef ?? spec.clusterTemplateID;
  // Under a fixed name a template of its own carries it.
  const bare = template === undefined && spec.name === undefined;
  if (spec.networkManagementNetwork !== undefined && !can.startNetwork && bare) {
    return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${dialect}): put it into a ClusterTemplate and refer to that`;
  }
  if (can.startNeedsKeypair && spec.userKeypairID === undefined) {
    return `spec.userKeypairID: this service (dialect ${dialect}) needs a key pair to start a cluster: add one`;
  }
  return checkGroups(spec.nodeGroups ?? [], dialect);
}

/** What can be told only with the template at hand. */
export function checkCreate(spec: ClusterSpec, given: Given): string | undefined {
  const template = templateOf(spec, given);
  const groups = wantedGroups(spec, baselineOf(template));
  if (typeof groups === 'string') return groups;
  if (imageOf(spec, template, given) === undefined) {
    return 'spec.defaultImageID: there is an image neither here nor in the ClusterTemplate: add one of both, or an imageRef';
  }
  if (spec.name !== undefined) return checkName(spec.name, [...groups.keys()]);
  const network = spec.networkManagementNetwork ?? template?.network_management_network;
  if (
    network !== undefined &&
    template &&
    mustMerge(spec, given.dialect) &&
    !capabilities(given.dialect).startNetwork
  ) {
    return `spec.nodeGroups: the ClusterTemplate names a network, and this service (dialect ${given.dialect}) cannot start a cluster in it with other groups than the template's: put the groups into a ClusterTemplate`;
  }
  if (
    network === undefined ||
    capabilities(given.dialect).startNetwork ||
    network === template?.network_management_network
  )
    return undefined;
  return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${given.dialect}): remove it, or put the same network into the ClusterTemplate`;
}
