// A data file that is damaged: the service says which row it is, or that it is the file, and what to do; it never crashes.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import { furnish } from '../../errors/scene.ts';
import { runService } from '../../support/process.ts';

function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

const secret = 'correct horse';
const created_at = '2014-01-01T00:00:00';
const source = {
  id: 'd',
  name: 'd',
  type: 'swift',
  url: 'swift://c/o',
  credentials: { password: secret },
  created_at,
} as const;

/** A file with a row, which is then changed behind the back of the service. */
function damage(sql: string): string {
  const file = createFile();
  const store = openSqliteStore(file);
  store.put('dataSources', 't', source);
  store.put('jobBinaryInternals', 't', { id: 'b', name: 'b', datasize: 5, created_at }, Buffer.from('bytes'));
  store.close();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return file;
}

const work = (operation: string, stage: string) =>
  `UPDATE record SET kind = 'clusters', body = json_set(body, '$.work', json('{"operation":"${operation}","stage":"${stage}"}'),
    '$.plugin_name', 'p', '$.bigdata_version', '1', '$.cluster_configs', json('{}'), '$.anti_affinity', json('[]'), '$.status', 's',
    '$.info', json('{}'), '$.updated_at', 'now', '$.node_groups', json('[]')) WHERE id = 'd'`;

describe('a damaged row', () => {
  test.each([
    ["UPDATE record SET body = 'x' || body WHERE id = 'd'", 'data source', 'it is not JSON'],
    ["UPDATE record SET body = substr(body, 1, 40) WHERE id = 'd'", 'data source', 'it is not JSON'],
    ["UPDATE record SET body = '[]' WHERE id = 'd'", 'data source', 'Invalid input: expected object, received array'],
    [
      "UPDATE record SET body = json_remove(body, '$.url') WHERE id = 'd'",
      'data source',
      'url: Invalid input: expected string, received undefined',
    ],
    [
      "UPDATE record SET body = json_set(body, '$.id', 'e') WHERE id = 'd'",
      'data source',
      'id: it is not that of the row',
    ],
    ["UPDATE record SET kind = 'toString' WHERE id = 'd'", 'toString', 'there are no such resources'],
    [work('start', 'Nonsense'), 'cluster', 'work.stage: the operation has no stage of this name in this release'],
    [
      work('dance', 'Waiting'),
      'cluster',
      "work.operation: Invalid discriminator value. Expected 'start' | 'scale' | 'delete' | 'repair'",
    ],
    [work('scale', 'Scaling'), 'cluster', 'work.targets: Invalid input: expected record, received undefined'],
  ])('%s', (sql, what, why) => {
    const file = damage(sql);
    const message = `cannot open data file ${file}: row 1, ${what} d of tenant t, is damaged: ${why}; restore the file from a backup, or give the row up with sqlite3 ${file} "DELETE FROM record WHERE position = 1"`;
    expect(() => openSqliteStore(file)).toThrow(message);
    expect(() => openSqliteStore(file)).not.toThrow(secret);
  });

  test('bytes that are missing', () => {
    const file = damage('DELETE FROM content');
    expect(() => openSqliteStore(file)).toThrow(
      'row 2, job binary internal b of tenant t, is damaged: its bytes are missing',
    );
  });

  test('the process says so in one line, and the advice helps', async () => {
    const file = damage("UPDATE record SET body = '{}' WHERE id = 'd'");
    const { code, errors } = await runService('--port', '0', '--data', file);
    expect(code).toBe(1);
    expect(errors).toMatch(/^cannot open data file .*: row 1, data source d of tenant t, is damaged: .*\n$/);
    const database = new DatabaseSync(file);
    database.exec(/"(DELETE .*)"/.exec(errors)?.[1] ?? '');
    database.close();
    openSqliteStore(file).close();
  });
});

describe('a damaged file', () => {
  const opens = (file: string): string | undefined => {
    try {
      openSqliteStore(file).close();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('one of which pages were overwritten is told, with what to do', () => {
    const file = damage('SELECT 1');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096, 3 * 4096);
    writeFileSync(file, bytes);
    expect(opens(file)).toBe(
      `cannot open data file ${file}: database disk image is malformed; restore the file from a backup`,
    );
  });

  test('wherever it is cut or overwritten, it opens or is told', () => {
    const file = damage('SELECT 1');
    const bytes = readFileSync(file);
    const place = fc.nat({ max: bytes.length - 1 });
    fc.assert(
      fc.property(fc.boolean(), place, fc.uint8Array({ minLength: 1, maxLength: 200 }), (cut, at, noise) => {
        writeFileSync(file, bytes);
        const damagedBytes = Buffer.from(bytes);
        damagedBytes.set(noise.subarray(0, bytes.length - at), at);
        writeFileSync(file, damagedBytes);
        if (cut) truncateSync(file, at);
        const message = opens(file);
        rmSync(`${file}-wal`, { force: true });
        if (message !== undefined) expect(message).toMatch(new RegExp(`^cannot open data file ${file}: `));
      }),
      { numRuns: 100 },
    );
  });
});

test.each(dialects)('%s: everything that can be made is loaded again', async (dialect) => {
  const file = createFile();
  const store = openSqliteStore(file, { dialect });
  await furnish(dialect, store);
  const before = store.tenants().flatMap((tenant) => store.list('clusters', tenant));
  store.close();
  const again = openSqliteStore(file, { dialect });
  expect(again.tenants().flatMap((tenant) => again.list('clusters', tenant))).toEqual(
    JSON.parse(JSON.stringify(before)),
  );
  expect(again.count('jobExecutions', 't')).toBeGreaterThan(0);
  again.close();
});
