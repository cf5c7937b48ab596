// The fields of a node group, shared by NodeGroupTemplate and by nodeGroups of ClusterTemplate and Cluster.
import { z } from 'zod';
import { keywords, listBy, notBoth, type Rule, setOf, text } from './keywords.ts';
import { optionalInteger, reportedText } from './optional-fields.ts';
import { configs, optionalID, reference } from './shared-api.ts';

export const pluginName = text(80)
  .describe(
    'Plugin of the service that installs the distribution. The Connection lists the available plugins in status.plugins.',
  )
  .meta({ example: 'vanilla' });
export const bigdataVersion = text(80)
  .describe(
    'Version of the distribution, one that the plugin supports. Quote it in YAML, because 3.10 without quotes is the number 3.1.',
  )
  .meta({ example: '1.2.1' });
export const description = text(1024);
/** Not part of the content hash, because it is only displayed. */
export const templateDescription = description
  .optional()
  .describe(
    'Description for people. The service receives a changed description with the next revision; changing only the description does not create one.',
  )
  .meta({ example: 'Workers with local disks' });

/** The names that the service accepts. */
export const resourceName = {
  pattern: /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?([.][A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/,
  message:
    'must be letters, digits and hyphens in dot-separated labels that begin with a letter and end with a letter or digit',
};

const flavorID = text(255)
  .describe(
    'Identifier of the flavor, the size of the machines, in the cloud. In the bundled service, one of its flavors: its administrator says in a file of flavors which size, placement, devices and volumes of pods a name means.',
  )
  .meta({ example: '2' });
const nodeProcesses = setOf(text(80), 50)
  .min(1)
  .describe('Processes that run on each node, by the names that the plugin uses.')
  .meta({ example: ['datanode', 'tasktracker'] });

const nodeConfigsOf = (remedy?: string) =>
  configs(remedy)
    .optional()
    .describe(
      'Configuration of the processes: a map from target to option to value. A value is a string, an integer or a boolean.',
    )
    .meta({ example: { HDFS: { 'dfs.datanode.du.reserved': 1024 } } });

const options = {
  floatingIPPool: text(255)
    .optional()
    .describe('Pool from which each node gets a floating IP address. When unset, nodes get none.')
    .meta({ example: 'public' }),
  volumesPerNode: optionalInteger(0, 1000)
    .describe('Number of volumes attached to each node. When unset, the service chooses.')
    .meta({ example: 2 }),
  volumesSize: optionalInteger(1, 1_048_576)
    .describe('Size of each volume in GiB. When unset, the service chooses.')
    .meta({ example: 100 }),
  volumeMountPrefix: text(255, {
    pattern: /^(\/[A-Za-z0-9_-]+)+$/,
    message: 'must be an absolute path of letters, digits, - and _, without a slash at its end',
  })
    .optional()
    .describe('Path below which the volumes are mounted. When unset, the service chooses.')
    .meta({ example: '/volumes/disk' }),
  nodeConfigs: nodeConfigsOf(),
};

/** For a NodeGroupTemplate, where flavorID and nodeProcesses are required. */
export const nodeAttributes = { flavorID, nodeProcesses, ...options };

export const nodeGroupName = text(30, resourceName);
export const nodeCount = z.int32().min(0).max(10_000).describe('Number of nodes.').meta({ example: 3 });

/** An entry of nodeGroups. */
export const nodeGroupShape = {
  name: nodeGroupName
    .describe('Name of the group, unique in the list. It becomes part of the host names.')
    .meta({ example: 'worker' }),
  count: nodeCount,
  nodeGroupTemplateRef: reference('NodeGroupTemplate')
    .optional()
    .describe('NodeGroupTemplate that describes the nodes, in the same namespace.'),
  nodeGroupTemplateID: optionalID(
    'Identifier of a node group template in the service that has no object in this namespace. Alternative to nodeGroupTemplateRef.',
  ),
  flavorID: flavorID.optional(),
  nodeProcesses: nodeProcesses.optional(),
  ...options,
};

const hasTemplate = '(has(self.nodeGroupTemplateRef) || has(self.nodeGroupTemplateID))';
// CEL cannot access nodeConfigs.
const inlineFields = Object.keys(nodeAttributes).filter((field) => field !== 'nodeConfigs');
const hasInline = `(${inlineFields.map((field) => `has(self.${field})`).join(' || ')})`;

/** `ofTemplate`: what a group may be instead that belongs to the template of its cluster, where there is one. */
const formsOf = (ofTemplate = ''): readonly Rule[] => [
  notBoth('nodeGroupTemplateRef', 'nodeGroupTemplateID'),
  {
    rule: `!(${hasTemplate} && ${hasInline})`,
    message:
      'a group with a node group template cannot have flavorID, nodeProcesses or other fields of nodes: remove them, or remove the template',
    reason: 'FieldValueForbidden',
  },
  {
    rule: `has(self.flavorID) || ${hasTemplate} || !${hasInline}`,
    message: `a group without a node group template needs a flavorID${ofTemplate}`,
    fieldPath: '.flavorID',
    reason: 'FieldValueRequired',
  },
  {
    rule: `has(self.nodeProcesses) || ${hasTemplate} || !${hasInline}`,
    message: `a group without a node group template needs nodeProcesses${ofTemplate}`,
    fieldPath: '.nodeProcesses',
    reason: 'FieldValueRequired',
  },
];

/** CEL: the group describes its nodes. */
export const described = (group: string): string =>
  `has(${group}.nodeGroupTemplateRef) || has(${group}.nodeGroupTemplateID) || has(${group}.flavorID)`;

interface GroupWords {
  /** The remedy for an invalid value in nodeConfigs. */
  readonly config?: string;
  readonly ofTemplate?: string;
}

/** A list of node groups. `rules` are additional rules of an entry. */
export const nodeGroupList = (rules: readonly Rule[], { config: remedy, ofTemplate }: GroupWords = {}) => {
  const group = z
    .object({ ...nodeGroupShape, nodeConfigs: nodeConfigsOf(remedy) })
    .refine((entry) => entry.nodeConfigs === undefined || entry.flavorID !== undefined, {
      error: 'nodeConfigs needs a flavorID in the same group: move it to the node group template',
      path: ['nodeConfigs'],
    });
  keywords.add(group, { 'x-kubernetes-validations': [...formsOf(ofTemplate), ...rules] });
  return listBy('name', group, 50);
};

/** Values that the service fills in. They are reported, but not compared with spec. */
export const filledIn = {
  volumesPerNode: z.int32().optional().describe('Number of volumes of each node, as reported by the service.'),
  volumesSize: z.int32().optional().describe('Size of each volume in GiB, as reported by the service.'),
  volumeMountPrefix: reportedText(1024, 'Mount path of the volumes, as reported by the service.'),
};

export const observedPlugin = {
  pluginName: reportedText(
    255,
    'Plugin, as reported by the service, or as spec asks for until the service has the object.',
  ),
  bigdataVersion: reportedText(
    255,
    'Version of the distribution, as reported by the service, or as spec asks for until the service has the object.',
  ),
};
