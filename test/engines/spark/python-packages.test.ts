// Real Spark jobs with Python packages, which pip gets from an index of the test, and which driver and executors use without it.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findPython } from '../../../src/service/engines/homes/python.ts';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import {
  createCluster,
  createJob,
  openScene,
  readLog,
  run,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';
import { serveIndex } from './python-index.ts';
import { pexOf, type Wheel, wheelOf } from './wheels.ts';

const spark = findEngine(sparkSource);
const canRun = spark !== undefined && hasPython(spark.folder) && findPython(process.env) !== undefined;

const program = `from pyspark import SparkContext
import outer

def work(index):
    import outer
    return outer.greet(index)

with SparkContext() as spark:
    print('driver', outer.greet('driver'))
    print('executor', spark.parallelize(['executor'], 1).map(work).collect()[0])
`;
const outer = `import os.path
import inner

def greet(who):
    with open(os.path.join(os.path.dirname(__file__), 'data.txt')) as data:
        return data.read() + ' with ' + inner.word + ' for ' + who
`;

describe.skipIf(!canRun)('Python packages', () => {
  test('of requirements, of a wheel and of a pex are used by driver and executors, and a wrong digest is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'packages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const wheel = wheelOf(folder, 'outer', outer, 'Requires-Dist: inner\n');
    const index = await serveIndex([wheel, wheelOf(folder, 'inner', "word = 'inner'\n")]);
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
    const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? '', '--python-index', index.url];
    const scene = await openScene(flags);
    const cluster = await createCluster(scene.peer(), sparkCluster(spark?.version ?? '', 1));
    await untilActive(scene, cluster);

    const runWith = async (name: string, bytes: string | Buffer, libs: readonly Wheel[] = []) => {
      const main = { name: `main-${Math.random()}.py`, bytes: program };
      const lib = { name: `${Math.random()}-${name}`, fileName: name, bytes };
      const job = await createJob(scene.peer(), 'Spark', main, [lib, ...libs]);
      const id = await run(scene.peer(), job, cluster, { configs: { 'edp.python.requirements': name } });
      return { end: await untilEnded(scene, id), log: await readLog(scene.peer(), id) };
    };

    const first = await runWith('requirements.txt', '# pinned\nouter==1.0\n');
    expect(first.end, first.log).toMatchObject({ status: 'SUCCEEDED' });
    expect(first.log).toContain('driver data of outer with inner for driver');
    expect(first.log).toContain('executor data of outer with inner for executor');

    const before = index.asked.length;
    const again = await runWith('requirements.txt', 'outer==1.0\n');
    expect(again.end, again.log).toMatchObject({ status: 'SUCCEEDED' });
    expect(index.asked).toHaveLength(before);

    const digest = createHash('sha256').update('something else').digest('hex');
    const wrong = await runWith('requirements.txt', `outer==1.0 --hash=sha256:${digest}\n`);
    expect(wrong.end).toMatchObject({ status: 'FAILED', message: expect.stringContaining('requirements.txt') });
    expect(wrong.end['message']).toContain('cannot install Python packages');

    index.close();
    const whole = wheelOf(folder, 'outer', "def greet(who):\n    return 'whole for ' + who\n");
    const archive = await runWith(whole.name, whole.bytes);
    expect(archive.end, archive.log).toMatchObject({ status: 'SUCCEEDED' });
    expect(archive.log).toContain('executor whole for executor');

    const pex = pexOf(folder, [wheel, wheelOf(folder, 'inner', "word = 'packed'\n")]);
    const packed = await runWith(pex.name, pex.bytes);
    expect(packed.end, packed.log).toMatchObject({ status: 'SUCCEEDED' });
    expect(packed.log).toContain('driver data of outer with packed for driver');
    expect(packed.log).toContain('executor data of outer with packed for executor');
  });
});
