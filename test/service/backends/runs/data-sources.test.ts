// The data sources of a run: which ones can be used, and what is refused before anything starts.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemDownload } from '../../../../src/lib/system.ts';
import { checkPlace, type DataSettings, placeOf } from '../../../../src/service/backends/runs/data-sources.ts';
import { Transient } from '../../../../src/service/model/disk/transient.ts';
import { transferOf } from '../processes/jobs/transfers.ts';

const hdfs = { authority: '127.77.1.1:8020', user: 'ann', page: 'http://127.77.1.1:9870', dataNodes: [] };

/** A folder of job files with a file, a folder and links that lead out of it. */
function scene() {
  const root = mkdtempSync(join(tmpdir(), 'data-sources-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const allowed = join(root, 'allowed');
  mkdirSync(join(allowed, 'folder'), { recursive: true });
  writeFileSync(join(allowed, 'text'), 'a\n');
  writeFileSync(join(root, 'secret'), 'hunter2');
  symlinkSync(join(root, 'secret'), join(allowed, 'link'));
  symlinkSync(join(root, 'new'), join(allowed, 'dangling'));
  symlinkSync(root, join(allowed, 'outside'));
  return { root, allowed };
}

type Type = 'hdfs' | 'swift' | 'maprfs';

const sourceOf = (url: string, type: Type = 'hdfs') => ({ id: 'source-1', type, url, credentials: {} });
const place = (url: string, settings: Partial<DataSettings>, type?: Type, role: 'input' | 'output' = 'input') =>
  placeOf(sourceOf(url, type), role, { jobFiles: undefined, hdfs: undefined, ...settings });

describe('in HDFS', () => {
  test.each([
    ['/in', '/in'],
    ['hdfs:///in', '/in'],
    ['hdfs:/in', '/in'],
    ['hdfs://127.77.1.1/in/a b', '/in/a b'],
    ['hdfs://127.77.1.1:8020/in', '/in'],
    ['in/text', '/user/ann/in/text'],
  ])('%s is a path of the cluster', (url, path) => {
    expect(place(url, { hdfs })?.url).toBe(`hdfs://127.77.1.1:8020${path}`);
  });

  test('another one is left to the program, which nobody asks', async () => {
    const url = 'hdfs://elsewhere:8020/in';
    const get = () => Promise.reject(new Error('it is asked'));
    for (const settings of [{}, { hdfs }]) {
      const other = place(url, settings);
      expect(other?.url).toBe(url);
      await checkPlace(sourceOf(url), other, { role: 'input', transfer: transferOf(get) });
    }
  });

  test.each(['/in', 'hdfs:///in', 'in'])('%s is refused if the cluster has none', (url) => {
    expect(() => place(url, {})).toThrow(
      `cannot use input_id source-1: ${url} is in the HDFS of its cluster, which has none: use another cluster, or a URL with file:`,
    );
  });

  test('what is missing is refused as an input, what is there as an output, and several paths are not looked up', async () => {
    const asked: string[] = [];
    const transfer = transferOf(async (url) => {
      asked.push(url);
      const exists = url.includes('/there');
      return exists ? [200, JSON.stringify({ FileStatus: { type: 'DIRECTORY', length: 0 } })] : [404, '{}'];
    });
    const check = (url: string, role: 'input' | 'output') =>
      checkPlace(sourceOf(url), place(url, { hdfs }, 'hdfs', role), { role, transfer });
    await check('/there', 'input');
    await check('/new', 'output');
    await expect(check('/new', 'input')).rejects.toThrow(
      'cannot use input_id source-1: there is nothing at hdfs://127.77.1.1:8020/new: write it first',
    );
    await expect(check('/there', 'output')).rejects.toThrow(
      'cannot use output_id source-1: there is something at hdfs://127.77.1.1:8020/there already: delete it, or end the url with %JOB_EXEC_ID%',
    );
    expect(asked).toHaveLength(4);
    for (const url of ['/in/*.txt', '/in/{a,b}', '/a,/b']) await check(url, 'input');
    expect(asked).toHaveLength(4);
  });

  test('a name node that does not answer is asked again later', async () => {
    const transfer = transferOf(() => Promise.reject(new Error('connect ECONNREFUSED')));
    const checked = checkPlace(sourceOf('/in'), place('/in', { hdfs }), { role: 'input', transfer });
    await expect(checked).rejects.toThrow(Transient);
    await expect(checked).rejects.toThrow('the HDFS of its cluster does not answer: connect ECONNREFUSED');
  });
});

describe('in files', () => {
  const transfer = { clock: systemClock, get: systemDownload, signal: new AbortController().signal };

  test('they have to be below the folder of job files, wherever links lead', () => {
    const { allowed, root } = scene();
    const use = (path: string, role: 'input' | 'output' = 'input') =>
      place(`file://${path}`, { jobFiles: allowed }, 'hdfs', role)?.url;
    expect(use(`${allowed}/text`)).toBe(`file://${allowed}/text`);
    expect(use(`${allowed}/new`, 'output')).toBe(`file://${allowed}/new`);
    expect(() => use(`${allowed}/nothing`)).toThrow('cannot use input_id source-1: there is no file');
    for (const path of [`${root}/secret`, `${allowed}/link`, `${allowed}/outside/secret`])
      expect(() => use(path)).toThrow('is not below');
    for (const path of [`${root}/new`, `${allowed}/link`, `${allowed}/outside/new`])
      expect(() => use(path, 'output')).toThrow('is not below');
    // Writing to it would make the file that it leads to.
    expect(() => use(`${allowed}/dangling`, 'output')).toThrow('cannot use output_id source-1: ');
    expect(() => place(`file://${allowed}/text`, {})).toThrow('start the service with --job-files FOLDER');
  });

  test('an output that is there is in the way of a program that makes it', async () => {
    const { allowed } = scene();
    const check = (name: string) => {
      const url = `file://${allowed}/${name}`;
      const output = place(url, { jobFiles: allowed }, 'hdfs', 'output');
      return checkPlace(sourceOf(url), output, { role: 'output', transfer });
    };
    await check('new');
    await expect(check('folder')).rejects.toThrow(`there is something at file://${allowed}/folder already: delete it`);
  });
});

test.each(['swift', 'maprfs'] as const)('%s is refused with what can be used', (type) => {
  expect(() => place(`${type}://c/o`, { hdfs }, type)).toThrow(
    `cannot use input_id source-1: ${type}: is not supported here: use hdfs:, s3a: or file:`,
  );
});

test.each(['input', 'output'] as const)('a path with a NUL character is refused as %s', (role) => {
  const { allowed } = scene();
  expect(() => place(`file://${allowed}/a%00b`, { jobFiles: allowed }, 'hdfs', role)).toThrow(
    `cannot use ${role}_id source-1: the path of the url has a NUL character: remove it`,
  );
});
