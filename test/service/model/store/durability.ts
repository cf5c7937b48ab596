// A service that is killed again and again while four writers use it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Json, workers } from '../../../contract/support.ts';
import { startService } from '../../support/process.ts';

const path = '/v1.0/t/node-group-templates';

/** The data file of a service, which goes with the test. */
export function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'durability-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

/** What was answered, and what was sent without an answer: that may or may not have happened. */
interface Ledger {
  readonly present: Map<string, string>;
  readonly gone: Set<string>;
  readonly open: Set<string>;
}

/** Creates templates and deletes every third one until the service is gone; notes each answer. */
async function write(url: string, name: string, ledger: Ledger): Promise<void> {
  const peer = connect(url);
  for (let index = 0; ; index += 1) {
    try {
      const { status, body } = await peer.post(path, { ...workers, name: `${name}-${index}` });
      expect(status).toBe(202);
      const { id } = body.node_group_template as Json;
      expect(ledger.present.has(id) || ledger.gone.has(id), 'an identifier is given out again').toBe(false);
      ledger.present.set(id, `${name}-${index}`);
      if (index % 3 !== 0) continue;
      ledger.open.add(id);
      expect((await peer.remove(`${path}/${id}`)).status).toBe(204);
      ledger.open.delete(id);
      ledger.present.delete(id);
      ledger.gone.add(id);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function check(url: string, ledger: Ledger): Promise<void> {
  const { body } = await connect(url).get(path);
  const found = new Map<string, string>(body.node_group_templates.map(({ id, name }: Json) => [id, name]));
  for (const [id, name] of ledger.present) if (!ledger.open.has(id)) expect(found.get(id)).toBe(name);
  for (const id of ledger.gone) expect(found.has(id)).toBe(false);
  // What is open has been decided by the file; from now on that counts.
  for (const id of ledger.open) if (!found.has(id)) ledger.present.delete(id);
  ledger.open.clear();
}

/** So many times. All lives have the same seed. */
export function killedWhileWriting(lives: number): void {
  test('killed in the middle of writes, at any point, every answered one is there, and no identifier comes twice', async () => {
    const flags = ['--data', createFile(), '--log-level', 'silent', '--seed', '1'];
    const ledger: Ledger = { present: new Map(), gone: new Set(), open: new Set() };
    for (let life = 0; life < lives; life += 1) {
      const service = await startService(...flags);
      await check(service.url, ledger);
      const names = ['a', 'b', 'c', 'd'].map((writer) => `${writer}${life}x`);
      const written = Promise.all(names.map((name) => write(service.url, name, ledger)));
      const enough = ledger.gone.size + 9 + Math.floor(Math.random() * 40);
      while (ledger.gone.size < enough) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      expect((await service.kill('SIGKILL')).signal).toBe('SIGKILL');
      await written;
    }
    const service = await startService(...flags);
    await check(service.url, ledger);
    await service.kill('SIGKILL');
    // Of the nine that a life deletes at least, five are not the first one of their writer, and two were made before each of these.
    expect(ledger.present.size).toBeGreaterThanOrEqual(10 * lives);
  });
}
