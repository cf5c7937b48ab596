// Finds or installs what real clusters need, and tells why they are simulated otherwise.
import { reasonOf } from '../../src/lib/errors.ts';
import { createBarProgress, createLineProgress } from '../../src/lib/fetch/progress.ts';
import { awakeClock } from '../../src/lib/system.ts';
import { checkPlatform } from '../../src/service/backends/processes/open-processes.ts';
import { findHome } from '../../src/service/engines/homes/find.ts';
import { findJava } from '../../src/service/engines/homes/java.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { checkCompiler } from './jar.ts';

/** What the clusters of the demo run. */
export interface RealEngine {
  readonly spark: string;
  readonly version: string;
  readonly java: string;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Undefined, after a line with the reason, if this computer cannot run real clusters. */
export async function prepareEngine(output: Output): Promise<RealEngine | undefined> {
  const print = (line: string): void => void output.write(`${line}\n`);
  const progress =
    output.isTTY === true
      ? createBarProgress(output, awakeClock)
      : createLineProgress((line) => print(`  ${line}`), awakeClock);
  try {
    checkPlatform(process.platform);
    const java = findJava({ environment: process.env });
    await checkCompiler();
    print(`Looking for ${sparkSource.title}, which the clusters of the demo run.`);
    const { folder, version, from } = await findHome(sparkSource, {
      environment: process.env,
      progress,
      clock: awakeClock,
    });
    print(`  ${sparkSource.title} ${version} is in ${folder} (${from}), and runs on Java ${java.version}.`);
    return { spark: folder, version, java: java.file };
  } catch (error) {
    print(`The clusters of this demo are simulated. To run real ones: ${reasonOf(error)}`);
    return undefined;
  }
}
