// The settings of pods of a flavor that has everything that is allowed.

const selector = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const podTerm = { topologyKey: 'kubernetes.io/hostname', labelSelector: selector, namespaces: ['data'] };
const nodeTerm = { matchExpressions: [{ key: 'gpu', operator: 'Gt', values: ['1'] }] };
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: podTerm }],
};

export const full = {
  nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4', pool: '' },
  tolerations: [
    { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'spot', operator: 'Equal', value: 'true', effect: 'NoExecute', tolerationSeconds: 60 },
    { operator: 'Exists' },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nodeTerm] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: nodeTerm }],
    },
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
      minDomains: 2,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: ['app'],
    },
  ],
  priorityClassName: 'batch.low',
  runtimeClassName: 'nvidia',
  serviceAccountName: 'team-a',
  automountServiceAccountToken: true,
  labels: { team: 'a', 'azure.workload.identity/use': 'true', constructor: 'x' },
  annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', note: 'any text, also\nof two lines' },
  resources: { limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } },
  env: [
    { name: 'REGION', value: '' },
    { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password', optional: true } } },
    { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  envFrom: [{ secretRef: { name: 'keys', optional: true } }, { prefix: 'TEAM_', configMapRef: { name: 'settings' } }],
  volumes: [
    { name: 'settings', configMap: { name: 'settings', items: [{ key: 'a', path: 'b/c' }], optional: true } },
    { name: 'keys', secret: { secretName: 'keys' } },
    { name: 'reference', persistentVolumeClaim: { claimName: 'reference', readOnly: true } },
    { name: 'scratch', emptyDir: { sizeLimit: '2Gi' } },
    { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
    {
      name: 'vault',
      csi: {
        driver: 'secrets-store.csi.k8s.io',
        readOnly: true,
        fsType: 'ext4',
        volumeAttributes: { secretProviderClass: 'vault' },
        nodePublishSecretRef: { name: 'vault' },
      },
    },
  ],
  volumeMounts: [
    { name: 'settings', mountPath: '/etc/settings', readOnly: true },
    { name: 'reference', mountPath: '/data/reference', subPath: 'a/b' },
    { name: 'keys', mountPath: '/run/keys' },
  ],
};
