// The manifests of the benchmark.
import { secretType } from '../../src/operator/api/shared-api.ts';
import type { Manifest } from '../demo/manifests.ts';

export const namespace = 'bench';
export const tenant = 'bench';
export const token = 'bench-token';
const apiVersion = 'dataprocessing.dev/v1alpha1';
const distribution = { pluginName: 'vanilla', bigdataVersion: '1.2.1' };

export const collectionOf = (plural: string): string => `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;

export const clusterCollection = collectionOf('clusters');

export const connectionPath = `/apis/${apiVersion}/namespaces/${namespace}/connections/default`;

/** What all objects share: where they are, and how the service is reached. */
export function groundOf(endpoint: string, requestsPerSecond: number): readonly Manifest[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'service-token', namespace },
      type: secretType,
      stringData: { token },
    },
    {
      apiVersion,
      kind: 'Connection',
      metadata: { name: 'default', namespace },
      spec: {
        endpoint,
        tenantID: tenant,
        auth: { type: 'Token', secretRef: { name: 'service-token' } },
        limits: { requestsPerSecond, burst: requestsPerSecond },
      },
    },
  ];
}

/** A master of its own and workers by a NodeGroupTemplate, as many of each kind as asked for. */
export function templatesOf(count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => {
    const metadata = { name: `template-${index}`, namespace };
    const worker = { flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'], volumesPerNode: 2, volumesSize: 100 };
    const master = { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] };
    const workers = { name: 'worker', count: 1, nodeGroupTemplateRef: { name: metadata.name } };
    return [
      { apiVersion, kind: 'NodeGroupTemplate', metadata, spec: { ...distribution, ...worker } },
      {
        apiVersion,
        kind: 'ClusterTemplate',
        metadata,
        spec: {
          ...distribution,
          defaultImageID: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
          nodeGroups: [master, workers],
        },
      },
    ];
  }).flat();
}

export const workersAtFirst = 2;
export const workersScaled = 3;
const mostMachines = 1 + workersScaled;

/** With some to spare. */
export const quotaOf = (clusters: number): number => Math.min(2 * mostMachines * clusters, 1_000_000);

export const groupsWith = (workers: number) => [{ name: 'worker', count: workers }];

export function clustersOf(count: number, templates: number, prefix = 'cluster'): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion,
    kind: 'Cluster',
    metadata: { name: `${prefix}-${index}`, namespace },
    spec: {
      clusterTemplateRef: { name: `template-${index % templates}` },
      userKeypairID: 'bench',
      nodeGroups: groupsWith(workersAtFirst),
    },
  }));
}

/** How many Clusters the executions are spread over. */
export const jobClusters = 10;
const jobClusterPrefix = 'for-jobs';

export const clustersForJobs = (templates: number): readonly Manifest[] =>
  clustersOf(jobClusters, templates, jobClusterPrefix);

const program = { name: 'program', namespace };

/** One program, and a job that runs it. Nothing reads the URL, because simulated runs need no program. */
export const jobManifests: readonly Manifest[] = [
  {
    apiVersion,
    kind: 'JobBinary',
    metadata: program,
    spec: { url: 'manila://2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58/program.sh' },
  },
  {
    apiVersion,
    kind: 'Job',
    metadata: program,
    spec: { type: 'Shell', mains: [{ jobBinaryRef: { name: program.name } }] },
  },
];

export function executionsOf(count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion,
    kind: 'JobExecution',
    metadata: { name: `execution-${index}`, namespace },
    spec: {
      jobRef: { name: program.name },
      clusterRef: { name: `${jobClusterPrefix}-${index % jobClusters}` },
      args: [String(index)],
    },
  }));
}
