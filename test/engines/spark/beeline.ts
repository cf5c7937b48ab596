// The client of the Thrift server that Spark has.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FoundEngine } from '../engines.ts';

const execute = promisify(execFile);

/** Runs SQL with Beeline at the URL. Resolves to the lines of its results. */
export async function runBeeline(spark: FoundEngine, url: string, sql: string): Promise<readonly string[]> {
  const java = ['-Xmx256m', '-XX:+UseSerialGC', '-cp', join(spark.folder, 'jars', '*')];
  const how = ['-n', 'ann', '--silent=true', '--outputformat=tsv2', '--showHeader=false'];
  const program = ['org.apache.hive.beeline.BeeLine', '-u', url, ...how, '-e', `${sql};`];
  const running = execute(spark.java, [...java, ...program]);
  // It would wait for more.
  running.child.stdin?.end();
  const { stdout } = await running;
  // It also prints its prompts.
  const lines = stdout.split('\n').map((line) => line.replace(/^(\d+: jdbc:[^>]*> ?)+/, ''));
  return lines.filter((line) => line !== '');
}
