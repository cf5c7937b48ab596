// A cluster in pods and its runs, from the beginning to the end, with an operator and a service that are killed at their writes to the API
// server: it comes to the same end as without.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApiServer } from '../../../dev/demo/api-server.ts';
import { type Manifest, type Objects, openObjects } from '../../../dev/demo/manifests.ts';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { runAgainAnnotation } from '../../../src/operator/api/shared-api.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { readLog } from '../../engines/support.ts';
import { testLimitMs } from '../../support/patience.ts';
import { markerToRunAgain } from '../../support/service/runs.ts';
import { cluster, createNamespace, useCluster } from '../support/cluster.ts';
import { findObstacle, importEnginesInto, leftInPods } from '../support/engine-pods.ts';
import { binary, conditionOf, connection, endProgram, execution, isReady, job, spark } from '../support/manifests.ts';
import { type Moment, type Mortals, openMortals } from '../support/mortals.ts';

const kept = execution('kept');
const cancelled = execution('cancelled');

interface Course extends Mortals {
  readonly namespace: string;
  readonly objects: Objects;
}

async function openCourse(plane: Plane, moment: Moment | undefined): Promise<Course> {
  const namespace = await createNamespace({ onTestFinished });
  const server = await openApiServer(plane.kubeconfig);
  onTestFinished(() => server.close());
  return { ...(await openMortals(plane, namespace, moment)), namespace, objects: openObjects(server, namespace) };
}

async function hasNodes(course: Course, nodes: string): Promise<void> {
  await isReady(course.objects, spark(1));
  expect((await course.objects.read(spark(1)))?.status).toMatchObject({ nodes });
}

/** A user reads that nobody can know whether the run was started, and asks for another one. */
async function hasState({ objects }: Course, run: Manifest, state: string): Promise<void> {
  const status = (await objects.read(run))?.status;
  const marker = markerToRunAgain(conditionOf('Ready', status?.conditions)?.message);
  if (marker !== undefined)
    await objects.apply({ ...run, metadata: { ...run.metadata, annotations: { [runAgainAnnotation]: marker } } });
  expect(status?.['state'], conditionOf('Ready', status?.conditions)?.message).toBe(state);
}

const idOf = async ({ objects }: Course, run: Manifest) => (await objects.read(run))?.status?.id ?? '';

const outputOf = async (course: Course, run: Manifest): Promise<string> =>
  readLog(course.scene.peer(), await idOf(course, run));

async function start(course: Course, run: Manifest): Promise<void> {
  await course.during(
    `run ${run.metadata.name}`,
    () => course.objects.apply(run),
    async () => {
      await hasState(course, run, 'Running');
      expect(await outputOf(course, run)).toBe('begin\n');
    },
  );
}

async function resize(course: Course, count: number): Promise<void> {
  await course.during(
    `to ${count}`,
    () => course.objects.apply(spark(count)),
    () => hasNodes(course, `${count + 1}/${count + 1}`),
  );
}

const collections = ['clusters', 'jobs', 'job-executions', 'job-binaries', 'job-binary-internals'];

/** How many objects the service has. */
const countRows = async ({ scene }: Course): Promise<readonly number[]> =>
  Promise.all(
    collections.map(async (name) => {
      const [rows] = Object.values((await scene.peer().get(`${base}/${name}`)).body as Record<string, unknown[]>);
      return rows?.length ?? 0;
    }),
  );

async function volumesOf(namespace: string): Promise<readonly unknown[]> {
  const { items } = await cluster().core.listPersistentVolume();
  return items.filter(({ spec }) => spec?.claimRef?.namespace === namespace);
}

/**
 * How often a run was tried, and how long it took, is not the same each time; the ledger has identifiers. Objects of a Connection are counted some time
 * after they changed.
 */
const varying = ['ledger', 'attempts', 'duration', 'managedCount'];
/** Identifiers, also those with the number of an attempt, generated names, digests, times and addresses. */
const chances = [
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-\d+)?/g,
  /(?<=\b(spark|wait)-)[a-z2-7]{5}([a-z2-7]{7}|-[0-9a-f]{4}-[0-9a-f]{10})/g,
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /\b\d+\.\d+\.\d+\.\d+(:\d+)?\b/g,
];

async function statusOf({ objects, namespace }: Course, manifest: Manifest): Promise<unknown> {
  const status = Object.entries((await objects.read(manifest))?.status ?? {}).filter(([key]) => !varying.includes(key));
  const text = JSON.stringify(Object.fromEntries(status)).replaceAll(namespace, '<namespace>');
  return JSON.parse(chances.reduce((masked, chance) => masked.replaceAll(chance, '<chance>'), text));
}

/** All that has come of it. */
async function pictureOf(course: Course, all: readonly Manifest[]) {
  return {
    statuses: await Promise.all(all.map((each) => statusOf(course, each))),
    outputs: [await outputOf(course, kept), await outputOf(course, cancelled)],
    jobs: course.jobs(),
    rows: await countRows(course),
  };
}

/** Returns what there is before everything is deleted. Then nothing is left. */
async function play(course: Course) {
  const { during, objects, endpoint, namespace } = course;
  const others = [connection(endpoint), binary, job];
  const create = async () => {
    for (const each of [...others, spark(1)]) await objects.apply(each);
  };
  await during('create', create, () => hasNodes(course, '2/2'));
  await start(course, kept);
  await resize(course, 3);
  await resize(course, 1);
  await during(
    'end',
    () => endProgram(namespace),
    () => hasState(course, kept, 'Succeeded'),
  );
  await start(course, cancelled);
  await during(
    'cancel',
    () => objects.apply(execution('cancelled', { cancel: true })),
    async () => {
      await hasState(course, cancelled, 'Cancelled');
      // A service that is being started again does not answer yet, which they say.
      for (const each of [...others, spark(1)]) await isReady(objects, each);
      const answers = conditionOf('Ready', (await objects.read(connection(endpoint)))?.status?.conditions);
      expect(answers?.message).not.toContain('cannot be read');
    },
  );
  const all = [...others, spark(1), kept, cancelled];
  const picture = await pictureOf(course, all);
  await during(
    'delete',
    () => Promise.all(all.map((each) => objects.remove(each))),
    async () => expect(await Promise.all(all.map((each) => objects.read(each)))).toEqual(all.map(() => undefined)),
  );
  await during(
    'rest',
    async () => undefined,
    async () => {
      expect([await leftInPods(namespace), await volumesOf(namespace)]).toEqual([[], []]);
      expect(await countRows(course)).toEqual(collections.map(() => 0));
    },
  );
  return picture;
}

// A node of its own, because the kinds of the operator are there for all namespaces.
describe.skipIf(findObstacle() !== undefined)('operator and service in pods', () => {
  let plane: Plane;
  let calm: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    plane = await startPlane({ node: true });
    useCluster(plane.kubeconfig);
    await importEnginesInto(plane.directory);
  });
  afterAll(() => plane.stop());

  test('make a cluster and runs of it, and delete them', async () => {
    calm = await play(await openCourse(plane, undefined));
    expect(calm).toMatchObject({ outputs: ['begin\nend\n', 'begin\n'], jobs: 2, rows: [1, 1, 2, 1, 1] });
  });

  test.each(['before', 'after'] as const)(
    'come to the same end if they are killed %s their writes',
    { timeout: 2 * testLimitMs },
    async (moment) => {
      const course = await openCourse(plane, moment);
      expect(await play(course)).toEqual(calm);
      const { operator, service } = course.kills;
      console.info(
        `killed ${moment} a write: the operator ${operator.length} times, the service ${service.length} times`,
      );
      expect([operator.length, service.length].map((count) => count >= 20)).toEqual([true, true]);
    },
  );
});
