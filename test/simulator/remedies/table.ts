// Each reason of Ready with the kinds that can report it, and its remedy as something that a user does. A reason without a row does not compile.
import { expect } from 'vitest';
import { installationMark } from '../../../src/lib/generated-name.ts';
import {
  approvePlanAnnotation,
  ledgerAnnotation,
  type Reason,
  recreateAnnotation,
  runAgainAnnotation,
  secretType,
} from '../../../src/operator/api/shared-api.ts';
import { kinds } from '../../../src/operator/kinds/index.ts';
import type { Actor } from '../../gitops/actors.ts';
import { markerToRunAgain } from '../../support/service/runs.ts';
import { credentials, endpoint, image, installation, movedEndpoint, tenant, token } from '../plan/plan.ts';
import { executionAt } from '../plan/schedules.ts';
import { actorOf, cellOf, type Hand, isConnection, specOf, subject, success } from './hand.ts';
import { nodeGroupRows, rowsOfItsCluster } from './node-groups.ts';
import { type Row, type Rows, row } from './row.ts';
import { sharedConnectionRows } from './shared-connections.ts';

type Answer = NonNullable<NonNullable<Parameters<Hand['service']>[0]['faults']>[number]['answer']>;

const contents = ['NodeGroupTemplate', 'ClusterTemplate', 'DataSource', 'JobBinary', 'Job'];
const remote = ['ImageRegistration', ...contents, 'Cluster', 'JobExecution'];
const connections = ['Connection', 'SharedConnection'];
const every = [...connections, ...remote, 'JobSchedule', 'NodeGroup'];
const referring = ['ClusterTemplate', 'Cluster', 'Job', 'JobExecution', 'JobSchedule'];

/** What a user corrects in place, or by another object. */
const again = async (hand: Hand, actor: Actor, spec: object = actor.spec(undefined as never)): Promise<void> => {
  const { kind } = actor;
  hand.delete(kind, subject);
  await hand.gone(kind, subject);
  hand.apply(kind, subject, spec);
  await hand.reports(kind, subject, success(kind));
};

/** Nothing has to be done: it passes. */
const passing = (cause: string, kinds: readonly string[], reason: Reason, more: object = {}): Row =>
  row(cause, kinds, async (hand, actor) => {
    await hand.ground(actor);
    hand.create(actor, more);
    await hand.reports(actor.kind, subject, reason);
    await hand.reports(actor.kind, subject, success(actor.kind));
  });

type Rules = NonNullable<NonNullable<Parameters<Hand['service']>[0]['executions']>>;

/** A run that did not fail by itself. */
const diedOf = (cause: string, termination: Rules[number]['termination'], reason: Reason): Row =>
  row(cause, ['JobExecution'], async (hand, actor) => {
    await hand.ground(actor);
    hand.service({ executions: [{ status: 'RUNNING', does: 'fail', termination }] });
    hand.create(actor);
    await hand.reports(actor.kind, subject, reason);
    hand.service({});
    hand.apply(actor.kind, 'another', specOf(actor.kind));
    await hand.reports(actor.kind, 'another', 'Succeeded');
  });

const settledFirst = async (hand: Hand, actor: Actor): Promise<void> => {
  await hand.ground(actor);
  hand.create(actor);
  await hand.reports(actor.kind, subject, success(actor.kind));
};

/** The first reference of its kind in the needs of an actor, which its spec names. */
const referentOf = ({ kind }: Actor) =>
  ({
    ClusterTemplate: { kind: 'NodeGroupTemplate', name: 'worker' },
    Cluster: { kind: 'ClusterTemplate', name: 'small' },
    Job: { kind: 'JobBinary', name: 'program' },
    JobExecution: { kind: 'Job', name: 'job' },
    JobSchedule: { kind: 'Job', name: 'job' },
  })[kind] ?? { kind: '', name: '' };

const needOf = (actor: Actor) => {
  const { kind, name } = referentOf(actor);
  const need = actor.needs.find((one) => one.kind === kind && one.name === name);
  if (!need) throw new Error(`${actor.kind} needs no ${kind}`);
  return need;
};

const adopting = [...contents, 'Cluster'];

/** An object of the service that belongs to no resource any more. Resolves to its id. */
async function abandoned(hand: Hand, actor: Actor): Promise<string> {
  await hand.ground(actor);
  hand.apply(actor.kind, 'former', { ...specOf(actor.kind), deletionPolicy: 'Orphan' });
  await hand.reports(actor.kind, 'former', 'Available');
  const { id = '' } = (hand.object(actor.kind, 'former')?.status ?? {}) as { readonly id?: string };
  hand.delete(actor.kind, 'former');
  await hand.gone(actor.kind, 'former');
  return id;
}

const anew = 'The spec is immutable: delete this JobExecution and apply it';

const program = [{ jobBinaryRef: { name: 'program' } }];

const refusedJob = {
  run: { jobRef: undefined, job: { type: 'Shell', mains: program, libs: program } },
  says: 'spec.job.libs[0]: names the same binary as spec.job.mains[0]: remove one of them',
};

const withoutImage = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  userKeypairID: 'demo',
  nodeGroups: [{ name: 'worker', count: 1, flavorID: '2', nodeProcesses: ['namenode', 'jobtracker', 'datanode'] }],
};

const refusedCluster = {
  run: { clusterRef: undefined, cluster: withoutImage },
  says: 'spec.cluster.defaultImageID: neither this Cluster nor a ClusterTemplate names an image',
};

/** What a run brings along in place of an object that it needs. */
const contentOf = ({ needs: all }: Actor, kind: 'Job' | 'Cluster'): object =>
  all.find((one) => one.kind === kind)?.spec ?? {};

/** The service cannot start the cluster of a run. Resolves to the spec of the run. */
async function failsToStart(hand: Hand, actor: Actor, more: object): Promise<object> {
  await hand.ground(actor);
  const cluster = { ...contentOf(actor, 'Cluster'), ...more };
  const spec = { ...specOf(actor.kind), clusterRef: undefined, cluster };
  hand.service({ clusters: [{ status: 'Waiting', operation: 'start', does: 'fail', message: 'no room' }] });
  hand.apply(actor.kind, subject, spec);
  await hand.reports('Cluster', subject, 'ExternalError');
  return spec;
}

/** Somebody deletes the cluster of a run in the service before it is ready. Resolves to the spec of the run. */
async function losesItsCluster(hand: Hand, actor: Actor): Promise<object> {
  await hand.ground(actor);
  const spec = { ...specOf(actor.kind), clusterRef: undefined, cluster: contentOf(actor, 'Cluster') };
  hand.service({ clusters: [{ status: 'Waiting', operation: 'start', does: 'stuck' }] });
  hand.apply(actor.kind, subject, spec);
  const idNow = () => (hand.object('Cluster', subject)?.status as { readonly id?: string } | undefined)?.id;
  await hand.until('the Cluster of the run is being started', () => idNow() !== undefined);
  hand.world.act({ does: 'vanish', name: subject });
  hand.service({});
  await hand.reports('Cluster', subject, 'ExternalDeleted');
  return spec;
}

const refused = { is: 'refusal', status: 400, errorName: 'INVALID_DATA', message: 'not like this' } as const;

/** The service has no capacity for the count that is wanted. Resolves to the message. */
async function scaledWithoutRoom(hand: Hand, actor: Actor): Promise<string> {
  await settledFirst(hand, actor);
  hand.service({ clusters: [{ status: 'Scaling', operation: 'scale', does: 'fail', message: 'no host was found' }] });
  hand.edit(actor.kind, subject, { nodeGroups: [{ name: 'worker', count: 9 }] });
  return await hand.reports(actor.kind, subject, 'ScaleHasNoEffect');
}

/** The service answers wrongly until it is repaired, and nothing else has to be done. */
const healed =
  (reason: Reason, answer: Answer): Row['run'] =>
  async (hand, actor) => {
    await hand.ground(actor);
    hand.service({ faults: [{ method: requestOf(actor), answer }] });
    hand.create(actor);
    await hand.reports(actor.kind, subject, reason);
    hand.service({});
    await hand.reports(actor.kind, subject, success(actor.kind));
  };

/** On the way it reports Running and Cancelling, and in the end Cancelled. */
const stopping = row('a run is in progress: stop it', ['JobExecution'], async (hand, actor) => {
  await running(hand, actor);
  hand.edit(actor.kind, subject, { cancel: true });
  await hand.reports(actor.kind, subject, 'Cancelling');
  hand.service({});
  await hand.reports(actor.kind, subject, 'Cancelled');
});

/** On the way it reports Provisioning and UpstreamError, and in the end OutcomeUnknown. */
const unknown = row(
  'the service did not say whether it started the run: the annotation asks for another one',
  ['JobExecution'],
  async (hand, actor) => {
    await hand.ground(actor);
    hand.service({ faults: [{ method: 'POST', work: 'skipped', answer: { is: 'cut' } }] });
    hand.create(actor);
    const message = await hand.reports(actor.kind, subject, 'OutcomeUnknown');
    hand.service({});
    hand.annotate(actor.kind, subject, runAgainAnnotation, markerToRunAgain(message) ?? '');
    await hand.reports(actor.kind, subject, 'Succeeded');
  },
);

/** In the spec of an object that uses the SharedConnection. */
const shared = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };

const share = async (hand: Hand, more: object): Promise<void> => {
  hand.apply('SharedConnection', 'platform', { endpoint, tenantID: tenant, ...more });
  await hand.reports('SharedConnection', 'platform', 'Available');
};

/** The hash of the plan that a message asks to approve. */
const hashIn = (message: string): string | undefined => / \S+=(\S+)$/.exec(message)?.[1];

/** Approves the plan that waits, and answers its hash. */
const approve = async (hand: Hand, { kind }: Actor): Promise<string> => {
  const hash = hashIn(await hand.reports(kind, subject, 'PlanPending')) ?? '';
  hand.annotate(kind, subject, approvePlanAnnotation, hash);
  return hash;
};

const ownRows: Readonly<Record<Reason, readonly Row[]>> = {
  Pending: [
    row('the operator is not up', every, async (hand, actor) => {
      await hand.ground(actor);
      const [replica] = hand.world.replicas;
      replica?.kill();
      hand.create(actor);
      await hand.world.advance(hand.world.scheduler.now + 60_000);
      hand.world.start(0);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
  ],
  Available: [{ cause: 'all is well', kinds: every.filter((kind) => kind !== 'JobExecution'), run: settledFirst }],
  Succeeded: [{ cause: 'a run ends well', kinds: ['JobExecution'], run: settledFirst }],
  Provisioning: [
    row(
      'it is being made: wait',
      [...connections, ...remote.filter((kind) => kind !== 'JobExecution')],
      async (hand, actor) => {
        await settledFirst(hand, actor);
        if (isConnection(actor.kind)) hand.edit(actor.kind, subject, { pollSeconds: 7 });
        await hand.reports(actor.kind, subject, success(actor.kind));
        expect(hand.reported).toContain(cellOf('Provisioning', actor.kind));
      },
    ),
    unknown,
  ],
  Scaling: [
    row('the counts of a Cluster are edited', ['Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.edit(actor.kind, subject, { nodeGroups: [{ name: 'worker', count: 3 }] });
      await hand.reports(actor.kind, subject, 'Scaling');
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('the counts are edited again while the service adds nodes: wait', ['Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.edit(actor.kind, subject, { nodeGroups: [{ name: 'worker', count: 8 }] });
      await hand.reports(actor.kind, subject, 'Scaling');
      hand.edit(actor.kind, subject, { nodeGroups: [{ name: 'worker', count: 3 }] });
      const message = await hand.reports(actor.kind, subject, 'Scaling');
      expect(message).toContain('scaling worker to 8; count 3 of worker waits until this has ended');
      await hand.reports(actor.kind, subject, 'Available');
      expect(hand.object(actor.kind, subject)?.status).toMatchObject({ nodes: '4/4' });
    }),
  ],
  DependencyNotReady: [
    row('there is no Connection: create it', [...remote, 'JobSchedule'], async (hand, actor) => {
      hand.create(actor);
      const message = await hand.reports(actor.kind, subject, 'DependencyNotReady');
      expect(message).toMatch(/Connection default does not exist in this namespace.*create it/is);
      await hand.ground(actor);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
    row('what it names does not exist: create it', referring, async (hand, actor) => {
      const need = needOf(actor);
      await hand.ground({
        ...actor,
        needs: actor.needs.filter((one) => one.kind !== actor.kind && one !== need && !needs(one, need)),
      });
      hand.create(actor);
      const message = await hand.reports(actor.kind, subject, 'DependencyNotReady', 'WaitingForCluster');
      expect(message).toContain(`${need.kind} ${need.name} does not exist in this namespace. Create it`);
      await hand.ground(actor);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
    row('what it names is being deleted: apply it again once it is gone', referring, async (hand, actor) => {
      const { kind, name, spec } = needOf(actor);
      await hand.ground(actor);
      hand.service({ faults: [{ method: 'DELETE', answer: { is: 'refusal', status: 503 } }] });
      hand.delete(kind, name);
      await hand.reports(kind, name, 'Deleting', 'ExternalDeleteFailing', 'UpstreamError');
      hand.create(actor);
      const message = await hand.reports(actor.kind, subject, 'DependencyNotReady');
      expect(message).toContain(`${kind} ${name} is being deleted. Apply ${kind} ${name} again once it is gone`);
      hand.service({});
      await hand.gone(kind, name);
      hand.apply(kind, name, spec);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
    row(
      'its template was corrected, and the run of before waits for what is not there: delete that run',
      ['JobSchedule'],
      async (hand, actor) => {
        await hand.ground(actor);
        const template = (job: string) => ({ spec: { ...specOf('JobExecution'), jobRef: { name: job } } });
        const run = executionAt(subject, 2);
        const schedule = { schedule: '2-4/2 0 1 1 *', concurrencyPolicy: 'Forbid', template: template('jbo') };
        hand.apply(actor.kind, subject, schedule);
        await hand.reports('JobExecution', run, 'DependencyNotReady');
        hand.edit(actor.kind, subject, { template: template('job') });
        await hand.reports(actor.kind, subject, 'Available');
        const message = await hand.reports(actor.kind, subject, 'DependencyNotReady');
        expect(message).toContain(`JobExecution ${run}: DependencyNotReady: spec.jobRef: Job jbo does not exist`);
        expect(message).toContain(`Delete JobExecution ${run} to go on`);
        hand.delete('JobExecution', run);
        await hand.reports('JobExecution', executionAt(subject, 4), 'Succeeded');
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row(
      'its Connection is being deleted: apply it again once it is gone',
      ['NodeGroupTemplate', 'DataSource', 'JobBinary', 'ImageRegistration', 'Cluster', 'JobExecution'],
      async (hand, actor) => {
        await holdConnection(hand, actor);
        hand.create(actor);
        const message = await hand.reports(actor.kind, subject, 'DependencyNotReady');
        expect(message).toContain(
          'Apply Connection default again once it is gone: first delete what needs it (its status.blockedOn)',
        );
        await freeConnection(hand);
        await hand.ground(actor);
        await hand.reports(actor.kind, subject, success(actor.kind));
      },
    ),
  ],
  WaitingForCluster: [
    row('the Cluster does not exist: create it', ['JobExecution'], async (hand, actor) => {
      const cluster = actor.needs.find(({ kind }) => kind === 'Cluster');
      await hand.ground({ ...actor, needs: actor.needs.filter((one) => one !== cluster) });
      hand.create(actor);
      await hand.reports(actor.kind, subject, 'WaitingForCluster');
      hand.apply('Cluster', 'cluster', cluster?.spec ?? {});
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
    row('its own Cluster fails in the service: recreate that in time', ['JobExecution'], async (hand, actor) => {
      await failsToStart(hand, actor, {});
      hand.service({});
      const { id = '' } = (hand.object('Cluster', subject)?.status ?? {}) as { readonly id?: string };
      hand.annotate('Cluster', subject, recreateAnnotation, id);
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
    row('its own Cluster has failed in the service: apply the run anew', ['JobExecution'], async (hand, actor) => {
      const spec = await failsToStart(hand, actor, { keepOnFailureSeconds: 600 });
      const message = await hand.reports(actor.kind, subject, 'Failed');
      expect(message).toMatch(new RegExp(`^spec.cluster: Cluster ${subject}: .* has failed in the service: .*no room`));
      expect(message).toContain('delete this JobExecution and apply it again');
      await hand.world.advance(hand.world.scheduler.now + 500_000);
      expect(hand.object('Cluster', subject)).toBeDefined();
      await hand.gone('Cluster', subject);
      hand.service({});
      await again(hand, actor, spec);
    }),
    row(
      'somebody deletes its own Cluster in the service: recreate that in time',
      ['JobExecution'],
      async (hand, actor) => {
        await losesItsCluster(hand, actor);
        const { id = '' } = (hand.object('Cluster', subject)?.status ?? {}) as { readonly id?: string };
        hand.annotate('Cluster', subject, recreateAnnotation, id);
        await hand.reports(actor.kind, subject, 'Succeeded');
      },
    ),
    row(
      'somebody deleted its own Cluster in the service: apply the run anew',
      ['JobExecution'],
      async (hand, actor) => {
        const spec = await losesItsCluster(hand, actor);
        const message = await hand.reports(actor.kind, subject, 'Failed');
        expect(message).toMatch(new RegExp(`^spec.cluster: Cluster ${subject}: .* was deleted in the service, not by`));
        expect(message).toContain('To run it, delete this JobExecution and apply it again');
        await again(hand, actor, spec);
      },
    ),
  ],
  CredentialsMissing: [
    row('the Secret is missing: create it', ['Connection', ...remote], async (hand, actor) => {
      const spec = { endpoint, tenantID: tenant, auth: { type: 'Token', secretRef: { name: 'missing' } } };
      hand.apply('Connection', actor.kind === 'Connection' ? subject : 'default', spec);
      if (actor.kind !== 'Connection') hand.create(actor);
      await hand.reports(actor.kind, subject, 'CredentialsMissing');
      hand.apply('Secret', 'missing', { type: 'dataprocessing.dev/credentials', data: { token: 'eA==' } });
      await hand.ground(actor);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
  ],
  UpstreamError: [
    row(
      'the service fails: repair it',
      [...connections, 'ImageRegistration', ...contents, 'Cluster'],
      healed('UpstreamError', { is: 'refusal', status: 500 }),
    ),
    unknown,
  ],
  Throttled: [
    row(
      'the service asks for fewer requests: wait',
      [...connections, ...remote],
      healed('Throttled', { is: 'refusal', status: 429, retryAfter: 5 }),
    ),
  ],
  ExternalRejected: [
    row(
      'the service refuses what the spec asks for: correct it',
      [...contents, 'ImageRegistration'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.service({ faults: [{ method: 'POST', answer: refused }] });
        hand.create(actor);
        const message = await hand.reports(actor.kind, subject, 'ExternalRejected');
        expect(message).toContain('if the spec is wrong, correct it');
        hand.service({});
        hand.edit(actor.kind, subject, { description: 'corrected' });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row(
      'the service refuses the cluster, most of which is immutable: apply another one',
      ['Cluster'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.service({ faults: [{ method: 'POST', answer: refused }] });
        hand.create(actor);
        const message = await hand.reports(actor.kind, subject, 'ExternalRejected');
        expect(message).toContain('delete this Cluster');
        hand.service({});
        await again(hand, actor);
      },
    ),
    row('the service has no room for a run: it is repeated until there is', ['JobExecution'], async (hand, actor) => {
      await hand.ground(actor);
      hand.service({ faults: [{ method: 'POST', answer: { ...refused, errorName: 'QUOTA_EXCEEDED' } }] });
      hand.create(actor);
      const message = await hand.reports(actor.kind, subject, 'ExternalRejected');
      expect(message).toContain('It is retried');
      hand.service({});
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
    row(
      'the service refuses the Job or Cluster of a run: let it take that in time, or apply the run anew',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        for (const own of ['job', 'cluster'] as const) {
          const kind = own === 'job' ? 'Job' : 'Cluster';
          const spec = { ...specOf(actor.kind), [`${own}Ref`]: undefined, [own]: contentOf(actor, kind) };
          // Of a cluster, invalid data may only mean that there is no room.
          const answer = own === 'job' ? { ...refused, errorName: 'JOB_REFUSED' } : refused;
          // Its Job or Cluster passes its own deadline before that.
          for (const isInTime of [true, false]) {
            hand.service({ faults: [{ method: 'POST', path: `${own}s`, answer }] });
            hand.apply(actor.kind, subject, { ...spec, ...(isInTime ? {} : { progressDeadlineSeconds: 4_000 }) });
            const says = await hand.reports(actor.kind, subject, 'ExternalRejected');
            expect(says).toMatch(new RegExp(`^spec.${own}: ${kind} ${subject}: cannot create .*not like this`));
            if (!isInTime) {
              expect(await hand.reports(actor.kind, subject, 'Failed')).toBe(says);
              expect(says).toContain(`${anew} with the corrected field`);
            }
            hand.service({});
            if (isInTime) await hand.reports(actor.kind, subject, 'Succeeded');
            hand.delete(actor.kind, subject);
            await hand.gone(actor.kind, subject);
          }
        }
      },
    ),
    row(
      'the service finds the Job or Cluster of a run invalid, or what it names missing: apply the run anew',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        for (const [own, errorName, withinMs] of [
          ['job', 'INVALID_DATA', 60_000],
          ['cluster', 'VALIDATION_ERROR', 60_000],
          ['cluster', 'NOT_FOUND', 180_000],
        ] as const) {
          const kind = own === 'job' ? 'Job' : 'Cluster';
          const spec = { ...specOf(actor.kind), [`${own}Ref`]: undefined, [own]: contentOf(actor, kind) };
          hand.service({ faults: [{ method: 'POST', path: `${own}s`, answer: { ...refused, errorName } }] });
          const { scheduler } = hand.world;
          const begun = scheduler.now;
          hand.apply(actor.kind, subject, spec);
          expect(await hand.reports(actor.kind, subject, 'Failed')).toContain(`${anew} with the corrected field`);
          expect(scheduler.now - begun).toBeLessThan(withinMs);
          hand.service({});
          await again(hand, actor, spec);
          hand.delete(actor.kind, subject);
          await hand.gone(actor.kind, subject);
        }
      },
    ),
  ],
  InvalidSpec: [
    row(
      'the operator cannot work with the spec: correct it',
      ['Job', 'JobSchedule', 'NodeGroupTemplate', 'ClusterTemplate'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.create(actor, actor.unusable);
        await hand.reports(actor.kind, subject, 'InvalidSpec');
        const undone = Object.fromEntries(Object.keys(actor.unusable).map((field) => [field, null]));
        hand.edit(actor.kind, subject, { ...undone, ...specOf(actor.kind) });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row(
      'a JobExecution cannot be run like this, and its fields are immutable: apply another one',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.create(actor, { interface: { text: 'a' } });
        const message = await hand.reports(actor.kind, subject, 'InvalidSpec');
        expect(message).toContain(anew);
        await again(hand, actor);
      },
    ),
    row(
      'a Job or Cluster of its own cannot be like this, and is made of an immutable spec: apply another one',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        for (const refused of [refusedJob, refusedCluster]) {
          hand.apply(actor.kind, subject, { ...specOf(actor.kind), ...refused.run });
          await hand.reports(actor.kind, subject, 'InvalidSpec');
          const message = await hand.reports(actor.kind, subject, 'Failed');
          expect(message).toBe(`${refused.says}. ${anew} with the corrected field`);
          await again(hand, actor);
          hand.delete(actor.kind, subject);
          await hand.gone(actor.kind, subject);
        }
      },
    ),
    row(
      'what the runs of a JobSchedule bring along cannot be like this: correct its template',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        const template = { ...specOf(actor.kind), ...refusedJob.run };
        const schedule = { schedule: '2-4/2 0 1 1 *', concurrencyPolicy: 'Forbid', template: { spec: template } };
        hand.apply('JobSchedule', subject, schedule);
        const message = await hand.reports(actor.kind, executionAt(subject, 2), 'Failed');
        const remedy = `The spec is immutable: correct spec.template of JobSchedule ${subject}, for its next run`;
        expect(message).toBe(`${refusedJob.says}. ${remedy}`);
        hand.edit('JobSchedule', subject, { template: { spec: { ...specOf(actor.kind), job: null } } });
        await hand.reports(actor.kind, executionAt(subject, 4), 'Succeeded');
      },
    ),
    row(
      'the API server finds a Job or Cluster of its own invalid: apply another run',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        for (const own of ['job', 'cluster'] as const) {
          const kind = own === 'job' ? 'Job' : 'Cluster';
          const spec = { ...specOf(actor.kind), [`${own}Ref`]: undefined, [own]: contentOf(actor, kind) };
          const accept = hand.rejects(`/${own}s`, 'POST', 'a policy forbids that', { status: 422 });
          hand.apply(actor.kind, subject, spec);
          const message = await hand.reports(actor.kind, subject, 'Failed');
          expect(message).toMatch(
            new RegExp(`^the API server refuses ${kind} ${subject}: .*a policy forbids that\\. `),
          );
          expect(message).toContain(`${anew} with the corrected field`);
          accept();
          await again(hand, actor, spec);
          hand.delete(actor.kind, subject);
          await hand.gone(actor.kind, subject);
        }
      },
    ),
    row('a config map of a Cluster was edited: restore it', ['Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.edit(actor.kind, subject, actor.fixed?.edited ?? {});
      await hand.reports(actor.kind, subject, 'InvalidSpec');
      hand.edit(actor.kind, subject, actor.fixed?.back ?? {});
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row(
      'the address of a Connection cannot be used, and is immutable: apply another one',
      connections,
      async (hand, actor) => {
        hand.create(actor, actor.unusable);
        await hand.reports(actor.kind, subject, 'InvalidSpec');
        await again(hand, actor);
      },
    ),
    row(
      'the dialect of the service has no such thing: name another one',
      ['DataSource', 'JobBinary'],
      async (hand, actor) => {
        hand.apply('Connection', 'default', { endpoint, tenantID: tenant, dialect: 'Savanna' });
        await hand.reports('Connection', 'default', 'Available');
        hand.apply('Secret', 'store', { type: secretType, stringData: { user: 'u', password: 'p' } });
        const isSource = actor.kind === 'DataSource';
        const wrong = isSource ? { type: 'hdfs', url: '/books' } : { url: `manila://${image}/run.sh` };
        hand.apply(actor.kind, subject, wrong);
        const message = await hand.reports(actor.kind, subject, 'InvalidSpec');
        expect(message).toMatch(isSource ? /^spec\.type: .* use swift/ : /^spec\.url: .* swift:\/\//);
        const right = isSource ? { type: 'swift', url: 'swift://a/b' } : { url: 'swift://a/run.sh' };
        hand.edit(actor.kind, subject, { ...right, credentialsSecretRef: { name: 'store' } });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row(
      'a field has a value that an earlier schema let through: correct it',
      ['ImageRegistration'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.create(actor, { username: 7 });
        await hand.reports(actor.kind, subject, 'InvalidSpec');
        hand.edit(actor.kind, subject, { username: 'ubuntu' });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
  ],
  NameConflict: [
    row('another cluster has the name: it is deleted', ['Cluster'], async (hand, actor) => {
      await hand.ground(actor);
      hand.world.act({ does: 'take name', name: 'taken' });
      hand.create(actor, { name: 'taken' });
      await hand.reports(actor.kind, subject, 'NameConflict');
      hand.world.act({ does: 'free name', name: 'taken' });
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('another cluster has the name: the resource is applied with another one', ['Cluster'], async (hand, actor) => {
      await hand.ground(actor);
      hand.world.act({ does: 'take name', name: 'taken' });
      hand.create(actor, { name: 'taken' });
      await hand.reports(actor.kind, subject, 'NameConflict');
      await again(hand, actor, { ...actor.spec(undefined as never), name: 'free' });
    }),
    row('the Job that a JobExecution would make exists: delete it', ['JobExecution'], async (hand, actor) => {
      await hand.ground(actor);
      const job = actor.needs.find(({ kind }) => kind === 'Job')?.spec ?? {};
      hand.apply('Job', subject, job);
      hand.apply(actor.kind, subject, { job, clusterRef: { name: 'cluster' } });
      await hand.reports(actor.kind, subject, 'NameConflict');
      hand.delete('Job', subject);
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
    row('somebody else has the JobExecution that is due: delete it', ['JobSchedule'], async (hand, actor) => {
      await hand.ground(actor);
      hand.apply('JobExecution', executionAt(subject, 2), { ...specOf('JobExecution'), suspend: true });
      hand.create(actor, { schedule: '2-4/2 0 1 1 *' });
      await hand.reports(actor.kind, subject, 'NameConflict');
      hand.delete('JobExecution', executionAt(subject, 2));
      await hand.reports(actor.kind, subject, 'Available');
      await hand.reports('JobExecution', executionAt(subject, 2), 'Succeeded');
    }),
  ],
  ExternalNotFound: [
    row('the object that is to be adopted is not there: adopt another one', adopting, async (hand, actor) => {
      const id = await abandoned(hand, actor);
      hand.create(actor, { adopt: { name: 'absent' } });
      await hand.reports(actor.kind, subject, 'ExternalNotFound');
      await again(hand, actor, { ...actor.spec(undefined as never), adopt: { id } });
    }),
  ],
  AdoptionMismatch: [
    row('the object that is to be adopted is another one: correct the spec', adopting, async (hand, actor) => {
      const id = await abandoned(hand, actor);
      const other = actor.kind === 'Cluster' ? { userKeypairID: 'another' } : { description: 'another' };
      hand.create(actor, { ...other, adopt: { id } });
      const message = await hand.reports(actor.kind, subject, 'AdoptionMismatch');
      const right = actor.spec(undefined as never);
      if (actor.kind !== 'Cluster') {
        expect(message).toMatch(/Nothing was changed\. Correct the spec, or remove the fields that do not matter$/);
        const [[field] = ['']] = Object.entries(other);
        hand.edit(actor.kind, subject, { [field]: Reflect.get(right, field) ?? null });
        await hand.reports(actor.kind, subject, 'Available');
        return;
      }
      expect(message).toMatch(/delete this Cluster, which leaves the object in the service alone, and apply it again/);
      await again(hand, actor, { ...right, adopt: { id } });
    }),
    row('another installation gave its name: confirm that it has let go of it', adopting, async (hand, actor) => {
      const id = await abandoned(hand, actor);
      const route = kinds.find(({ definition }) => definition.kind === actor.kind)?.route ?? 'clusters';
      hand.renames(route as Parameters<Hand['renames']>[0], id, (name) =>
        name.replace(installationMark(installation), installationMark('far')),
      );
      hand.create(actor, { adopt: { id } });
      const message = await hand.reports(actor.kind, subject, 'AdoptionMismatch');
      const [, annotation = '', mark = ''] = /set the annotation (\S+) to .* or to (\w+)$/.exec(message) ?? [];
      hand.annotate(actor.kind, subject, annotation, mark);
      await hand.reports(actor.kind, subject, 'Available');
    }),
  ],
  ConnectionChanged: [
    row(
      'the Connection leads elsewhere: point it back',
      ['ImageRegistration', ...contents, 'Cluster'],
      async (hand, actor) => {
        await settledFirst(hand, actor);
        hand.edit('Connection', 'default', { endpoint: movedEndpoint });
        await hand.reports(actor.kind, subject, 'ConnectionChanged');
        hand.edit('Connection', 'default', { endpoint });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row('the service moved: list the old address', ['DataSource', 'Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.edit('Connection', 'default', { endpoint: movedEndpoint });
      await hand.reports(actor.kind, subject, 'ConnectionChanged');
      hand.edit('Connection', 'default', { formerEndpoints: [endpoint] });
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row(
      'the Connection leads elsewhere while a run is in progress: point it back',
      ['JobExecution'],
      async (hand, actor) => {
        await running(hand, actor);
        hand.edit('Connection', 'default', { endpoint: movedEndpoint });
        await hand.reports(actor.kind, subject, 'ConnectionChanged');
        hand.edit('Connection', 'default', { endpoint });
        hand.service({});
        await hand.reports(actor.kind, subject, 'Succeeded');
      },
    ),
  ],
  ConnectionNotAllowed: [
    row('the SharedConnection does not select the namespace: have it selected', remote, async (hand, actor) => {
      await share(hand, { namespaces: [], allowAdopt: true });
      for (const need of actor.needs) hand.apply(need.kind, need.name, { ...need.spec, ...shared });
      hand.create(actor, shared);
      const message = await hand.reports(actor.kind, subject, 'ConnectionNotAllowed');
      expect(message).toContain('SharedConnection platform does not select namespace team: ask the administrator');
      hand.edit('SharedConnection', 'platform', { namespaces: ['team'] });
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
    row(
      'the SharedConnection does not select the namespace any more: have it selected',
      ['ImageRegistration', ...contents, 'Cluster'],
      async (hand, actor) => {
        await share(hand, { namespaces: ['team'], allowAdopt: true });
        for (const need of actor.needs) hand.apply(need.kind, need.name, { ...need.spec, ...shared });
        hand.create(actor, shared);
        await hand.reports(actor.kind, subject, 'Available');
        hand.edit('SharedConnection', 'platform', { namespaces: null });
        await hand.reports(actor.kind, subject, 'ConnectionNotAllowed');
        hand.edit('SharedConnection', 'platform', { namespaceSelector: {} });
        hand.apply('Namespace', 'team', { metadata: { name: 'team', labels: { any: 'label' } } });
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
  ],
  QuotaExceeded: [
    row('the namespace has as many Clusters as it may: delete one', ['Cluster'], async (hand, actor) => {
      await share(hand, { namespaces: ['team'], limits: { maxClusters: 1 } });
      for (const need of actor.needs) hand.apply(need.kind, need.name, { ...need.spec, ...shared });
      hand.apply('Cluster', 'another', { ...specOf('Cluster'), ...shared });
      await hand.reports('Cluster', 'another', 'Available');
      hand.create(actor, shared);
      const message = await hand.reports('Cluster', subject, 'QuotaExceeded');
      expect(message).toContain(
        'allows namespace team 1 Clusters (spec.limits.maxClusters), and has 1: delete a Cluster',
      );
      hand.delete('Cluster', 'another');
      await hand.reports('Cluster', subject, 'Available');
    }),
    ...(['have it deleted', 'or lift the limits'] as const).map((remedy) => ({
      isDeletion: true as const,
      ...row(`nothing may be left in the service: ${remedy}`, ['Cluster'], async (hand, actor) => {
        await share(hand, { namespaces: ['team'], limits: { maxClusters: 1 } });
        for (const need of actor.needs) hand.apply(need.kind, need.name, { ...need.spec, ...shared });
        hand.create(actor, { ...shared, deletionPolicy: 'Orphan' });
        await hand.reports('Cluster', subject, 'Available');
        hand.delete('Cluster', subject);
        const message = await hand.reports('Cluster', subject, 'QuotaExceeded');
        expect(message).toContain('(spec.limits), so no Cluster of it is left in the service without a resource');
        if (remedy === 'have it deleted') hand.edit('Cluster', subject, { deletionPolicy: 'Delete' });
        else hand.edit('SharedConnection', 'platform', { limits: null });
        await hand.gone('Cluster', subject);
      }),
    })),
  ],
  OwnershipUnconfirmed: [
    row('the annotation was edited: restore it', ['ImageRegistration', ...contents, 'Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      const before = hand.object(actor.kind, subject)?.metadata.annotations?.[ledgerAnnotation] ?? '';
      hand.annotate(actor.kind, subject, ledgerAnnotation, before.replaceAll(`"${installation}"`, '"far"'));
      await hand.reports(actor.kind, subject, 'OwnershipUnconfirmed');
      hand.annotate(actor.kind, subject, ledgerAnnotation, before);
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('the annotation of a run in progress was edited: restore it', ['JobExecution'], async (hand, actor) => {
      await running(hand, actor);
      const before = hand.object(actor.kind, subject)?.metadata.annotations?.[ledgerAnnotation] ?? '';
      hand.annotate(actor.kind, subject, ledgerAnnotation, before.replaceAll(`"${installation}"`, '"far"'));
      await hand.reports(actor.kind, subject, 'OwnershipUnconfirmed');
      hand.annotate(actor.kind, subject, ledgerAnnotation, before);
      hand.service({});
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
  ],
  ExternalDeleted: [
    row('somebody deleted the cluster: the annotation asks for another one', ['Cluster'], async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.world.act({ does: 'vanish', name: subject });
      const message = await hand.reports(actor.kind, subject, 'ExternalDeleted');
      const [, id = ''] = new RegExp(`${recreateAnnotation}: ([\\w-]+)`).exec(message) ?? [];
      hand.annotate(actor.kind, subject, recreateAnnotation, id);
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('somebody deleted a run: the annotation asks for another one', ['JobExecution'], async (hand, actor) => {
      await running(hand, actor);
      hand.world.act({ does: 'vanish run', name: subject });
      const message = await hand.reports(actor.kind, subject, 'ExternalDeleted');
      hand.service({});
      hand.annotate(actor.kind, subject, runAgainAnnotation, markerToRunAgain(message) ?? '');
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
  ],
  ExternalError: [
    row('the cluster is in error: delete it and apply it again', ['Cluster'], async (hand, actor) => {
      await hand.ground(actor);
      hand.service({ clusters: [{ status: 'Waiting', operation: 'start', does: 'fail', message: 'no room' }] });
      hand.create(actor);
      await hand.reports(actor.kind, subject, 'ExternalError');
      hand.service({});
      await again(hand, actor);
    }),
  ],
  Deleting: [
    row('an ended run uses the Job, and cancelling is no remedy: delete the run', ['Job'], async (hand, actor) => {
      await hand.ground(actorOf('JobExecution'));
      hand.apply('JobExecution', 'run', specOf('JobExecution'));
      await hand.reports('JobExecution', 'run', 'Succeeded');
      hand.delete(actor.kind, 'job');
      const message = await hand.reports(actor.kind, 'job', 'Deleting');
      expect(message).toContain('JobExecution run: delete it first. ');
      hand.delete('JobExecution', 'run');
      await hand.gone(actor.kind, 'job');
    }),
    row('a run uses the Cluster: cancel it', ['Cluster'], async (hand, actor) => {
      await hand.ground(actorOf('JobExecution'));
      hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
      hand.apply('JobExecution', 'run', specOf('JobExecution'));
      await hand.reports('JobExecution', 'run', 'Running');
      hand.delete(actor.kind, 'cluster');
      const message = await hand.reports(actor.kind, 'cluster', 'Deleting');
      expect(message).toContain('JobExecution run: delete it first, or cancel it with spec.cancel: true');
      hand.edit('JobExecution', 'run', { cancel: true });
      hand.service({});
      await hand.gone(actor.kind, 'cluster');
    }),
    row('a Connection is still needed: delete what needs it', ['Connection'], async (hand) => {
      await holdConnection(hand, actorOf('DataSource'));
      await freeConnection(hand);
    }),
    row(
      'another object uses it: delete that one',
      ['ImageRegistration', 'NodeGroupTemplate', 'ClusterTemplate', 'DataSource', 'JobBinary'],
      async (hand, actor) => {
        const user = userOf(actor.kind);
        await hand.ground(actorOf(user.kind));
        hand.apply(user.kind, 'user', { ...specOf(user.kind), ...user.with });
        if (!user.ground) {
          hand.create(actor);
          await hand.reports(actor.kind, subject, 'Available');
        }
        await hand.reports(user.kind, 'user', success(user.kind));
        const name = user.ground ?? subject;
        hand.delete(actor.kind, name);
        const message = await hand.reports(actor.kind, name, 'Deleting');
        expect(message).toContain(`${user.kind} user`);
        hand.delete(user.kind, 'user');
        await hand.gone(actor.kind, name);
      },
    ),
    row('the run is in progress, and ends on its own: wait', ['JobExecution'], async (hand, actor) => {
      await running(hand, actor);
      hand.delete(actor.kind, subject);
      await hand.reports(actor.kind, subject, 'Deleting');
      hand.service({});
      await hand.gone(actor.kind, subject);
    }),
  ],
  ExternalDeleteFailing: [
    row('the service refuses to delete it: leave it there', remote, async (hand, actor) => {
      await settledFirst(hand, actor);
      hand.service({ faults: [{ method: 'DELETE', answer: { ...refused, errorName: 'DELETION_FAILED' } }] });
      hand.delete(actor.kind, subject);
      const message = await hand.reports(actor.kind, subject, 'ExternalDeleteFailing');
      expect(message).toContain('set spec.deletionPolicy to Orphan');
      hand.edit(actor.kind, subject, { deletionPolicy: 'Orphan' });
      await hand.gone(actor.kind, subject);
    }),
  ],
  Queued: [passing('a run is queued: wait', ['JobExecution'], 'Queued')],
  Running: [stopping],
  Cancelled: [stopping],
  Cancelling: [stopping],
  Suspended: [
    row('it is suspended: resume it', [...remote, 'JobSchedule'], async (hand, actor) => {
      await hand.ground(actor);
      hand.create(actor, { suspend: true });
      await hand.reports(actor.kind, subject, 'Suspended');
      hand.edit(actor.kind, subject, { suspend: false });
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
  ],
  PlanPending: [
    row(
      'the next write waits for its approval: approve it',
      [...contents, 'ImageRegistration', 'Cluster'],
      async (hand, actor) => {
        await hand.ground(actor);
        hand.create(actor, { policy: 'Plan' });
        const first = await hand.reports(actor.kind, subject, 'PlanPending');
        // An image takes several requests, each with a plan of its own.
        for (let hash = hashIn(first); hash !== undefined; ) {
          hand.annotate(actor.kind, subject, approvePlanAnnotation, hash);
          hash = hashIn(await hand.isOver(actor.kind, subject, hash, success(actor.kind)));
        }
      },
    ),
    row('each run waits for its approval: approve them', ['JobExecution'], async (hand, actor) => {
      await hand.ground(actor);
      hand.service({ executions: [{ status: 'RUNNING', does: 'fail', times: 1 }] });
      hand.create(actor, { policy: 'Plan', retries: 1 });
      const first = await approve(hand, actor);
      const second = hashIn(await hand.isOver(actor.kind, subject, first, 'Succeeded')) ?? '';
      expect(second).not.toBe('');
      hand.annotate(actor.kind, subject, approvePlanAnnotation, second);
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
    row('the cancellation of a run waits for its approval: approve it', ['JobExecution'], async (hand, actor) => {
      await running(hand, actor);
      hand.edit(actor.kind, subject, { policy: 'Plan', cancel: true });
      await approve(hand, actor);
      await hand.reports(actor.kind, subject, 'Cancelled');
    }),
  ],
  Failed: [diedOf('its program fails: create another one', { returnCode: 3 }, 'Failed')],
  OOMKilled: [diedOf('it takes too much memory: give it more', { returnCode: 137, cause: 'OOMKilled' }, 'OOMKilled')],
  Evicted: [diedOf('its pod is evicted: run it again', { cause: 'Evicted' }, 'Evicted')],
  Signal: [diedOf('a signal ends it: find out what sent it', { returnCode: 143 }, 'Signal')],
  Retrying: [
    row('a run failed and is followed by another one: wait', ['JobExecution'], async (hand, actor) => {
      await hand.ground(actor);
      hand.service({ executions: [{ status: 'RUNNING', does: 'fail', times: 1 }] });
      hand.create(actor, { retries: 1 });
      await hand.reports(actor.kind, subject, 'Retrying');
      await hand.reports(actor.kind, subject, 'Succeeded');
    }),
  ],
  ProgressDeadlineExceeded: [
    row('an obstacle stays for too long: remove it', [...remote], async (hand, actor) => {
      hand.create(actor, { progressDeadlineSeconds: 60 });
      await hand.reports(actor.kind, subject, 'ProgressDeadlineExceeded');
      await hand.ground(actor);
      await hand.reports(actor.kind, subject, success(actor.kind));
    }),
  ],
  CorrectingDrift: [
    row(
      'somebody else changed it in the service: the operator restores it',
      ['Cluster', 'ImageRegistration'],
      async (hand, actor) => {
        await settledFirst(hand, actor);
        if (actor.kind === 'Cluster') resize(hand, 'worker', 7);
        else hand.others('POST', `images/${image}/tag`, { tags: ['stray'] });
        const cell = cellOf('CorrectingDrift', actor.kind);
        await hand.until(cell, () => hand.reported.has(cell));
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
  ],
  DriftNotFixable: [
    row(
      'somebody else took a group away that the service cannot add: do without it',
      ['Cluster'],
      async (hand, actor) => {
        await settledFirst(hand, actor);
        resize(hand, 'head', 0);
        await hand.reports(actor.kind, subject, 'DriftNotFixable');
        hand.edit(actor.kind, subject, actor.damage?.remedy ?? {});
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
  ],
  ScaleHasNoEffect: [
    row('the service has no capacity for more nodes: ask for fewer', ['Cluster'], async (hand, actor) => {
      const message = await scaledWithoutRoom(hand, actor);
      expect(message).toMatch(/no host was found.*Check quota and capacity in the service, or change the count/);
      hand.edit(actor.kind, subject, { nodeGroups: [{ name: 'worker', count: 2 }] });
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('the service has no capacity for more nodes: make room', ['Cluster'], async (hand, actor) => {
      await scaledWithoutRoom(hand, actor);
      hand.service({});
      await hand.reports(actor.kind, subject, 'Available');
    }),
  ],
  UpdateHasNoEffect: [
    row('another client changes the tags back each time: stop it', ['ImageRegistration'], async (hand, actor) => {
      await settledFirst(hand, actor);
      const stop = hand.insists('POST', `images/${image}/tag`, { tags: ['stray'] });
      const message = await hand.reports(actor.kind, subject, 'UpdateHasNoEffect');
      expect(message).toContain('Stop that client, or change the spec');
      stop();
      await hand.reports(actor.kind, subject, 'Available');
    }),
  ],
  DuplicateClaim: [
    row('another registration claimed the image first: delete this one', ['ImageRegistration'], async (hand, actor) => {
      hand.connect();
      hand.apply(actor.kind, 'first', specOf(actor.kind));
      await hand.reports(actor.kind, 'first', 'Available');
      hand.create(actor);
      const message = await hand.reports(actor.kind, subject, 'DuplicateClaim');
      expect(message).toContain('Delete this resource, which leaves the registration alone');
      hand.delete(actor.kind, subject);
      await hand.gone(actor.kind, subject);
      await hand.reports(actor.kind, 'first', 'Available');
    }),
    row('another registration claimed the image first: delete that one', ['ImageRegistration'], async (hand, actor) => {
      hand.connect();
      hand.apply(actor.kind, 'first', specOf(actor.kind));
      await hand.reports(actor.kind, 'first', 'Available');
      hand.create(actor);
      await hand.reports(actor.kind, subject, 'DuplicateClaim');
      hand.delete(actor.kind, 'first');
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row(
      'its ledger was copied from another resource, which claims what it names: delete it',
      [...contents, 'Cluster', 'JobExecution'],
      async (hand, actor) => {
        await settledFirst(hand, actor);
        const { uid = '', annotations = {} } = hand.object(actor.kind, subject)?.metadata ?? {};
        hand.apply(actor.kind, 'copied', specOf(actor.kind));
        const own = hand.object(actor.kind, 'copied')?.metadata.uid ?? '';
        hand.annotate(
          actor.kind,
          'copied',
          ledgerAnnotation,
          (annotations[ledgerAnnotation] ?? '').replaceAll(uid, own),
        );
        await hand.reports(actor.kind, 'copied', 'DuplicateClaim');
        hand.delete(actor.kind, 'copied');
        await hand.gone(actor.kind, 'copied');
        await hand.reports(actor.kind, subject, success(actor.kind));
      },
    ),
  ],
  Unauthorized: [
    {
      cause: 'the service does not accept the token: put a valid one into the Secret',
      kinds: ['Connection'],
      asksForToken: true,
      run: async (hand, actor) => {
        hand.apply('Secret', 'mine', credentials('wrong'));
        hand.create(actor, { auth: { type: 'Token', secretRef: { name: 'mine' } } });
        await hand.reports(actor.kind, subject, 'Unauthorized');
        hand.apply('Secret', 'mine', credentials(token));
        await hand.reports(actor.kind, subject, 'Available');
      },
    },
    row(
      'the service does not accept the token any more',
      remote,
      healed('Unauthorized', { is: 'refusal', status: 401 }),
    ),
  ],
  ObservationFailed: [
    row(
      'the service cannot be observed: repair it',
      remote.filter((kind) => kind !== 'JobExecution'),
      async (hand, actor) => {
        await settledFirst(hand, actor);
        hand.service({ faults: [{ answer: { is: 'refusal', status: 500 } }] });
        await hand.reports(actor.kind, subject, 'ObservationFailed');
        hand.service({});
        await hand.reports(actor.kind, subject, 'Available');
      },
    ),
    row(
      'a run is missing from one list: nothing, the next list has it again',
      ['JobExecution'],
      async (hand, actor) => {
        await running(hand, actor);
        const putBack = hand.takesAway('jobExecutions');
        await hand.reports(actor.kind, subject, 'ObservationFailed');
        putBack();
        hand.service({});
        await hand.reports(actor.kind, subject, 'Succeeded');
      },
    ),
  ],
  InternalError: [
    row(
      'the API server does not take what the operator records: let it',
      [...connections, ...remote],
      async (hand, actor) => {
        await hand.ground(actor);
        const accept = hand.rejects(`/${subject}`, 'PATCH', 'a webhook denied the request');
        hand.create(actor);
        const message = await hand.reports(actor.kind, subject, 'InternalError');
        expect(message).toContain('a webhook denied the request');
        accept();
        await hand.reports(actor.kind, subject, success(actor.kind));
      },
    ),
  ],
  DeadlineExceeded: [
    row('a run takes too long: create another one with a later deadline', ['JobExecution'], async (hand, actor) => {
      await hand.ground(actor);
      hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
      hand.create(actor, { activeDeadlineSeconds: 60 });
      await hand.reports(actor.kind, subject, 'Cancelling');
      hand.service({});
      await hand.reports(actor.kind, subject, 'DeadlineExceeded');
      hand.apply(actor.kind, 'another', { ...specOf(actor.kind), activeDeadlineSeconds: 600 });
      await hand.reports(actor.kind, 'another', 'Succeeded');
    }),
  ],
  OutcomeUnknown: [unknown],
  Expired: [
    row('it has expired, and stays without its cluster: change spec.lifecycle', ['Cluster'], async (hand, actor) => {
      await hand.ground(actor);
      hand.create(actor, { lifecycle: { deleteAfterSeconds: 300, onExpiry: 'Release' } });
      await hand.reports(actor.kind, subject, 'Available');
      const message = await hand.reports(actor.kind, subject, 'Expired');
      expect(message).toContain('change spec.lifecycle');
      hand.edit(actor.kind, subject, { lifecycle: { deleteAfterSeconds: 36_000, onExpiry: 'Release' } });
      await hand.reports(actor.kind, subject, 'Available');
    }),
  ],
  ExecutionRefused: [
    row('the API server does not take the JobExecution that is due: let it', ['JobSchedule'], async (hand, actor) => {
      await hand.ground(actor);
      const accept = hand.rejects('/jobexecutions', 'POST', 'exceeded quota: runs');
      hand.create(actor, { schedule: '2-4/2 0 1 1 *' });
      const message = await hand.reports(actor.kind, subject, 'ExecutionRefused');
      expect(message).toContain('exceeded quota: runs. Correct spec.template, or let the API server accept it');
      accept();
      await hand.reports(actor.kind, subject, 'Available');
    }),
    row('the API server does not take it like this: correct the template', ['JobSchedule'], async (hand, actor) => {
      await hand.ground(actor);
      const template = (more: object) => ({ spec: { ...specOf('JobExecution'), ...more } });
      hand.rejects('/jobexecutions', 'POST', 'no job is retried here', { containing: '"retries":2' });
      hand.create(actor, { schedule: '2-4/2 0 1 1 *', template: template({ retries: 2 }) });
      const message = await hand.reports(actor.kind, subject, 'ExecutionRefused');
      expect(message).toContain('no job is retried here. Correct spec.template');
      hand.edit(actor.kind, subject, { template: template({ retries: 1 }) });
      await hand.reports(actor.kind, subject, 'Available');
      await hand.reports('JobExecution', executionAt(subject, 2), 'Succeeded');
    }),
    row(
      'a quota has no room for the Cluster of a run: make room, whenever that is',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        const accept = hand.rejects('/clusters', 'POST', 'exceeded quota: objects');
        const cluster = contentOf(actor, 'Cluster');
        hand.apply(actor.kind, subject, { ...specOf(actor.kind), clusterRef: undefined, cluster });
        const message = await hand.reports(actor.kind, subject, 'ExecutionRefused');
        expect(message).toMatch(/exceeded quota: objects\. It is tried again every minute/);
        await hand.world.advance(hand.world.scheduler.now + 4_000_000);
        expect(await hand.reports(actor.kind, subject, 'ExecutionRefused')).toBe(message);
        accept();
        await hand.reports(actor.kind, subject, 'Succeeded');
      },
    ),
    row(
      'the API server forbids the Job of a run: let it accept that in time, or apply the run anew',
      ['JobExecution'],
      async (hand, actor) => {
        await hand.ground(actor);
        const spec = { ...specOf(actor.kind), jobRef: undefined, job: contentOf(actor, 'Job') };
        for (const isInTime of [true, false]) {
          const accept = hand.rejects('/jobs', 'POST', 'not by this role');
          hand.apply(actor.kind, subject, spec);
          const message = await hand.reports(actor.kind, subject, 'ExecutionRefused');
          expect(message).toMatch(/not by this role\. Let the API server accept it, or delete this JobExecution/);
          if (!isInTime) expect(await hand.reports(actor.kind, subject, 'Failed')).toBe(message);
          accept();
          if (!isInTime) await again(hand, actor, spec);
          await hand.reports(actor.kind, subject, 'Succeeded');
          hand.delete(actor.kind, subject);
          await hand.gone(actor.kind, subject);
        }
      },
    ),
  ],
};

const moreRows: readonly Rows[] = [nodeGroupRows, rowsOfItsCluster(ownRows), sharedConnectionRows];

export const table: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
  (Object.entries(ownRows) as [Reason, readonly Row[]][]).map(([reason, rows]) => [
    reason,
    [...rows, ...moreRows.flatMap((more) => more[reason] ?? [])],
  ]),
);

/** Which kinds report which reasons. */
export const cells: ReadonlySet<string> = new Set(
  Object.entries(table).flatMap(([reason, rows]) =>
    rows.flatMap((one) => one.kinds.map((kind) => cellOf(reason, kind))),
  ),
);

/** One need is made from another one, so that it does not become ready without it. */
const needs = (one: Actor['needs'][number], other: Actor['needs'][number]): boolean =>
  JSON.stringify(one.spec).includes(`"name":"${other.name}"`);

/** Who refers to an object of the kind. `ground`: the name of that object, where what he needs is such a one. */
function userOf(kind: string): { readonly kind: string; readonly with?: object; readonly ground?: string } {
  switch (kind) {
    case 'NodeGroupTemplate':
      return { kind: 'ClusterTemplate', ground: 'worker' };
    case 'ClusterTemplate':
      return { kind: 'Cluster', ground: 'small' };
    case 'JobBinary':
      return { kind: 'Job', ground: 'program' };
    case 'DataSource':
      return { kind: 'JobExecution', with: { inputRef: { name: subject } } };
    default:
      return { kind: 'Cluster', with: { imageRef: { name: subject } } };
  }
}

/** The Connection is being deleted, and what the object needs is there, too. */
async function holdConnection(hand: Hand, actor: Actor): Promise<void> {
  await hand.ground(actor);
  hand.apply('DataSource', 'holder', specOf('DataSource'));
  await hand.reports('DataSource', 'holder', 'Available');
  hand.delete('Connection', 'default');
  await hand.reports('Connection', 'default', 'Deleting');
}

/** Deletes what the Connection says that it waits for. */
async function freeConnection(hand: Hand): Promise<void> {
  const { blockedOn = [] } = (hand.object('Connection', 'default')?.status ?? {}) as {
    readonly blockedOn?: readonly { readonly kind: string; readonly name: string }[];
  };
  for (const { kind, name } of blockedOn) hand.delete(kind, name);
  await hand.gone('Connection', 'default');
}

async function running(hand: Hand, actor: Actor): Promise<void> {
  await hand.ground(actor);
  hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
  hand.create(actor);
  await hand.reports(actor.kind, subject, 'Running');
}

/** Somebody else changes the count of a group of the cluster. */
function resize(hand: Hand, name: string, count: number): void {
  const { id = '' } = (hand.object('Cluster', subject)?.status ?? {}) as { readonly id?: string };
  hand.others('PUT', `clusters/${id}`, { resize_node_groups: [{ name, count }] });
}

/** Of the request that makes the object: a failure of others would keep it from being sent. */
const requestOf = ({ kind }: Actor): 'GET' | 'POST' => (isConnection(kind) ? 'GET' : 'POST');
