// What a JobSchedule reports of the objects that its executions would wait for.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { kinds } from '../../../src/operator/kinds/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import { plannedBy, unmetDependency } from '../../../src/operator/schedules/dependencies.ts';
import { claimOf, conditionsAs, installation, ledgerOf, resourceOf, wall } from '../reconcile/support.ts';

const all: ReadonlyMap<string, Kind> = new Map(kinds.map((one) => [one.definition.kind, one]));
const kindNamed = (name: string): Kind => {
  const found = all.get(name);
  if (!found) throw new Error(`no kind ${name}`);
  return found;
};

function made(
  kind: string,
  name: string,
  conditions: Parameters<typeof conditionsAs>[2] = [['Ready', 'True', 'Available']],
  more: object = {},
) {
  const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, conditions) };
  return resourceOf({
    kind: kindNamed(kind),
    ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    status,
    metadata: { name },
    ...more,
  });
}

const connection: RawResource = {
  apiVersion: 'dataprocessing.dev/v1alpha1',
  kind: 'Connection',
  metadata: { ...made('Job', 'x').metadata, name: 'default' },
};
const named = { jobRef: { name: 'words' }, clusterRef: { name: 'small' } };

function reported(resources: readonly RawResource[], spec: object = named) {
  const read = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
    resources.find((one) => one.kind === kind && one.metadata.name === name);
  const store = { read, list: (kind: string) => resources.filter((one) => one.kind === kind) };
  const schedule = { ...connection, kind: 'JobSchedule', spec: { schedule: '@daily', template: { spec } } };
  const standing = unmetDependency({ store, kinds: all, installation }, schedule);
  return standing && 'message' in standing ? standing.message : standing;
}

const there = [connection, made('Job', 'words'), made('Cluster', 'small')];
const waits = 'JobExecutions are created as scheduled, and wait. ';

test('everything is there', () => {
  expect(reported(there)).toBeUndefined();
});

test('the standing is that of what waits for a dependency', () => {
  const store = { read: () => undefined, list: () => [] };
  const schedule = { ...connection, kind: 'JobSchedule', spec: { template: { spec: named } } };
  expect(unmetDependency({ store, kinds: all, installation }, schedule)).toMatchObject({
    state: 'progressing',
    reason: 'DependencyNotReady',
  });
});

const without = (kind: string): readonly RawResource[] => there.filter((one) => one.kind !== kind);
const field = 'spec.template.spec.jobRef';
const none = { ledger: ledgerOf([]) };
const suspended: Parameters<typeof conditionsAs>[2] = [
  ['Ready', 'Unknown', 'Suspended', 'spec.suspend is true'],
  ['Paused', 'True', 'Suspended', 'spec.suspend is true'],
];

describe('reported is', () => {
  test.each<readonly [string, readonly RawResource[], string]>([
    [
      'a missing Job',
      without('Job'),
      `${field}: Job words does not exist in this namespace. Create it, or set ${field} to the right name`,
    ],
    [
      'a Job that is being deleted',
      [...without('Job'), made('Job', 'words', [['Ready', 'False', 'Deleting']], { deleting: true })],
      `${field}: Job words is being deleted. Apply Job words again once it is gone, or set ${field} to another name`,
    ],
    [
      'a Job that waits, with the cause',
      [
        ...without('Job'),
        made(
          'Job',
          'words',
          [
            ['Ready', 'False', 'DependencyNotReady', 'JobBinary a does not exist'],
            ['DependenciesReady', 'False', 'DependencyNotReady'],
          ],
          {
            ledger: ledgerOf([]),
            spec: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'a' } }] },
          },
        ),
      ],
      `${field}: Job words is not ready yet: DependencyNotReady: JobBinary a does not exist`,
    ],
    [
      'a Connection without credentials',
      [
        ...without('Connection'),
        {
          ...connection,
          status: {
            conditions: conditionsAs(1, wall, [
              ['Ready', 'False', 'CredentialsMissing', 'no Secret'],
              ['Stalled', 'True', 'CredentialsMissing', 'no Secret'],
            ]),
          },
        },
      ],
      'spec.template.spec.connectionRef: Connection default is not ready: CredentialsMissing: no Secret',
    ],
    [
      'a Job whose plan waits for approval',
      [...without('Job'), made('Job', 'words', [['Ready', 'False', 'PlanPending', 'approve it']], none)],
      `${field}: Job words is not ready yet: PlanPending: approve it`,
    ],
    [
      'a Job that is to adopt what is not there',
      [...without('Job'), made('Job', 'words', [['Ready', 'False', 'ExternalNotFound', 'no job old']], none)],
      `${field}: Job words is not ready yet: ExternalNotFound: no job old`,
    ],
    [
      'a suspended Cluster that was never made',
      [...without('Cluster'), made('Cluster', 'small', suspended, none)],
      'spec.template.spec.clusterRef: Cluster small is not ready yet: spec.suspend is true',
    ],
    [
      'a Cluster that has expired, and was released',
      [
        ...without('Cluster'),
        made('Cluster', 'small', [['Ready', 'False', 'Expired', 'it has expired']], {
          ledger: ledgerOf([], { expired: { at: '2026-01-01T00:00:00Z', reason: 'Idle', of: 'etl' } }),
        }),
      ],
      'spec.template.spec.clusterRef: Cluster small has expired: to have it created again, change its spec.lifecycle',
    ],
    [
      'a missing Connection',
      without('Connection'),
      'spec.template.spec.connectionRef: Connection default does not exist in this namespace. Create it, or set spec.template.spec.connectionRef to another one',
    ],
    [
      'a Job of another Connection',
      [...without('Job'), made('Job', 'words', [], { spec: { connectionRef: { name: 'other' } } })],
      `${field}: Job words uses another Connection: set spec.template.spec.connectionRef to the same one`,
    ],
  ])('%s', (_what, resources, message) => {
    expect(reported(resources)).toBe(`${waits}${message}`);
  });

  test('not a Job that waits for a JobBinary in progress', () => {
    const spec = { type: 'Spark', mains: [{ jobBinaryRef: { name: 'a' } }] };
    const waiting: Parameters<typeof conditionsAs>[2] = [
      ['Ready', 'False', 'DependencyNotReady', 'JobBinary a is not ready yet'],
      ['DependenciesReady', 'False', 'DependencyNotReady'],
    ];
    const none = ledgerOf([]);
    const job = made('Job', 'words', waiting, { ledger: none, spec });
    const binary = made('JobBinary', 'a', [['Ready', 'False', 'Provisioning']], { ledger: none });
    expect(reported([...without('Job'), job, binary])).toBeUndefined();
    // Nor one whose status does not yet tell that what it waited for is there.
    expect(reported([...without('Job'), job, made('JobBinary', 'a')])).toBeUndefined();
  });

  test('not what was Ready when it was suspended', () => {
    const held = made('Cluster', 'small', [
      ['Ready', 'True', 'Available'],
      ['Paused', 'True', 'Suspended'],
    ]);
    expect(reported([...without('Cluster'), held])).toBeUndefined();
  });

  test('not what is ready in a moment', () => {
    const busy = made('Cluster', 'small', [
      ['Ready', 'False', 'Scaling'],
      ['Reconciling', 'True', 'Progressing'],
    ]);
    expect(reported([...without('Cluster'), busy])).toBeUndefined();
  });
});

describe('a job that the executions bring along', () => {
  const spec = { job: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'a' } }] }, clusterRef: { name: 'small' } };

  test('is not missed, but what it needs is', () => {
    expect(reported(without('Job'), spec)).toMatch(
      /^JobExecutions are created as scheduled, and wait\. spec\.template\.spec\.job\.mains.*: JobBinary a does not exist in this namespace/,
    );
    expect(reported([...without('Job'), made('JobBinary', 'a')], spec)).toBeUndefined();
  });

  test('is among what the schedule plans, so that changes of what it needs are noticed', () => {
    const schedule = { ...connection, kind: 'JobSchedule', spec: { template: { spec } } };
    expect(plannedBy(all, schedule).map(({ resource: { kind } }) => kind)).toEqual(['JobExecution', 'Job']);
  });
});

test('a template that cannot be read is for the schedule itself to report', () => {
  expect(reported(there, { jobRef: 7 })).toBeUndefined();
});

test('what executions may not have through a SharedConnection is a field of the template', () => {
  const platform = { ...connection, kind: 'SharedConnection', metadata: { ...connection.metadata, name: 'platform' } };
  const through = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };
  const shared = (spec: object) => ({ ...platform, spec });
  const told = (spec: object, more: object) => reported([shared(spec)], { ...named, ...through, ...more });
  const configs = { 'edp.substitute_data_source_for_name': 'true' };
  const all = { namespaceSelector: {}, namespaces: [connection.metadata.namespace] };
  expect(told(all, { configs })).toContain(
    `${waits}spec.template.spec.configs[edp.substitute_data_source_for_name]: SharedConnection platform does not let`,
  );
  expect(told({ ...all, allowAdopt: true }, { configs })).not.toContain('does not let');
  expect(told({}, { configs })).toContain(
    `${waits}spec.template.spec.connectionRef: SharedConnection platform does not select namespace`,
  );
});
