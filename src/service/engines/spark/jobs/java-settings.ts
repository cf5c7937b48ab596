// The options of Java that drivers and executors get, from the settings of a job and those of its cluster.
import { messageOf } from '../../../../lib/errors.ts';
import type { JobType } from '../../../../wire/jobs.ts';
import type { EngineNode, EngineRun } from '../../engine.ts';
import type { EngineGroup } from '../../engine-options.ts';
import type { SparkHome } from '../launch.ts';
import { settingsOf } from '../options.ts';
import { argumentFile, fileIn, javaSettings, joined, readJavaOptions, withFiles } from './java-options.ts';

export interface JavaOptions {
  /** The text of a file of arguments for the driver. Empty if it has none. */
  readonly driver: string;
  /** Whether they choose how the memory of the driver is freed. */
  readonly choosesCollector: boolean;
  /** The settings of Spark with those of executors. */
  readonly settings: Readonly<Record<string, string>>;
  /** The files of the job that they name. They are no jars. */
  readonly files: readonly string[];
}

/** Throws an Error with the field and the remedy if programs cannot have the options that the group sets. */
export function checkJavaOptions(group: EngineGroup): void {
  const settings = settingsOf(group);
  for (const name of Object.values(javaSettings).flat()) readJavaOptions(name, settings[name] ?? '');
}

/** Throws an Error with the field and the remedy if the programs of the job cannot have such options. */
export function javaOf({ isImage }: SparkHome, run: EngineRun, type: JobType, master: EngineNode): JavaOptions {
  try {
    const optionsIn = (name: string) =>
      readJavaOptions(name, String(run.configs[name] ?? settingsOf(master)[name] ?? ''));
    const read = (names: readonly string[]) => names.map((name) => [name, optionsIn(name)] as const);
    const [driver, executor] = [read(javaSettings.driver), read(javaSettings.executor)];
    const filesIn = (named: typeof driver) =>
      named.flatMap(([, words]) => words.flatMap((word) => fileIn(word, run.libs) ?? []));
    // Executors in other pods get the files of a job only after they have started.
    const [unreachable] = isImage === true ? filesIn(executor) : [];
    if (unreachable !== undefined)
      throw new Error(
        `${javaSettings.executor.join(' or ')} names ${unreachable.split('/').at(-1)}, which executors in pods do not have when they start: use an image that has it, and name its path`,
      );
    const placed = (named: typeof driver) =>
      named.map(([name, words]) => [name, withFiles(name, words, run.libs)] as const);
    const words = placed(driver).flatMap(([, of]) => of);
    const settings = placed(executor).filter(([, of]) => of.length > 0);
    return {
      driver: argumentFile(words),
      choosesCollector: words.some((word) => /^-XX:\+Use\w+GC$/.test(word)),
      settings: Object.fromEntries(settings.map(([name, of]) => [name, joined(of)])),
      files: [...filesIn(driver), ...filesIn(executor)].filter((file) => !file.endsWith('.jar')),
    };
  } catch (cause) {
    throw new Error(`cannot run ${type} job: ${messageOf(cause)}`, { cause });
  }
}
