// What the API server cannot check of a Cluster: what the dialect cannot express, and what depends on the template. PURE.
import type { ClusterTemplate } from '../../../wire/cluster-template.ts';
import { capabilities, type Dialect, dialectName } from '../../../wire/dialect.ts';
import type { MappingContext } from '../../reconcile/kind/kind.ts';
import { checkGroups } from '../node-groups.ts';
import { wantedGroups } from './groups.ts';
import { baselineOf, imageOf, mustMerge, templateOf } from './mapping.ts';
import { checkName } from './name.ts';
import type { ClusterSpec } from './schema.ts';

/** Nearly every field of a Cluster is fixed from the start, also while it cannot be started. */
const anew = 'delete this Cluster (nothing was made yet) and apply a corrected one';

/** What the refusal of a start asks of the user. */
export const refusedStart = (why: string): string => {
  if (/\bimage\b.*\bnot registered\b/i.test(why))
    return 'Apply an ImageRegistration for the image: the Cluster is then created by itself. Or use imageRef in a new Cluster';
  return `It is retried. If the spec is wrong, ${anew}; counts of node groups can be corrected in place`;
};

export const check = (spec: ClusterSpec, dialect: Dialect): string | undefined => {
  const can = capabilities(dialect);
  const template = spec.clusterTemplateRef ?? spec.clusterTemplateID;
  // Under a fixed name a private template carries it.
  const bare = template === undefined && spec.name === undefined;
  if (spec.networkManagementNetwork !== undefined && !can.startNetwork && bare) {
    return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${dialectName(dialect)}): ${anew}: without this field, from a ClusterTemplate that names the network`;
  }
  if (can.startNeedsKeypair && spec.userKeypairID === undefined) {
    return `spec.userKeypairID: this service (dialect ${dialectName(dialect)}) needs a key pair to start a cluster: ${anew} with userKeypairID`;
  }
  return checkGroups(spec.nodeGroups ?? [], dialect, ' in a group of another name');
};

/** What can be checked only with the template at hand. */
export const checkCreate = (spec: ClusterSpec, given: MappingContext): string | undefined => {
  const template = templateOf(spec, given);
  const groups = wantedGroups(spec, { baseline: baselineOf(template) });
  if (typeof groups === 'string') return groups;
  if (imageOf(spec, template, given) === undefined) {
    const elsewhere = spec.clusterTemplateRef ? 'add one to the ClusterTemplate, or ' : '';
    return `spec.defaultImageID: neither this Cluster nor a ClusterTemplate names an image: ${elsewhere}${anew} with defaultImageID or imageRef`;
  }
  if (spec.name !== undefined) return checkName(spec.name, [...groups.keys()]);
  return capabilities(given.dialect).startNetwork ? undefined : checkNetwork(spec, template, given.dialect);
};

/** For dialects whose clusters get their network from a template. */
const checkNetwork = (
  spec: ClusterSpec,
  template: ClusterTemplate | undefined,
  dialect: Dialect,
): string | undefined => {
  const network = spec.networkManagementNetwork ?? template?.network_management_network;
  if (network === undefined) return undefined;
  const editable = spec.clusterTemplateRef !== undefined;
  if (template && mustMerge(spec, dialect)) {
    const remedy = editable
      ? 'put the groups into the ClusterTemplate, and remove them here'
      : `${anew}, from a template with these groups`;
    return `spec.nodeGroups: the ClusterTemplate names a network, and this service (dialect ${dialectName(dialect)}) cannot start a cluster in it with other groups than the template's: ${remedy}`;
  }
  if (network === template?.network_management_network) return undefined;
  const elsewhere = editable ? 'put the same network into the ClusterTemplate, or ' : '';
  return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${dialectName(dialect)}): ${elsewhere}${anew} without this field`;
};
