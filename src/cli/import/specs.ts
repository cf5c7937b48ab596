// The spec of a resource, from the object that it is to stand for. PURE.
import { shownUrl } from '../../wire/jobs.ts';
import type { Fields } from '../fields.ts';
import type { ServiceRow } from '../service/collections.ts';
import { configsOf, fieldsOf, listOf, numberOf, present, type Reading, textOf, textsOf } from './values.ts';

export interface SpecInput extends Reading {
  readonly row: ServiceRow;
  /** The name of the resource that stands for an object of this kind and id, if there is one. */
  readonly nameOf: (kind: string, id: string) => string | undefined;
  /** The row of a cluster template. */
  readonly templateOf: (id: string) => ServiceRow | undefined;
}

type ToSpec = (input: SpecInput) => Fields;

export const specs: Readonly<Record<string, ToSpec>> = {
  ImageRegistration: ({ row: { id, fields } }) =>
    present({
      imageID: id,
      username: textOf(fields['username']),
      description: textOf(fields['description']),
      tags: textsOf(fields['tags']),
    }),
  NodeGroupTemplate: (input) => ({ ...described(input), ...nodesOf(input.row.fields, 'nodeConfigs', input) }),
  ClusterTemplate: (input) => ({ ...described(input), ...clusterOf(input), nodeGroups: groupsOf(input) }),
  Cluster: clusterSpec,
  DataSource: (input) => ({ ...commentOf(input), type: textOf(input.row.fields['type']), url: urlOf(input) }),
  JobBinary: (input) => ({ ...commentOf(input), url: urlOf(input) }),
  Job: jobSpec,
};

/** Why no resource can stand for such an object; undefined: one can. */
export function unfitText(kind: string, { fields }: ServiceRow): string | undefined {
  if (kind !== 'ClusterTemplate' || listOf(fields['node_groups']).length > 0) return undefined;
  return 'it has no node groups, and spec.nodeGroups needs at least one. Clusters of it are written with clusterTemplateID';
}

function commentOf({ row: { fields } }: SpecInput): Fields {
  return present({ description: textOf(fields['description']) });
}

function described(input: SpecInput): Fields {
  const { plugin_name, bigdata_version } = input.row.fields;
  return {
    ...commentOf(input),
    ...present({ pluginName: textOf(plugin_name), bigdataVersion: textOf(bigdata_version) }),
  };
}

/** What clusters and their templates share. */
function clusterOf(input: SpecInput): Fields {
  const { fields } = input.row;
  return present({
    clusterConfigs: configsOf(fields['cluster_configs'], 'clusterConfigs', input),
    antiAffinity: textsOf(fields['anti_affinity']),
    networkManagementNetwork: textOf(fields['network_management_network']),
    defaultImageID: textOf(fields['default_image_id']),
  });
}

/** Services fill in the volumes of nodes that have none. */
function nodesOf(fields: Fields, path: string, reading: Reading): Fields {
  const count = numberOf(fields['volumes_per_node']) ?? 0;
  const flavor = textOf(fields['flavor_id']) ?? numberOf(fields['flavor_id'])?.toString();
  return present({
    flavorID: flavor,
    nodeProcesses: textsOf(fields['node_processes']),
    floatingIPPool: textOf(fields['floating_ip_pool']),
    nodeConfigs: configsOf(fields['node_configs'], path, reading),
    ...(count > 0 && {
      volumesPerNode: count,
      volumesSize: numberOf(fields['volumes_size']),
      volumeMountPrefix: textOf(fields['volume_mount_prefix']),
    }),
  });
}

function groupsOf(input: SpecInput): readonly Fields[] {
  return listOf(input.row.fields['node_groups']).map((one) => groupOf(fieldsOf(one), input));
}

function groupOf(group: Fields, input: SpecInput): Fields {
  const own = present({ name: textOf(group['name']), count: numberOf(group['count']) });
  const template = textOf(group['node_group_template_id']);
  if (template === undefined)
    return { ...own, ...nodesOf(group, `nodeGroups.${String(own['name'])}.nodeConfigs`, input) };
  return { ...own, ...referenceTo(input, 'NodeGroupTemplate', template) };
}

/** By name where a resource stands for it, and by identifier otherwise. */
function referenceTo({ nameOf }: SpecInput, kind: string, id: string): Fields {
  const name = nameOf(kind, id);
  const field = kind.charAt(0).toLowerCase() + kind.slice(1);
  return name === undefined ? { [`${field}ID`]: id } : { [`${field}Ref`]: { name } };
}

/** Of a group that the template has, only the count belongs to the cluster. */
function clusterSpec(input: SpecInput): Fields {
  const { fields } = input.row;
  const id = textOf(fields['cluster_template_id']);
  const template = id === undefined ? undefined : input.templateOf(id);
  const inTemplate = new Set(listOf(template?.fields['node_groups']).map((one) => textOf(fieldsOf(one)['name'])));
  const groups = groupsOf(input).map((group) =>
    inTemplate.has(textOf(group['name'])) ? { name: group['name'], count: group['count'] } : group,
  );
  return {
    ...described(input),
    ...(id !== undefined && template !== undefined && referenceTo(input, 'ClusterTemplate', id)),
    ...clusterOf(input),
    ...present({ userKeypairID: textOf(fields['user_keypair_id']) }),
    nodeGroups: groups,
  };
}

/** Without a user, a password, and what follows `?`, which can be a signature. */
function urlOf({ row: { fields }, left }: SpecInput): string | undefined {
  const url = textOf(fields['url']);
  const shown = url === undefined ? undefined : shownUrl(url);
  if (shown !== url) left.push('url: the credentials in it');
  return shown;
}

function jobSpec(input: SpecInput): Fields {
  const { fields } = input.row;
  const files = (value: unknown) => {
    const ids = listOf(value).flatMap((one) => textOf(fieldsOf(one)['id']) ?? []);
    return ids.length === 0 ? undefined : ids.map((id) => referenceTo(input, 'JobBinary', id));
  };
  const named = listOf(fields['interface']).map((one) => argumentOf(fieldsOf(one)));
  return {
    ...commentOf(input),
    ...present({
      type: textOf(fields['type']),
      mains: files(fields['mains']),
      libs: files(fields['libs']),
      interface: named.length === 0 ? undefined : named,
    }),
  };
}

function argumentOf(one: Fields): Fields {
  return present({
    name: textOf(one['name']),
    description: textOf(one['description']),
    mappingType: textOf(one['mapping_type']),
    location: textOf(one['location']) ?? numberOf(one['location'])?.toString(),
    required: one['required'] === true,
    valueType: textOf(one['value_type']),
    default: textOf(one['default']),
  });
}
