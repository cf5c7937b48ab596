// What pods can answer when an engine asks how a run goes on.
import type { AskJson, EngineJob } from '../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { createFlink } from '../../../src/service/engines/flink/flink.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import { node, run } from './run-of-a-job.ts';

const home = { folder: '/engine', java: '/java/bin/java', javaHome: '/java', pig: '/pig' };

/** All jobs of all engines that are asked how they go on. */
export const observedJobs: readonly EngineJob[] = [
  createSpark(home),
  createHadoop(home, usualFlavors),
  createFlink(home),
].flatMap(({ jobs }) => jobs.filter((job) => job.observe !== undefined));

/** Its cluster has the heads of all engines. */
export const place = run({
  nodes: ['master', 'resourcemanager', 'jobmanager'].map((process, index) => node(process, `127.77.1.${index + 1}`)),
});

/** What can be in the place of a number. */
export const hostileValues: readonly unknown[] = [
  'x',
  '5',
  'x'.repeat(4_000_000),
  Number.POSITIVE_INFINITY,
  1e308,
  -1e308,
  -1,
  0.5,
  null,
  true,
  {},
  [],
  ['x'],
];

const workersOf = (value: unknown) => [{ state: 'ALIVE', memory: value, memoryfree: value, coresfree: value }];

/** Answers of the right form, with the value in the place of each number. `state`: what the master says of the application. */
export const answering =
  (value: unknown, state: string): AskJson =>
  async (url) => {
    if (url.endsWith('/applications')) return [{ id: 'app-1' }];
    if (url.includes('applicationTags'))
      return { apps: { app: [{ id: 'application_1', state: 'ACCEPTED', progress: value, allocatedMB: value }] } };
    if (url.includes(':8081/jobs/'))
      return { 'job-type': 'BATCH', 'status-counts': { CREATED: 1, SCHEDULED: value, [state]: value } };
    if (url.endsWith('/allexecutors')) return [{ id: '0', isActive: value, removeTime: value }];
    if (url.endsWith('/json/'))
      return {
        status: 'ALIVE',
        workers: workersOf(value),
        activeapps: [{ id: 'app-1', state, memoryperexecutor: value, cores: value, starttime: value, duration: value }],
      };
    return [
      { status: 'RUNNING', submissionTime: value, numTasks: value, numActiveTasks: value, numCompletedTasks: value },
      { status: 'SUCCEEDED', numTasks: 4, numCompletedTasks: 1 },
    ];
  };

/** With other forms than the right ones. */
export const malformed: readonly unknown[] = [
  null,
  [],
  {},
  'x',
  3,
  [null],
  { apps: { app: [null] } },
  { apps: 3 },
  { 'status-counts': null },
];
