// Helm in the pinned version, with nothing of the user's settings, and what it makes of the chart.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { findHelm } from '../../../dev/release/helm.ts';
import { reasonOf } from '../../../src/lib/errors.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
export const chart = join(repository, 'deploy', 'helm', 'dataprocessing-operator');

export interface HelmAnswer {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Path of Helm. Undefined where it cannot be had: then skip. CI must not. */
export const helm: string | undefined = await findHelm({ onProgress: tell }).catch((error: unknown) => {
  if ((process.env['CI'] ?? '') !== '') throw error;
  tell(`\nSKIPPING every test that needs Helm.\n${reasonOf(error)}\n`);
  return undefined;
});

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs it to its end, whatever its exit code. */
export async function runHelm(...args: readonly string[]): Promise<HelmAnswer> {
  if (helm === undefined) throw new Error('cannot run Helm: there is none, so the test should have been skipped');
  // A folder that does not exist holds no settings, plugins or repositories.
  const homes = ['CACHE', 'CONFIG', 'DATA'].map((each) => [`HELM_${each}_HOME`, '/nonexistent']);
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...Object.fromEntries(homes) };
  try {
    const { stdout, stderr } = await promisify(execFile)(helm, [...args], { env, maxBuffer: 64 * 1024 ** 2 });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== 'number') throw error;
    return { code, output: stdout, errors: stderr };
  }
}

/** The arguments that set values: JSON by dotted path. */
export const settings = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);

/** The chart requires that its user decides which namespaces are watched. */
export const withScope = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  'watchNamespaces' in values ? values : { watchAllNamespaces: true, ...values };

/** Renders the chart, for all namespaces unless the values name some. */
export async function render(
  values: Readonly<Record<string, unknown>> = {},
  ...flags: readonly string[]
): Promise<readonly Manifest[]> {
  const namespace = flags.includes('--namespace') ? [] : ['--namespace', 'dataprocessing-system'];
  const answer = await runHelm('template', 'operator', chart, ...namespace, ...flags, ...settings(withScope(values)));
  if (answer.code !== 0) throw new Error(`cannot render the chart: ${answer.errors}`);
  return parseAllDocuments(answer.output).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}
