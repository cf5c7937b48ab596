// The objects of a run: a Job with one pod, which runs the program once, and a Secret with the token of the run. PURE.
import type { Command, Engine, EngineJob } from '../../../engines/engine.ts';
import type { EngineImage } from '../../../engines/image.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { OfferedFlavor } from '../../flavors-file.ts';
import { memoryOf } from '../../runs/job-flavor.ts';
import type { Made } from '../api/api.ts';
import { labelValue, managedBy, runLabel, runName, serviceLabel } from '../api/names.ts';
import { withFlavor } from '../flavors/with-flavor.ts';
import {
  containerPorts,
  cpuRequestOf,
  folderVolume,
  podSecurity,
  pullingWith,
  resourcesOf,
  restricted,
} from '../manifests/containers.ts';
import { clusterLabels } from '../manifests/manifests.ts';
import { jobLabels } from '../manifests/network-policies.ts';
import { labelsInQueue } from '../manifests/queues.ts';

export const workFolder = '/run/job/work';
const tokenFolder = '/run/token';
export const programContainer = 'program';

export interface RunSetting {
  readonly execution: string;
  /** The identifier of this service. Undefined if it has none. */
  readonly service: string | undefined;
  readonly namespace: string;
  readonly cluster: ClusterRecord;
  readonly image: EngineImage;
  /** Where the program serves metrics. */
  readonly metrics?: EngineJob['metrics'] | undefined;
  /** Those of the engine. */
  readonly variables?: Engine['variables'] | undefined;
  /** The image of the service, which fetches the files. */
  readonly runnerImage: string;
  /** With them, both images are pulled. */
  readonly pullSecrets: readonly string[];
  /** The address of the run at the service. */
  readonly url: string;
  readonly token: string;
  /** How much the run can write, in GiB. */
  readonly disk: number;
  /** When absent: the program gets the memory that its heap needs, and a tenth of a core is requested. */
  readonly flavor?: OfferedFlavor | undefined;
  /** The LocalQueue of Kueue in which the Job waits. When absent: none. */
  readonly queue?: string | undefined;
}

/** By them, the objects of all runs are found. */
export const runLabels = { ...managedBy, ...jobLabels } as const;

const labelsOf = ({ execution, cluster, service }: Pick<RunSetting, 'execution' | 'cluster' | 'service'>) => ({
  ...runLabels,
  'app.kubernetes.io/name': labelValue(cluster.plugin_name),
  [runLabel]: labelValue(execution),
  ...(service !== undefined && { [serviceLabel]: labelValue(service) }),
});

const metadataOf = (setting: RunSetting): Made['metadata'] => ({
  name: runName(setting.execution),
  namespace: setting.namespace,
  // What is left of a run goes with its cluster at the latest.
  labels: { ...labelsOf(setting), ...clusterLabels(setting.cluster) },
});

export const runSecret = (setting: RunSetting): Made => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(setting),
  stringData: { token: setting.token },
});

/** Kubernetes replaces `$(NAME)` by a variable, and two dollar signs by one, so those of the text are doubled. */
function inCommand(word: string, placeholder: string | undefined): string {
  const text = word.replaceAll('$', '$$$$');
  return placeholder === undefined ? text : text.replaceAll(placeholder, `$(${ownAddress})`);
}

/** Params have no such name. */
const ownAddress = 'DATAPROCESSING_ADDRESS';
const addressIn = (name: string) => ({ name, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } });

function runnerOf({ runnerImage, url }: RunSetting) {
  const variables = { RUN_URL: url, RUN_TOKEN_FILE: `${tokenFolder}/token`, RUN_FOLDER: workFolder };
  return {
    name: 'runner',
    image: runnerImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', 'dist/service/runner.js'],
    env: [addressIn('POD_IP'), ...Object.entries(variables).map(([name, value]) => ({ name, value }))],
    resources: resourcesOf({ cpu: '50m', memory: '256Mi', disk: 'little' }),
    securityContext: restricted,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'run', mountPath: '/run/job' },
      { name: 'token', mountPath: tokenFolder, readOnly: true },
    ],
  };
}

function programOf({ image, variables, disk, metrics, flavor }: RunSetting, command: Command, placeholder?: string) {
  const { file, args, env } = command;
  const memory = `${flavor?.memory ?? memoryOf(command)}Mi`;
  const share = { cpu: cpuRequestOf(flavor?.cpus ?? 1), memory, disk, ...(flavor && { cores: flavor.cpus }) };
  const all = Object.entries({ HOME: workFolder, ...variables, ...env });
  return {
    name: programContainer,
    image: image.reference,
    imagePullPolicy: 'IfNotPresent',
    command: [file, ...args].map((word) => inCommand(word, placeholder)),
    env: [addressIn(ownAddress), ...all.map(([name, value]) => ({ name, value: inCommand(value, placeholder) }))],
    workingDir: workFolder,
    ...(metrics && { ports: containerPorts({ metrics }) }),
    resources: resourcesOf(share),
    securityContext: restricted,
    volumeMounts: [
      { name: 'run', mountPath: '/run/job' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

/**
 * Kubernetes may start a pod twice. The permit of the service keeps the second one from running the program. The Job has no deadline, because a run may take
 * any time: whoever wants it to end cancels it. `placeholder`: what stands for the address of the pod in the command.
 */
export function runJob(setting: RunSetting, command: Command, placeholder?: string): Made {
  const metadata = metadataOf(setting);
  const template = {
    // The pod takes part in the network of its cluster.
    metadata: { labels: { ...metadata.labels } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...pullingWith(setting.pullSecrets),
      securityContext: podSecurity(setting.image),
      terminationGracePeriodSeconds: 5,
      initContainers: [runnerOf(setting)],
      containers: [programOf(setting, command, placeholder)],
      volumes: [
        folderVolume('run', setting.disk),
        folderVolume('tmp', setting.disk),
        { name: 'token', secret: { secretName: metadata.name, defaultMode: 0o440 } },
      ],
    },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadata, labels: labelsInQueue(metadata.labels, setting.queue) },
    spec: {
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      template: setting.flavor === undefined ? template : withFlavor(template, setting.flavor, runLabels),
    },
  };
}
