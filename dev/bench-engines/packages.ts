// What packages cost a job: the first time, when they are resolved, and the second time, beside the same job without.
import { median, type Setting, secondsOf } from './setting.ts';

const coordinates = 'org.apache.spark:spark-avro_2.13:4.1.1';
const rounds = 3;

/** In seconds of a whole run. Undefined without a repository. */
export async function comparePackages({ subject, options, spark, text, print }: Setting, job: string) {
  if (options['maven-repository'] === undefined) return undefined;
  print('A job with a package, and the same one without.');
  const id = await subject.createCluster('bench-packages', spark.version, 1);
  await subject.untilActive(id);
  const run = (configs: Readonly<Record<string, string>>) =>
    secondsOf(async () => subject.untilRun(await subject.execute(job, id, [text], configs), 'SUCCEEDED'));
  const packages = { 'spark.jars.packages': coordinates };
  const first = await run(packages);
  const [again, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    again.push(await run(packages));
    without.push(await run({}));
  }
  await subject.removeCluster(id);
  return { coordinates, first, again: median(again), without: median(without) };
}
