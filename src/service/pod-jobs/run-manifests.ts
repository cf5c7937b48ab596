// The objects of a run: a Job with one pod, which runs the program once, and a Secret with the token of the run. PURE.
import type { Command } from '../engines/engine.ts';
import { podUserVariable } from '../engines/hadoop/user.ts';
import type { Made } from '../kubernetes/api/api.ts';
import { podSecurity, pullingWith, restricted } from '../kubernetes/manifests/containers.ts';
import type { EngineImage } from '../kubernetes/manifests/images.ts';
import { clusterLabels } from '../kubernetes/manifests/manifests.ts';
import { labelValue, managedBy, runLabel, runName } from '../kubernetes/manifests/names.ts';
import type { ClusterRecord } from '../records/records.ts';
import { anyAddress } from './pod-runs.ts';

export const workFolder = '/run/job/work';
const tokenFolder = '/run/token';
export const programContainer = 'program';

export interface RunSetting {
  readonly execution: string;
  readonly namespace: string;
  readonly cluster: ClusterRecord;
  readonly image: EngineImage;
  /** The image of the service, which fetches the files. */
  readonly runnerImage: string;
  /** With them, both images are pulled. */
  readonly pullSecrets: readonly string[];
  /** The address of the run at the service. */
  readonly url: string;
  readonly token: string;
}

const labelsOf = ({ execution, cluster }: Pick<RunSetting, 'execution' | 'cluster'>) => ({
  ...managedBy,
  'app.kubernetes.io/name': labelValue(cluster.plugin_name),
  'app.kubernetes.io/component': 'job',
  [runLabel]: labelValue(execution),
});

const metadataOf = (setting: RunSetting): Made['metadata'] => ({
  name: runName(setting.execution),
  namespace: setting.namespace,
  labels: labelsOf(setting),
});

export const runSecret = (setting: RunSetting): Made => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(setting),
  stringData: { token: setting.token },
});

const inCommand = (word: string): string => word.replaceAll('$(', () => '$$(').replaceAll(anyAddress, '$(POD_IP)');

const addressVariable = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

/** In MiB: the heap that the command names, with what a program takes besides. */
export function memoryOf({ args }: Command): number {
  const [, size = '512', unit = 'm'] =
    args.map((word) => /^-Xmx(\d+)([mg])$/i.exec(word)).find((found) => found !== null) ?? [];
  const heap = Number(size) * (unit.toLowerCase() === 'g' ? 1024 : 1);
  return Math.max(Math.ceil(heap * 1.25) + 384, 1024);
}

function runnerOf({ runnerImage, url }: RunSetting) {
  const variables = { RUN_URL: url, RUN_TOKEN_FILE: `${tokenFolder}/token`, RUN_FOLDER: workFolder };
  return {
    name: 'runner',
    image: runnerImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', 'dist/service/runner.js'],
    env: [addressVariable, ...Object.entries(variables).map(([name, value]) => ({ name, value }))],
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    securityContext: restricted,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'run', mountPath: '/run/job' },
      { name: 'token', mountPath: tokenFolder, readOnly: true },
    ],
  };
}

function programOf({ image }: RunSetting, command: Command) {
  const { file, args, env } = command;
  const memory = `${memoryOf(command)}Mi`;
  const variables = Object.entries({ HOME: workFolder, ...podUserVariable, ...env });
  return {
    name: programContainer,
    image: image.reference,
    imagePullPolicy: 'IfNotPresent',
    command: [file, ...args].map(inCommand),
    env: [addressVariable, ...variables.map(([name, value]) => ({ name, value: inCommand(value) }))],
    workingDir: workFolder,
    resources: { requests: { cpu: '100m', memory }, limits: { memory } },
    securityContext: restricted,
    volumeMounts: [
      { name: 'run', mountPath: '/run/job' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

/** Kubernetes may start a pod twice. The permit of the service keeps the second one from running the program. */
export function runJob(setting: RunSetting, command: Command): Made {
  const metadata = metadataOf(setting);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      template: {
        // The pod takes part in the network of its cluster.
        metadata: { labels: { ...metadata.labels, ...clusterLabels(setting.cluster) } },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...pullingWith(setting.pullSecrets),
          securityContext: podSecurity(setting.image),
          terminationGracePeriodSeconds: 5,
          initContainers: [runnerOf(setting)],
          containers: [programOf(setting, command)],
          volumes: [
            { name: 'run', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
            { name: 'token', secret: { secretName: metadata.name, defaultMode: 0o440 } },
          ],
        },
      },
    },
  };
}
