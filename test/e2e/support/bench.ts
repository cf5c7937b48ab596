// One test file's own corner: a namespace, the operator's ServiceAccount, processes of its own, and their logs when a test fails.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { type Operator, type Service, startOperator, startService } from '../../../dev/demo/launch.ts';
import { type Manifest, type Objects, openObjects } from '../../../dev/demo/manifests.ts';
import { lastLines, openPrograms, type Program, type Programs } from '../../../dev/demo/programs.ts';
import { describeAll, hasStatus } from '../../../dev/demo/readiness.ts';
import type { Tenant } from '../../../dev/demo/remote.ts';
import { readExamples } from '../../../dev/demo/stage.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { type FaultProxy, openFront } from '../../support/service/service-proxy.ts';
import { type Asked, readAudit } from './audit.ts';
import { type Installation, oneNamespace, wholeCluster } from './installation.ts';

const LOG_LINES = 60;

export interface Bench {
  readonly server: ApiServer;
  readonly objects: Objects;
  readonly namespace: string;
  readonly folder: string;
  readonly programs: Programs;
  /** A service that asks for the token of the examples; `url` is what the operator is told. */
  startService(...flags: readonly string[]): Promise<Service>;
  /** A proxy in front of a service, until the end of the test. */
  front(service: string): Promise<FaultProxy>;
  readonly installation: Installation;
  /** Path of a kubeconfig with a token of the operator's account. */
  readonly account: string;
  /** As the Deployment of the installation does. */
  startOperator(...flags: readonly string[]): Promise<Operator>;
  operatorFlags(...flags: readonly string[]): readonly string[];
  /** The Lease by which replicas elect their leader. */
  readonly lease: Manifest;
  /** What the operator asked of the API server so far. */
  asked(): Promise<readonly Asked[]>;
  /** Watches a program: its log is shown when a test fails. */
  watch<T extends Program>(program: T): T;
  tenant(url: string): Tenant;
  /** What the demo applies: `examples/` in the order of the files, with the endpoint and the tenant of the bench, and the Secret. */
  examples(endpoint: string): Promise<readonly Manifest[]>;
}

export const token = 'change-me';

/** For all namespaces, which needs an API server of its own; or, as `deploy/namespaced`, in and for the namespace of the bench. */
export type Variant = 'whole cluster' | 'one namespace';

/** Sets the bench up before the tests of the file and takes it down after them; the function gives it to a test. */
export function useBench(
  kubeconfig: string | (() => string),
  name: string,
  variant: Variant = 'one namespace',
): () => Bench {
  let bench: Bench | undefined;
  const watched: Program[] = [];
  const get = (): Bench => bench ?? raise('the bench is not set up yet');
  beforeAll(async () => {
    const path = typeof kubeconfig === 'string' ? kubeconfig : kubeconfig();
    bench = await openBench({ kubeconfig: path, name, variant, watched });
  });
  afterEach(async ({ task }) => {
    if (bench !== undefined && task.result?.state === 'fail') await report(bench, watched);
  });
  afterAll(async () => {
    await bench?.programs.close();
    await bench?.server.close();
    const refused = (await bench?.asked())?.filter(({ status }) => status === 403);
    expect(refused ?? [], 'what the API server forbade').toEqual([]);
  });
  return get;
}

function raise(why: string): never {
  throw new Error(`cannot run the test: ${why}`);
}

interface Opening {
  readonly kubeconfig: string;
  readonly name: string;
  readonly variant: Variant;
  readonly watched: Program[];
}

async function openBench({ kubeconfig, name, variant, watched }: Opening): Promise<Bench> {
  if (variant === 'one namespace') await applyCrds(kubeconfig);
  const server = await openApiServer(kubeconfig);
  const namespace = `e2e-${name}-${Math.random().toString(36).slice(2, 8)}`;
  const objects = openObjects(server, namespace);
  await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const folder = await mkdtemp(join(tmpdir(), 'e2e-'));
  const installation = await (variant === 'whole cluster'
    ? wholeCluster()
    : oneNamespace(join(folder, 'installation'), namespace));
  for (const manifest of installation.manifests) await objects.apply(manifest);
  const programs = await openPrograms(folder);
  const account = join(folder, 'operator.kubeconfig');
  await writeAccountKubeconfig(server, installation.account, account);
  const watch = <T extends Program>(program: T): T => {
    watched.push(program);
    return program;
  };
  const operatorFlags: Bench['operatorFlags'] = (...flags) => [
    '--kubeconfig',
    account,
    ...installation.flags,
    '--quarantine',
    '3s',
    ...flags,
  ];
  return {
    server,
    objects,
    namespace,
    folder,
    programs,
    installation,
    account,
    lease: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'dataprocessing-operator', namespace: installation.account.namespace },
    },
    watch,
    operatorFlags,
    asked: async () => readAudit(kubeconfig, installation.account),
    async startService(...flags) {
      const service = await startService(programs, ['--port', '0', '--token', token, '--stage-ms', '100', ...flags]);
      watch(service.program);
      return service;
    },
    async front(url) {
      const proxy = await openFront(url);
      onTestFinished(() => proxy.close());
      return proxy;
    },
    async startOperator(...flags) {
      const operator = await startOperator(programs, operatorFlags(...flags));
      watch(operator.program);
      return operator;
    },
    tenant: (url) => ({ url, token, tenant: namespace }),
    examples: async (endpoint) =>
      (await readExamples()).map((manifest) =>
        manifest.kind === 'Connection'
          ? { ...manifest, spec: { ...(manifest['spec'] as object), endpoint, tenantID: namespace } }
          : manifest,
      ),
  };
}

async function report(bench: Bench, watched: readonly Program[]): Promise<void> {
  const examples = (await bench.examples('')).filter(hasStatus);
  const lines = await describeAll(bench.objects, examples).catch((error: unknown) => [String(error)]);
  const logs = await Promise.all(
    watched.map(async (program) => {
      const state = program.ended() ?? 'running';
      return `--- ${program.name} ${program.pid} (${state})\n${lastLines(await program.log(), LOG_LINES)}`;
    }),
  );
  console.error(['--- objects', ...lines, ...logs].join('\n'));
}
