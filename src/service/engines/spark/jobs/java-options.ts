// The options of Java that users give to drivers and executors. PURE.
import { basename, isAbsolute } from 'node:path';

/** The settings for a kind of program. The first one is for administrators: a job that sets the second one keeps it. */
export const javaSettings = {
  driver: ['spark.driver.defaultJavaOptions', 'spark.driver.extraJavaOptions'],
  executor: ['spark.executor.defaultJavaOptions', 'spark.executor.extraJavaOptions'],
} as const;

/** Splits a text as shells and Spark do. Undefined if a quotation mark is missing, or if there is a control character. */
export function wordsOf(text: string): readonly string[] | undefined {
  if (/[^\P{Cc}\t]/u.test(text)) return undefined;
  const words: string[] = [];
  const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+)|(\s+)|(.)/gu;
  let word: string | undefined;
  for (const [, double, single, plain, blank, open] of text.matchAll(part)) {
    if (open !== undefined) return undefined;
    if (blank === undefined) word = (word ?? '') + (double?.replaceAll(/\\(.)/gu, '$1') ?? single ?? plain ?? '');
    else if (word !== undefined) words.push(word);
    if (blank !== undefined) word = undefined;
  }
  return word === undefined ? words : [...words, word];
}

/** In quotation marks, which also files of arguments of Java have. */
const quoted = (word: string): string => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;

export const joined = (words: readonly string[]): string =>
  words.map((word) => (/^[\w.,:;/=+@%{}-]+$/.test(word) ? word : quoted(word))).join(' ');

/** The text of a file of arguments of Java, which nobody else can read, unlike a command line. */
export const argumentFile = (words: readonly string[]): string => words.map((word) => `${quoted(word)}\n`).join('');

const heap = 'spark.driver.memory and spark.executor.memory set the heap: leave it out';
const classes = 'the service sets what Java loads: leave it out, and name jars in libs';
const command = 'it runs another program: leave it out';

/** Options whose value can be the next word. Without one, they would take the next option of the service for it. */
const separate = /^--(add-opens|add-exports|add-reads|add-modules|limit-modules|enable-native-access)$/;

/** Each option with its value in one word. */
function withValues(words: readonly string[]): readonly string[] {
  const joint: string[] = [];
  for (const word of words) {
    const last = joint.at(-1) ?? '';
    if (separate.test(last) && !word.startsWith('-')) joint[joint.length - 1] = `${last}=${word}`;
    else joint.push(word);
  }
  return joint;
}

/** What the service or Spark sets, and what leaves the folder in which the program runs. */
const refused: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^-Xmx|^-XX:(Max|Min|Initial)?(HeapSize|RAM\w*)=/, heap],
  [/^-Dspark/, 'Spark takes no settings there: set it in configs'],
  [/^-Djava\.(io\.tmpdir|class\.path)(=|$)/, 'the service sets it: leave it out'],
  [/^(-cp|-classpath|-jar|-p|-m)$|^--(class-path|module|module-path|upgrade-module-path|patch-module)\b/, classes],
  [/^-(javaagent|agentlib|agentpath|Xbootclasspath|Xdebug|Xrun)/, classes],
  [/^@|^-XX:(Flags|VMOptionsFile)=/, 'it reads more options: name them one by one'],
  [/^-XX:(OnError|OnOutOfMemoryError)=/, command],
  [separate, 'it lacks its value: write both with =, such as --add-opens=java.base/java.lang=ALL-UNNAMED'],
  [/^[^-]/, 'it is no option of Java: begin it with -'],
];

/** Options of Java itself that name files which it writes. */
const writes = /^-(Xlog|Xloggc|XX:(HeapDumpPath|ErrorFile|LogFile|StartFlightRecording|FlightRecorderOptions))\b/;
const outside = /(?:^|[=:,"'])(?:\/|~|[^=:,]*\.\.(?:\/|$))/;

function problemOf(word: string): string | undefined {
  const why = refused.find(([pattern]) => pattern.test(word))?.[1];
  if (why !== undefined) return why;
  const isOutside = writes.test(word) && outside.test(word);
  return isOutside ? 'it writes outside of the folder of the program: name a file without a folder' : undefined;
}

/** The options in the text. Throws an Error with the remedy, which begins with `name`, if a program cannot have them. */
export function readJavaOptions(name: string, text: string): readonly string[] {
  const words = wordsOf(text);
  if (words === undefined) throw new Error(`${name} lacks a quotation mark, or has a control character: correct it`);
  const options = withValues(words);
  for (const word of options) {
    const why = problemOf(word);
    // The value can be a secret.
    if (why !== undefined) throw new Error(`${name} has ${word.split('=')[0]}, and ${why}`);
  }
  return options;
}

/** The property that names the configuration of log4j2. */
const logging = /^-Dlog4j2?\.configurationFile=/i;

/** The file of the job that the option names by its name. */
export function fileIn(word: string, files: readonly string[]): string | undefined {
  const [, value = ''] = /^-D[\w.-]+=(?:file:)?([^/]+)$/.exec(word) ?? [];
  return files.find((file) => basename(file) === value);
}

/** The options, in which names of files of the job are replaced by their paths. Throws if a configuration of log4j2 is not among them. */
export function withFiles(name: string, words: readonly string[], files: readonly string[]): readonly string[] {
  return words.map((word) => {
    const file = fileIn(word, files);
    if (file !== undefined) return word.slice(0, word.indexOf('=') + 1) + file;
    const value = word.slice(word.indexOf('=') + 1);
    if (logging.test(word) && !isAbsolute(value) && !/^[a-z]+:/i.test(value))
      throw new Error(`${name} names the file ${value}, which the job does not have: add it to libs`);
    return word;
  });
}
