// The spec and status of a NodeGroupTemplate.
import { z } from 'zod';
import { adopt, adoptionRules, listedPlugin } from '../../api/adoption.ts';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { templateColumns } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { ruled } from '../../api/keywords.ts';
import {
  bigdataVersion,
  filledIn,
  nodeAttributes,
  observedPlugin,
  pluginName,
  templateDescription,
} from '../../api/node-group.ts';
import { fixedConnection, keptSpec, revisionStatus } from '../../api/shared-api.ts';

const shape = {
  ...keptSpec,
  adopt: adopt(listedPlugin),
  name: baseName,
  description: templateDescription,
  pluginName,
  bigdataVersion,
  ...nodeAttributes,
};

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, ...adoptionRules]);

export const nodeGroupTemplate = {
  kind: 'NodeGroupTemplate',
  plural: 'nodegrouptemplates',
  shortName: 'dpngt',
  description:
    'A blueprint for the nodes of clusters: processes, flavor, volumes and configuration. An edit creates a new revision in the service. ClusterTemplates follow it; existing clusters keep the revision that they were created from.',
  spec,
  status: z.object({ ...revisionStatus, ...observedPlugin, ...filledIn }),
  columns: templateColumns,
} as const satisfies Definition;
