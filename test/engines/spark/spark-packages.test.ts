// A real Spark job with packages from a Maven repository, which its driver and its executors use.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import { findMavenRepository } from '../maven-repository.ts';
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

const avro = { path: 'org/apache/spark/spark-avro_2.13/4.1.1', coordinates: 'org.apache.spark:spark-avro_2.13:4.1.1' };
const repository = await findMavenRepository(`${avro.path}/spark-avro_2.13-4.1.1.pom`);
const spark = findEngine(sparkSource);

const program = `import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.range(5).write.format('avro').save(sys.argv[1])
print('jars', spark.conf.get('spark.jars'))
print('read', spark.read.format('avro').load(sys.argv[1]).count())
`;

describe.skipIf(repository === undefined || spark === undefined || !hasPython(spark.folder))('packages', () => {
  test('are used by the driver and by executors, and one that is nowhere is named', async () => {
    const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? '', '--maven-repository', repository ?? ''];
    const scene = await openScene(flags);
    const id = await createCluster(scene.peer(), sparkCluster(spark?.version ?? '', 1));
    await untilActive(scene, id);
    const job = await createJob(scene.peer(), 'Spark', { name: 'avro.py', bytes: program });
    const of = (coordinates: string) =>
      run(scene.peer(), job, id, {
        configs: { 'spark.jars.packages': coordinates },
        args: [join(scene.root, 'files', 'numbers')],
      });
    const [good, bad] = [await of(avro.coordinates), await of('org.apache.spark:no-such-thing:1.0')];
    const end = await untilEnded(scene, good);
    const log = await readLog(scene.peer(), good);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    expect(log).toMatch(/^jars \S*spark-avro_2\.13-4\.1\.1\.jar/m);
    expect(log).not.toMatch(/^jars \S*spark-core/m);
    expect(log).toContain('read 5');
    expect(await untilEnded(scene, bad)).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/cannot get packages org\.apache\.spark:no-such-thing:1\.0: mvn ended with 1: /),
    });
  });
});
