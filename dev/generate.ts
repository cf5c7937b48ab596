// Writes CRDs, permissions, settings, the reference and the tables of the service's README; with --check it only reports the differences.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { engineImages } from '../src/service/engines/index.ts';
import { help as serviceHelp } from '../src/service/program/flags/flags.ts';
import { chartFiles, chartFolder, valuesSchema } from './generate/chart.ts';
import { differences, type Files, write } from './generate/files.ts';
import { fillIn } from './generate/fill-in.ts';
import { argoFile, healthScript, permissionsAndCrds } from './generate/manifests.ts';
import { referencePages } from './generate/reference.ts';
import { tables } from './generate/service-tables.ts';
import { valuesTable } from './generate/values-table.ts';
import { pageFile } from './generate/web-page.ts';

const root = join(import.meta.dirname, '..');
const serviceReadme = 'src/service/README.md';
const chartReadme = `${chartFolder}/README.md`;
const valuesSchemaFile = `${chartFolder}/values.schema.json`;
const alertsFile = 'deploy/monitoring/prometheus-rule.yaml';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const serviceParts = () => ({ ...tables(), flags: `\`\`\`text\n${serviceHelp}\`\`\`` });

/** The generated files. Those of the chart are made from others of them. */
export async function generate(): Promise<Files> {
  const manifests = new Map(permissionsAndCrds());
  const read = (path: string): string => manifests.get(path) ?? textOf(path);
  const crds = [...manifests.keys()].filter((path) => /^crds\/.*\.yaml$/.test(path));
  return new Map([
    ...manifests,
    ...chartFiles(read, crds),
    [chartReadme, fillIn(textOf(chartReadme), { values: valuesTable(textOf(`${chartFolder}/values.yaml`)) })],
    [valuesSchemaFile, valuesSchema(textOf(valuesSchemaFile), engineImages)],
    [serviceReadme, fillIn(textOf(serviceReadme), serviceParts())],
    argoFile(textOf(healthScript)),
    await pageFile(root),
    ...referencePages(textOf(alertsFile)),
  ]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const files = await generate();
  if (!values.check) await write(root, files);
  const different = await differences(root, files);
  for (const line of different) console.error(line);
  if (different.length > 0 && values.check) console.error('run: npm run generate');
  process.exitCode = different.length > 0 ? 1 : 0;
}

if (import.meta.main) await main();
