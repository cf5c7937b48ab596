// Creating both kinds of templates: sections 4.3 and 4.4 of the interface.

import type { ClusterTemplateCreate, NodeGroupRequest } from '../../../wire/cluster-template.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { Share } from '../../../wire/node-group-template.ts';
import { checkConfigs, checkProcesses, findVersion } from '../../model/catalog/catalog.ts';
import {
  checkDistinct,
  checkLength,
  checkNameFree,
  checkSamePlugin,
  checkShape,
  templateOf,
} from '../../model/checks/request-checks.ts';
import { createId, timestamp } from '../../model/records/identifiers.ts';
import type { ClusterTemplateRecord, GroupRecord, NodeGroupTemplateRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { firstTwice } from '../../model/texts.ts';
import { bodySchemas, readBody } from '../bodies/bodies.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { checkImageFor, checkRegistered } from '../images/images.ts';
import { createFreshId, type Service } from '../service.ts';
import { expandGroup, fill, nodeDefaults } from './expansion.ts';

type TemplateRequest = Pick<Call, 'tenant' | 'body'>;

/** Upstream has no default size, so a group with volumes must have a size. */
function checkVolumes(shape: { readonly volumes_per_node: number; readonly volumes_size: number }): void {
  if (shape.volumes_per_node > 0 && shape.volumes_size === 0)
    throw Refusal.by('noSize', 'cannot make volumes: volumes_size is not given');
}

export function createNodeGroupTemplate(service: Service, call: TemplateRequest): NodeGroupTemplateRecord {
  const { dialect, store, catalog, clock } = service;
  const { tenant } = call;
  const body = readBody(dialect, bodySchemas(dialect).nodeGroupTemplateCreate, call.body);
  checkNameFree(service, 'nodeGroupTemplates', { tenant, name: body.name });
  const record = {
    id: createFreshId(service, 'nodeGroupTemplates', tenant),
    ...fill(nodeDefaults(dialect), body),
    ...recordNulls(nullFieldsIn(body)),
    created_at: timestamp(clock),
  };
  checkShape({ catalog, tenant }, findVersion(catalog, body.plugin_name, body.bigdata_version), record);
  if (record.image_id !== undefined) checkImageFor(service, { tenant, id: record.image_id }, body);
  checkVolumes(record);
  checkShares(record.shares);
  store.put('nodeGroupTemplates', tenant, record);
  return record;
}

interface Owner {
  readonly plugin_name: string;
  readonly bigdata_version: string;
}

/** Section 4 does not define this. Upstream checks only that the owner's plugin supports what the template contains. */
function checkTemplate(
  { dialect, catalog }: Service,
  { tenant, owner }: GroupsOwner,
  template: NodeGroupTemplateRecord | undefined,
): void {
  if (template === undefined) return;
  if (dialect === 'neutral') checkSamePlugin(template, owner);
  else checkShape({ catalog, tenant }, findVersion(catalog, owner.plugin_name, owner.bigdata_version), template);
}

/** Upstream checks only the fields of the group itself, not those of its template. */
const volumesOf = (dialect: Dialect, group: NodeGroupRequest, expanded: GroupRecord) =>
  dialect === 'neutral' ? expanded : fill({ volumes_per_node: 0, volumes_size: 0 }, group);

interface GroupsOwner {
  readonly tenant: string;
  readonly owner: Owner;
}

/** The groups of a request with the attributes of their templates. Throws unless plugin and catalog support them. */
export function expandGroups(
  service: Service,
  at: GroupsOwner,
  groups: readonly NodeGroupRequest[],
): readonly GroupRecord[] {
  const { dialect, store, catalog, random } = service;
  checkDistinct(groups);
  const plugin = findVersion(catalog, at.owner.plugin_name, at.owner.bigdata_version);
  const expanded = groups.map((group) => {
    const template = templateOf(store, at.tenant, group);
    const whole = expandGroup(group, { id: createId(random), dialect, template });
    checkTemplate(service, at, template);
    checkShape({ catalog, tenant: at.tenant }, plugin, whole);
    if (whole.image_id !== undefined) checkRegistered(service, { tenant: at.tenant, id: whole.image_id });
    checkVolumes(volumesOf(dialect, group, whole));
    return whole;
  });
  checkGroupsLength(expanded);
  return expanded;
}

/** Of the groups of one owner, with all that they have from their templates. */
export const checkGroupsLength = (groups: readonly GroupRecord[]): void =>
  checkLength(groups, {
    what: 'node_groups: with what they have from their templates, they are',
    remedy: 'use shorter node_configs, or fewer groups',
  });

const emptyDefinition: Pick<ClusterTemplateRecord, 'cluster_configs' | 'anti_affinity'> = {
  cluster_configs: {},
  anti_affinity: [],
};

export function createClusterTemplate(service: Service, call: TemplateRequest): ClusterTemplateRecord {
  const { dialect } = service;
  const body = readBody(dialect, bodySchemas(dialect).clusterTemplateCreate, call.body);
  return storeClusterTemplate(service, call.tenant, body);
}

/** Checks the references of the template, and stores it. */
export function storeClusterTemplate(
  service: Service,
  tenant: string,
  body: ClusterTemplateCreate,
): ClusterTemplateRecord {
  const { store, catalog, clock } = service;
  checkNameFree(service, 'clusterTemplates', { tenant, name: body.name });
  const plugin = findVersion(catalog, body.plugin_name, body.bigdata_version);
  if (body.default_image_id !== undefined) checkImageFor(service, { tenant, id: body.default_image_id }, body);
  checkConfigs(plugin, body.cluster_configs ?? {});
  const node_groups = expandGroups(service, { tenant, owner: body }, body.node_groups ?? []);
  checkProcesses(plugin, body.anti_affinity ?? []);
  checkShares(body.shares);
  const record = {
    id: createFreshId(service, 'clusterTemplates', tenant),
    ...fill(emptyDefinition, body),
    ...recordNulls(nullFieldsIn(body)),
    node_groups,
    created_at: timestamp(clock),
  };
  store.put('clusterTemplates', tenant, record);
  return record;
}

/** Throws unless each share has a mount path of its own. */
function checkShares(shares: readonly Share[] = []): void {
  const paths = shares.flatMap(({ path }) => path ?? []);
  const twice = firstTwice(paths);
  if (twice !== undefined) throw Refusal.by('badShares', `cannot mount shares: two have the path ${twice}`);
  const wrong = paths.find((path) => !path.startsWith('/') || path.includes('\0'));
  if (wrong !== undefined)
    throw Refusal.by('badShares', `cannot mount shares: ${JSON.stringify(wrong)} must be an absolute path`);
}
