// What the tests in pods share: a namespace for each test, pods in it, and waiting for what they become.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiException,
  CoreV1Api,
  Exec,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  type V1Container,
  type V1Pod,
  type V1PodSpec,
  type V1Status,
  type V1Volume,
} from '@kubernetes/client-node';
import { inject, type TestContext } from 'vitest';
import { limitMs } from '../../support/patience.ts';

/** Whether there is no cluster: then the tests are skipped. */
export const withoutCluster = inject('podsKubeconfig') === '';

const PAUSE_MS = 100;

/** The clients of a cluster. */
export function connectTo(kubeconfig: string) {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return {
    core: config.makeApiClient(CoreV1Api),
    objects: KubernetesObjectApi.makeApiClient(config),
    exec: new Exec(config),
  };
}

let connection: ReturnType<typeof connectTo> | undefined;

/** Those of the cluster that all tests share. */
export function cluster() {
  connection ??= connectTo(inject('podsKubeconfig'));
  return connection;
}

/** Those of another one, for all that the file does from now on. */
export function useCluster(kubeconfig: string): void {
  connection = connectTo(kubeconfig);
}

/** A namespace that enforces the restricted standard, as all of this repository's pods meet it. It goes with the test. */
export async function createNamespace({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<string> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const { core } = cluster();
  const { metadata } = await core.createNamespace({ body: { metadata: { generateName: 'pods-', labels } } });
  const name = metadata?.name ?? '';
  // Nobody waits: the next test has one of its own.
  onTestFinished(async () => void (await core.deleteNamespace({ name, gracePeriodSeconds: 0 })));
  // Pods are refused until it has one.
  await eventually(`the ServiceAccount of ${name}`, async () =>
    core.readNamespacedServiceAccount({ name: 'default', namespace: name }).catch(() => undefined),
  );
  return name;
}

/** Throws with what the API server says. */
export async function create<T extends KubernetesObject>(object: T): Promise<T> {
  try {
    return (await cluster().objects.create(object)) as T;
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    throw new Error((JSON.parse(String(error.body)) as { readonly message: string }).message, { cause: error });
  }
}

/** A pod that runs a shell script. */
export interface PodRequest {
  readonly namespace: string;
  /** Also its label `app`. */
  readonly name: string;
  readonly script: string;
  readonly volumes?: V1Volume[];
  /** Changes of the container. */
  readonly container?: Partial<V1Container>;
}

/** Creates a pod that meets the restricted standard, unless the request changes that. */
export async function startPod({ namespace, name, script, container, ...changes }: PodRequest): Promise<void> {
  const main: V1Container = {
    name: 'main',
    image: inject('podsImage'),
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', script],
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    ...container,
  };
  const spec: V1PodSpec = {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [main],
    ...changes,
  };
  const pod: V1Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels: { app: name } }, spec };
  await create(pod);
}

/** Waits until the pod has ended or, if the test wants that, is ready. */
export async function podThat(state: 'is ready' | 'has ended', namespace: string, name: string): Promise<V1Pod> {
  let last: V1Pod | undefined;
  const find = async (): Promise<V1Pod | undefined> => {
    last = await cluster().core.readNamespacedPod({ name, namespace });
    const ended = ['Succeeded', 'Failed'].includes(last.status?.phase ?? '');
    const ready = (last.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
    return (state === 'has ended' ? ended : ready) ? last : undefined;
  };
  const { core } = cluster();
  const log = async (): Promise<string> => core.readNamespacedPodLog({ name, namespace }).catch(String);
  return eventually(`pod ${name} that ${state}`, find, async () => `${JSON.stringify(last?.status)}\n${await log()}`);
}

/** Runs a pod to its end, and returns what it printed. */
export async function outputOf(request: PodRequest): Promise<string> {
  const { namespace, name } = request;
  await startPod(request);
  const ended = await podThat('has ended', namespace, name);
  const log = await cluster().core.readNamespacedPodLog({ name, namespace });
  if (ended.status?.phase !== 'Succeeded') throw new Error(`pod ${name} failed: ${log}`);
  return log;
}

/** What a command in a container prints. Rejects unless it succeeds. */
export async function execute(
  { namespace, pod, container }: { readonly namespace: string; readonly pod: string; readonly container: string },
  command: string[],
): Promise<string> {
  const { exec } = cluster();
  let text = '';
  const output = new PassThrough().setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const status = await new Promise<V1Status>((resolve, reject) => {
    // The API server wants at least one stream.
    exec.exec(namespace, pod, container, command, output, null, null, false, resolve).catch(reject);
  });
  if (status.status !== 'Success') throw new Error(`${command.join(' ')} in ${pod}: ${status.message}`);
  return text;
}

/** Asks until there is an answer. The error shows the state at the end. */
export async function eventually<T>(
  what: string,
  find: () => Promise<T | undefined>,
  state: () => Promise<string> = async () => Promise.resolve(''),
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`there is no ${what} after ${limitMs / 1000} s: ${await state()}`);
    await sleep(PAUSE_MS);
  }
}
