// The provisioner of pods with its engines, the job engine beside it, and the plugins that they run.
import { dirname, join, resolve } from 'node:path';
import { loadClusterConfig } from '../../../kube/config/cluster-config.ts';
import { createTransport } from '../../../kube/http/transport.ts';
import { xdgFolder } from '../../../lib/fetch/cache.ts';
import type { FetchRules } from '../../../lib/fetch/guarded.ts';
import { createLineProgress } from '../../../lib/fetch/progress.ts';
import type { HttpLimits } from '../../../lib/http/http-limits.ts';
import type { CommonPorts, Random } from '../../../lib/ports.ts';
import type { AskJson } from '../../engines/engine.ts';
import { findPython } from '../../engines/homes/python.ts';
import { registry } from '../../engines/index.ts';
import { pluginsOf } from '../../engines/plugin.ts';
import type { Get } from '../../engines/probes.ts';
import { anyRoom, type Room } from '../../model/disk/volume.ts';
import { readFlavors } from '../flavors-file.ts';
import { environmentsFor, packagesFor } from '../packages.ts';
import type { Download } from '../runs/transfer.ts';
import { KubeApi } from './api/api.ts';
import { Informers } from './api/informers.ts';
import { createPodProxy } from './api/pod-proxy.ts';
import { pythonIn } from './cluster-python.ts';
import { PodProvisioner } from './clusters/pod-provisioner.ts';
import { fetchRulesOf } from './fetch-rules.ts';
import { type PodSettings, scrapersOf } from './flags.ts';
import { PodJobs, type PodJobsOptions } from './jobs/pod-jobs.ts';
import { PodRuns } from './jobs/pod-runs.ts';
import { createRunnerServer } from './jobs/runner-server.ts';
import { heapFlavors } from './manifests/containers.ts';
import { absentImages, imageOfCluster, imageOfProcess, readImages } from './manifests/engine-images.ts';
import { runnerImageOf } from './runner-image.ts';
import { serviceIdentity } from './service-identity.ts';
import { readTenantNamespaces } from './tenant-namespaces.ts';

interface OpenPodsInput extends CommonPorts {
  readonly settings: PodSettings;
  /** The number of clusters that are made at a time is limited. */
  readonly isLimited?: boolean;
  /** Where the service keeps its data, if it keeps any. */
  readonly data: string | undefined;
  /** The volume of the data. */
  readonly room?: Room | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly random: Random;
  readonly get: Get;
  readonly ask: AskJson;
  /** Gets files from the HDFS of clusters. */
  readonly download: Download;
  /** Gets files from wherever users say, within these rules. */
  readonly guardedDownload: (rules: FetchRules) => Download;
  /** Of the port for jobs, as of the other one. */
  readonly limits: HttpLimits;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

/** The labels by which a policy recognizes the pods of the service. */
const serviceLabels = { 'app.kubernetes.io/name': 'dataprocessing-service' } as const;

/** What provisioner and job engine have in common. */
async function prepare({ settings, clock, random, environment, log }: OpenPodsInput) {
  const config = await loadClusterConfig({ kubeconfig: settings.kubeconfig, environment, clock });
  const isInside = settings.kubeconfig === undefined && environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  const transport = createTransport({ config, clock, userAgent: 'dataprocessing-service' });
  const images = readImages(settings['engine-images']);
  const { flavors, defaultJobFlavor, jobQueues } = readFlavors(settings['flavors-file']);
  const versions = registry.flatMap(({ inImage }) => inImage(images, heapFlavors(flavors), settings['engine-metrics']));
  const own = settings.namespace ?? config.namespace;
  const informers = new Informers({ transport, clock, random, log });
  log.info({ action: 'engines' }, `clusters run in pods of namespace ${own} at ${config.server}`);
  return {
    api: new KubeApi(transport),
    informers,
    transport,
    images,
    flavors,
    defaultJobFlavor,
    jobQueues,
    versions,
    engines: versions.map(({ engine }) => engine),
    ...readTenantNamespaces(settings['tenant-namespaces'], own),
    service: isInside
      ? { namespace: config.namespace, labels: serviceLabels, runnerPort: settings['runner-port'] }
      : undefined,
    /** How the pods of clusters are reached: undefined if directly. */
    proxy: isInside ? undefined : createPodProxy(transport),
    pod: environment['HOSTNAME'],
    fetchRules: fetchRulesOf(settings, { server: config.server, isInside, informers }),
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function createProvisioner(prepared: Prepared, opening: OpenPodsInput) {
  const { settings, isLimited = false, clock, log, createSecret, get } = opening;
  const { api, informers, engines, images, flavors, namespaceOf, service, proxy } = prepared;
  const { egress, dns, 'image-pull-secret': pullSecrets } = settings;
  return new PodProvisioner({
    api,
    informers,
    engines,
    flavors,
    namespaceOf,
    isLimited,
    domain: settings['cluster-domain'],
    storageClass: settings['storage-class'],
    stateSize: settings['state-size'],
    publishing: {
      allowed: settings['allow-exposure'],
      domain: settings['ingress-domain'],
      className: settings['ingress-class'],
    },
    pullSecrets,
    clock,
    log,
    createSecret,
    imageOf: (cluster, process) => imageOfProcess(images, cluster, process),
    reach: { service, dns, egress, scrapers: scrapersOf(settings) },
    get: proxy?.get ?? get,
  });
}

interface JobsParts {
  readonly runs: PodRuns;
  readonly provisioner: PodProvisioner;
  readonly runnerImage: string;
  readonly own: PodJobsOptions['own'];
}

function createJobs(prepared: Prepared, opening: OpenPodsInput, { runs, provisioner, runnerImage, own }: JobsParts) {
  const { api, informers, engines, images, flavors, defaultJobFlavor, jobQueues, namespaceOf, proxy, fetchRules } =
    prepared;
  const { settings, environment, clock, log, createSecret, ask, download, guardedDownload } = opening;
  const { 'runner-url': runnerUrl, 'image-pull-secret': pullSecrets, 'log-bytes': logBytes } = settings;
  const progress = createLineProgress((line) => log.info({ action: 'packages' }, line), clock);
  return new PodJobs({
    api,
    informers,
    runs,
    engines,
    namespaceOf,
    runnerImage,
    pullSecrets,
    flavors,
    defaultJobFlavor,
    jobQueues,
    runnerUrl,
    logBytes,
    historyUrl: settings['history-url'],
    clock,
    log,
    ask: proxy?.ask ?? ask,
    hdfs: proxy?.download ?? download,
    download: guardedDownload(fetchRules),
    // Those of the computer of the service are not those of pods.
    jobFiles: undefined,
    packages: packagesFor(settings, { environment, progress, clock }),
    environments: environmentsFor(settings, { environment, progress, clock }, () => findPython(environment)),
    pythonOf: pythonIn({ api, engines, imageOf: (cluster) => imageOfCluster(images, cluster) }),
    shipsPackages: true,
    createSecret,
    own,
    addressOf: proxy?.addressOf ?? (({ status }) => status?.podIP),
    isOutside: proxy !== undefined,
    imageOf: (cluster) => imageOfCluster(images, cluster),
    placeOf: (owner, cluster) => provisioner.placeOf(owner, cluster),
  });
}

/** Throws an Error with the remedy if the API server or a file cannot be used. */
export async function openPods(opening: OpenPodsInput) {
  const { settings, room = anyRoom, clock, log, limits } = opening;
  const prepared = await prepare(opening);
  const { api, informers, flavors, images, versions, namespaces, transport, service, pod } = prepared;
  const provisioner = createProvisioner(prepared, opening);
  const folder = runsFolder(opening.data, opening.environment);
  const runs = new PodRuns(folder, { room, log });
  const runnerImage = await runnerImageOf(
    settings['runner-image'],
    service && { api, namespace: service.namespace, pod },
  );
  const { data, createSecret } = opening;
  const own =
    data === undefined ? undefined : { service: serviceIdentity({ folder, data, room }, createSecret), namespaces };
  const jobs = createJobs(prepared, opening, { runs, provisioner, runnerImage, own });
  const runner = createRunnerServer({ runs, limits, clock, log });
  // Whoever has no token of a run gets nothing, so it can listen at all addresses.
  await runner.listen({ host: '0.0.0.0', port: settings['runner-port'] });
  const close = async (): Promise<void> => {
    jobs.close();
    await runner.close();
    await informers.close();
    await transport.close();
  };
  const catalog = { plugins: pluginsOf(versions, absentImages(images)), flavors };
  return { provisioner, engine: jobs, catalog, close };
}

/** Beside the data of the service, or with the state of the user. */
function runsFolder(data: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (data !== undefined) return join(dirname(resolve(data)), 'runs');
  return join(xdgFolder(environment, 'XDG_STATE_HOME', join('.local', 'state')), 'dataprocessing-service', 'runs');
}
