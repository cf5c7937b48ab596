// Real clients of Spark Connect and of the Thrift server: the Python of Spark, and the Beeline that it has.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../../src/lib/fetch/cache.ts';
import { findPython } from '../../../src/service/engines/homes/python.ts';
import type { FoundEngine } from '../engines.ts';

const execute = promisify(execFile);

/** What `pyspark[connect]` needs besides Spark itself. */
const packages = ['grpcio', 'grpcio-status', 'googleapis-common-protos', 'pandas', 'pyarrow', 'zstandard'];

/** Installs them once. Undefined, with the reason told, where that is not possible. */
async function findPackages(python: string): Promise<string | undefined> {
  const root = join(cacheRoot(process.env), 'connect-client');
  const folder = join(root, 'packages');
  if (existsSync(folder)) return folder;
  mkdirSync(root, { recursive: true });
  const part = mkdtempSync(join(root, '.part-'));
  try {
    await execute(python, ['-m', 'pip', 'install', '--quiet', '--target', part, ...packages]);
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // Another test may have been faster.
    if (!existsSync(folder)) {
      console.warn(`The tests of Spark Connect are skipped: pip cannot install its client: ${String(error)}`);
      return undefined;
    }
  }
  return folder;
}

/** Runs a program in Python with the clients of Spark. Resolves to what it prints. */
export type RunPython = (program: string, args: readonly string[]) => Promise<string>;

export async function findConnectClient(spark: FoundEngine | undefined): Promise<RunPython | undefined> {
  const python = findPython(process.env)?.file;
  const folder = spark === undefined || python === undefined ? undefined : await findPackages(python);
  if (spark === undefined || python === undefined || folder === undefined) return undefined;
  const lib = join(spark.folder, 'python', 'lib');
  const zips = readdirSync(lib).filter((name) => name.endsWith('.zip'));
  const path = [folder, ...zips.map((name) => join(lib, name))].join(':');
  return async (program, args) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: path };
    return (await execute(python, ['-c', program, ...args], { env })).stdout;
  };
}

/** Runs SQL with Beeline at the URL. Resolves to the lines of its results. */
export async function runBeeline(spark: FoundEngine, url: string, sql: string): Promise<readonly string[]> {
  const java = ['-Xmx256m', '-XX:+UseSerialGC', '-cp', join(spark.folder, 'jars', '*')];
  const how = ['-n', 'ann', '--silent=true', '--outputformat=tsv2', '--showHeader=false'];
  const { stdout } = await execute(spark.java, [
    ...java,
    'org.apache.hive.beeline.BeeLine',
    '-u',
    url,
    ...how,
    '-e',
    sql,
  ]);
  // It also prints its prompts.
  const lines = stdout.split('\n').map((line) => line.replace(/^(\d+: jdbc:[^>]*> ?)+/, ''));
  return lines.filter((line) => line !== '');
}
