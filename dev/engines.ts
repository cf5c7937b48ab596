// Installs the engines of real clusters ahead of time, and shows which ones there are.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../src/lib/errors.ts';
import { createBarProgress, createLineProgress, megabytes } from '../src/lib/fetch/progress.ts';
import { type FlagValues, flagsHelp, helpFlag, oneOf, readFlags } from '../src/lib/flags.ts';
import { awakeClock } from '../src/lib/system.ts';
import { wordList } from '../src/lib/word-list.ts';
import { type EngineSource, shortTitle, titleOf, wordOf } from '../src/service/engines/homes/engine-source.ts';
import { type EngineHome, engineCache, findHome, type HomeSearch } from '../src/service/engines/homes/find.ts';
import { installMethods } from '../src/service/engines/homes/install.ts';
import { findJava } from '../src/service/engines/homes/java.ts';
import { engineSources as sources } from '../src/service/engines/index.ts';
import { findS3a, hadoopVersions, installS3a } from './engines/s3a-part.ts';

const firsts = sources.filter((source) => sources.find(({ name }) => name === source.name) === source);
const usual = firsts.filter(({ installed }) => installed !== 'by name');
/** Versions beside the default one. */
const others = sources.filter((source) => !firsts.includes(source));
const listed = (words: readonly string[]): string => wordList(words, 'and');
const namesOf = (some: readonly EngineSource[]): readonly string[] => some.map(({ name }) => name);
const titled = (some: readonly EngineSource[]): string => listed(some.map(shortTitle));

const table = {
  from: {
    schema: oneOf(installMethods),
    value: '<way>',
    help: 'install only from archive, pip or maven. archive and pip also replace a Spark in the cache that lacks something. Stop the clusters that use it before',
  },
  find: { help: 'install nothing' },
  ...helpFlag,
} as const;

const HELP = `Usage: npm run engines [-- OPTIONS] [ENGINE...]

Finds the engines that the bundled service runs with --provisioner processes: ${namesOf(firsts).join(', ')}. The default is ${listed(namesOf(usual))}.
${listed(others.map(wordOf))} install other versions beside the default one.
The folders in ${listed(firsts.map(({ variable }) => variable))} come first, then the cache,
~/.cache/dataprocessing-operator/engines. If neither has an engine, it is installed into the cache: from the official archive, or if that
cannot be reached with pip (${titled(firsts.filter(({ pip }) => pip !== undefined))} only), or else with Maven (the only way for ${titled(firsts.filter(({ archive, pip }) => archive === undefined && pip === undefined))}). Spark from Maven lacks Python, and the
libraries of Hive.

s3a is a part that jobs on S3 need. It is installed with Maven for the engines that are found, if it is named.

Options:
${flagsHelp(table)}`;

const s3a = 's3a';

/** How engines that are not found are installed. */
type Ways = Pick<HomeSearch, 'methods' | 'completes'>;

interface Options {
  readonly wanted: readonly EngineSource[];
  readonly ways: Ways;
  readonly help: boolean;
  readonly wantsS3a: boolean;
}

function readOptions(args: readonly string[]): Options {
  const { values, words, problems } = readFlags(table, args, { takesWords: true });
  if (values === undefined) throw new Error(`cannot read options: ${problems.join('; ')}`);
  const known = [...namesOf(firsts), s3a, ...others.map(wordOf)];
  const unknown = words.find((word) => word !== s3a && sourceOf(word) === undefined);
  if (unknown !== undefined) throw new Error(`there is no engine ${unknown}; there are ${known.join(', ')}`);
  const wanted =
    words.length === 0 ? usual : sources.filter((source) => words.some((word) => sourceOf(word) === source));
  return { wanted, ways: waysOf(values), help: values.help, wantsS3a: words.includes(s3a) };
}

/** By its name, which means the default version, or by name and version, such as `spark@3.5` or `spark@3.5.9`. */
function sourceOf(word: string): EngineSource | undefined {
  const [name, version] = word.split('@');
  const named = sources.filter((source) => source.name === name);
  return version === undefined
    ? named[0]
    : named.find((source) => source.version === version || source.lines.includes(version));
}

const waysOf = ({ from, find }: FlagValues<typeof table>): Ways =>
  find ? { methods: [] } : from === undefined ? {} : { methods: [from], completes: from !== 'maven' };

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Resolves with the exit code. One engine that cannot be had does not keep the others from being installed. */
async function main({ wanted, ways, wantsS3a }: Options): Promise<number> {
  const progress = process.stdout.isTTY
    ? createBarProgress(process.stdout, awakeClock)
    : createLineProgress(print, awakeClock);
  let code = 0;
  const attempt = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      print(reasonOf(error));
      code = 1;
    }
  };
  await attempt(() => {
    const { version, file } = findJava({ environment: process.env });
    print(`Java ${version}: ${file}`);
  });
  for (const source of wanted) {
    await attempt(async () => {
      const home = await findHome(source, { environment: process.env, progress, clock: awakeClock, ...ways });
      const size = `${megabytes(sizeOf(home.folder))} MB`;
      print(`${titleOf({ ...source, version: home.version })}: ${home.folder} (${home.from}, ${size})`);
      const lacking = source.lacks(home.folder);
      if (lacking.length > 0) print(`  It lacks ${lacking.join(' and ')}. ${remedyFor(source, home)}`);
    });
  }
  if (wantsS3a)
    await attempt(async () => {
      const cache = engineCache(process.env);
      for (const version of hadoopVersions(sources, process.env)) {
        const mayInstall = (ways.methods ?? installMethods).includes('maven');
        const folder = mayInstall
          ? await installS3a(version, { cache, environment: process.env, progress, clock: awakeClock })
          : findS3a(version, cache);
        print(`S3 for Hadoop ${version}: ${folder} (${megabytes(sizeOf(folder))} MB)`);
      }
    });
  return code;
}

/** How to get what the installation lacks. A folder of the user is left alone. */
const remedyFor = (source: EngineSource, { from }: EngineHome): string =>
  from === source.variable
    ? `Let ${source.variable} name a complete installation, or unset it.`
    : `To replace it, run: npm run engines -- --from pip ${wordOf(source)}`;

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exitCode = await main(options);
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
