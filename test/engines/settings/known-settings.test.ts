// The recorded names of the settings of an engine are those in its classes. `-u` records them anew.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import { namesIn } from './constants.ts';

const spark = findEngine(sparkSource);

/** A line for each beginning, with what follows it. `-`: nothing. */
function linesOf(names: readonly string[], prefix: string): string {
  const parts = names.map((name) => name.slice(prefix.length).split('.'));
  const groups = Map.groupBy(parts, ([first = '']) => first);
  const line = ([first, of]: readonly [string, readonly (readonly string[])[]]) =>
    `${first}: ${of.map(([, ...rest]) => rest.join('.') || '-').join(' ')}\n`;
  return [...groups].map(line).join('');
}

const textOf = (constant: string, of: string, lines: string): string =>
  `// Names of settings in ${of}. test/engines/settings/known-settings.test.ts records them.\nexport const ${constant} = \`\n${lines}\`;\n`;

describe.skipIf(spark === undefined)('the recorded settings', () => {
  test('of Spark are those in its classes and its Python', { timeout: 300_000 }, async () => {
    const folder = spark?.folder ?? '';
    const jars = readdirSync(join(folder, 'jars')).filter((name) => /^spark-.*\.jar$/.test(name));
    const form = /^spark\.[a-z]\w*(\.\w[\w-]*)*$/;
    const names = new Set(
      namesIn(
        jars.map((name) => join(folder, 'jars', name)),
        form,
      ),
    );
    for (const file of globSync(join(folder, 'python/pyspark/**/*.py')))
      if (!file.includes('/tests/'))
        for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/["'](spark\.[a-z]\w*(\.\w[\w-]*)*)["']/g))
          names.add(name);
    // Those of other masters have no effect here, and those of tests are for nobody.
    const kept = [...names].filter((name) => !/^spark\.(kubernetes|yarn|testing|test|some)\b/.test(name));
    const text = textOf('sparkNames', `Spark ${spark?.version}`, linesOf(kept.toSorted(), 'spark.'));
    await expect(text).toMatchFileSnapshot('../../src/service/engines/spark/setting-names.ts');
  });
});
