// The programs of a node that need the API server.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeBinaries } from '../binaries/binaries.ts';
import { filesOf } from '../directory.ts';
import { writeKubeconfig } from '../keys/kubeconfig.ts';
import { program, type Stage, startReady } from '../servers.ts';
import { cgroupOf } from './cgroups.ts';
import { nodeFilesOf } from './files.ts';
import { WITH_PARENT } from './namespaces.ts';
import { kubeletSettings, NODE_NAME, proxySettings } from './settings.ts';

const SCHEDULER_PORT = 10259;

export async function startScheduler(stage: Stage, binaries: NodeBinaries): Promise<void> {
  const kubeconfig = nodeFilesOf(stage.directory).schedulerKubeconfig;
  await writeKubeconfig(stage.directory, { name: 'system:kube-scheduler' }, kubeconfig);
  const { address } = stage.site;
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', `--bind-address=${address}`];
  const scheduler = program(stage, binaries['kube-scheduler'], [...flags, `--secure-port=${SCHEDULER_PORT}`]);
  await startReady(stage.supervisor, [scheduler], [{ url: `https://${address}:${SCHEDULER_PORT}/healthz` }]);
}

/** Does not wait: the Node object shows when it is ready. */
export async function startKubelet(stage: Stage, binaries: NodeBinaries): Promise<void> {
  const { directory, site, supervisor } = stage;
  const files = nodeFilesOf(directory);
  const user = { name: `system:node:${NODE_NAME}`, groups: ['system:nodes'] };
  await writeKubeconfig(directory, user, files.kubeletKubeconfig);
  const settings = kubeletSettings(directory, site.address, cgroupOf(directory));
  await writeFile(files.kubeletSettings, JSON.stringify(settings));
  const flags = [
    `--config=${files.kubeletSettings}`,
    `--kubeconfig=${files.kubeletKubeconfig}`,
    `--root-dir=${files.kubelet}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${site.address}`,
  ];
  await supervisor.start(program(stage, binaries.kubelet, flags));
}

/** Does not wait: CoreDNS needs it to reach the API server, and shows when it works. */
export async function startProxy(stage: Stage, binaries: NodeBinaries): Promise<void> {
  const files = nodeFilesOf(stage.directory);
  await writeKubeconfig(stage.directory, { name: 'system:kube-proxy' }, files.proxyKubeconfig);
  await writeFile(files.proxySettings, JSON.stringify(proxySettings(stage.directory)));
  await stage.supervisor.start(program(stage, binaries['kube-proxy'], [`--config=${files.proxySettings}`]));
}

/** Outside of the namespaces: the folders of volumes are the computer's. */
export async function startProvisioner({ directory, supervisor }: Stage): Promise<void> {
  const { provisionerKubeconfig, volumes } = nodeFilesOf(directory);
  await writeKubeconfig(directory, { name: 'provisioner', groups: ['system:masters'] }, provisionerKubeconfig);
  await supervisor.start({
    name: 'provisioner',
    command: 'setpriv',
    args: [
      ...WITH_PARENT,
      process.execPath,
      join(import.meta.dirname, 'addons', 'provisioner.ts'),
      provisionerKubeconfig,
      volumes,
    ],
    log: join(filesOf(directory).logs, 'provisioner.log'),
  });
}
