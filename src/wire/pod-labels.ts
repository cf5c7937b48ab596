// The labels by which the pods of a cluster are found, where the service runs clusters in pods.
const domain = 'dataprocessing.dev';

/** The identifier of the cluster in the service. */
export const clusterLabel = `${domain}/cluster-id`;
export const groupLabel = `${domain}/node-group`;
