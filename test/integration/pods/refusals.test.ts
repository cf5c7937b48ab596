// Answers that decide nothing: of somebody between the service and the API server, and of an API server that is not ready. None of them ends anything.
import { describe, expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { endsNothing, openRuns, someStrangers } from '../support/strangers.ts';

const undecided = [
  'not yet ready to handle request',
  'status unknown for quota: q, resources: count/jobs.batch',
  'error looking up service account data/default: serviceaccount "default" not found',
];

endsNothing(someStrangers);

describe.skipIf(inject('kubeconfig') === '')('the service', () => {
  test.each(undecided)(
    'repeats a write that the API server has allowed before, and has not decided: %s',
    async (why) => {
      const { scene, holds, submit } = await openRuns();
      const body = statusBody(403, 'Forbidden', `jobs.batch "x" is forbidden: ${why}`);
      const refused = { behave: 'answer', status: 403, body, times: 1 } as const;
      scene.proxy.rule({ ...refused, method: /POST/, path: /\/jobs$/ });
      scene.proxy.rule({ ...refused, method: /PATCH/, path: /\/statefulsets\// });
      const [late, second] = [await submit(), await scene.createCluster('second')];
      await scene.comes(async () => {
        expect(scene.proxy.passed.filter(({ status }) => status === 403)).toHaveLength(2);
        expect(await scene.list('batch/v1 jobs')).toHaveLength(2);
        expect((await scene.cluster(second)).status).toBe('Waiting');
      });
      await scene.comes(async () => expect((await scene.execution(late)).info.status).toBe('RUNNING'));
      await holds(why);
    },
    60_000,
  );
});
