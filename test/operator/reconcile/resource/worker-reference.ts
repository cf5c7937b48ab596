// A cluster template that refers to the node group template of its workers.

export const workerReference = {
  field: 'spec.nodeGroups[worker].nodeGroupTemplateRef',
  kind: 'NodeGroupTemplate',
  name: 'worker',
};

/** Its spec. */
export const byReference = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } }],
};
