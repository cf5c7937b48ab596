// What somebody between the service and the API server may answer in its place.
import { expect, inject, test } from 'vitest';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { PodScene } from './pods.ts';

const page = '<html><body>no</body></html>';
/** Of all requests for the objects of the namespace, but not for those that go to pods. */
const path = /\/namespaces\/[^/]+\/[a-z]+(\/(?!.*\/proxy\/)|$)/;

type Stranger = readonly [label: string, status: number, body: string | object];

/** One of each class: a page, a text, a login, a redirect, nothing, and what is about something else. */
export const someStrangers: readonly Stranger[] = [
  ['a page of a load balancer', 403, page],
  ['a text', 400, 'Bad Request'],
  ['a login page', 401, page],
  ['a redirect', 302, 'moved'],
  ['nothing', 200, ''],
  ['something else that is missing', 404, statusBody(404, 'NotFound', 'clusters.example "c-1" not found')],
];

export const otherStrangers: readonly Stranger[] = [
  ['JSON of a gateway', 404, { message: 'no Route matched with those values' }],
  ['a limit of a proxy', 413, 'too large'],
  ['an empty object', 200, {}],
  ['null', 200, 'null'],
  ['a page instead of an object', 200, page],
  ['another object', 200, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'other', uid: '1' } }],
];

/** A run whose program goes on, and a cluster that waits for its machines. */
export async function openRuns() {
  const scene = await PodScene.open();
  const active = await scene.activeCluster();
  const job = await scene.createJob();
  const run = await scene.execute(active, job);
  await scene.comes(async () => expect(await scene.list('batch/v1 jobs')).toHaveLength(1));
  await scene.startPrograms();
  const waiting = await scene.createCluster('waiting');
  const holds = async (label: string): Promise<void> => {
    expect((await scene.execution(run)).info.status, label).toBe('RUNNING');
    expect((await scene.cluster(waiting)).status, label).toBe('Waiting');
    expect((await scene.cluster(active)).status, label).toBe('Active');
  };
  await scene.comes(() => holds('before'));
  return { scene, holds, submit: () => scene.execute(active, job) };
}

export function endsNothing(strangers: readonly Stranger[]): void {
  test.skipIf(inject('kubeconfig') === '')('the service ends nothing, whatever somebody between answers', async () => {
    const { scene, holds, submit } = await openRuns();
    for (const [index, [label, status, body]] of strangers.entries()) {
      const before = scene.proxy.passed.length;
      const end = scene.proxy.rule({ behave: 'answer', status, body, path });
      scene.proxy.endWatches({}, 'cut');
      const late = await submit();
      // Those that write, watch and read have been answered so, some of them more than once.
      await scene.comes(async () => {
        const passed = scene.proxy.passed.slice(before).filter((each) => path.test(each.path));
        expect(passed.filter((each) => each.status === status && each.watch).length, label).toBeGreaterThan(2);
        expect(passed.filter(({ method }) => method === 'POST').length, label).toBeGreaterThan(1);
        expect((await scene.execution(late)).info.message, label).toMatch(/trying again$/);
      });
      await holds(label);
      end();
      await scene.comes(async () => {
        expect(await scene.list('batch/v1 jobs'), label).toHaveLength(index + 2);
        expect((await scene.execution(late)).info.status, label).toBe('RUNNING');
      });
      await holds(label);
    }
  });
}
