// An engine of a few lines: each process is a small server, and the head knows how many workers there are.
import { join } from 'node:path';
import {
  type Engine,
  type EngineNode,
  type EngineProcess,
  nodesWith,
} from '../../../../../src/service/engines/engine.ts';
import { shellJob } from '../../../../../src/service/engines/jobs/shell-job.ts';

/** Where all processes answer. */
export const port = 8099;
const program = `
  const { createServer } = require('node:http');
  const { spawn } = require('node:child_process');
  const { existsSync } = require('node:fs');
  const [address, head] = process.argv.slice(1);
  const seen = new Map();
  let told = false;
  process.on('SIGPWR', () => (told = true));
  // Something that the process starts, which would outlive it.
  spawn('/bin/sleep', ['1000'], { stdio: 'ignore' }).unref();
  createServer((request, answer) => {
    if (request.url !== '/') seen.set(request.url, Date.now());
    const alive = [...seen].filter(([, at]) => Date.now() - at < 1000).map(([url]) => url.slice(1));
    answer.end(JSON.stringify({ alive, drained: told && !existsSync('busy') }));
  }).on('error', ({ message }) => {
    console.error(message);
    process.exit(1);
  }).listen(${port}, address);
  if (head !== undefined) setInterval(() => fetch('http://' + head + ':${port}/' + address).catch(() => {}), 100);
`;

export const page = ({ address }: EngineNode): string => `http://${address}:${port}/`;
const answers = (node: EngineNode) => ({ url: page(node), wanted: 'it answers', holds: () => true });
const command = (args: readonly string[]) => ({ file: process.execPath, args: ['-e', program, ...args], env: {} });

/** The head runs where the process `head` does; `worker` runs on the others. */
export const tinyEngine = (plugin: string, version: string, [head, worker]: readonly [string, string]): Engine => ({
  plugin,
  version,
  title: 'Tiny',
  description: 'An engine of a few lines',
  options: [],
  processes: [
    {
      name: head,
      target: 'Tiny',
      rank: 0,
      memory: () => 64,
      command: (node) => command([node.address]),
      ready: answers,
    },
    {
      name: worker,
      target: 'Tiny',
      rank: 1,
      memory: () => 64,
      files: () => ({ 'conf/worker.txt': 'a file of its own' }),
      command: (node, nodes) => command([node.address, nodesWith(nodes, head)[0]?.address ?? node.address]),
      ready: answers,
    },
  ],
  jobs: [shellJob],
  checkLayout: () => undefined,
  usable: (nodes) => {
    const workers = nodesWith(nodes, worker).map(({ address }) => address);
    return nodesWith(nodes, head).map((node) => ({
      url: page(node),
      wanted: `${workers.length} workers are registered`,
      holds: (answer) => workers.every((each) => (answer as { alive: readonly string[] }).alive.includes(each)),
    }));
  },
  pages: (nodes) => {
    const [node] = nodesWith(nodes, head);
    return node === undefined ? {} : { Tiny: { 'Web UI': page(node), Folder: join(node.folder) } };
  },
});

/**
 * The same with what drains it: the head reads which machines leave, and a worker gets rid of its work when it is told to. One with a file `busy` in its
 * folder never does.
 */
export function drainingEngine(plugin: string, version: string, names: readonly [string, string]): Engine {
  const tiny = tinyEngine(plugin, version, names);
  const [head, worker] = tiny.processes;
  if (head === undefined || worker === undefined) throw new Error('the engine has no processes');
  const files: EngineProcess['files'] = (_node, _nodes, leaving = []) => ({
    'conf/leaving.txt': leaving.map(({ machine }) => `${machine.instance_name}\n`).join(''),
  });
  const reload = () => ({ file: '/bin/true', args: [], env: {} });
  const done = (node: EngineNode) => ({
    url: page(node),
    wanted: 'it has no work',
    holds: (answer: unknown) => (answer as { drained: boolean }).drained,
  });
  return {
    ...tiny,
    processes: [
      { ...head, files, reload },
      { ...worker, drain: { signal: 'SIGPWR', limitMs: () => 60_000, done } },
    ],
  };
}
