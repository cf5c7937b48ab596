// Everything outside of the engines goes through their registry, so no engine is named there.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, nodesOf, type Source } from './source.ts';

const folder = join(import.meta.dirname, '..', '..', 'src', 'service', 'engines');
const engines = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'entry.ts')));
const named = new RegExp(`${engines.join('|')}|mapreduce|(?<![a-z])(pig|hive)(?![a-z])`, 'i');
const inCamelCase = /[a-z](Pig|Hive)(?![a-z])/;
/** A field of early releases of the interface, whatever the engine. */
const ofInterface = /hadoop_version/g;
/** The nodes with the words of code: comments have none. */
const words: readonly string[] = ['Identifier', 'PrivateIdentifier', 'Literal', 'TemplateElement'];

export function engineNames(source: Source): readonly string[] {
  const { path, text, tree } = source;
  if (!path.startsWith('src/service/') || path.startsWith('src/service/engines/')) return [];
  const found = nodesOf(tree)
    .filter(({ type }) => words.includes(type))
    .map(({ start, end }) => [lineOf(source, start), text.slice(start, end).replaceAll(ofInterface, '')] as const)
    .filter(([, word]) => named.test(word) || inCamelCase.test(word));
  return [...new Set(found.map(([line, word]) => `${path}:${line} names an engine: ${word}`))];
}
