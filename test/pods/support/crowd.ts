// Many runs and clusters on one small node: what they ask for is less than in an installation.
import type { KubernetesObject } from '@kubernetes/client-node';
import { parse } from 'yaml';

/** Pods of jobs of the namespace ask for next to nothing, so a node has room for many whose programs need little. */
export const smallJobPods = (namespace: string): readonly KubernetesObject[] => [
  parse(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: small-job-pods}
spec:
  reinvocationPolicy: IfNeeded
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
  matchConditions:
  - {name: of-a-job, expression: "'batch.kubernetes.io/job-name' in object.metadata.labels"}
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: >
        [
          JSONPatch{op: "replace", path: "/spec/containers/0/resources", value: {"requests": {"cpu": "1m", "memory": "16Mi"}}},
          JSONPatch{op: "replace", path: "/spec/initContainers/0/resources", value: {"requests": {"cpu": "1m", "memory": "16Mi"}}}
        ]
`) as KubernetesObject,
  parse(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: small-job-pods}
spec: {policyName: small-job-pods}
`) as KubernetesObject,
];
