// The program that gives every claim of the class `standard` a folder of this computer, and removes it after the claim.
//
// Its arguments are the path of a kubeconfig and that of the folder for the volumes.
import { chmod, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  ApiException,
  CoreV1Api,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
} from '@kubernetes/client-node';
import { reasonOf } from '../../../../src/lib/errors.ts';
import { PROVISIONER } from './storage.ts';

const [, , kubeconfig = '', folder = ''] = process.argv;
if (kubeconfig === '' || folder === '') throw new Error('cannot provision volumes: kubeconfig or folder is missing');

const RETRY_AFTER_MS = 1_000;

const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(CoreV1Api);

/** The controller of volumes annotates a claim with the one that it waits for, once a pod that uses it has a node. */
const isOurs = ({ metadata }: V1PersistentVolumeClaim): boolean =>
  metadata?.annotations?.['volume.kubernetes.io/storage-provisioner'] === PROVISIONER;

async function provision(claim: V1PersistentVolumeClaim): Promise<void> {
  const { metadata: { name = '', namespace = '', uid = '' } = {}, spec } = claim;
  if (!isOurs(claim) || claim.status?.phase !== 'Pending') return;
  const path = join(folder, `pvc-${uid}`);
  await mkdir(path, { recursive: true });
  // The kubelet hands folders of this kind to the group of no pod. Whatever the umask is, each may write.
  await chmod(path, 0o777);
  const body: V1PersistentVolume = {
    metadata: { name: `pvc-${uid}`, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
    spec: {
      ...(spec?.storageClassName === undefined ? {} : { storageClassName: spec.storageClassName }),
      accessModes: spec?.accessModes ?? [],
      capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid },
      hostPath: { path, type: 'Directory' },
      persistentVolumeReclaimPolicy: 'Delete',
    },
  };
  await unless(409, core.createPersistentVolume({ body }));
}

async function reclaim({ metadata, spec, status }: V1PersistentVolume): Promise<void> {
  const ours = metadata?.annotations?.['pv.kubernetes.io/provisioned-by'] === PROVISIONER;
  const path = spec?.hostPath?.path ?? '';
  if (!ours || status?.phase !== 'Released' || spec?.persistentVolumeReclaimPolicy !== 'Delete') return;
  // A volume could name any path. Only those that this program makes are removed.
  if (path !== join(folder, `pvc-${spec.claimRef?.uid}`) || basename(path) !== metadata?.name) return;
  await rm(path, { recursive: true, force: true });
  await unless(404, core.deletePersistentVolume({ name: metadata.name }));
}

/** A repeated call meets what the first one did. */
async function unless(code: number, call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiException) || error.code !== code) throw error;
  });
}

const claims = makeInformer(config, '/api/v1/persistentvolumeclaims', () =>
  core.listPersistentVolumeClaimForAllNamespaces(),
);
const volumes = makeInformer(config, '/api/v1/persistentvolumes', () => core.listPersistentVolume());

/** Every step may be repeated, so each change is a reason to look at everything, and a failure to do so again. */
async function reconcile(): Promise<void> {
  try {
    for (const claim of claims.list()) await provision(claim);
    for (const volume of volumes.list()) await reclaim(volume);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    setTimeout(wake, RETRY_AFTER_MS);
  }
}

let last = Promise.resolve();

function wake(): void {
  last = last.then(reconcile);
}

function follow<T extends KubernetesObject>(informer: Informer<T>): void {
  for (const change of ['add', 'update'] as const) informer.on(change, wake);
  // The API server was restarted, or is not there yet.
  informer.on('error', () => setTimeout(() => void informer.start(), RETRY_AFTER_MS));
  void informer.start();
}

follow(claims);
follow(volumes);
