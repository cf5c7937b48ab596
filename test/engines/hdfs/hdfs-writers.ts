// Programs that write files in HDFS and hold them open while machines leave. They are killed at any moment, and what was acknowledged is read again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { readRecord } from '../../../src/service/backends/processes/clusters/process-record.ts';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import type { Json } from '../../contract/support.ts';
import { findEngine } from '../engines.ts';
import { fileOf, machinesOf, scale, untilScaled } from '../hadoop/hadoop-scene.ts';
import { comes, readCluster, type Scene, type Wanted } from '../support.ts';

/** A `HdfsFiles` that runs. */
export interface HdfsFiles {
  send(command: string): Promise<void>;
  /** What it has printed so far. */
  lines(): Promise<readonly string[]>;
  kill(): Promise<void>;
}
export type StartFiles = () => Promise<HdfsFiles>;

export const buildFiles = (): Promise<Buffer> =>
  buildJar(findEngine(hadoopSource)?.folder ?? '', 'test/engines/programs/HdfsFiles.java');

/** The command that starts it, from that of another program of the cluster: its Java, and its class path, where the configuration is. */
export function commandFrom(words: readonly string[], jar: string): readonly string[] {
  const path = words[words.indexOf('-cp') + 1] ?? '';
  return [
    words[0] ?? '',
    '-Xmx64m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    `${path}:${jar}`,
    'HdfsFiles',
  ];
}

/** HDFS alone: one name node, and so many data nodes. */
export const hdfsCluster = (dataNodes: number): Wanted => ({
  plugin: 'vanilla',
  version: findEngine(hadoopSource)?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['namenode'] },
    { name: 'workers', count: dataNodes, node_processes: ['datanode'] },
  ],
});

/** Starts them as processes of this computer. They end with the test. */
export async function filesOf(scene: Scene, id: string): Promise<StartFiles> {
  const jar = join(scene.root, 'files.jar');
  writeFileSync(jar, await buildFiles());
  const [master] = await machinesOf(scene, id, 'master');
  const pid = readRecord(fileOf(scene, id, master, 'namenode.process'))?.pid ?? 0;
  const [file = '', ...args] = commandFrom(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'), jar);
  return async () => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    child.stdin.on('error', () => undefined);
    const ended = once(child, 'close');
    const kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    onTestFinished(kill);
    return {
      send: async (command) => void child.stdin.write(`${command}\n`),
      // The last line may not be complete.
      lines: async () => text.split('\n').slice(0, -1),
      kill,
    };
  };
}

/** Waits for a line that begins like this, and resolves to the rest of the last one. Rejects if the program has failed with the path instead. */
export async function printed(files: HdfsFiles, begin: string, path: string): Promise<string> {
  const line = await comes(async () => {
    const lines = await files.lines();
    const failure = lines.find((each) => each.startsWith('failed ') && each.includes(` ${path}: `));
    const found = lines.findLast((each) => each.startsWith(`${begin} ${path}`)) ?? failure;
    expect(found).toBeDefined();
    return found ?? '';
  });
  if (line.startsWith('failed ')) throw new Error(line);
  return line.slice(begin.length + path.length + 2);
}

/** How many bytes of the file were acknowledged by then, by hsync or close. */
async function ackedOf(files: HdfsFiles, path: string): Promise<number> {
  const lines = await files.lines();
  const lengths = lines.filter((line) => /^(acked|closed) /.test(line) && line.split(' ')[1] === path);
  return Number(lengths.at(-1)?.split(' ')[2] ?? 0);
}

/** Reads the file once. Resolves to what the reader said: `read PATH BYTES`, or `failed read PATH: WHY`. */
async function readOnce(reader: HdfsFiles, path: string): Promise<string> {
  const before = (await reader.lines()).length;
  await reader.send(`read ${path}`);
  return await comes(async () => {
    const lines = (await reader.lines()).slice(before);
    const found = lines.find((each) => / \S+/.exec(each)?.[0].trim() === path || each.includes(` read ${path}: `));
    expect(found).toBeDefined();
    return found ?? '';
  });
}

/**
 * Reads the file, and rejects unless it has at least that many bytes, and the right ones. On a busy computer, a data node can count as dead for some seconds,
 * so it tries again while a block cannot be read, but never after wrong or missing bytes.
 */
export async function checkFile(reader: HdfsFiles, path: string, least: number): Promise<void> {
  const line = await comes(async () => {
    const said = await readOnce(reader, path);
    expect(said).not.toMatch(/BlockMissing|Could not obtain block/);
    return said;
  });
  if (!line.startsWith('read ') || Number(line.split(' ')[2]) < least)
    throw new Error(`${least} bytes of ${path} were acknowledged: ${line}`);
}

/** Waits for a description of the cluster that has this text, while it shrinks. Resolves to undefined if it has shrunk instead. */
export const untilSaid = async (scene: Scene, id: string, text: string | RegExp): Promise<string | undefined> =>
  await comes(async () => {
    const { status, status_description } = (await readCluster(scene.peer(), id)) as Json;
    const said = String(status_description ?? '');
    if (new RegExp(text).test(said)) return said;
    expect([status, said]).toEqual(['Active', said]);
    return undefined;
  });

interface Round {
  readonly scene: Scene;
  readonly id: string;
  readonly start: StartFiles;
  readonly reader: HdfsFiles;
  readonly machines: number;
  readonly number: number;
}
export interface RoundResult {
  readonly files: number;
  readonly ackedBytes: number;
  /** Whether the description has named an open file. */
  readonly hasWaited: boolean;
  readonly wasKilled: boolean;
  /** How many files the writer could not close, because their data node was decommissioned. */
  readonly failedCloses: number;
}

/** A machine leaves, and another one comes, while a program writes six files. It closes half of them, and then the others, or is killed, at random. */
export async function scaleDown({ scene, id, start, reader, machines, number }: Round): Promise<RoundResult> {
  const paths = Array.from({ length: 6 }, (_, index) => `/open/${number}-${index}`);
  const writer = await start();
  for (const path of paths) await writer.send(`write ${path}`);
  for (const path of paths) await printed(writer, 'acked', path);
  expect((await scale(scene, id, machines - 1)).status).toBe(202);
  await delay(Math.random() * 6000);
  const [early, late] = [paths.slice(0, 3), paths.slice(3)];
  for (const path of early) await writer.send(`close ${path}`);
  await delay(Math.random() * 3000);
  const wasKilled = Math.random() < 0.6;
  if (wasKilled) await writer.kill();
  const hasWaited = (await untilSaid(scene, id, '\\(open\\)')) !== undefined;
  if (!wasKilled) {
    for (const path of late) await writer.send(`close ${path}`);
    // HDFS does not let it close a file whose only data node is decommissioned. What it was told counts all the same.
    const ended = /^(closed|failed write) /;
    await comes(async () =>
      expect((await writer.lines()).filter((line) => ended.test(line))).toHaveLength(paths.length),
    );
  }
  const failedCloses = (await writer.lines()).filter((line) => line.startsWith('failed write ')).length;
  const acked = await Promise.all(paths.map((path) => ackedOf(writer, path)));
  await writer.kill();
  for (const path of paths) await reader.send(`recover ${path}`);
  for (const path of paths) await printed(reader, 'recovered', path);
  await untilScaled(scene, id, machines - 1);
  for (const [index, path] of paths.entries()) await checkFile(reader, path, acked[index] ?? 0);
  expect((await scale(scene, id, machines)).status).toBe(202);
  await untilScaled(scene, id, machines);
  // The name node takes some seconds to delete what it has too often.
  await delay(5000);
  for (const [index, path] of paths.entries()) await checkFile(reader, path, acked[index] ?? 0);
  const ackedBytes = acked.reduce((sum, each) => sum + each, 0);
  return { files: paths.length, ackedBytes, hasWaited, wasKilled, failedCloses };
}
