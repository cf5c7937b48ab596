// What the controller must know of resources: their lanes, what they refer to, what they stand for, and what others decide by.
import { describe, expect, test } from 'vitest';
import { annotations as documented } from '../../../dev/generate/annotations.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { acceptLossAnnotation, finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../src/operator/kinds/image-registration/index.ts';
import { kinds } from '../../../src/operator/kinds/index.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { type Key, keyOf, keyText } from '../../../src/operator/reconcile/pass-ports.ts';
import { createResourceIndex } from '../../../src/operator/wiring/resource-index.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterSpec,
  conditionsAs,
  image,
  installation,
  ledgerOf,
  resourceOf,
  wall,
} from '../reconcile/support.ts';

const fromTemplate = {
  clusterTemplateRef: { name: 'small' },
  connectionRef: { name: 'prod' },
  nodeGroups: [{ name: 'a', count: 1, nodeGroupTemplateRef: { name: 'worker' } }],
};
const connection = {
  apiVersion: 'v1',
  kind: 'Connection',
  metadata: resourceOf().metadata,
  spec: { auth: { secretRef: { name: 's' } }, tls: { caSecretRef: { name: 'ca' } } },
};
const secret: RawResource = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: resourceOf().metadata,
  data: { token: 'YQ==' },
};

/** How many requests may be in flight, by the name of the Connection. */
const places: Readonly<Record<string, number>> = { few: 4, many: 200 };

function knowing(...resources: readonly RawResource[]) {
  const stored = new Map(resources.map((resource) => [keyText(keyOf(resource)), resource]));
  return createResourceIndex({
    kinds: new Map(kinds.map((kind) => [kind.definition.kind, kind])),
    installation,
    read: (key: Key) => stored.get(keyText(key)),
    maxInFlightOf: ({ name }) => places[name],
  });
}

describe('kinds', () => {
  test.each([
    ['Cluster', true],
    ['ClusterTemplate', true],
    ['NodeGroupTemplate', true],
    ['Connection', true],
    ['Secret', true],
    ['Pod', false],
  ] as const)('%s is ours: %s', (kind, expected) => {
    expect(knowing().owns(kind)).toBe(expected);
  });

  test('the ledger, the words of the user and both requests for a look are changes that count', () => {
    expect(knowing().annotations).toEqual([
      ledgerAnnotation,
      'dataprocessing.dev/last-schedule-time',
      'dataprocessing.dev/approve-plan',
      'dataprocessing.dev/take-over',
      'dataprocessing.dev/recreate',
      'dataprocessing.dev/run-again',
      'dataprocessing.dev/accept-loss',
      'dataprocessing.dev/reconcile-requested-at',
      'reconcile.fluxcd.io/requestedAt',
    ]);
  });

  test('each annotation that users set, as the reference lists them, wakes its object', () => {
    const listed = documented.filter(({ setBy }) => setBy === 'users').map(({ name }) => name);
    expect(knowing().commands.toSorted()).toEqual(listed.toSorted());
  });
});

describe('lanes', () => {
  test.each<readonly [string, RawResource, string]>([
    ['of the Connection that is named', resourceOf({ spec: fromTemplate }), 'team-a/prod'],
    ['of the default one', resourceOf(), 'team-a/default'],
    ['of an unreadable spec', resourceOf({ spec: 7 }), 'team-a/default'],
    ['a Connection has a lane of its own', connection, keyText(keyOf(connection))],
    ['and so has a Secret', secret, keyText(keyOf(secret))],
  ])('%s', (_name, resource, lane) => {
    expect(knowing(resource).laneOf(keyOf(resource))).toBe(lane);
  });

  test('what is gone stays in its namespace', () => {
    expect(knowing().laneOf(keyOf(resourceOf()))).toBe('team-a/');
  });

  test.each([
    ['16, before anything is known of the Connection', 'new', 16],
    ['16, where fewer requests may be in flight', 'few', 16],
    ['as many as requests may be in flight', 'many', 200],
  ])('have room for %s', (_name, name, expected) => {
    const resource = resourceOf({ spec: { ...fromTemplate, connectionRef: { name } } });
    const knowledge = knowing(resource);
    expect(knowledge.limitOf(knowledge.laneOf(keyOf(resource)))).toBe(expected);
  });

  test('have room for 16 where there is no Connection, and for that one, too', () => {
    const knowledge = knowing(resourceOf());
    for (const key of [keyOf(resourceOf()), keyOf(connection)])
      expect(knowledge.limitOf(knowledge.laneOf(key))).toBe(16);
  });
});

describe('references', () => {
  test.each<readonly [string, RawResource, readonly string[]]>([
    [
      'of a cluster',
      resourceOf({ spec: { ...fromTemplate, userKeypairID: 'k' } }),
      ['Connection/team-a/prod', 'ClusterTemplate/team-a/small', 'NodeGroupTemplate/team-a/worker'],
    ],
    [
      'of an unreadable spec: the Connection alone',
      resourceOf({ spec: { connectionRef: { name: 'prod' }, nodeGroups: 7 } }),
      ['Connection/team-a/prod'],
    ],
    [
      'of a run with an unreadable spec: its cluster, too',
      resourceOf({
        kind: jobExecutionKind,
        spec: { connectionRef: { name: 'prod' }, clusterRef: { name: 'etl' }, args: 7 },
      }),
      ['Connection/team-a/prod', 'Cluster/team-a/etl', 'Cluster/team-a/etl/held'],
    ],
    ['of one that others keep after we let go of it: none', resourceOf({ spec: fromTemplate, deleting: true }), []],
    [
      'of one that is being deleted: as before',
      resourceOf({ spec: fromTemplate, deleting: true, held: true }),
      ['Connection/team-a/prod', 'ClusterTemplate/team-a/small', 'NodeGroupTemplate/team-a/worker'],
    ],
    ['of a Connection: its Secrets', connection, ['Secret/team-a/s', 'Secret/team-a/ca']],
    ['of a Secret', secret, []],
  ])('%s', (_name, resource, expected) => {
    expect(knowing().referencesOf(resource)).toEqual(expected);
  });
});

describe('what stands for it in the service', () => {
  test.each<readonly [string, RawResource, readonly string[]]>([
    ['nothing', resourceOf(), []],
    [
      'an open create, by its name',
      resourceOf({ ledger: ledgerOf([claimOf(attempts(1))]) }),
      [`team-a/default/clusters/${clusterName}`],
    ],
    [
      'a recorded object, by its id',
      resourceOf({ ledger: ledgerOf([claimOf({ id: 'id-1' })]) }),
      ['team-a/default/clusters/id-1'],
    ],
    [
      'what the spec names by its id, before there is a claim',
      resourceOf({ kind: imageRegistrationKind, spec: { imageID: image.toUpperCase(), username: 'ubuntu' } }),
      [`team-a/default/images/${image}`],
    ],
    ['a spec that cannot be read: nothing', resourceOf({ kind: imageRegistrationKind, spec: 7 }), []],
    ['a copied ledger: nothing', resourceOf({ ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'other' }) }), []],
  ])('%s', (_name, resource, expected) => {
    expect(knowing().externalsOf(resource)).toEqual(expected);
  });
});

describe('what others decide by', () => {
  const status = (ready: 'True' | 'False', message = 'm', reason = 'Available') => ({
    observedGeneration: 1,
    nodes: message,
    conditions: conditionsAs(1, wall, [
      ['Ready', ready, reason, message],
      ['Synced', 'True', message],
    ]),
  });
  const base = {
    kind: clusterKind,
    spec: clusterSpec,
    status: status('True'),
    ledger: ledgerOf([claimOf({ id: 'id-1' })]),
  };
  const facts = (resource: RawResource) => knowing().factsOf(resource);

  test.each<readonly [string, object, boolean]>([
    ['nothing', {}, true],
    ['a message', { status: status('True', 'other') }, true],
    ['another version', { metadata: { resourceVersion: '99' } }, true],
    ['an edit, before it is carried out', { metadata: { generation: 5 } }, true],
    ['readiness', { status: status('False') }, false],
    ['why it is not ready', { status: status('True', 'm', 'Scaling') }, false],
    ['the id', { ledger: ledgerOf([claimOf({ id: 'id-2' })]) }, false],
    ['an id that came', { ledger: ledgerOf([claimOf(attempts(1))]) }, false],
    ['deletion', { deleting: true }, false],
    [
      'getting stalled',
      {
        status: {
          ...status('True'),
          conditions: [...status('True').conditions, ...conditionsAs(1, wall, [['Stalled', 'True', 'InvalidSpec']])],
        },
      },
      false,
    ],
  ])('%s: the same is %s', (_name, changes, same) => {
    expect(facts(resourceOf({ ...base, ...changes })) === facts(resourceOf(base))).toBe(same);
  });

  test('what it waits for counts, because dependents name that as the cause', () => {
    const waiting = (message: string) =>
      resourceOf({
        ...base,
        status: {
          observedGeneration: 1,
          conditions: conditionsAs(1, wall, [
            ['Ready', 'False', 'DependencyNotReady', message],
            ['DependenciesReady', 'False', 'DependencyNotReady'],
          ]),
        },
      });
    expect(facts(waiting('JobBinary a does not exist'))).not.toBe(facts(waiting('JobBinary a is not ready yet')));
  });

  test('an edit of a Connection counts at once', () => {
    const edited = { ...connection, metadata: { ...connection.metadata, generation: 2 } };
    expect(facts(edited)).not.toBe(facts(connection));
  });

  test('the confirmation of a loss counts at once, and no other annotation', () => {
    const annotated = (annotations: Readonly<Record<string, string>>) => ({
      ...connection,
      metadata: { ...connection.metadata, annotations },
    });
    expect(facts(annotated({ [acceptLossAnnotation]: 'abc' }))).not.toBe(facts(connection));
    expect(facts(annotated({ note: 'abc' }))).toBe(facts(connection));
  });

  test('of a Secret its data counts, and nothing else', () => {
    expect(facts({ ...secret, data: { token: 'Yg==' } })).not.toBe(facts(secret));
    expect(facts({ ...secret, metadata: { ...secret.metadata, resourceVersion: '8' } })).toBe(facts(secret));
  });
});

describe('a run on a cluster', () => {
  const run = (condition: readonly [string, string], deletionTimestamp?: string): RawResource => {
    const resource = resourceOf();
    const [type, reason] = condition;
    const one = { type, status: type === 'Ready' ? 'False' : 'True', reason, message: '', lastTransitionTime: '' };
    return {
      ...resource,
      kind: 'JobExecution',
      metadata: { ...resource.metadata, finalizers: [finalizer], ...(deletionTimestamp && { deletionTimestamp }) },
      spec: { jobID: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', clusterRef: { name: 'etl' } },
      status: { observedGeneration: 1, conditions: [{ ...one, observedGeneration: 1 }] },
    };
  };

  test.each([
    ['is under way', run(['Ready', 'Running']), true],
    ['is suspended', run(['Ready', 'Suspended']), false],
    ['has ended', run(['Complete', 'Succeeded']), false],
    // Its row is in the way of the cluster until it is gone, and the cluster has to be woken then.
    ['has ended and is being deleted', run(['Complete', 'Succeeded'], '2026-01-01T00:00:00Z'), true],
  ])('that %s', (_, resource, refers) => {
    const place = `Cluster/${resource.metadata.namespace}/etl`;
    expect(knowing().referencesOf(resource).includes(place)).toBe(refers);
  });
});
