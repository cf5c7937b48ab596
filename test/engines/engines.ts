// Which engines there are on this machine for the tests. Without one its tests are skipped, and the reason is told.
import { messageOf } from '../../src/lib/errors.ts';
import { type EngineSource, titleOf, wordOf } from '../../src/service/engines/homes/engine-source.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { findJava } from '../../src/service/engines/homes/java.ts';

export interface FoundEngine {
  readonly folder: string;
  readonly version: string;
  readonly java: string;
}

export function findEngine(source: EngineSource): FoundEngine | undefined {
  const skip = (why: string) => console.warn(`The tests of ${titleOf(source)} are skipped: ${why}`);
  try {
    const java = findJava({ given: undefined, environment: process.env });
    const home = lookNear(source, process.env);
    if (home === undefined) skip(`it is not on this computer. npm run engines -- ${wordOf(source)} installs it`);
    return home && { ...home, java: java.file };
  } catch (error) {
    skip(messageOf(error));
    return undefined;
  }
}
