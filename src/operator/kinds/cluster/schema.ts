// The spec and status of a Cluster.
import { z } from 'zod';
import { adopt, adoptionRules, listedPlugin } from '../../api/adoption.ts';
import { autoscalingFound } from '../../api/autoscaling.ts';
import { age, condition, id, message, ready, reason } from '../../api/columns.ts';
import type { Column, Definition, Spec } from '../../api/definition.ts';
import { immutable, notBoth, type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import { lifecycle, lifecycleStatus, releaseDeletes } from '../../api/lifecycle.ts';
import {
  bigdataVersion,
  described,
  description,
  nodeGroupList,
  nodeGroupShape,
  observedPlugin,
  pluginName,
} from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import {
  configs,
  externalStatus,
  fixedConnection,
  freeKeptFields,
  keptSpec,
  optionalID,
  reference,
} from '../../api/shared-api.ts';
import { fixedName, namesFit } from './name.ts';

/** A group with its own nodes keeps them; one from a template may change its template. */
const groupRules: readonly Rule[] = immutable(nodeGroupShape, {
  but: ['name', 'count', 'nodeGroupTemplateRef', 'nodeGroupTemplateID'],
  unnamed: 'nodeConfigs',
  remedy: ' while the group exists; add a group with another name',
})
  // Only groups with a flavor of their own have the other fields of a node.
  .map((rule) => (rule.field ? rule : { ...rule, rule: `!has(oldSelf.flavorID) || (${rule.rule})` }));

const hasTemplate = 'has(self.clusterTemplateRef) || has(self.clusterTemplateID)';

const needed = (field: string): Rule => ({
  rule: `${hasTemplate} || has(self.${field})`,
  message: `a Cluster without a template needs ${field}: set pluginName, bigdataVersion and nodeGroups, or set clusterTemplateRef or clusterTemplateID to use a template`,
  fieldPath: `.${field}`,
  reason: 'FieldValueRequired',
});

const contentRules: readonly Rule[] = [
  notBoth('clusterTemplateRef', 'clusterTemplateID'),
  notBoth('defaultImageID', 'imageRef'),
  needed('pluginName'),
  needed('bigdataVersion'),
  {
    ...needed('nodeGroups'),
    message: `${needed('nodeGroups').message}; to remove the last group, set its count to 0, or delete the Cluster`,
    rule: `${hasTemplate} || (has(self.nodeGroups) && self.nodeGroups.size() > 0)`,
  },
  {
    rule: `${hasTemplate} || !has(self.nodeGroups) || self.nodeGroups.all(g, ${described('g')})`,
    message:
      'in a Cluster without a template each node group needs nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    fieldPath: '.nodeGroups',
  },
];

const content = {
  description: description
    .optional()
    .describe('Description for people. Immutable.')
    .meta({ example: 'Nightly reports' }),
  clusterTemplateRef: reference('ClusterTemplate')
    .optional()
    .describe('ClusterTemplate to create the cluster from, in the same namespace. Immutable.'),
  clusterTemplateID: optionalID(
    'Identifier of a cluster template in the service that has no object in this namespace. Alternative to clusterTemplateRef. Immutable.',
  ),
  pluginName: pluginName
    .optional()
    .describe(
      'Plugin of the service that installs the distribution. Defaults to the plugin of the template. Immutable.',
    ),
  bigdataVersion: bigdataVersion
    .optional()
    .describe(
      'Version of the distribution. Quote it in YAML, because 3.10 without quotes is the number 3.1. Defaults to the version of the template. Immutable.',
    ),
  defaultImageID: optionalID(
    'Identifier of the image for the nodes. Every cluster needs an image: from this field, from imageRef or from the template. Immutable.',
  ),
  imageRef: reference('ImageRegistration')
    .optional()
    .describe(
      'ImageRegistration of the image for the nodes, in the same namespace. The operator creates the cluster once it is Ready. Alternative to defaultImageID. Immutable.',
    ),
  userKeypairID: text(255, {
    pattern: /^[A-Za-z0-9_ -]+$/,
    message: 'must be letters, digits, spaces, - and _',
  })
    .optional()
    .describe(
      'Name of the key pair in the cloud that allows SSH access to the nodes. Required with the Neutral dialect. Immutable.',
    )
    .meta({ example: 'ops' }),
  clusterConfigs: configs('create another Cluster with anything else in quotes')
    .optional()
    .describe(
      'Configuration of the whole cluster: a map from target to option to value. A value is a string, an integer or a boolean. It is merged over the configuration of the template. Immutable.',
    )
    .meta({ example: { HDFS: { 'dfs.replication': 2 } } }),
  antiAffinity: setOf(text(80), 50)
    .optional()
    .describe(
      'Processes of which no two instances may run on the same host of the cloud. Defaults to the value of the template. Immutable.',
    )
    .meta({ example: ['datanode'] }),
  networkManagementNetwork: optionalID(
    'Identifier of the network to which the nodes are attached. With the Neutral dialect, only a template can set it. Immutable.',
  ),
};

const nodeGroups = (rulesOfGroups: readonly Rule[]) =>
  nodeGroupList(rulesOfGroups, {
    config: 'put anything else in quotes, in a group of another name',
    ofTemplate: '; if the group belongs to the cluster template, only its count can be set',
  })
    .optional()
    .describe(
      'Node groups. With a template, an entry with only name and count overrides the count of that group of the template; nothing else of it can be set. An entry of another name adds a group. Without a template, the entries are the whole cluster. Changing a count, adding an entry or removing an entry scales the cluster. While a NodeGroup sets the count of a group, the count of its entry has no effect. The other fields of an entry are immutable.',
    );

/** What a cluster is made of, for an object that makes one and never changes it. */
export const clusterContent = { shape: { ...content, nodeGroups: nodeGroups([]) }, rules: contentRules };

const shape = {
  ...keptSpec,
  adopt: adopt(listedPlugin),
  name: fixedName.optional(),
  ...content,
  nodeGroups: nodeGroups(groupRules),
  lifecycle: lifecycle
    .optional()
    .describe(
      'When the operator deletes the cluster. The first of these deadlines counts. The condition Expiring announces it at least one minute before. When unset, the cluster stays until somebody deletes it. It may be changed at any time.',
    ),
};

/** By default the object of an adopted cluster would stay. */
const expiresWhole: Rule = {
  rule: '!has(self.adopt) || !has(self.lifecycle) || has(self.deletionPolicy)',
  message:
    'the lifecycle of an adopted cluster needs deletionPolicy: Delete also deletes the cluster in the service, Orphan only this object',
  fieldPath: '.lifecycle',
  reason: 'FieldValueInvalid',
};

const spec = ruled(z.object(shape), [
  fixedConnection,
  namesFit,
  ...adoptionRules,
  notBoth('adopt', 'name'),
  expiresWhole,
  releaseDeletes,
  ...contentRules,
  ...immutable(shape, {
    but: ['connectionRef', 'adopt', 'nodeGroups', 'lifecycle', ...freeKeptFields],
    unnamed: 'clusterConfigs',
    remedy: '; create another Cluster',
  }),
]);

const observedGroup = z.object({
  name: z.string().max(1024).describe('Name of the group.'),
  desired: z.int32().describe('Number of nodes that spec asks for.'),
  ready: z.int32().describe('Number of nodes in the service.'),
  scaledBy: reportedText(253, 'Name of the NodeGroup that sets the number of nodes in place of spec.'),
  autoscaling: autoscalingFound.optional().describe('What autoscaling found, if the NodeGroup has spec.autoscaling.'),
});

const endpoint = z.object({
  target: z.string().max(1024).describe('Component that the address belongs to, as named by the plugin.'),
  name: z.string().max(1024).describe('Label of the address.'),
  url: z.string().max(8192).describe('URL of the address.'),
});

const instance = z.object({
  nodeGroup: z.string().max(1024).describe('Node group of the node.'),
  name: z.string().max(1024).describe('Name of the machine.'),
  id: reportedText(1024, 'Identifier of the machine in the cloud.'),
  internalIP: reportedText(1024, 'Address in the network of the cluster.'),
  managementIP: reportedText(1024, 'Address under which the service reaches the node.'),
});

const status = z.object({
  ...externalStatus,
  lastHandledRecreate: reportedText(
    256,
    'Last value of the annotation dataprocessing.dev/recreate that the operator has acted on.',
  ),
  templateRevision: reportedText(
    64,
    'Revision of the ClusterTemplate that the cluster was created from. The condition TemplateOutdated reports a newer one.',
  ),
  ...lifecycleStatus,
  externalStatus: reportedText(1024, 'State of the cluster, as reported by the service.'),
  statusMessage: reportedText(32_768, 'Details of that state, as reported by the service.'),
  ...observedPlugin,
  nodes: reportedText(32, 'Number of nodes in the service out of those that spec asks for, such as 3/5.'),
  nodeGroups: z.array(observedGroup).max(1000).optional().describe('Node groups with their counts.'),
  endpoints: z
    .array(endpoint)
    .max(1000)
    .optional()
    .describe(
      'Addresses of the components that run on the cluster: http, https, hdfs, webhdfs, swebhdfs, maprfs, spark, thrift, sc and jdbc:hive2 URLs, without user information, query, fragment and parameters. Other details of the service are omitted because they may contain passwords.',
    ),
  instances: z.array(instance).max(50).optional().describe('The first 50 nodes.'),
});

const columns: readonly Column[] = [
  ready,
  reason,
  {
    name: 'Status',
    type: 'string',
    jsonPath: '.status.externalStatus',
    description: 'State, as reported by the service.',
  },
  {
    name: 'Nodes',
    type: 'string',
    jsonPath: '.status.nodes',
    description: 'Number of nodes in the service out of those that spec asks for.',
  },
  { name: 'Plugin', type: 'string', jsonPath: '.status.pluginName' },
  { name: 'Version', type: 'string', jsonPath: '.status.bigdataVersion' },
  {
    name: 'Outdated',
    type: 'string',
    jsonPath: condition('TemplateOutdated', 'status'),
    wide: true,
    description: 'True while the ClusterTemplate has a newer revision than the one that the cluster was created from.',
  },
  id,
  message,
  age,
];

export const cluster = {
  kind: 'Cluster',
  plural: 'clusters',
  shortName: 'dpc',
  description: 'A data-processing cluster, created from a ClusterTemplate or from its own node groups.',
  spec,
  status,
  columns,
} as const satisfies Definition;

export type ClusterSpec = Spec<typeof cluster>;
