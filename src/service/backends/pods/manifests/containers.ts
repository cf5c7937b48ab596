// The pod of a machine: one container for each process of its engine, and one before them that writes their files. PURE.
import type { Command, Engine, EngineNode, EngineProcess } from '../../../engines/engine.ts';
import { volumesOf } from '../../../engines/engine.ts';
import { type Flavor, findFlavor } from '../../../engines/flavors.ts';
import type { EngineImage } from '../../../engines/image.ts';
import type { OfferedFlavor } from '../../flavors-file.ts';
import { clusterLabel, labelValue, processLabel, stateVolume } from '../api/names.ts';
import { graceOf, handOverHook } from './drain-scripts.ts';
import { anyPodOf, machineFolder } from './layout.ts';

/** What a Java program takes besides its heap, in MiB. */
const jvmMemory = 128;
/** The share of a flavor that heaps and executors can take. The rest is for the programs that have them. */
const heapShare = 0.75;
const podVariable = 'POD_NAME';

/** The flavors as engines use them. */
export const heapFlavors = (flavors: readonly Flavor[]): readonly Flavor[] =>
  flavors.map((flavor) => ({ ...flavor, memory: Math.floor(flavor.memory * heapShare) }));

export interface PodTools {
  readonly engine: Engine;
  readonly flavors: readonly OfferedFlavor[];
  readonly imageOf: (process: EngineProcess) => EngineImage;
  readonly pullSecrets: readonly string[];
}

/** The processes of the group, in the order of the engine. */
export const processesOf = ({ processes }: Engine, node: EngineNode): readonly EngineProcess[] =>
  processes.filter(({ name }) => node.processes.includes(name));

/** Kubernetes replaces `$(NAME)` in commands by a variable, and two dollar signs by one, so those of the word are doubled. */
const inCommand = (word: string, anyPod: string): string =>
  word.replaceAll('$', '$$$$').replaceAll(anyPod, `$(${podVariable})`);

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

const environmentOf = (env: Command['env'], anyPod: string): readonly Variable[] => [
  { name: podVariable, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ...Object.entries(env).map(([name, value]) => ({ name, value: inCommand(value, anyPod) })),
];

/** The restricted Pod Security Standard. */
export const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} as const;

export const podSecurity = ({ user }: EngineImage) => ({
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  fsGroup: user,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
});

/** The part of a pod that names the credentials for its images. Their Secrets are those of its namespace. */
export const pullingWith = (secrets: readonly string[]) =>
  secrets.length === 0 ? {} : { imagePullSecrets: secrets.map((name) => ({ name })) };

/** In MiB. Together they are those of the flavor. */
function memoryShares(processes: readonly EngineProcess[], node: EngineNode, flavor: Flavor): readonly number[] {
  const wanted = processes.map((process) => process.memory(node) + jvmMemory);
  const all = wanted.reduce((sum, each) => sum + each, 0);
  return wanted.map((each) => Math.floor((flavor.memory * each) / all));
}

/** In GiB: the whole disk of the flavor, for emptyDirs. */
const gib = (disk: number): string => `${disk}Gi`;

/** What cannot fill the disk: a program that only prints and writes into volumes. */
const littleDisk = '64Mi';

/**
 * Requests and limits of a container. `disk`: its share of that of the pod, in GiB. A tenth is requested, as of the processor. Whoever writes more than
 * all shares of the pod together is evicted.
 */
export function resourcesOf(share: {
  readonly cpu: string;
  readonly memory: string;
  readonly disk: number | 'little';
  /** When absent: the container can have all cores that are free. */
  readonly cores?: number;
}) {
  const { cpu, memory, disk, cores } = share;
  const mebibytes = (part: number): string => (disk === 'little' ? littleDisk : `${Math.ceil(disk * 1024 * part)}Mi`);
  return {
    requests: { cpu, memory, 'ephemeral-storage': mebibytes(0.1) },
    limits: { ...(cores !== undefined && { cpu: `${cores}` }), memory, 'ephemeral-storage': mebibytes(1) },
  };
}

/** A folder that lives as long as its pod, and has at most the disk of its flavor, in GiB. */
export const folderVolume = (name: string, disk: number) => ({ name, emptyDir: { sizeLimit: gib(disk) } });

/** A tenth, so that a cluster fits on a laptop: processes wait most of the time, and can have all that is free. */
export const cpuRequestOf = (cores: number): string => `${Math.max(Math.ceil(cores * 100), 1)}m`;

/** The port at which the process answers over HTTP. */
export const pagePortOf = (process: EngineProcess, node: EngineNode): number =>
  Number(new URL(process.ready(node, [node]).url).port);

/** Where Kubernetes asks whether the process can be used: over HTTP, or whether it listens if another process knows more. */
function probedAt(process: EngineProcess, [node, nodes]: readonly [EngineNode, readonly EngineNode[]]) {
  const { hostname, port, pathname, search } = new URL(process.ready(node, nodes).url);
  const isAskedItself = hostname === new URL(`http://${node.address}`).hostname;
  const listening = process.listens ?? (isAskedItself ? undefined : process.ports?.[0]);
  if (listening === undefined)
    return { port: Number(port), probe: { httpGet: { path: `${pathname}${search}`, port: Number(port) } } };
  return { port: listening, probe: { tcpSocket: { port: listening } } };
}

/** By these names, a PodMonitor finds the ports with metrics. */
export const metricsPortName = (port: number): string => `prom-${port}`;

export function containerPorts(
  { metrics = [] }: Pick<EngineProcess, 'metrics'>,
  others: readonly number[] = [],
): readonly object[] {
  const served = new Set(metrics.map(({ port }) => port));
  return [
    ...others.filter((port) => !served.has(port)).map((containerPort) => ({ containerPort })),
    ...[...served].map((containerPort) => ({ name: metricsPortName(containerPort), containerPort })),
  ];
}

function containerOf(
  { engine, imageOf }: PodTools,
  process: EngineProcess,
  [node, nodes]: readonly [EngineNode, readonly EngineNode[]],
  { memory, cpu, disk }: { readonly memory: number; readonly cpu: number; readonly disk: number },
) {
  const { file, args, env } = process.command(node, nodes);
  const { port, probe } = probedAt(process, [node, nodes]);
  const lifecycle = handOverHook(process.drain);
  const anyPod = anyPodOf(node.secret);
  return {
    name: process.name,
    image: imageOf(process).reference,
    imagePullPolicy: 'IfNotPresent',
    command: [file, ...args].map((word) => inCommand(word, anyPod)),
    env: environmentOf({ HOME: machineFolder, ...engine.variables, ...env }, anyPod),
    workingDir: machineFolder,
    ports: containerPorts(process, [port]),
    readinessProbe: {
      ...probe,
      periodSeconds: 1,
      timeoutSeconds: 5,
      failureThreshold: 5,
    },
    ...(lifecycle && { lifecycle }),
    resources: resourcesOf({ cpu: cpuRequestOf(cpu), memory: `${memory}Mi`, disk }),
    securityContext: restricted,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [...mountsOf(node), ...stateMounts(process, node)],
  };
}

const volumeMount = (path: string, index: number) => ({ name: `data${index}`, mountPath: path });

/** Volumes are below the folder of the machine. */
const mountsOf = (node: EngineNode): readonly object[] => [
  { name: 'machine', mountPath: machineFolder },
  { name: 'tmp', mountPath: '/tmp' },
  ...(node.group.volumes_per_node > 0 ? volumesOf(node).map(volumeMount) : []),
];

/** Whether a process of the machine has state that no volume of the group keeps. */
export const needsStateVolume = (engine: Engine, node: EngineNode): boolean =>
  processesOf(engine, node).some((process) => stateMounts(process, node).length > 0);

/** The first container, which makes the folder around it, does not have it: otherwise that folder would be one of root. */
function stateMounts({ name, state }: EngineProcess, node: EngineNode): readonly object[] {
  if (state === undefined || node.group.volumes_per_node > 0) return [];
  return [{ name: stateVolume, mountPath: state(node), subPath: name }];
}

/** Writes the files of the Secret, with the name of the pod in them. Its arguments are their paths. */
const writing = (anyPod: string): string => `umask 077
for path; do
  mkdir -p "${machineFolder}/$(dirname "$path")"
  sed "s/${anyPod}/$${podVariable}/g" "/files/$path" > "${machineFolder}/$path"
done`;

/** Texts by relative path. */
export type Files = Readonly<Record<string, string>>;

/** The files of all processes of the machine. */
export const filesOf = (engine: Engine, [node, nodes]: readonly [EngineNode, readonly EngineNode[]]): Files =>
  Object.assign({}, ...processesOf(engine, node).map((process) => process.files?.(node, nodes, []) ?? {})) as Files;

/** A key of a Secret cannot have slashes. It stays the same when a later version of the service has more files. */
export const keyOf = (path: string): string => path.replaceAll('/', '.');

function writerOf(image: EngineImage, node: EngineNode, paths: readonly string[]) {
  const anyPod = anyPodOf(node.secret);
  const folders = node.group.volumes_per_node > 0 ? [] : volumesOf(node).map((volume) => `mkdir -p "${volume}"`);
  return {
    name: 'files',
    image: image.reference,
    imagePullPolicy: 'IfNotPresent',
    command: ['/bin/sh', '-c', [writing(anyPod), ...folders].join('\n'), 'sh', ...paths],
    env: environmentOf({}, anyPod),
    resources: resourcesOf({ cpu: '10m', memory: '64Mi', disk: 'little' }),
    securityContext: restricted,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [...mountsOf(node), { name: 'files', mountPath: '/files' }],
  };
}

/** The specification of the pod. `secret`: the Secret with the files. */
export function podSpecOf(
  tools: PodTools,
  at: readonly [EngineNode, readonly EngineNode[]],
  { secret, files }: { readonly secret: string; readonly files: Files },
) {
  const [node] = at;
  const processes = processesOf(tools.engine, node);
  const [first] = processes;
  if (first === undefined) throw new Error(`group ${node.group.name} has no processes`);
  const flavor = findFlavor(tools.flavors, node.group.flavor_id);
  const shares = memoryShares(processes, node, flavor);
  const cpu = flavor.cpus / processes.length;
  const disk = flavor.disk / processes.length;
  const image = tools.imageOf(first);
  const paths = Object.keys(files);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...pullingWith(tools.pullSecrets),
    securityContext: podSecurity(image),
    terminationGracePeriodSeconds: graceOf(processes.map(({ drain }) => drain)),
    initContainers: [writerOf(image, node, paths)],
    containers: processes.map((process, index) =>
      containerOf(tools, process, at, { memory: shares[index] ?? flavor.memory, cpu, disk }),
    ),
    volumes: [
      folderVolume('machine', flavor.disk),
      folderVolume('tmp', flavor.disk),
      // A claim of this name takes its place. StatefulSets of earlier versions have none, and can get none.
      ...(needsStateVolume(tools.engine, node) ? [folderVolume(stateVolume, flavor.disk)] : []),
      {
        name: 'files',
        secret: { secretName: secret, items: paths.map((path) => ({ key: keyOf(path), path })) },
      },
    ],
    affinity: affinityOf(node),
  };
}

/** Pods with these processes are on different nodes. */
function affinityOf({ cluster, processes }: EngineNode) {
  const apart = cluster.anti_affinity.filter((process) => processes.includes(process));
  if (apart.length === 0) return undefined;
  const terms = apart.map((process) => ({
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { [clusterLabel]: labelValue(cluster.id), [processLabel(process)]: 'true' } },
  }));
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}
