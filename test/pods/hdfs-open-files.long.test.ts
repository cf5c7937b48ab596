// A real HDFS in pods that shrinks while its files are being written: no byte is lost that hsync or close has acknowledged. `HDFS_POD_SCALE_DOWNS` is how often.
import { beforeAll, describe, expect, test } from 'vitest';
import { podOfHost } from '../../src/service/backends/pods/api/names.ts';
import {
  buildFiles,
  checkFile,
  commandFrom,
  type HdfsFiles,
  hdfsCluster,
  type StartFiles,
  scaleDown,
} from '../engines/hdfs/hdfs-writers.ts';
import { createCluster, removeCluster, untilActive } from '../engines/support.ts';
import { createNamespace, execute } from './support/cluster.ts';
import { findObstacle, importEngines, openPodScene } from './support/engine-pods.ts';

const obstacle = findObstacle();
const rounds = Number(process.env['HDFS_POD_SCALE_DOWNS'] ?? 5);
const machines = 3;

const { groups, ...others } = hdfsCluster(machines);
const wanted = { ...others, groups: groups.map((group) => ({ ...group, volumes_per_node: 1, volumes_size: 1 })) };

const killing =
  'for p in /proc/[0-9]*; do if grep -qaF "$1" "$p/environ"; then kill -KILL "${p#/proc/}"; fi; done 2> /dev/null';

/** Starts `HdfsFiles` in the container of the name node. Its commands and what it prints are files there. */
async function filesIn(namespace: string, pod: string): Promise<StartFiles> {
  const run = (script: string, ...args: readonly string[]): Promise<string> =>
    execute({ namespace, pod, container: 'namenode' }, ['/bin/sh', '-c', script, 'sh', ...args]);
  const folder = '/machine/tmp/files';
  await run(
    'mkdir -p "$1"; printf %s "$2" | base64 -d > "$1/files.jar"',
    folder,
    (await buildFiles()).toString('base64'),
  );
  const words = (await run("tr '\\0' '\\n' < /proc/1/cmdline")).split('\n');
  const command = commandFrom(words, `${folder}/files.jar`);
  let count = 0;
  return async (): Promise<HdfsFiles> => {
    count += 1;
    const at = `${folder}/${count}`;
    // The variable marks its processes.
    const script =
      'export HDFS_FILES="$1."; at=$1; shift; : > "$at.in"; : > "$at.out"; (tail -n +1 -f "$at.in" | "$@" > "$at.out") > /dev/null 2>&1 &';
    await run(script, at, ...command);
    return {
      send: async (line) => void (await run('printf "%s\\n" "$2" >> "$1.in"', at, line)),
      lines: async () => (await run('cat "$1.out"', at)).split('\n').slice(0, -1),
      kill: async () => {
        await run(killing, `HDFS_FILES=${at}.`);
      },
    };
  };
}

describe.skipIf(obstacle !== undefined)('HDFS in pods', () => {
  beforeAll(importEngines);

  test(`loses no acknowledged byte in ${rounds} scale-downs`, { timeout: rounds * 600_000 }, async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const id = await createCluster(scene.peer(), wanted);
    const { info } = await untilActive(scene, id);
    const [, head] = podOfHost(new URL(info.HDFS['Web UI']).hostname);
    const start = await filesIn(namespace, head);
    const reader = await start();
    const results = [];
    for (let number = 0; number < rounds; number += 1) {
      results.push(await scaleDown({ scene, id, start, reader, machines, number }));
      console.info(JSON.stringify(results.at(-1)));
    }
    for (let number = 0; number < rounds; number += 1) await checkFile(reader, `/open/${number}-0`, 1);
    expect(results.some(({ hasWaited }) => hasWaited)).toBe(true);
    await removeCluster(scene, id);
  });
});
