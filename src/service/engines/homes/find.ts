// Finds an engine on this computer, or installs it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../../../lib/errors.ts';
import { cacheRoot, type Variables } from '../../../lib/fetch/cache.ts';
import type { Progress } from '../../../lib/fetch/progress.ts';
import type { Clock } from '../../../lib/ports.ts';
import { wordList } from '../../../lib/word-list.ts';
import { type EngineSource, shortTitle, sourceIn, titleOf } from './engine-source.ts';
import {
  homeInCache,
  type InstallInput,
  type InstallMethod,
  install,
  installMethods,
  methodNames,
  whileInstalling,
} from './install.ts';

/** An installation of an engine. */
export interface EngineHome {
  readonly folder: string;
  readonly version: string;
  /** For messages, for example `SPARK_HOME`. */
  readonly from: string;
}

export interface FoundHome {
  readonly source: EngineSource;
  readonly home: EngineHome;
}

export interface HomeSearch {
  readonly environment: Variables;
  readonly progress: Progress;
  readonly clock: Clock;
  /** The ways to install the engine if it is not found, in this order. */
  readonly methods?: readonly InstallMethod[];
  /** Installs the engine, too, if the one in the cache is not complete. */
  readonly completes?: boolean;
}

const theCache = 'the cache';

/** The ways that there are for the engine. */
const methodsFor = (source: EngineSource): readonly InstallMethod[] =>
  installMethods.filter((method) => source[method] !== undefined);

/** Where packages of jobs are kept. */
export const packageCache = (environment: Variables): string => join(cacheRoot(environment), 'packages');

/** Of the Python packages of jobs. */
export const environmentCache = (environment: Variables): string => join(cacheRoot(environment), 'python');

export const engineCache = (environment: Variables): string => join(cacheRoot(environment), 'engines');

/**
 * Looks at the variable and the cache. If none has the engine, it is installed into the cache. Throws an Error with all that was tried, and the remedy.
 */
export async function findHome(source: EngineSource, search: HomeSearch): Promise<EngineHome> {
  const { environment, progress, clock, methods = methodsFor(source), completes = false } = search;
  const tried: string[] = [];
  const look = (): EngineHome | undefined => {
    tried.length = 0;
    const home = lookNear(source, environment, tried);
    const lacking = completes && home?.from === theCache ? source.lacks(home.folder) : [];
    if (home === undefined || lacking.length === 0) return home;
    tried.push(`${theCache} (${home.folder}): it lacks ${lacking.join(' and ')}`);
    return undefined;
  };
  const near = look();
  if (near !== undefined) return near;
  const input: InstallInput = { cache: engineCache(environment), environment, progress, clock };
  const far = await whileInstalling(input, async () => {
    // Another process may have installed it meanwhile.
    const found = look();
    return found ?? installBy(source, methods, { input, tried });
  });
  if (far !== undefined) return far;
  throw new Error(
    `cannot find ${titleOf(source)}: tried\n${tried.map((line) => `  - ${line}`).join('\n')}\n` +
      `Name the folder of an installation with --${source.name} or in ${source.variable}, or ${remedyOf(source)}.`,
  );
}

function remedyOf({ archive, pip }: EngineSource): string {
  const clients = pip === undefined ? 'install Maven' : 'install pip or Maven';
  return archive === undefined ? clients : `${clients}, or let this computer reach the official archive`;
}

/** A folder that the flag of these sources names. Throws an Error that names both if it cannot be used. */
export function useGiven(sources: readonly EngineSource[], given: string): FoundHome {
  const folder = resolve(given);
  const from = `--${sources[0]?.name}`;
  try {
    const [source, version] = sourceIn(sources, folder);
    return { source, home: { folder, version, from } };
  } catch (cause) {
    throw new Error(`cannot use ${from} ${folder}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * All installations that there are, one for each release line: those that the flag names, or else those of variable and cache. If there is none, the first source
 * is installed if the service needs it.
 */
export async function findHomes(
  sources: readonly EngineSource[],
  given: readonly string[],
  search: HomeSearch,
): Promise<readonly FoundHome[]> {
  const [first] = sources;
  const found = given.map((folder) => useGiven(sources, folder));
  for (const { source, home } of found) {
    const other = found.find((each) => each.source === source && each.home !== home);
    if (other !== undefined)
      throw new Error(
        `cannot use ${home.from} ${home.folder} and ${other.home.folder}: both are ${shortTitle(source)} ${wordList(source.lines, 'or')}: name one of them`,
      );
  }
  if (given.length > 0 || first === undefined) return found;
  const near = sources.flatMap((source) => {
    const home = lookNear(source, search.environment);
    return home === undefined ? [] : [{ source, home }];
  });
  if (near.length > 0 || first.installed !== 'at start') return near;
  return [{ source: first, home: await findHome(first, search) }];
}

/** Without installing anything. Adds to `tried` what has no engine. */
export function lookNear(source: EngineSource, environment: Variables, tried: string[] = []): EngineHome | undefined {
  const places = [
    { from: source.variable, folder: environment[source.variable] ?? '', missing: 'it is not set' },
    { from: theCache, folder: homeInCache(engineCache(environment), source), missing: 'it is not there' },
  ];
  for (const { from, folder, missing } of places) {
    const name = folder === '' ? from : `${from} (${folder})`;
    try {
      if (folder !== '' && existsSync(folder)) return { folder, version: sourceIn([source], folder)[1], from };
      tried.push(`${name}: ${folder === '' ? missing : 'it is not there'}`);
    } catch (error) {
      tried.push(`${name}: ${reasonOf(error)}`);
    }
  }
  return undefined;
}

interface InstallAttempt {
  readonly input: InstallInput;
  readonly tried: string[];
}

async function installBy(
  source: EngineSource,
  methods: readonly InstallMethod[],
  { input, tried }: InstallAttempt,
): Promise<EngineHome | undefined> {
  const { progress } = input;
  for (const method of methods) {
    const from = methodNames[method];
    try {
      const folder = await install(source, method, input);
      return { folder, version: source.readVersion(folder), from };
    } catch (error) {
      tried.push(`${from}: ${reasonOf(error)}`);
      progress.print(`${titleOf(source)}: not from ${from}: ${reasonOf(error)}`);
    }
  }
  return undefined;
}
