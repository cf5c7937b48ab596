// The class of volumes that are folders of this computer.
import type { V1StorageClass } from '@kubernetes/client-node';

export const PROVISIONER = 'plane.dataprocessing/folders';

export const storageClass: V1StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};
