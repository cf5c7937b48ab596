// What the containers of a flavor get: variables, volumes and devices, as in the specification of a pod. PURE.
import { posix } from 'node:path';
import { z } from 'zod';
import { mountProblem, variableProblem, volumeProblem } from './reserved.ts';
import { closed, dataKey, keyed, listOf, objectName, plainText, variableName, volumeName, withOneOf } from './terms.ts';

/** Adds the problem, if there is one, as an issue at the text. */
const without = (problemOf: (text: string) => string | undefined) => (text: string, context: z.RefinementCtx) => {
  const problem = problemOf(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `${text} cannot be used: ${problem}` });
};

const optional = z.boolean().optional();
const keyOfObject = closed({ name: objectName, key: dataKey, optional });
const facts = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
] as const;

const valueFrom = closed({
  secretKeyRef: keyOfObject.optional(),
  configMapKeyRef: keyOfObject.optional(),
  fieldRef: closed({ fieldPath: z.enum(facts) }).optional(),
}).superRefine(withOneOf('secretKeyRef', 'configMapKeyRef', 'fieldRef'));

const variable = closed({
  name: variableName.superRefine(without(variableProblem)),
  value: plainText(4096).optional(),
  valueFrom: valueFrom.optional(),
}).superRefine(withOneOf('value', 'valueFrom'));

const named = closed({ name: objectName, optional });
const variables = closed({
  prefix: variableName.optional(),
  secretRef: named.optional(),
  configMapRef: named.optional(),
}).superRefine(withOneOf('secretRef', 'configMapRef'));

/** Below a volume: it cannot lead out of it. */
const innerPath = plainText(1024).refine(
  (path) => path !== '' && !path.startsWith('/') && !path.split('/').includes('..'),
  {
    error: 'must be a relative path without ..',
  },
);

const items = listOf(closed({ key: dataKey, path: innerPath })).optional();
const size = z.string().regex(/^[1-9]\d{0,8}(Ki|Mi|Gi|Ti|k|M|G|T)?$/, { error: 'must be a size such as 2Gi' });

/** It shows containers the file system of their node. */
const hostDriver = 'hostpath.csi.k8s.io';
const driver = objectName.refine((name) => name !== hostDriver, {
  error: `${hostDriver} cannot be used: it is for tests, and keeps volumes in the file system of the node`,
});

const volume = closed({
  name: volumeName.superRefine(without(volumeProblem)),
  configMap: closed({ name: objectName, items, optional }).optional(),
  secret: closed({ secretName: objectName, items, optional }).optional(),
  persistentVolumeClaim: closed({ claimName: objectName, readOnly: z.boolean().optional() }).optional(),
  emptyDir: closed({ medium: z.enum(['', 'Memory']).optional(), sizeLimit: size.optional() }).optional(),
  csi: closed({
    driver,
    fsType: plainText(32).optional(),
    readOnly: z.boolean().optional(),
    volumeAttributes: z.record(z.string().max(253), plainText(1024)).optional(),
    nodePublishSecretRef: closed({ name: objectName }).optional(),
  }).optional(),
})
  .superRefine(withOneOf('configMap', 'secret', 'persistentVolumeClaim', 'emptyDir', 'csi'))
  .superRefine(({ emptyDir }, context) => {
    if (emptyDir?.medium !== 'Memory' || emptyDir.sizeLimit !== undefined) return;
    const message = 'is missing; a volume in memory takes from the memory of its container';
    context.addIssue({ code: 'custom', path: ['emptyDir', 'sizeLimit'], message });
  });

const mountPath = plainText(1024)
  .refine((path) => posix.isAbsolute(path) && path !== '/' && posix.normalize(path) === path && !path.endsWith('/'), {
    error: 'must be an absolute path such as /data, without ., .. and a slash at its end',
  })
  // Docker ends the path there.
  .refine((path) => !path.includes(':'), { error: 'must have no colon' })
  .superRefine(without(mountProblem));

const mount = closed({
  name: volumeName,
  mountPath,
  subPath: innerPath.optional(),
  readOnly: z.boolean().optional(),
});

const count = z.preprocess(
  (given) => (typeof given === 'number' ? String(given) : given),
  z.string().regex(/^[1-9]\d{0,5}$/, { error: 'must be a whole number of devices, such as 1' }),
);
const ownFields: Readonly<Record<string, string>> = {
  cpu: 'cores',
  memory: 'memoryMiB',
  'ephemeral-storage': 'diskGiB',
};

function resourceProblem(name: string): string | undefined {
  const field = Object.entries(ownFields).find(([resource]) => resource === name)?.[1];
  if (field !== undefined) return `is set by ${field} of the flavor; remove it here`;
  const [domain = '', rest] = name.split('/');
  const isDevice = rest !== undefined && domain.includes('.') && !domain.endsWith('kubernetes.io');
  return isDevice ? undefined : 'is not allowed here; allowed are devices with a domain, such as nvidia.com/gpu';
}

/** Kubernetes takes no requests of devices that differ from their limits. */
const resources = closed({
  limits: keyed(count, resourceProblem),
  requests: keyed(count, resourceProblem).optional(),
}).superRefine(({ limits, requests = {} }, context) => {
  for (const [name, wanted] of Object.entries(requests))
    if (limits[name] !== wanted)
      context.addIssue({ code: 'custom', path: ['requests', name], message: 'must be the same in limits' });
});

export const contents = {
  resources: resources.optional(),
  env: listOf(variable).optional(),
  envFrom: listOf(variables).optional(),
  volumes: listOf(volume).optional(),
  volumeMounts: listOf(mount).optional(),
} as const;
