// `npm run contract` as a process of its own against the bundled service as another one.
import { expect } from 'vitest';
import type { Dialect } from '../../src/wire/dialect.ts';
import { startService } from '../service/support/process.ts';
import { runProgram } from '../support/command.ts';
import { type Bug, images, startOther } from './foreign/other-service.ts';

export const token = 'token-of-the-contract';

export interface Result {
  readonly code: number | null;
  /** Lines that begin with the word. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Why tests are not applicable, and how many for each reason. */
  readonly inapplicable: Readonly<Record<string, number>>;
  /** Paths of rows that were deleted in the end. */
  readonly left: readonly string[];
  readonly last: string;
  /** Lines that say which rule a failure breaks. */
  readonly broken: readonly string[];
  readonly output: string;
  readonly errors: string;
}

const count = (reasons: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(reasons)].map((reason) => [reason, reasons.filter((each) => each === reason).length]));

const isPath = (line: string): boolean => /^ {4}\//.test(line);

function resultOf(code: number | null, output: string, errors: string): Result {
  const lines = output.trimEnd().split('\n');
  const beginning = (word: string) => lines.filter((line) => line.startsWith(word));
  const reasons = beginning('    reason: ').map((line) => line.slice('    reason: '.length));
  return {
    code,
    passed: beginning('passed'),
    failed: beginning('FAILED'),
    inapplicable: count(reasons),
    left: lines.slice(lines.findIndex((line) => line.startsWith('deleted or restored in the end')) + 1).filter(isPath),
    last: lines.at(-1) ?? '',
    broken: beginning('    breaks '),
    output,
    errors,
  };
}

export const startContract = (...flags: readonly string[]) => runProgram('test/contract/main.ts', flags);

/** Runs the command to its end. */
export async function runContract(...flags: readonly string[]): Promise<Result> {
  const { code, output, errors } = await startContract(...flags).ended;
  return resultOf(code, output, errors);
}

/** The bundled service, asking for a token; resolves to its address. */
export async function startBundled(dialect: string): Promise<string> {
  const flags = ['--auth', 'token', '--token', token, '--stage-ms', '5', '--log-level', 'silent'];
  return (await startService('--dialect', dialect, ...flags)).url;
}

/** What the command is told about it. */
export const flagsFor = (endpoint: string, dialect: string): readonly string[] => {
  const tenants = ['--tenant', 'acme', '--other-tenant', 'other'];
  return ['--endpoint', endpoint, '--dialect', dialect, '--token', token, ...tenants];
};

export const cloud = ['--flavor', '77777', '--flavor', '88888', ...images.spare.flatMap((id) => ['--spare-image', id])];

/** Runs the command against a service that is not ours. */
export async function runOther(dialect: Dialect, bug: Bug | undefined, ...flags: readonly string[]) {
  const endpoint = await startOther(dialect, token, bug);
  return { endpoint, ...(await runContract(...flagsFor(endpoint, dialect), ...cloud, ...flags)) };
}

/** A row that somebody else made, with a name that the tests use, too. */
export async function makeStranger(endpoint: string, dialect: string): Promise<void> {
  const version = dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version';
  const plain = { name: 'workers', plugin_name: 'vanilla', [version]: '1.2.1', flavor_id: '2' };
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...plain, node_processes: ['datanode'] });
  const answer = await fetch(`${endpoint}/v1.1/acme/node-group-templates`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
}

/** Every row of the tenant, by collection. */
export async function leftBehind(endpoint: string): Promise<Readonly<Record<string, number>>> {
  const collections = ['node-group-templates', 'cluster-templates', 'clusters', 'data-sources', 'job-binaries'];
  const more = ['job-binary-internals', 'jobs', 'job-executions'];
  const lengths = [...collections, ...more].map(async (collection) => {
    const answer = await fetch(`${endpoint}/v1.1/acme/${collection}`, { headers: { 'x-auth-token': token } });
    const values = Object.values((await answer.json()) as Readonly<Record<string, unknown>>);
    const rows = values.find((value) => Array.isArray(value)) as readonly unknown[] | undefined;
    return [collection, rows?.length ?? 0] as const;
  });
  return Object.fromEntries((await Promise.all(lengths)).filter(([, length]) => length > 0));
}
