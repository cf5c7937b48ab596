// The service on a full disk, with its data file and its log on it. A limit on the size of files stands for the disk: it needs no root.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Json, type Peer, startBody, untilActive } from '../../../contract/support.ts';
import { servedMs } from '../../../support/cpu.ts';
import { startLogging } from '../../support/process.ts';

const path = '/v1.0/t/clusters';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
const create = (peer: Peer, name: string) => peer.post(path, { ...startBody, name, node_groups });

/** From now on, each write of the process to a file fails, or none does. */
const limit = (pid: number, bytes: '1' | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);

function createFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  const log = openSync(join(folder, 'log'), 'a');
  onTestFinished(() => {
    closeSync(log);
    rmSync(folder, { recursive: true });
  });
  return { data: join(folder, 'data.db'), log, readLog: () => readFileSync(join(folder, 'log'), 'utf8') };
}

/** The clusters by name, read in less than a second. */
async function read(peer: Peer, pid: number): Promise<Readonly<Record<string, Json>>> {
  const begin = servedMs(pid);
  const { body } = await peer.get(path);
  expect(servedMs(pid) - begin).toBeLessThan(1000);
  return Object.fromEntries(body.clusters.map((cluster: Json) => [cluster.name, cluster]));
}

test.runIf(process.platform === 'linux')(
  'on a full disk it answers reads and refuses writes, and loses nothing',
  async () => {
    const { data, log, readLog } = createFiles();
    const flags = ['--data', data, '--stage-ms', '200'];
    const refusal = {
      error_code: 500,
      error_name: 'INTERNAL_SERVER_ERROR',
      error_message: 'cannot write to the data file: disk I/O error; nothing was changed',
    };
    let service = await startLogging(log, ...flags);
    let peer = connect(service.url);
    const { id } = (await create(peer, 'first')).body.cluster;

    limit(service.pid, '1');
    const { status, node_groups: groups } = (await read(peer, service.pid))['first'] ?? {};
    for (let ms = 0; ms < 600; ms += 100) {
      expect((await create(peer, 'refused')).body).toEqual(refusal);
      expect((await peer.remove(`${path}/${id}`)).body).toEqual(refusal);
      expect(await read(peer, service.pid)).toMatchObject({ first: { status, node_groups: groups } });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }

    limit(service.pid, 'unlimited');
    const first = await untilActive(peer, id);
    expect((await create(peer, 'second')).status).toBe(202);
    expect(readLog()).toContain('cannot advance cluster');

    limit(service.pid, '1');
    expect((await create(peer, 'refused')).body).toEqual(refusal);
    await service.kill('SIGKILL');
    service = await startLogging(log, ...flags);
    peer = connect(service.url);
    const kept = await read(peer, service.pid);
    expect(Object.keys(kept)).toEqual(['first', 'second']);
    expect(kept['first']).toEqual(first);
    await untilActive(peer, kept['second']?.id);
    limit(service.pid, '1');
    expect((await create(peer, 'refused')).body).toEqual(refusal);
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);
