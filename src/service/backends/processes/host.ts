// What this computer has for engines.
import { accessSync, constants, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { wordList } from '../../../lib/word-list.ts';
import type { Host } from '../../engines/engine-entry.ts';
import type { Flavor } from '../../engines/flavors.ts';
import { type EngineSource, shortTitle, wordOf } from '../../engines/homes/engine-source.ts';
import { engineCache, type FoundHome, findHomes, type HomeSearch } from '../../engines/homes/find.ts';
import { findJava, type Java, javaHomeOf, releaseOfJava } from '../../engines/homes/java.ts';
import { findPython, type Python } from '../../engines/homes/python.ts';
import { engineSources, registry } from '../../engines/index.ts';
import type { AbsentVersions } from '../../engines/plugin.ts';
import { givenHomes, type ProcessSettings } from './flags.ts';

/** Why the Java of this computer cannot run it, with the remedy. Undefined if it can. */
function tooNew(source: EngineSource, java: Java): string | undefined {
  const { newestJava } = source;
  if (newestJava === undefined || releaseOfJava(java) <= newestJava) return undefined;
  return `${shortTitle(source)} ${wordList(source.lines, 'or')} runs on Java ${newestJava} at the newest, and ${java.file} is Java ${java.version}: name an older one with --java or in JAVA_HOME`;
}

/** Those that the Java can run. Rejects with the remedy if it cannot run one that is given, or any version of an engine that the service needs. */
async function findRunnable(
  sources: readonly EngineSource[],
  given: readonly string[],
  { java, search }: { readonly java: Java; readonly search: HomeSearch },
): Promise<readonly FoundHome[]> {
  const fitting = sources.filter((source) => tooNew(source, java) === undefined);
  const found = await findHomes(given.length > 0 ? sources : fitting, given, search);
  const needed = sources.filter(({ installed }) => found.length === 0 && installed === 'at start');
  const reason = [...found.map(({ source }) => source), ...needed].flatMap((source) => tooNew(source, java) ?? [])[0];
  if (reason !== undefined) throw new Error(`cannot run engines: ${reason}`);
  return found;
}

interface SearchedHost {
  readonly host: Host;
  /** One line. */
  readonly description: string;
  /** By plugin: the versions that could be installed, or run with another Java. */
  readonly absent: AbsentVersions;
}

/** Engines that the service needs are installed. Throws an Error with the remedy if one cannot be run. */
export async function findHost(
  settings: ProcessSettings,
  search: HomeSearch,
  flavors: readonly Flavor[],
): Promise<SearchedHost> {
  const metrics = settings['engine-metrics'];
  const java = findJava({ given: settings.java, environment: search.environment });
  const found: FoundHome[] = [];
  for (const [name, sources] of Map.groupBy(engineSources, (source) => source.name)) {
    const given = givenHomes(settings, name);
    found.push(...(await findRunnable(sources, given, { java, search })));
  }
  const python = findPython(search.environment);
  const homes = new Map(
    [...Map.groupBy(found, ({ source }) => source.name)].map(([name, of]) => [name, of.map(({ home }) => home)]),
  );
  const programs = { java: java.file, javaHome: javaHomeOf(realpathSync(java.file)), python };
  const historyKeys = keysFile(settings);
  const host: Host = { homes, ...programs, cache: engineCache(search.environment), flavors, metrics, historyKeys };
  return { host, description: describe(found, java, python), absent: absentIn(found, java) };
}

/** Throws an Error with the remedy if it cannot be read. */
function keysFile({ 'history-credentials': file }: ProcessSettings): string | undefined {
  if (file === undefined) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return resolve(file);
  } catch (cause) {
    throw new Error(`cannot read the file of --history-credentials: ${messageOf(cause)}: name another one`, { cause });
  }
}

function describe(found: readonly FoundHome[], java: Java, python: Python | undefined): string {
  const engines = found.map(({ source, home }) => {
    const lacking = source.lacks(home.folder);
    const without = lacking.length === 0 ? '' : ` without ${lacking.join(' and ')}`;
    return `${shortTitle(source)} ${home.version}${without} in ${home.folder} (${home.from})`;
  });
  const others = [`Java ${java.version}`, ...(python === undefined ? [] : [`Python ${python.version}`])];
  return [...engines, ...others].join(', ');
}

/** What there could be of the plugins. The first source of an entry is that of the engine itself. */
function absentIn(found: readonly FoundHome[], java: Java): AbsentVersions {
  const entries = registry.map(({ plugin, sources }) => {
    const own = sources.filter(({ name }) => name === sources[0]?.name);
    const missing = own.filter((source) => !found.some((each) => each.source === source));
    const remedies = missing.map((source) => [source.version, remedyOf(source, java)] as const);
    return [plugin, Object.fromEntries(remedies)] as const;
  });
  return Object.fromEntries(entries);
}

const remedyOf = (source: EngineSource, java: Java): string =>
  tooNew(source, java) ?? `install it with npm run engines -- ${wordOf(source)}, and restart the service`;
