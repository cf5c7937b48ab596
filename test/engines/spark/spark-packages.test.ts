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

/** Nothing of it is in Spark's distribution. The second one comes with it, and its first class is used before a broker is asked. */
const kafka = {
  coordinates: 'org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1',
  brings: ['spark-sql-kafka-0-10_2.13-4.1.1.jar', 'spark-token-provider-kafka-0-10_2.13-4.1.1.jar'],
};
const readsTopic = `from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print('jars', spark.conf.get('spark.jars'))
options = {
    'kafka.bootstrap.servers': '127.0.0.1:9',
    'kafka.default.api.timeout.ms': '3000',
    'kafka.request.timeout.ms': '2000',
    'fetchOffset.numRetries': '1',
    'subscribe': 'words',
}
try:
    spark.read.format('kafka').options(**options).load().count()
except Exception as error:
    print('ended with', error)
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

  test('that need further modules of Spark get them, as those for Kafka do', async () => {
    const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? '', '--maven-repository', repository ?? ''];
    const scene = await openScene(flags);
    const id = await createCluster(scene.peer(), sparkCluster(spark?.version ?? '', 1));
    await untilActive(scene, id);
    const job = await createJob(scene.peer(), 'Spark', { name: 'kafka.py', bytes: readsTopic });
    const ran = await run(scene.peer(), job, id, { configs: { 'spark.jars.packages': kafka.coordinates } });
    const end = await untilEnded(scene, ran);
    const log = await readLog(scene.peer(), ran);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    for (const jar of kafka.brings) expect(log).toMatch(new RegExp(`^jars .*/${jar}`, 'm'));
    expect(log).not.toMatch(/^jars .*\/(spark-(core|sql|tags)_|hadoop-client)/m);
    // There is no broker.
    expect(log).toMatch(/ended with [^]*Timeout/);
    expect(log).not.toContain('NoClassDefFoundError');
  });
});
