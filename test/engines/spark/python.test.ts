// Real Spark jobs in Python: their driver and their executors run the python3 of this computer.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPython } from '../../../src/service/engines/homes/python.ts';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { blocksIn, readPage } from '../../e2e/support/documents.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  openScene,
  readLog,
  readRun,
  removeCluster,
  run,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);
const [hasSpark, hasInterpreter] = [
  spark !== undefined && hasPython(spark.folder),
  findPython(process.env) !== undefined,
];
if (spark !== undefined && !hasSpark)
  console.warn('The tests of Python are skipped: this Spark has none. npm run engines -- --from pip spark installs it');
if (!hasInterpreter) console.warn('The tests of Python are skipped: there is no python3 of version 3.10 or newer');

/** A module in a zip archive. */
function zipOf(name: string, text: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  execFileSync('python3', ['-m', 'zipfile', '-c', 'modules.zip', name], { cwd: folder });
  return readFileSync(join(folder, 'modules.zip'));
}

describe.skipIf(!hasSpark || !hasInterpreter)('Python', () => {
  const open = () => openScene(['--spark', spark?.folder ?? '', '--java', spark?.java ?? '']);
  const cluster = {
    plugin: 'spark',
    version: spark?.version ?? '',
    groups: [
      { name: 'master', count: 1, node_processes: ['master'] },
      { name: 'workers', count: 1, node_processes: ['slave'] },
    ],
  };

  test('the documented program counts words with its libs, and a broken one fails with the reason', async () => {
    const scene = await open();
    const id = await createCluster(scene.peer(), cluster);
    const { info } = await untilActive(scene, id);
    const text = join(scene.root, 'files', 'text.txt');
    writeFileSync(text, 'One fish, two fish.\nRed fish, blue fish.\n');
    const [program = '', module = ''] = blocksIn(readPage('docs/how-to/bundled-service/real-jobs.md'), 'python');
    // The module uses one in an archive, which strips the punctuation.
    const using = module.replace('line.', 'clean(line).');
    expect([module.startsWith('def split('), using === module]).toEqual([true, false]);
    const libs = [
      { name: 'words-generated.py', fileName: 'words.py', bytes: `from packed import clean\n\n${using}` },
      {
        name: 'modules-generated.zip',
        fileName: 'modules.zip',
        bytes: zipOf('packed.py', "def clean(line):\n    return line.strip('.').replace(',', '')\n"),
      },
    ];
    const job = await createJob(scene.peer(), 'Spark', { name: 'words-main.py', bytes: program }, libs);
    const counted = await run(scene.peer(), job, id, { args: [text] });
    const end = await untilEnded(scene, counted);
    const log = await readLog(scene.peer(), counted);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    const told = log.split('\n').filter((line) => /^\w+ \d+$/.test(line));
    expect(told).toEqual(['blue 1', 'fish 4', 'one 1', 'red 1', 'two 1']);

    const broken = await createJob(scene.peer(), 'Spark', { name: 'broken.py', bytes: 'import nowhere\n' });
    const failed = await run(scene.peer(), broken, id, {});
    expect(await untilEnded(scene, failed)).toEqual({
      status: 'FAILED',
      message: "ModuleNotFoundError: No module named 'nowhere'",
      termination: { reason: 'Error' },
      urls: {
        Logs: `${base}/job-executions/${failed}/logs`,
        'Spark Web UI': info.Spark['Web UI'],
      },
    });
    // The service does not see what a program sets itself, and Spark reports it in the log alone.
    const asking = "SparkSession.builder.config('spark.executor.memory', '64g').getOrCreate().range(5).count()\n";
    const large = { name: 'large.py', bytes: `from pyspark.sql import SparkSession\n${asking}` };
    const waiting = await run(scene.peer(), await createJob(scene.peer(), 'Spark', large), id, {});
    await comes(async () =>
      expect((await readRun(scene.peer(), waiting)).info).toMatchObject({
        status: 'RUNNING',
        message: expect.stringContaining('waiting for a larger worker: its executors need 65536 MiB each'),
      }),
    );
    await removeCluster(scene, id);
  });
});
