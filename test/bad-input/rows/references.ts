// Secrets, Connections and templates that are not there or not right.
import { planted } from '../bench.ts';
import {
  byTemplate,
  cluster,
  none,
  ofCluster,
  ofConnection,
  ofTemplate,
  ofWorker,
  secret,
  template,
  tokenFrom,
  without,
  worker,
} from '../parts.ts';
import type { TroubleRow } from '../row.ts';

const waiting = { kind: 'NodeGroupTemplate', name: '@-worker', reason: 'CredentialsMissing' } as const;
const secrets: readonly TroubleRow[] = [
  {
    name: 'a Secret that does not exist',
    connection: tokenFrom('@-missing'),
    parts: [worker()],
    told: [
      ofConnection(
        'CredentialsMissing',
        /Secret @-missing does not exist in this namespace, or is not of type dataprocessing.dev\/credentials: create it with that type\. If it exists, delete it first/,
      ),
      { ...waiting, says: /Connection @ has no credentials: Secret @-missing/ },
    ],
    ...none,
  },
  {
    name: 'a Secret without the key',
    secrets: [secret('@', { password: planted.foreign })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      ofConnection('CredentialsMissing', /Secret @ has no key "token": add it/),
      { ...waiting, says: /Secret @ has no key "token": add it/ },
    ],
    ...none,
  },
  {
    name: 'an empty token',
    secrets: [secret('@', { token: ' \n' })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [ofConnection('CredentialsMissing', /Secret @ has nothing in its key "token": fill it in/)],
    ...none,
  },
  {
    name: 'a Secret of another type',
    secrets: [secret('@', { token: planted.foreign }, 'Opaque')],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      ofConnection('CredentialsMissing', /not of type dataprocessing.dev\/credentials/),
      { ...waiting, says: /not of type dataprocessing.dev\/credentials/ },
    ],
    ...none,
  },
  {
    name: 'a CA bundle that is none',
    secrets: [secret('@', { 'ca.crt': planted.foreign })],
    connection: { endpoint: 'https://@service', tls: { caSecretRef: { name: '@' } } },
    parts: [worker()],
    told: [
      ofConnection(
        'CredentialsMissing',
        /key "ca.crt" of Secret @ has no certificate: set it to the CA certificate in PEM format/,
      ),
    ],
    ...none,
  },
  {
    name: 'a CA bundle that does not exist',
    connection: { tls: { caSecretRef: { name: '@-missing' } } },
    parts: [worker()],
    told: [ofConnection('CredentialsMissing', /Secret @-missing does not exist/)],
    ...none,
  },
];

const missing: readonly TroubleRow[] = [
  {
    name: 'a Connection that does not exist',
    connection: null,
    parts: [worker(), cluster()],
    told: [
      ofWorker('DependencyNotReady', /Connection @ does not exist in this namespace/),
      ofCluster('DependencyNotReady', /Connection @ does not exist in this namespace/),
    ],
    ...none,
  },
  {
    name: 'a ClusterTemplate that does not exist',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: byTemplate }],
    told: [ofCluster('DependencyNotReady', /ClusterTemplate @-small does not exist/)],
    ...none,
  },
  {
    name: 'a NodeGroupTemplate that does not exist',
    parts: [template({ nodeGroups: [{ name: 'all', count: 1, nodeGroupTemplateRef: { name: '@-worker' } }] })],
    told: [ofTemplate('DependencyNotReady', /NodeGroupTemplate @-worker does not exist/)],
    ...none,
  },
  {
    name: 'a template identifier that the service does not have',
    parts: [
      {
        kind: 'Cluster',
        name: '@-etl',
        spec: {
          ...without(byTemplate, 'clusterTemplateRef'),
          clusterTemplateID: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f',
        },
      },
    ],
    told: [
      ofCluster('DependencyNotReady', /spec.clusterTemplateID: the service has no cluster template with id 2b97ba2c/),
    ],
    ...none,
  },
];

const fileSpec = (content: object) => ({ connectionRef: { name: '@' }, content });
const fileOf = (content: object) => [{ kind: 'JobBinary', name: '@-file', spec: fileSpec(content) }];
const ofFile = (says: RegExp) => [{ kind: 'JobBinary', name: '@-file', reason: 'DependencyNotReady', says }];
const fromSecret = fileOf({ secretKeyRef: { name: '@', key: 'a.py' } });
const remedy = { by: 'edit', spec: fileSpec({ inline: 'print(1)', fileName: 'a.py' }) } as const;

const files: readonly TroubleRow[] = [
  {
    name: 'a ConfigMap that does not exist',
    parts: fileOf({ configMapKeyRef: { name: '@-missing', key: 'a.py' } }),
    told: ofFile(/spec.content.configMapKeyRef: ConfigMap @-missing does not exist in this namespace/),
    remedy,
    ...none,
  },
  {
    name: 'a file in a Secret of another type',
    secrets: [secret('@', { 'a.py': planted.foreign }, 'Opaque')],
    parts: fromSecret,
    told: ofFile(/spec.content.secretKeyRef: Secret @ does not exist in this namespace, or is not of type/),
    remedy,
    ...none,
  },
  {
    name: 'a file in a key that the Secret does not have',
    secrets: [secret('@', { 'b.py': planted.foreign })],
    parts: fromSecret,
    told: ofFile(/Secret @ has no key "a.py": add it \(its key b.py is not read\)/),
    remedy,
    ...none,
  },
];

export const referenceRows: readonly TroubleRow[] = [...secrets, ...missing, ...files];
