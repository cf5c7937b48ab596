// The provisioner of pods with its engines, the job engine beside it, and the plugins that they run.
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { loadClusterConfig } from '../../kube/config/config.ts';
import { createTransport } from '../../kube/http/transport.ts';
import { xdgFolder } from '../../lib/fetch/cache.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import type { KubernetesSettings } from '../command-line/kubernetes-flags.ts';
import { parseSettings, readSettings } from '../command-line/settings-file.ts';
import { anyRoom, type Room } from '../disk/volume.ts';
import type { AskJson } from '../engines/engine.ts';
import { readFlavors, usualFlavors } from '../engines/flavors.ts';
import { createHadoop } from '../engines/hadoop/hadoop.ts';
import type { HadoopHome } from '../engines/hadoop/launch.ts';
import { distribution } from '../engines/hadoop/source.ts';
import { pluginOf } from '../engines/plugin.ts';
import type { Get } from '../engines/probes.ts';
import { createSpark } from '../engines/spark/spark.ts';
import { PodJobs } from '../pod-jobs/pod-jobs.ts';
import { PodRuns } from '../pod-jobs/pod-runs.ts';
import { createRunnerServer } from '../pod-jobs/runner-server.ts';
import type { Download } from '../runs/transfer.ts';
import { KubeApi } from './api/api.ts';
import { createPodProxy } from './api/pod-proxy.ts';
import { heapFlavors } from './manifests/containers.ts';
import { type EngineImage, type EngineImages, imageOfCluster, imageOfProcess, readImages } from './manifests/images.ts';
import { PodProvisioner } from './provisioner.ts';
import { runnerImageOf } from './runner-image.ts';

interface PodsOpening {
  readonly settings: KubernetesSettings;
  /** Where the service keeps its data, if it keeps any. */
  readonly data: string | undefined;
  /** The volume of the data. */
  readonly room?: Room | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  readonly get: Get;
  readonly ask: AskJson;
  readonly download: Download;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

const tenants = z.strictObject({ tenants: z.record(z.string().min(1), z.string().regex(/^[a-z0-9-]{1,63}$/)) });

/** By tenant. Throws `cannot read tenant namespaces FILE: ...`. */
const readTenants = (file: string | undefined): Readonly<Record<string, string>> =>
  file === undefined ? {} : readSettings('tenant namespaces', file, (text) => parseSettings(tenants, text).tenants);

const javaHomeOf = ({ java }: EngineImage): string => dirname(dirname(java));

const hadoopHomeOf = (image: EngineImage): HadoopHome => ({
  folder: image.home,
  java: image.java,
  javaHome: javaHomeOf(image),
  image: {
    jars: distribution.map((part) => join(image.home, 'share', 'hadoop', part)),
    streaming: join(image.home, 'share', 'hadoop', 'tools', 'lib', `hadoop-streaming-${image.version}.jar`),
  },
});

function enginesOf({ spark, hadoop }: EngineImages, flavors: Parameters<typeof createSpark>[1]) {
  const home = {
    folder: spark.home,
    java: spark.java,
    python: spark.python,
    s3a: spark.s3a,
    isImage: true,
    hadoop: hadoopHomeOf(hadoop),
  };
  return [
    { engine: createSpark(home, flavors), version: spark.version },
    { engine: createHadoop(hadoopHomeOf(hadoop), flavors), version: hadoop.version },
  ];
}

/** The labels by which a policy recognizes the pods of the service. */
const serviceLabels = { 'app.kubernetes.io/name': 'dataprocessing-service' } as const;

/** What provisioner and job engine have in common. */
async function prepare({ settings, clock, environment, log }: PodsOpening) {
  const config = await loadClusterConfig({ kubeconfig: settings.kubeconfig, environment, clock });
  const isInside = settings.kubeconfig === undefined && environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  const transport = createTransport({ config, clock, userAgent: 'dataprocessing-service' });
  const images = readImages(settings.imagesFile);
  const flavors = settings.flavorsFile === undefined ? usualFlavors : readFlavors(settings.flavorsFile);
  const versions = enginesOf(images, heapFlavors(flavors));
  const own = settings.namespace ?? config.namespace;
  const byTenant = readTenants(settings.tenantsFile);
  log.info({ action: 'engines' }, `clusters run in pods of namespace ${own} at ${config.server}`);
  return {
    api: new KubeApi(transport),
    transport,
    images,
    flavors,
    versions,
    engines: versions.map(({ engine }) => engine),
    namespaceOf: (tenant: string) => byTenant[tenant] ?? own,
    service: isInside ? { namespace: config.namespace, labels: serviceLabels } : undefined,
    /** How the pods of clusters are reached: undefined if directly. */
    proxy: isInside ? undefined : createPodProxy(transport),
    pod: environment['HOSTNAME'],
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function createProvisioner(prepared: Prepared, { settings, clock, log, createSecret, get }: PodsOpening) {
  const { api, engines, images, flavors, namespaceOf, service, proxy } = prepared;
  const { egress, storageClass, pullSecrets, domain, publishing } = settings;
  return new PodProvisioner({
    api,
    engines,
    flavors,
    namespaceOf,
    domain,
    storageClass,
    publishing,
    pullSecrets,
    clock,
    log,
    createSecret,
    imageOf: (cluster, process) => imageOfProcess(images, cluster, process),
    reach: { service, egress },
    get: proxy?.get ?? get,
  });
}

/** Throws an Error with the remedy if the API server or a file cannot be used. */
export async function openPods(opening: PodsOpening) {
  const { settings, clock, log, createSecret, ask, download } = opening;
  const prepared = await prepare(opening);
  const { api, engines, images, flavors, versions, namespaceOf, transport, service, pod, proxy } = prepared;
  const provisioner = createProvisioner(prepared, opening);
  const { room = anyRoom } = opening;
  const runs = new PodRuns(runsFolder(opening.data, opening.environment), { room, log });
  const { runnerUrl, runnerPort, pullSecrets, logBytes } = settings;
  const runnerImage = await runnerImageOf(settings.runnerImage, service && { api, namespace: service.namespace, pod });
  const jobs = new PodJobs({
    api,
    runs,
    room,
    engines,
    namespaceOf,
    runnerImage,
    pullSecrets,
    runnerUrl,
    logBytes,
    clock,
    log,
    ask: proxy?.ask ?? ask,
    hdfs: proxy?.download ?? download,
    download,
    createSecret,
    addressOf: proxy?.addressOf ?? (({ status }) => status?.podIP),
    imageOf: (cluster) => imageOfCluster(images, cluster),
    placeOf: (tenant, cluster) => provisioner.placeOf(tenant, cluster),
  });
  const runner = createRunnerServer(runs);
  // Whoever has no token of a run gets nothing, so it can listen at all addresses.
  await runner.listen({ host: '0.0.0.0', port: runnerPort });
  const close = async (): Promise<void> => {
    jobs.close();
    await runner.close();
    await transport.close();
  };
  const catalog = { plugins: versions.map(pluginOf), flavors: flavors.map(({ id }) => id) };
  return { provisioner, engine: jobs, catalog, close };
}

/** Beside the data of the service, or with the state of the user. */
function runsFolder(data: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (data !== undefined) return join(dirname(resolve(data)), 'runs');
  return join(xdgFolder(environment, 'XDG_STATE_HOME', join('.local', 'state')), 'dataprocessing-service', 'runs');
}
