// A plane in place of a cluster, and processes in place of the pods that Deployments ask for.
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { operatorAccount, writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { type Operator, type Service, startOperator, startService } from '../../../dev/demo/launch.ts';
import { type Objects, openObjects } from '../../../dev/demo/manifests.ts';
import { openPrograms, type Programs } from '../../../dev/demo/programs.ts';
import { Cleanup } from '../../../dev/demo/stage.ts';
import { startPlane } from '../../../dev/plane/plane.ts';
import { serveProxy } from '../../operator/client/support/proxy-server.ts';
import { flagsOf, podOf, repository } from '../support/installation.ts';

export interface Cluster {
  readonly kubeconfig: string;
  readonly server: ApiServer;
  /** In the namespace of the demo. */
  readonly objects: Objects;
  readonly folder: string;
  readonly programs: Programs;
}

export const demoNamespace = 'dataprocessing-demo';

/** How to close it is in `cleanup`. */
export async function openCluster(cleanup: Cleanup): Promise<Cluster> {
  const plane = await startPlane();
  cleanup.add(async () => plane.stop());
  const { kubeconfig } = plane;
  const server = await openApiServer(kubeconfig);
  cleanup.add(async () => server.close());
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const programs = await openPrograms(folder);
  cleanup.add(async () => programs.close());
  return { kubeconfig, server, objects: openObjects(server, demoNamespace), folder, programs };
}

/** One for all tests of a suite, as each leaves it to the next; the function gives it to a test. */
export function useCluster(): () => Cluster {
  const cleanup = new Cleanup();
  let cluster: Cluster | undefined;
  beforeAll(async () => {
    cluster = await openCluster(cleanup);
  });
  afterAll(async () => cleanup.run());
  return () => {
    if (cluster === undefined) throw new Error('cannot run the test: the cluster is not there yet');
    return cluster;
  };
}

/** Runs a command of the shell in the checkout, with kubectl and helm for this cluster. Throws if it fails. */
export async function runIn(
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  command: string,
  helm = 'helm',
): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const line = command.replace(/^helm /, `'${helm}' `);
  return (await promisify(execFile)('sh', ['-c', line], { cwd: repository, env })).stdout;
}

/** The bundled service as its Deployment describes it, with the token of its Secret. It simulates clusters, because no pod runs here. */
export async function runService({ objects, programs, folder }: Cluster): Promise<Service> {
  const name = { name: 'dataprocessing-service', namespace: demoNamespace };
  const deployment = await objects.read({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: name });
  const secret = await objects.read({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'service-token' } });
  if (deployment === undefined || secret === undefined) throw new Error('the bundled service is not installed');
  const { token = '' } = secret['data'] as { readonly token?: string };
  await writeFile(join(folder, 'token'), Buffer.from(token, 'base64'), { mode: 0o600 });
  const args = podOf([deployment]).pod.containers[0]['args'] as readonly string[];
  const here = args
    .filter((each) => !/^--(provisioner|runner)/.test(each))
    .map((each) => each.replace('--host=0.0.0.0', '--host=127.0.0.1'))
    .map((each) =>
      each.replace('/etc/dataprocessing-service', folder).replace('/var/lib/dataprocessing-service', folder),
    );
  return startService(programs, [...here, '--port=0', '--stage-ms=100']);
}

/** The operator as its Deployment describes it, with the permissions of its account. A proxy stands for the DNS of the cluster. */
export async function runOperator({ server, objects, programs, folder }: Cluster, service: Service): Promise<Operator> {
  const metadata = { name: operatorAccount.name, namespace: operatorAccount.namespace };
  const deployment = await objects.read({ apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  if (deployment === undefined) throw new Error('the operator is not installed');
  const account = join(folder, 'operator.kubeconfig');
  await writeAccountKubeconfig(server, operatorAccount, account);
  const host = `dataprocessing-service.${demoNamespace}.svc`;
  const { port } = await serveProxy({ hosts: { [host]: Number(new URL(service.url).port) } });
  const environment = { HTTP_PROXY: `http://127.0.0.1:${port}` };
  return startOperator(programs, ['--kubeconfig', account, ...flagsOf([deployment]), '--quarantine', '3s'], {
    environment,
  });
}
