// What a JobSchedule with policy Forbid reports of the run that it waits for.
import { expect, test } from 'vitest';
import { conditionsAs } from '../reconcile/support.ts';
import { FakeCluster, named } from './fake-cluster.ts';
import { at } from './support.ts';

type Conditions = Parameters<typeof conditionsAs>[2];
const run = named('01:00');
const waits = `the JobExecution for 2026-01-01T02:00:00Z waits for the end of ${run}, because concurrencyPolicy is Forbid`;
const waiting: Conditions = [
  ['Ready', 'False', 'DependencyNotReady', 'spec.jobRef: Job wrods does not exist in this namespace'],
  ['Reconciling', 'True', 'Progressing'],
  ['DependenciesReady', 'False', 'DependencyNotReady'],
];

interface Given {
  readonly conditions?: Conditions;
  readonly status?: object;
  readonly metadata?: object;
  /** That the run names; it is not the one of the template any more. */
  readonly job?: string;
}

/** The schedule has made one run, which is as given, and another one is due. */
async function reported({ conditions = [], status = {}, metadata = {}, job = 'words' }: Given) {
  const cluster = new FakeCluster({ concurrencyPolicy: 'Forbid' });
  const runAt = async (time: string) => {
    cluster.now = at(time);
    cluster.deliver();
    await cluster.run();
    cluster.deliver();
  };
  await runAt('01:00');
  const object = cluster.objects.get(`JobExecution/${run}`);
  if (object === undefined) throw new Error('no run');
  cluster.put({
    ...object,
    metadata: { ...object.metadata, ...metadata },
    spec: { ...(object.spec as object), jobRef: { name: job } },
    status: { observedGeneration: 1, conditions: conditionsAs(1, at('01:00'), conditions), ...status },
  });
  await runAt('02:00');
  expect(cluster.executions).toEqual([run]);
  const found = cluster.status['conditions'] as readonly Readonly<Record<string, string>>[];
  const ready = found.find(({ type }) => type === 'Ready');
  return [ready?.['status'], ready?.['reason'], ready?.['message']];
}

const lasts = (text: string) => ['False', 'DependencyNotReady', `${waits}. ${text}`];
const passes = (text: string) => ['True', 'Available', `${waits}${text}`];
const on = `Delete JobExecution ${run} to go on`;

test.each<readonly [string, Given, unknown]>([
  [
    'waits for a Job that the template named before it was corrected',
    { conditions: waiting, job: 'wrods' },
    lasts(`JobExecution ${run}: DependencyNotReady: spec.jobRef: Job wrods does not exist in this namespace. ${on}`),
  ],
  [
    'is stalled',
    {
      conditions: [
        ['Ready', 'False', 'ProgressDeadlineExceeded', 'no room'],
        ['Stalled', 'True', 'ProgressDeadlineExceeded', 'no room'],
      ],
    },
    lasts(`JobExecution ${run}: ProgressDeadlineExceeded: no room. ${on}`),
  ],
  [
    'waits for the approval of its plan',
    { conditions: [['Ready', 'False', 'PlanPending', 'approve it']] },
    lasts(`JobExecution ${run}: PlanPending: approve it. ${on}`),
  ],
  [
    'is being deleted in vain',
    {
      metadata: { deletionTimestamp: '2026-01-01T01:30:00Z' },
      conditions: [
        ['Ready', 'False', 'ExternalDeleteFailing', 'it refuses'],
        ['Stalled', 'True', 'ExternalDeleteFailing', 'it refuses'],
      ],
    },
    lasts(`JobExecution ${run}: ExternalDeleteFailing: it refuses`),
  ],
  [
    'is of unknown outcome',
    { status: { state: 'Unknown' } },
    lasts(
      `Nobody knows whether the run of ${run} took place: its message says how to go on. If the job may run twice, set spec.template.spec.onUnknown to Retry`,
    ),
  ],
  [
    'is refused, and tried again',
    {
      conditions: [
        ['Ready', 'False', 'ExternalRejected', 'too many runs'],
        ['Reconciling', 'True', 'ProgressingWithRetry'],
      ],
    },
    passes(`. JobExecution ${run}: ExternalRejected: too many runs`),
  ],
  [
    'waits for what is there by now',
    { conditions: waiting },
    passes(`. JobExecution ${run}: DependencyNotReady: ${waiting[0]?.[3]}`),
  ],
  [
    'is at work',
    {
      conditions: [
        ['Ready', 'False', 'Running'],
        ['Reconciling', 'True', 'Progressing'],
      ],
    },
    passes(''),
  ],
  ['is being deleted', { metadata: { deletionTimestamp: '2026-01-01T01:30:00Z' } }, passes('')],
])('it %s', async (_what, given, expected) => {
  expect(await reported(given)).toEqual(expected);
});
