// Uploaded bytes stay out of memory, and one tenant cannot upload without end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connect, type Peer } from '../../../contract/support.ts';
import { startService } from '../../support/process.ts';

const path = '/v1.1/t/job-binary-internals';
const size = 5 * 1024 * 1024;
const type = { 'content-type': 'application/octet-stream' };

const upload = (peer: Peer, name: string, body: string) => peer.send('PUT', `${path}/${name}`, body, type);

test('60 uploads of 5 MiB, and a restart, in a heap of 256 MiB', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=256');
  const flags = ['--data', join(folder, 'data.db'), '--log-level', 'silent'];
  const first = await startService(...flags);
  const ids: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    const body = String(index)
      .padStart(2, '0')
      .repeat(size / 2);
    const answer = await upload(connect(first.url), `binary-${index}`, body);
    expect(answer.status).toBe(202);
    ids.push(answer.body.job_binary_internal.id);
  }
  await first.kill('SIGKILL');
  const second = await startService(...flags);
  const peer = connect(second.url);
  expect((await peer.get(path)).body.binaries).toHaveLength(60);
  const last = await peer.get(`${path}/${ids[59]}/data`);
  expect([last.text.length, last.text.slice(0, 4)]).toEqual([size, '5959']);
  await second.kill('SIGTERM');
});
