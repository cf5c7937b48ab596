// Claims get volumes, whose data outlives the pods that use them, but not the claims.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { nodeFilesOf } from '../../dev/plane/node/files.ts';
import {
  cluster,
  create,
  createNamespace,
  eventually,
  outputOf,
  type PodRequest,
  withoutCluster,
} from './support/cluster.ts';

const claimName = 'data';

/** A pod with the volume of the claim at /data. */
const podWithVolume = (namespace: string, name: string, script: string): PodRequest => ({
  namespace,
  name,
  script,
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
});

it.skipIf(withoutCluster)('a claim is bound to a volume, which is removed with it', async (context) => {
  const { core } = cluster();
  const namespace = await createNamespace(context);
  await create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claimName, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  });
  await outputOf(podWithVolume(namespace, 'writer', 'echo kept > /data/file'));
  const claim = await core.readNamespacedPersistentVolumeClaim({ name: claimName, namespace });
  expect(claim.status?.phase).toBe('Bound');
  const volume = claim.spec?.volumeName ?? '';
  expect(await outputOf(podWithVolume(namespace, 'reader', 'cat /data/file'))).toBe('kept\n');

  // Only our own node keeps volumes on this computer.
  const directory = inject('podsDirectory');
  const folder = directory === '' ? '' : join(nodeFilesOf(directory).volumes, volume);
  if (folder !== '') expect(await readFile(join(folder, 'file'), 'utf8')).toBe('kept\n');

  for (const name of ['writer', 'reader']) await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
  await core.deleteNamespacedPersistentVolumeClaim({ name: claimName, namespace });
  await eventually('end of the volume', async () => {
    const { items } = await core.listPersistentVolume();
    return items.some(({ metadata }) => metadata?.name === volume) ? undefined : true;
  });
  expect(folder !== '' && existsSync(folder)).toBe(false);
});
