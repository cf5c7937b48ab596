// `why` names the true cause in each broken situation, and what to do.
import { describe, expect, test } from 'vitest';
import { customKind } from '../../../src/cli/kind-names.ts';
import { painter } from '../../../src/cli/output/page.ts';
import type { Explanation } from '../../../src/cli/why/explanation.ts';
import { readSituation } from '../../../src/cli/why/situation.ts';
import { whyPage } from '../../../src/cli/why/why-page.ts';
import { installationMark } from '../../../src/lib/generated-name.ts';
import { takeOverAnnotation } from '../../../src/operator/api/shared-api.ts';
import { clusterName } from '../../../src/operator/reconcile/ledger/naming.ts';
import { plan } from '../../../src/operator/reconcile/plan/plan.ts';
import type { PlanInput } from '../../../src/operator/reconcile/plan-input.ts';
import { clusterSpec, situationOf } from '../../operator/reconcile/support.ts';
import { at, explained, needs, now, object, type Plane, planeOf, ready } from './objects.ts';

interface Row extends Plane {
  readonly why: string;
  readonly cause: string;
  readonly text: RegExp | string;
  readonly todo: RegExp;
  /** Time alone helps. */
  readonly waits?: true;
}

const alive = { renewed: 3 };
const waitsFor = (kind: string, name: string, message: string) =>
  ({ reason: 'DependencyNotReady', message, blockedOn: [needs(kind, name, message)] }) as const;
const connectionMissing = waitsFor('Connection', 'default', 'Connection default does not exist in this namespace');
const paused = { type: 'Paused', status: 'True', reason: 'Suspended', message: 'spec.suspend is true' };
const stalledOf = (reason: string, message: string, more: object = {}) => ({ reason, message, stalled: true, ...more });
const waitingRun = object('JobExecution', 'words-1', {
  ...waitsFor('Cluster', 'etl', 'Cluster etl is not ready'),
  reason: 'WaitingForCluster',
});
const expired = {
  reason: 'Expired',
  message: 'the cluster expired at 12:00. To have a cluster again, change spec.lifecycle',
};
const sharedMissing = waitsFor('SharedConnection', 'platform', 'SharedConnection platform is not ready');
const ofPlatform = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };
/** It is in no namespace. */
const shared = ({ metadata: { namespace: _none, ...metadata }, ...of }: ReturnType<typeof object>) => ({
  ...of,
  metadata,
});
const unreachable = object('SharedConnection', 'platform', {
  reason: 'UpstreamError',
  message: 'no answer',
  retrying: true,
});
const leavingShared = object('SharedConnection', 'platform', {
  reason: 'Deleting',
  message: 'still needed by 1 resource',
  blockedOn: [
    needs('Cluster', 'other/etl', 'Cluster other/etl needs this SharedConnection until it is deleted', 'InUse'),
  ],
  metadata: { deletionTimestamp: at(60) },
});
const unseen = { reason: 'Pending', message: 'waiting for the operator', status: 'Unknown', observedGeneration: -1 };

const rows: Readonly<Record<string, Row>> = {
  'the CRD is missing': {
    ...alive,
    why: 'cluster/etl',
    refused: { 'clusters/etl': 'kindAbsent' },
    cause: 'KindNotServed',
    text: 'the API server does not serve the kind Cluster',
    todo: /kubectl apply --server-side -k crds/,
  },
  'the operator does not run': {
    renewed: 300,
    why: 'dpc/etl',
    objects: [object('Cluster', 'etl', unseen)],
    cause: 'OperatorNotRunning',
    text: /no operator is running: operator-1 renewed Lease .* 5 minutes ago/,
    todo: /get deployment,pods/,
  },
  'the operator was never installed': {
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', unseen)],
    cause: 'OperatorNotRunning',
    text: /there is no Lease dataprocessing-operator in namespace dataprocessing-system/,
    todo: /--operator-namespace|get deployment/,
  },
  'an edit was made a moment ago': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      ready('Cluster', 'etl', {
        metadata: {
          generation: 2,
          managedFields: [{ time: at(400) }, { time: at(2) }, { time: at(0), subresource: 'status' }],
        },
      }),
    ],
    cause: 'Pending',
    text: 'the operator has not looked at the current spec yet',
    todo: /wait/,
    waits: true,
  },
  'the namespace is not watched': {
    ...alive,
    watched: 'other,more',
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', unseen)],
    cause: 'NamespaceNotWatched',
    text: 'the operator does not watch namespace team: it watches only other, more',
    todo: /--namespaces/,
  },
  'a Cluster differs from what it is to adopt, and its spec cannot be edited': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', stalledOf('AdoptionMismatch', 'it differs from the spec'))],
    cause: 'AdoptionMismatch',
    text: 'it differs from the spec',
    todo: /status\.drift, delete this Cluster, which leaves .*: kubectl delete cluster\.dataprocessing\.dev\/etl -n team, and apply it again/,
  },
  'a Job differs from what it is to adopt': {
    ...alive,
    why: 'job/words',
    objects: [object('Job', 'words', stalledOf('AdoptionMismatch', 'it differs from the spec'))],
    cause: 'AdoptionMismatch',
    text: 'it differs from the spec',
    todo: /status\.drift, and correct the spec: kubectl edit job\.dataprocessing\.dev\/words/,
  },
  'the operator runs and does not look': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', unseen)],
    cause: 'NotReconciled',
    text: /has not reported anything about the current spec for 10 minutes/,
    todo: /logs deployment\/dataprocessing-operator/,
  },
  'you may not read the Lease': {
    leaseRefused: true,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', unseen)],
    cause: 'NotReconciled',
    text: /you may not read Lease/,
    todo: /watches namespace team/,
  },
  'the Connection is missing': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', connectionMissing)],
    cause: 'NotFound',
    text: 'Connection default does not exist in namespace team',
    todo: /create Connection default/,
  },
  'the Secret is missing, two objects away': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', waitsFor('ClusterTemplate', 'small', 'ClusterTemplate small is not ready')),
      object('ClusterTemplate', 'small', {
        ...waitsFor('Connection', 'default', 'Connection default: CredentialsMissing'),
        reason: 'CredentialsMissing',
      }),
      object(
        'Connection',
        'default',
        stalledOf('CredentialsMissing', 'spec.auth.secretRef: Secret token does not exist'),
      ),
    ],
    cause: 'CredentialsMissing',
    text: 'Connection default: spec.auth.secretRef: Secret token does not exist',
    todo: /Secret/,
  },
  'the token is wrong': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', { reason: 'Unauthorized', message: 'cannot create cluster: 401', retrying: true }),
      object(
        'Connection',
        'default',
        stalledOf('Unauthorized', 'cannot use the service: 401. Check the token in Secret token'),
      ),
    ],
    cause: 'Unauthorized',
    text: /^Connection default: .*Check the token in Secret token/,
    todo: /kubectl dataprocessing doctor -n team/,
  },
  'the service is down': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', {
        reason: 'UpstreamError',
        message: 'cannot read the list of clusters',
        retrying: true,
      }),
      object('Connection', 'default', {
        reason: 'UpstreamError',
        message: 'cannot use the service: connect ECONNREFUSED',
        retrying: true,
      }),
    ],
    cause: 'UpstreamError',
    text: /Connection default: .*ECONNREFUSED/,
    todo: /doctor/,
  },
  'the endpoint is wrong': {
    ...alive,
    why: 'dpconn/default',
    objects: [
      object(
        'Connection',
        'default',
        stalledOf('UpstreamError', 'there is no such path: set spec.endpoint to http://x'),
      ),
    ],
    cause: 'UpstreamError',
    text: /set spec.endpoint/,
    todo: /doctor/,
  },
  'the template is missing': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', waitsFor('ClusterTemplate', 'smal', 'did you mean small?'))],
    cause: 'NotFound',
    text: 'ClusterTemplate smal does not exist in namespace team',
    todo: /did you mean small\?/,
  },
  'the template is stalled': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', waitsFor('ClusterTemplate', 'small', 'not ready')),
      object('ClusterTemplate', 'small', stalledOf('InvalidSpec', 'spec.nodeGroups: two groups have the name worker')),
    ],
    cause: 'InvalidSpec',
    text: /ClusterTemplate small: spec.nodeGroups/,
    todo: /kubectl edit clustertemplate\.dataprocessing\.dev\/small -n team/,
  },
  'the quota refuses it': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object(
        'Cluster',
        'etl',
        stalledOf('ExternalRejected', 'the service refused it: QUOTA_ERROR: 20 of 10 instances'),
      ),
      ready('Connection', 'default'),
    ],
    cause: 'ExternalRejected',
    text: /QUOTA_ERROR/,
    todo: /remove what the service refuses/,
  },
  'the cluster is in Error': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object(
        'Cluster',
        'etl',
        stalledOf('ExternalError', 'the service reports Error: no host', { more: { id: 'id-1' } }),
      ),
    ],
    cause: 'ExternalError',
    text: /no host/,
    todo: /dataprocessing\.dev\/recreate=id-1/,
  },
  'the cluster vanished': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', stalledOf('ExternalDeleted', 'somebody deleted it', { more: { id: 'id-1' } }))],
    cause: 'ExternalDeleted',
    text: 'somebody deleted it',
    todo: /kubectl delete cluster\.dataprocessing\.dev\/etl -n team/,
  },
  'a template vanished that is not to be recreated': {
    ...alive,
    why: 'dpngt/worker',
    objects: [object('NodeGroupTemplate', 'worker', stalledOf('ExternalDeleted', 'somebody deleted it'))],
    cause: 'ExternalDeleted',
    text: 'somebody deleted it',
    todo: /kubectl patch nodegrouptemplate\.dataprocessing\.dev\/worker -n team .*"onExternalDelete":"Recreate"/,
  },
  'another cluster has the name': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', stalledOf('NameConflict', 'the service has another cluster etl (id-9)'))],
    cause: 'NameConflict',
    text: /id-9/,
    todo: /do as the message says/,
  },
  'two claim the same': {
    ...alive,
    why: 'dpimg/ubuntu',
    objects: [
      object('ImageRegistration', 'ubuntu', stalledOf('DuplicateClaim', 'ImageRegistration other/ubuntu registers it')),
    ],
    cause: 'DuplicateClaim',
    text: /other\/ubuntu/,
    todo: /do as the message says/,
  },
  'the spec is invalid': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', stalledOf('InvalidSpec', 'spec.nodeGroups[0]: unknown'))],
    cause: 'InvalidSpec',
    text: /spec.nodeGroups/,
    todo: /kubectl edit/,
  },
  'others use what is being deleted': {
    ...alive,
    why: 'dpct/small',
    objects: [
      object('ClusterTemplate', 'small', {
        reason: 'Deleting',
        message: 'still in use by Cluster etl',
        blockedOn: [needs('Cluster', 'etl', 'Cluster etl refers to ClusterTemplate small: delete it first', 'InUse')],
        metadata: { deletionTimestamp: at(60) },
      }),
      ready('Cluster', 'etl'),
    ],
    cause: 'StillInUse',
    text: 'Cluster etl refers to ClusterTemplate small: delete it first',
    todo: /see who needs it/,
  },
  'another NodeGroup has the group': {
    ...alive,
    why: 'nodegroup/workers',
    objects: [
      object(
        'NodeGroup',
        'workers',
        stalledOf('DuplicateClaim', 'NodeGroup first sets the count already', {
          spec: { clusterRef: { name: 'etl' } },
        }),
      ),
      ready('Cluster', 'etl'),
    ],
    cause: 'DuplicateClaim',
    text: /NodeGroup first/,
    todo: /do as the message says/,
  },
  'a NodeGroup waits for its stalled cluster': {
    ...alive,
    why: 'dpng/workers',
    objects: [
      object('NodeGroup', 'workers', {
        reason: 'DependencyNotReady',
        message: 'not ready',
        spec: { clusterRef: { name: 'etl' } },
      }),
      object('Cluster', 'etl', stalledOf('InvalidSpec', 'spec.name is too long')),
    ],
    cause: 'InvalidSpec',
    text: 'Cluster etl: spec.name is too long',
    todo: /kubectl edit cluster/,
  },
  'a job waits for its cluster, which waits for a Connection': {
    ...alive,
    why: 'dpje/words-1',
    objects: [waitingRun, object('Cluster', 'etl', connectionMissing)],
    cause: 'NotFound',
    text: 'Connection default does not exist in namespace team',
    todo: /create Connection/,
  },
  'a job waits for its cluster, whose namespace may not use the SharedConnection': {
    ...alive,
    why: 'dpje/words-1',
    objects: [
      waitingRun,
      object(
        'Cluster',
        'etl',
        stalledOf('ConnectionNotAllowed', 'SharedConnection platform does not select namespace team', {
          spec: { connectionRef: { kind: 'SharedConnection', name: 'platform' } },
        }),
      ),
    ],
    cause: 'ConnectionNotAllowed',
    text: 'Cluster etl: SharedConnection platform does not select namespace team',
    todo: /ask the administrator of the cluster/,
  },
  'the SharedConnection cannot be read by its users': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', {
        ...waitsFor('SharedConnection', 'platform', 'SharedConnection platform is not ready: no answer'),
        spec: { connectionRef: { kind: 'SharedConnection', name: 'platform' } },
      }),
    ],
    refused: { 'sharedconnections/platform': 'forbidden' },
    cause: 'NotReadable',
    text: 'SharedConnection platform is not ready: no answer (you may not read SharedConnection platform)',
    todo: /ask the administrator of the cluster/,
  },
  'the SharedConnection cannot be read, and is asked for itself': {
    ...alive,
    why: 'dpshared/platform',
    refused: { 'sharedconnections/platform': 'forbidden' },
    cause: 'NotReadable',
    text: /^you may not read SharedConnection platform$/,
    todo: /^ask for the verb "get" on sharedconnection\.dataprocessing\.dev in a ClusterRole$/,
  },
  'the SharedConnection of a cluster is missing': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', { ...sharedMissing, spec: ofPlatform })],
    cause: 'NotFound',
    text: /^SharedConnection platform does not exist$/,
    todo: /^ask the administrator of the cluster to create SharedConnection platform\. Its user reports: /,
  },
  'the SharedConnection does not exist': {
    ...alive,
    why: 'dpshared/platfrom',
    objects: [shared(ready('SharedConnection', 'platform'))],
    cause: 'NotFound',
    text: /^SharedConnection platfrom does not exist.*platform/,
    todo: /: kubectl get sharedconnection\.dataprocessing\.dev$/,
  },
  'the Secret of a SharedConnection is missing': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', { ...sharedMissing, spec: ofPlatform }),
      shared(
        object(
          'SharedConnection',
          'platform',
          stalledOf('CredentialsMissing', 'spec.auth.secretRef: Secret token does not exist', {
            spec: { credentialsNamespace: 'data-platform' },
          }),
        ),
      ),
    ],
    cause: 'CredentialsMissing',
    text: 'SharedConnection platform: spec.auth.secretRef: Secret token does not exist',
    todo: /kubectl get secrets -n data-platform\./,
  },
  'the service of a SharedConnection is down': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', { ...sharedMissing, spec: ofPlatform }), shared(unreachable)],
    cause: 'UpstreamError',
    text: 'SharedConnection platform: no answer',
    todo: /kubectl dataprocessing doctor -n team$/,
  },
  'the service of a SharedConnection is down, and nobody says for whom': {
    ...alive,
    why: 'dpshared/platform',
    objects: [shared(unreachable)],
    cause: 'UpstreamError',
    text: 'no answer',
    todo: /from a namespace that uses it: kubectl dataprocessing doctor -n NAMESPACE$/,
  },
  'the spec of a SharedConnection is invalid': {
    ...alive,
    why: 'dpshared/platform',
    objects: [shared(object('SharedConnection', 'platform', stalledOf('InvalidSpec', 'spec.endpoint: no URL')))],
    cause: 'InvalidSpec',
    text: 'spec.endpoint: no URL',
    todo: /: kubectl edit sharedconnection\.dataprocessing\.dev\/platform$/,
  },
  'the operator watches some namespaces, and so no SharedConnections': {
    ...alive,
    watched: 'team,other',
    why: 'dpshared/platform',
    objects: [shared(object('SharedConnection', 'platform', unseen))],
    cause: 'SharedConnectionsOff',
    text: 'the operator reads no SharedConnections, because it watches only some namespaces: team, other',
    todo: /use a Connection in each namespace, or .*remove --namespaces/,
  },
  'the operator does not look at a SharedConnection': {
    ...alive,
    why: 'dpshared/platform',
    objects: [shared(object('SharedConnection', 'platform', unseen))],
    cause: 'NotReconciled',
    text: /for 10 minutes/,
    todo: /^check that it watches all namespaces \(--namespaces\)/,
  },
  'a SharedConnection that is being deleted is in use': {
    ...alive,
    why: 'dpshared/platform',
    objects: [shared(leavingShared), ready('Cluster', 'etl')],
    cause: 'StillInUse',
    text: 'Cluster other/etl needs this SharedConnection until it is deleted',
    todo: /see who needs it: kubectl get cluster\.dataprocessing\.dev\/etl -n other$/,
  },
  'the namespace has all that it may have': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', stalledOf('QuotaExceeded', 'allows namespace team 7 nodes'))],
    cause: 'QuotaExceeded',
    text: /allows namespace team 7 nodes/,
    todo: /kubectl get clusters.dataprocessing.dev -n team/,
  },
  'a job failed': {
    ...alive,
    why: 'jobexecutions/words-1',
    objects: [
      object(
        'JobExecution',
        'words-1',
        stalledOf('Failed', 'the run failed: exit code 3', { conditions: [{ type: 'Failed', status: 'True' }] }),
      ),
    ],
    cause: 'Failed',
    text: /exit code 3/,
    todo: /kubectl dataprocessing logs words-1 -n team/,
  },
  'the object does not exist': {
    ...alive,
    why: 'cluster/elt',
    objects: [ready('Cluster', 'etl')],
    cause: 'NotFound',
    text: 'Cluster elt does not exist in namespace team',
    todo: /-A/,
  },
  'you may not read it': {
    ...alive,
    why: 'cluster/etl',
    refused: { 'clusters/etl': 'forbidden' },
    cause: 'NotReadable',
    text: /you may not read Cluster etl in namespace team/,
    todo: /the verb "get" on cluster\.dataprocessing\.dev/,
  },
  'you may not read what it waits for': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', connectionMissing)],
    refused: { 'connections/default': 'forbidden' },
    cause: 'NotReadable',
    text: /Its user reports: Connection default does not exist/,
    todo: /the verb "get"/,
  },
  'a JobSchedule is suspended': {
    ...alive,
    why: 'dpjs/nightly',
    objects: [
      ready('JobSchedule', 'nightly', { reason: 'Suspended', message: 'suspended: no JobExecutions are created' }),
    ],
    cause: 'Suspended',
    text: /suspended/,
    todo: /kubectl patch jobschedule\.dataprocessing\.dev\/nightly -n team --type=merge -p '\{"spec":\{"suspend":false\}\}'/,
    waits: true,
  },
  'an object is paused': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      ready('Cluster', 'etl', {
        conditions: [paused],
      }),
    ],
    cause: 'Suspended',
    text: 'spec.suspend is true',
    todo: /"suspend":false/,
    waits: true,
  },
  'a cluster in Error is suspended': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object(
        'Cluster',
        'etl',
        stalledOf('ExternalError', 'the service reports Error: no host', {
          more: { id: 'id-1' },
          conditions: [paused],
        }),
      ),
    ],
    cause: 'ExternalError',
    text: /no host/,
    todo: /dataprocessing\.dev\/recreate=id-1[^]*"suspend":false/,
  },
  'a job waits for a suspended cluster whose spec is wrong': {
    ...alive,
    why: 'dpje/words-1',
    objects: [
      waitingRun,
      object('Cluster', 'etl', stalledOf('InvalidSpec', 'spec.name is too long', { conditions: [paused] })),
    ],
    cause: 'InvalidSpec',
    text: 'Cluster etl: spec.name is too long',
    todo: /kubectl edit cluster[^]*"suspend":false/,
  },
  'its plan waits for the approval': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', { reason: 'PlanPending', message: 'waiting for the approval of: Scale' })],
    cause: 'PlanPending',
    text: /waiting for the approval/,
    todo: /: kubectl dataprocessing approve cluster\/etl -n team$/,
  },
  'it has expired': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', expired)],
    cause: 'Expired',
    text: /the cluster expired/,
    todo: /spec\.lifecycle.*: kubectl edit cluster\.dataprocessing\.dev\/etl -n team\nor delete it: kubectl delete cluster/,
    waits: true,
  },
  'a job waits for a cluster that has expired': {
    ...alive,
    why: 'dpje/words-1',
    objects: [waitingRun, object('Cluster', 'etl', expired)],
    cause: 'Expired',
    text: /^Cluster etl: the cluster expired/,
    todo: /kubectl edit cluster/,
  },
  'a create without an answer may still take effect': {
    ...alive,
    why: 'cluster/etl',
    objects: [
      object('Cluster', 'etl', {
        reason: 'Deleting',
        message: 'waiting',
        blockedOn: [needs('Quarantine', 'etl-x', 'it may still appear until 12:10', 'MayStillAppear')],
        metadata: { deletionTimestamp: at(60) },
      }),
    ],
    cause: 'StillInUse',
    text: 'it may still appear until 12:10',
    todo: /wait/,
    waits: true,
  },
  'a reference leads to a Secret': {
    ...alive,
    why: 'dpds/books',
    objects: [
      object(
        'DataSource',
        'books',
        waitsFor('Secret', 'keys', 'spec.credentialsSecretRef: Secret keys does not exist'),
      ),
    ],
    cause: 'DependencyNotReady',
    text: 'spec.credentialsSecretRef: Secret keys does not exist',
    todo: /correct Secret keys in namespace team/,
  },
  'what it waited for is ready by now': {
    ...alive,
    why: 'cluster/etl',
    objects: [object('Cluster', 'etl', connectionMissing), ready('Connection', 'default')],
    cause: 'ReadyByNow',
    text: 'Connection default is ready by now',
    todo: /wait/,
    waits: true,
  },
  'nothing is wrong': {
    ...alive,
    why: 'cluster/etl',
    objects: [ready('Cluster', 'etl')],
    cause: 'Available',
    text: 'the service has what the spec asks for',
    todo: /^$/,
    waits: true,
  },
};

test.each(Object.entries(rows))('%s', async (_what, row) => {
  const found = await explained(row, row.why);
  expect(found.cause).toMatchObject({ cause: row.cause, needsUser: row.waits !== true });
  if (typeof row.text === 'string') expect(found.cause.text).toContain(row.text);
  else expect(found.cause.text).toMatch(row.text);
  expect(found.cause.todo.join('\n')).toMatch(row.todo);
  const page = whyPage(found, { now, paint: painter(false) });
  const lines = page.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(24);
  const long = lines.filter((line) => line.length > 100 && !line.includes('kubectl '));
  expect(long).toEqual([]);
});

test('the page shows the whole chain, and the cause at its end', async () => {
  const page = whyPage(
    await explained(rows['a job waits for its cluster, which waits for a Connection'] ?? {}, 'dpje/words-1'),
    {
      now,
      paint: painter(false),
    },
  );
  expect(page).toBe(`\
JobExecution team/words-1 is not ready yet (WaitingForCluster), since 5 minutes ago
Wanted     a run of a job of its own, on a cluster of its own
Actual     not started
Waits for  Cluster etl: not ready yet, DependencyNotReady
           └ Connection default: does not exist, DependencyNotReady
Cause      Connection default does not exist in namespace team
Next try   by itself, as soon as the cause is removed
You can    create Connection default in namespace team. Its user reports: Connection default does
           not exist in this namespace
`);
});

describe('a page that is too long', () => {
  const long = (word: string) => `${word} `.repeat(150).trim();
  const awaited = (number: number) => ({ kind: 'Job', name: `j${number}`, namespace: 'team', state: 'progressing' });
  const crowded = {
    kind: 'Cluster',
    name: 'etl',
    namespace: 'team',
    state: 'progressing',
    wanted: long('wanted'),
    actual: long('actual'),
    waitsFor: Array.from({ length: 9 }, (_, number) => ({ ...awaited(number), waitsFor: [] })),
    cause: { cause: 'UpstreamError', text: long('broken'), todo: [long('repair')], needsUser: true },
    otherCauses: [],
    notes: [],
    nextTry: 'soon',
  } as unknown as Explanation;
  const linesOf = (changes: object) =>
    whyPage({ ...crowded, ...changes }, { now, paint: painter(false) })
      .trimEnd()
      .split('\n');

  test.each([
    ['a warning and a crowd', { warning: long('stopped') }],
    [
      'more causes than fit',
      { warning: long('stopped'), otherCauses: [1, 2, 3].map((n) => ({ text: long(`no${n}`) })) },
    ],
    ['notes alone', { waitsFor: [], notes: ['one', 'two', 'three', 'four', 'five'].map(long) }],
  ])('keeps its cause and what to do: %s', (_what, changes) => {
    const lines = linesOf(changes);
    expect(lines).toHaveLength(23);
    expect(lines[0]).toMatch(/^Cluster team\/etl is not ready yet/);
    const at = lines.findIndex((line) => line.startsWith('Cause      broken'));
    expect(
      lines
        .slice(at, at + 6)
        .join(' ')
        .match(/broken/g)?.length,
    ).toBeGreaterThan(60);
    expect(lines.join('\n')).toMatch(/\nNext try {3}soon\nYou can {4}repair/);
    expect(lines.filter((line) => line.trim() === '…').length).toBeGreaterThan(0);
  });
});

test.each([
  [{ conditions: [{ type: 'Complete', status: 'True' }] }, 'none: the run is over'],
  [{ more: { nextScheduleTime: '2026-11-29T03:00:00Z' } }, 'the next run at 2026-11-29T03:00:00Z'],
  [{}, 'the operator polls the service'],
])('what comes next for what is ready: %j', async (given, next) => {
  expect((await explained({ objects: [ready('Cluster', 'etl', given)], ...alive }, 'cluster/etl')).nextTry).toBe(next);
});

test.each([
  ['Suspended', 'is suspended', 'when it is no longer suspended'],
  ['PlanPending', 'waits for the approval of its plan', 'when its plan is approved'],
  ['Expired', 'has expired', 'none, until it is deleted or its spec.lifecycle is changed'],
])('what comes next for what is held: %s', async (reason, state, next) => {
  const held = object('Cluster', 'etl', { reason, message: 'why' });
  const found = await explained({ objects: [held], ...alive }, 'cluster/etl');
  expect(found.nextTry).toBe(next);
  expect(whyPage(found, { now, paint: painter(false) })).toContain(`Cluster team/etl ${state} (${reason}), since`);
});

test('what is stalled and suspended needs somebody, and the suspension is noted', async () => {
  const wrong = stalledOf('AdoptionMismatch', 'it differs from the spec', { conditions: [paused] });
  const found = await explained({ objects: [object('Cluster', 'etl', wrong)], ...alive }, 'cluster/etl');
  expect(found).toMatchObject({
    state: 'stalled',
    notes: ['Paused: spec.suspend is true'],
    lastError: { reason: 'AdoptionMismatch', message: 'it differs from the spec' },
    nextTry: 'at once after a change of the spec, but nothing is written to the service while it is suspended',
  });
  const page = whyPage(found, { now, paint: painter(false) });
  expect(page).toContain('Cluster team/etl needs you (AdoptionMismatch), since');
});

test('what is remarkable is noted', async () => {
  const outdated = {
    type: 'TemplateOutdated',
    status: 'True',
    reason: 'NewerRevision',
    message: 'revision b follows a',
  };
  const found = await explained(
    { objects: [ready('Cluster', 'etl', { conditions: [outdated] })], ...alive },
    'cluster/etl',
  );
  const page = whyPage(found, { now, paint: painter(false) });
  expect(page).toContain(
    '\nState      the service has what the spec asks for\nNote       TemplateOutdated: revision b follows a\n',
  );
  expect(page).not.toContain('You can');
});

test('a status that nobody refreshes is said to be old', async () => {
  const found = await explained({ objects: [ready('Cluster', 'etl')], renewed: 300 }, 'cluster/etl');
  expect(found.warning).toMatch(/no operator is running, so this may be out of date/);
  expect(found.nextTry).toBe('when an operator runs again');
});

test('the newest warning of this very object is the last error', async () => {
  const warning = (reason: string, secondsAgo: number, uid = 'uid-etl') => ({
    reason,
    message: 'why',
    lastTimestamp: at(secondsAgo),
    involvedObject: { uid },
  });
  const warnings = [warning('Old', 60), warning('New', 5), warning('Foreign', 1, 'uid-before')];
  const found = await explained({ objects: [ready('Cluster', 'etl')], warnings, ...alive }, 'cluster/etl');
  expect(found.lastError).toEqual({ reason: 'New', message: 'why', time: at(5) });
});

test('what is in no namespace is named without one, and what uses it with its own', async () => {
  const plane = { objects: [shared(leavingShared), ready('Cluster', 'etl')], ...alive };
  const found = await explained(plane, 'dpshared/platform');
  expect(found).not.toHaveProperty('namespace');
  const page = whyPage(found, { now, paint: painter(false) });
  expect(page).toMatch(/^SharedConnection platform is being deleted/);
  expect(page).toContain('\nWaits for  Cluster other/etl: ready, Available\n');
  const { transport, reads } = planeOf(plane);
  const kind = customKind('SharedConnection') ?? expect.fail();
  await readSituation(transport, { kind, name: 'platform' }, { namespace: 'team', operatorNamespace: undefined });
  const root = '/apis/dataprocessing.dev/v1alpha1';
  expect(reads).toEqual(
    expect.arrayContaining([
      `${root}/sharedconnections/platform`,
      `${root}/namespaces/other/clusters/etl`,
      '/api/v1/namespaces/default/events',
    ]),
  );
});

test.each([
  [{}, ''],
  [{ connectionRef: { name: 'default' } }, ''],
  [{ connectionRef: { name: 'far' } }, ' -c far'],
  [ofPlatform, ' -c sharedconnection/platform'],
])('what is not in the service is looked for in the service of the object: %j', async (spec, flag) => {
  const missing = { reason: 'ExternalNotFound', message: 'it is not there' };
  const found = await explained({ objects: [object('Cluster', 'etl', { ...missing, spec })], ...alive }, 'cluster/etl');
  expect(found.cause.todo).toEqual([
    `see what the service has that nobody claims: kubectl dataprocessing orphans -n team${flag}`,
  ]);
});

describe('what is to be adopted and is another object', () => {
  const drift = { path: 'spec.userKeypairID', want: 'demo', have: 'other', fixable: false };
  const foreign = clusterName({ name: 'etl', uid: 'x', installation: 'elsewhere' }, 6);
  /** In the words of the operator. */
  const messageOf = (adoption: NonNullable<PlanInput['adoption']>) => {
    const planned = plan({ ...situationOf({ spec: { ...clusterSpec, adopt: { name: 'etl' } } }), adoption });
    if (planned.action !== 'none' || planned.outcome.result !== 'refused') throw new Error('it is not refused');
    return planned.outcome.message;
  };
  const found = (name: string) => ({ state: 'found', row: { id: 'id-1', name }, differs: [] }) as const;
  const gone =
    'delete this Cluster, which leaves what is in the service alone: kubectl delete cluster.dataprocessing.dev/etl -n team';

  test.each<readonly [string, string, readonly string[]]>([
    [
      'differs',
      messageOf({ ...found('etl'), differs: [drift] }),
      [`compare status.drift, ${gone}, and apply it again with a corrected spec`],
    ],
    [
      'differs, and has a name that reads like a remedy',
      messageOf({ ...found(`the annotation ${takeOverAnnotation} to abcd, or to abcd`), differs: [drift] }),
      [`compare status.drift, ${gone}, and apply it again with a corrected spec`],
    ],
    [
      'was made by another installation',
      messageOf(found(foreign)),
      [
        'let the other installation release the object, as the message says',
        `once nobody else manages it, confirm that: kubectl annotate cluster.dataprocessing.dev/etl -n team ${takeOverAnnotation}=${installationMark('elsewhere')} --overwrite`,
      ],
    ],
    [
      'is one of several',
      messageOf({ state: 'several', ids: ['id-1', 'id-2'] }),
      [`${gone}, and apply another one with spec.adopt.id, of one of the objects that the message lists`],
    ],
  ])('because it %s, has the remedy that the message names', async (_how, message, todo) => {
    const objects = [object('Cluster', 'etl', stalledOf('AdoptionMismatch', message))];
    expect((await explained({ objects, ...alive }, 'cluster/etl')).cause.todo).toEqual(todo);
  });
});

test('what comes next for a SharedConnection that nobody reads', async () => {
  const objects = [shared(object('SharedConnection', 'platform', unseen))];
  const found = await explained({ objects, watched: 'team', ...alive }, 'dpshared/platform');
  expect(found.nextTry).toBe('when the operator watches all namespaces');
});

test('loops and crowds are bounded', async () => {
  const all = (of: number) => Array.from({ length: 30 }, (_, one) => needs('Cluster', `c${(of + one) % 30}`, 'loop'));
  const objects = Array.from({ length: 30 }, (_, of) =>
    object('Cluster', `c${of}`, { reason: 'DependencyNotReady', message: 'loop', blockedOn: all(of) }),
  );
  const { transport, reads } = planeOf({ objects, ...alive });
  const kind = customKind('Cluster');
  if (kind === undefined) throw new Error('no Cluster');
  await readSituation(transport, { kind, name: 'c0' }, { namespace: 'team', operatorNamespace: undefined });
  expect(reads.filter((path) => path.includes('/clusters/')).length).toBeLessThanOrEqual(24);
});

test.each(['long', 'wide'])('few requests explain 200 Clusters in a %s chain', async (form) => {
  const next = (of: number) => (form === 'long' ? [of + 1] : Array.from({ length: 200 }, (_, one) => one));
  const objects = Array.from({ length: 200 }, (_, of) =>
    object('Cluster', `c${of}`, {
      reason: 'DependencyNotReady',
      message: 'it waits',
      blockedOn: next(of).map((one) => needs('Cluster', `c${one}`, 'it waits')),
    }),
  );
  const { transport, reads } = planeOf({ objects, ...alive });
  const kind = customKind('Cluster') ?? expect.fail();
  await readSituation(transport, { kind, name: 'c0' }, { namespace: 'team', operatorNamespace: undefined });
  expect(reads.length).toBeGreaterThan(5);
  // 24 objects of the chain, the warnings, two places of the Lease, and the Deployment.
  expect(reads.length).toBeLessThanOrEqual(28);
  expect(reads.filter((path) => path.endsWith('/clusters'))).toEqual([]);
});

test('what others wrote cannot reprogram a terminal', async () => {
  const message = 'no\u001b[2J\nhost';
  const found = await explained(
    { objects: [object('Cluster', 'etl', stalledOf('ExternalError', message))], ...alive },
    'cluster/etl',
  );
  expect(whyPage(found, { now, paint: painter(false) })).not.toContain('\u001b');
});
