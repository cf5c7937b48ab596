// Finds out which Spark and which Java there are.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import type { SparkHome } from './launch.ts';

const wantedSpark = '4.1';
const leastJava = 17;

/** The version of Spark in the folder, for example 4.1.2. Throws an Error with the remedy if Spark cannot be run. */
export function readSparkVersion({ folder, java }: SparkHome): string {
  const release = join(folder, 'RELEASE');
  if (!existsSync(release) || !existsSync(join(folder, 'jars')))
    throw new Error(
      `cannot run Spark: ${folder} has no file RELEASE and folder jars: name the folder of a Spark ${wantedSpark}`,
    );
  const [version] = /\d+\.\d+\.\d+/.exec(readFileSync(release, 'utf8')) ?? [];
  if (version === undefined || !version.startsWith(`${wantedSpark}.`))
    throw new Error(`cannot run Spark: ${release} names version ${version ?? 'none'}: Spark ${wantedSpark} is needed`);
  checkJava(java);
  return version;
}

function checkJava(java: string): void {
  const remedy = `install Java ${leastJava} or newer, or name it with --java`;
  let told: string;
  try {
    // It writes to the standard error.
    told = execFileSync('/bin/sh', ['-c', '"$0" -version 2>&1', java], { encoding: 'utf8' });
  } catch (cause) {
    throw new Error(`cannot run Spark: ${java} cannot be started: ${remedy}`, { cause: messageOf(cause) });
  }
  const [, version = '0'] = /version "(\d+)/.exec(told) ?? [];
  if (Number(version) < leastJava) throw new Error(`cannot run Spark: ${java} is Java ${version}: ${remedy}`);
}
