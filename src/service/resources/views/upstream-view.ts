// Templates and clusters as answers of upstream: every field, null if it was never set. Late releases have more fields. PURE.

import { derivedId, hashOf } from '../../model/records/identifiers.ts';
import { isUp } from '../../model/records/machines.ts';
import type {
  ClusterGroupRecord,
  ClusterRecord,
  ClusterTemplateRecord,
  GroupRecord,
  Machine,
  NodeGroupTemplateRecord,
} from '../../model/records/records.ts';
import { showNulls } from '../bodies/null-fields.ts';
import { access, type Fields, omit, type ViewContext } from './job-view.ts';

const earlyShape = { image_id: null, floating_ip_pool: null };
const lateOnlyShape = {
  volume_type: null,
  volumes_availability_zone: null,
  volume_local_to_instance: false,
  availability_zone: null,
  security_groups: null,
  auto_security_group: false,
  is_proxy_gateway: false,
  shares: null,
  use_autoconfig: true,
};
/** These can be set only in the next version of the interface, but every version shows them. */
const bootVolume = {
  boot_from_volume: false,
  boot_volume_type: null,
  boot_volume_availability_zone: null,
  boot_volume_local_to_instance: false,
};
const lateOnlyDefinition = { shares: null, use_autoconfig: true, domain_name: null };

/** Fields that neither the interface nor early releases have. Stored data can come from a service with another dialect. */
export const lateFields: readonly string[] = [
  ...Object.keys({ ...lateOnlyShape, ...lateOnlyDefinition }),
  'is_public',
  'is_protected',
  'verification',
  'provision_progress',
  'nulls',
];

type UpstreamShow<Record> = (record: Record, context: ViewContext) => Fields;

/** The fields that are set, with defaults for the others, as far as the release has them. */
function released(
  context: ViewContext,
  unset: { readonly all: Fields; readonly late: Fields },
  fields: object,
): Fields {
  return context.dialect === 'savanna'
    ? { ...unset.all, ...omit(fields, lateFields) }
    : { ...unset.all, ...unset.late, ...omit(fields, []) };
}

const shape = { all: earlyShape, late: { ...lateOnlyShape, ...bootVolume } };
const unsetTemplate = { description: null, updated_at: null };

export const upstreamGroupTemplate: UpstreamShow<NodeGroupTemplateRecord> = (template, context) => ({
  ...released(
    context,
    { all: { ...unsetTemplate, ...shape.all }, late: { ...shape.late, is_default: false } },
    template,
  ),
  ...access(context),
});

/** Early releases do not return the identifiers of groups. */
function shownGroup(group: Omit<GroupRecord, 'instances'>, context: ViewContext): Fields {
  const fields = released(context, { ...shape, all: { ...shape.all, node_group_template_id: null } }, group);
  return context.dialect === 'savanna' ? omit(fields, ['id']) : showNulls(fields);
}

const definition = {
  ...unsetTemplate,
  network_management_network: null,
  default_image_id: null,
};

export const upstreamTemplate: UpstreamShow<ClusterTemplateRecord> = (template, context) => ({
  ...released(context, { all: definition, late: { ...lateOnlyDefinition, is_default: false } }, template),
  ...access(context),
  node_groups: template.node_groups.map((group) => ({
    ...shownGroup(group, context),
    created_at: template.updated_at ?? template.created_at,
    updated_at: null,
  })),
});

const shownMachine =
  (cluster: ClusterRecord, group: ClusterGroupRecord, { dialect }: ViewContext) =>
  (machine: Machine): Fields => ({
    // The row of a machine has an identifier of its own besides that of the machine.
    id: derivedId(machine.instance_id),
    internal_ip: null,
    management_ip: null,
    created_at: cluster.created_at,
    updated_at: null,
    ...omit(machine, ['leaving']),
    // Early releases list the volumes, late ones only count them.
    ...(dialect === 'savanna'
      ? { volumes: [] }
      : { storage_devices_number: isUp(machine) ? group.volumes_per_node : 0, dns_hostname: null }),
  });

function shownClusterGroup(cluster: ClusterRecord, group: ClusterGroupRecord, context: ViewContext): Fields {
  const { created, updated, instances, ...fields } = group;
  // A group changes with its machines.
  const isNew = updated === created && instances.length === 0;
  return {
    ...shownGroup(fields, context),
    created_at: created,
    updated_at: isNew ? null : updated,
    instances: instances
      .map(shownMachine(cluster, group, context))
      .toSorted((one, other) => String(one['instance_name']).localeCompare(String(other['instance_name']))),
  };
}

const part = (bytes: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
};

/** A well-formed public key without a private key. It is always the same for a cluster. */
function publicKeyOf({ id }: ClusterRecord, { dialect }: ViewContext): string {
  const modulus = Buffer.concat([0, 1, 2, 3, 4, 5, 6, 7].map((index) => hashOf(`${id} ${index}`)));
  const exponent = Buffer.from([1, 0, 1]);
  // A leading zero makes the number positive.
  const key = Buffer.concat([Buffer.from('ssh-rsa'), exponent, Buffer.concat([Buffer.from([0]), modulus])].map(part));
  const brand = dialect === 'savanna' ? 'Savanna' : 'Sahara';
  return `ssh-rsa ${key.toString('base64')} Generated-by-${brand}\n`;
}

/** Fields that earlier releases stored. */
const storedBefore = ['verification', 'provision_progress'];

const unsetCluster = {
  ...definition,
  cluster_template_id: null,
  user_keypair_id: null,
  status_description: '',
  is_transient: false,
  trust_id: null,
};

export const upstreamCluster: UpstreamShow<ClusterRecord> = (cluster, context) => ({
  ...released(
    context,
    {
      all: unsetCluster,
      late: { ...lateOnlyDefinition, anti_affinity_ratio: 1 },
    },
    omit(cluster, ['work', ...storedBefore]),
  ),
  ...access(context),
  management_public_key: publicKeyOf(cluster, context),
  node_groups: cluster.node_groups.map((group) => shownClusterGroup(cluster, group, context)),
});
