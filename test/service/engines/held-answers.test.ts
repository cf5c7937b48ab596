// Parsed answers take ten times as much memory as their texts, and are held by nobody while the next question waits for its answer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { hadoopLoad } from '../../../src/service/engines/hadoop/load.ts';
import { ask } from '../../../src/service/engines/probes.ts';
import { sparkLoad } from '../../../src/service/engines/spark/load.ts';
import { node } from './run-of-a-job.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

let parsed: WeakRef<object>[] = [];
beforeEach(() => {
  parsed = [];
  const { parse } = JSON;
  // A mock would keep the results.
  JSON.parse = (text: string) => {
    const value: object = parse(text);
    parsed.push(
      ...[value, ...Object.values(value).filter((each) => typeof each === 'object')].map((each) => new WeakRef(each)),
    );
    return value;
  };
  onTestFinished(() => {
    JSON.parse = parse;
  });
});

/** What nobody can resolve any more would be collected with whoever waits for it. */
const silence = Promise.withResolvers<never>();

/** Answers so many questions. Afterwards, all of them wait. */
function pod(...texts: readonly string[]) {
  const state = { questions: 0 };
  const read = async () => texts[(state.questions += 1) - 1] ?? (await silence.promise);
  return { state, read };
}

async function heldAfter(state: { readonly questions: number }, questions: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(state.questions).toBe(questions);
  expect(parsed.length).toBeGreaterThan(0);
  gc();
  expect(silence).toBeDefined();
  return parsed.filter((each) => each.deref() !== undefined).length;
}

test('neither the state of a Spark master, while the pages of its applications are read', async () => {
  const activeapps = Array.from({ length: 200 }, (_, index) => ({ id: `app-${index}`, memoryperexecutor: index }));
  const { state, read } = pod(JSON.stringify({ workers: [{ host: '127.77.1.2' }], activeapps }), '');
  void sparkLoad(usualFlavors)([node('master', '127.77.1.1')], read);
  expect(await heldAfter(state, 3)).toBe(0);
});

test('nor the metrics of YARN, while its nodes are asked for', async () => {
  const { state, read } = pod(JSON.stringify({ clusterMetrics: { containersAllocated: 1 } }));
  void hadoopLoad(usualFlavors)([node('resourcemanager', '127.77.1.1')], read);
  expect(await heldAfter(state, 2)).toBe(0);
});

test('nor what a name node says of a node that is drained, while the blocks are looked at', async () => {
  const hadoop = createHadoop({ folder: '/hadoop', java: '/java/bin/java', javaHome: '/java' }, usualFlavors);
  const [head, leaving] = [node('namenode', '127.77.1.1'), node('datanode', '127.77.1.2')];
  const probe = hadoop.processes.find(({ name }) => name === 'datanode')?.drain?.done(leaving, [head, leaving]);
  if (probe === undefined) throw new Error('data nodes are not drained');
  const { state, read } = pod(JSON.stringify({ beans: [{ LiveNodes: '{}' }] }));
  void ask(probe, { clock: systemClock, get: async () => ({ ok: true, text: await read() }) });
  expect(await heldAfter(state, 2)).toBe(0);
});
