// The client of Spark Connect in Python, from the installation of Spark and packages that pip installs once.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../src/lib/errors.ts';
import { cacheRoot } from '../../src/lib/fetch/cache.ts';
import { findPython } from '../../src/service/engines/homes/python.ts';

const execute = promisify(execFile);

/** What `pyspark[connect]` needs besides Spark itself. */
const packages = ['grpcio', 'grpcio-status', 'googleapis-common-protos', 'pandas', 'pyarrow', 'zstandard'];

/** Installs them once. Undefined, with the reason told, if that is not possible. */
async function findPackages(python: string, tell: (line: string) => void): Promise<string | undefined> {
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
      tell(`pip cannot install the client of Spark Connect: ${messageOf(error)}`);
      return undefined;
    }
  }
  return folder;
}

/** Runs a program in Python with the clients of Spark. Resolves to what it prints. */
export type RunPython = (program: string, args: readonly string[]) => Promise<string>;

/** `spark`: the folder of the installation. Undefined, with the reason told, if there is no such client. */
export async function findConnectClient(spark: string, tell: (line: string) => void): Promise<RunPython | undefined> {
  const python = findPython(process.env)?.file;
  if (python === undefined) tell('there is no python3 for the client of Spark Connect');
  const folder = python === undefined ? undefined : await findPackages(python, tell);
  if (python === undefined || folder === undefined) return undefined;
  const lib = join(spark, 'python', 'lib');
  const zips = readdirSync(lib).filter((name) => name.endsWith('.zip'));
  const path = [folder, ...zips.map((name) => join(lib, name))].join(':');
  return async (program, args) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: path };
    return (await execute(python, ['-c', program, ...args], { env })).stdout;
  };
}
