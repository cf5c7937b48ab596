// When `run` stops following a JobExecution, and with which exit code.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/cli/command-line.ts';
import { runHelp } from '../../src/cli/help.ts';
import { Objects } from '../../src/cli/objects.ts';
import { runFiles } from '../../src/cli/run.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { PodTransport } from '../../src/kube/http/transport.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'run-'))));
afterAll(() => rm(folder, { recursive: true }));

const condition = (type: string, reason: string, message = 'why') => ({ type, status: 'True', reason, message });
const stalled = (reason: string, message?: string) => ({
  state: 'Pending',
  conditions: [{ ...condition('Ready', reason, message), status: 'False' }, condition('Stalled', reason, message)],
});
const succeeded = {
  state: 'Succeeded',
  conditions: [condition('Ready', 'Succeeded'), condition('Complete', 'Succeeded')],
};

const soon = (_ms: number, go: () => void) => {
  setImmediate(go);
  return () => {};
};

interface Scene {
  /** Of the JobExecution, each time it is read; an error ends the following. */
  readonly statuses: readonly (object | Error)[];
  readonly text?: string;
  readonly onPatch?: () => void;
}

const etl = 'apiVersion: dataprocessing.dev/v1alpha1\nkind: JobExecution\nmetadata:\n  name: etl\n';

async function run({ statuses, text = etl, onPatch }: Scene) {
  const file = join(folder, 'run.yaml');
  await writeFile(file, text);
  const left = [...statuses];
  const calls: string[] = [];
  const request = async ({ method, path }: ApiCall) => {
    calls.push(`${method} ${path}`);
    if (method === 'PATCH') return onPatch?.();
    if (path.endsWith('/v1alpha1'))
      return { resources: [{ name: 'jobexecutions', kind: 'JobExecution', namespaced: true }] };
    const status = left.shift();
    if (status === undefined) throw new Error('it still waits');
    if (status instanceof Error) throw status;
    return { metadata: { name: 'etl', generation: 1 }, spec: {}, status: { observedGeneration: 1, ...status } };
  };
  const transport = { request } as unknown as PodTransport;
  const told: string[] = [];
  const clock = { wall: () => 0, monotonic: () => 0, after: soon };
  const printer = {
    clock,
    signal: new AbortController().signal,
    print: async () => {},
    tell: (line: string) => void told.push(line),
    isTerminal: false,
  };
  const access = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster: false };
  const ended = runFiles(access, [file], printer).catch((error: Error) => error);
  return { code: await ended, told, calls };
}

describe('run', () => {
  test.each(['ProgressDeadlineExceeded', 'Unauthorized', 'ExternalRejected', 'UpstreamError', 'CredentialsMissing'])(
    'goes on while the operator retries after %s, and says so once',
    async (reason) => {
      const statuses = [stalled(reason, 'try 1'), stalled(reason, 'try 2'), succeeded];
      const { code, told } = await run({ statuses });
      expect(code).toBe(0);
      expect(told).toEqual([
        'JobExecution etl was applied',
        `etl is Pending: ${reason}: try 1`,
        'etl is Succeeded: why',
        'etl ended as Succeeded: why',
      ]);
    },
  );

  const starts = 'The run starts once this is corrected: delete the JobExecution if it must not';
  test.each([
    ['InvalidSpec', starts],
    ['NameConflict', starts],
    ['DuplicateClaim', starts],
    ['OwnershipUnconfirmed', starts],
    ['ConnectionChanged', starts],
    ['OutcomeUnknown', 'The run may have taken place, or may still appear'],
  ])('ends with 1 at %s, which only the user can end, and says what may still happen', async (reason, fate) => {
    const { code, told } = await run({ statuses: [stalled(reason)] });
    expect(code).toBe(1);
    expect(told.at(-1)).toBe(`etl needs a change by you: ${reason}: why. ${fate}`);
  });

  test('ends with 1 if the run failed', async () => {
    const failed = { ...stalled('Failed'), state: 'Failed' };
    const { code, told } = await run({
      statuses: [{ ...failed, conditions: [...failed.conditions, condition('Failed', 'Failed')] }],
    });
    expect([code, told.at(-1)]).toEqual([1, 'etl ended as Failed: why']);
  });

  test('says that the run goes on if it cannot be followed', async () => {
    const { code, told } = await run({ statuses: [new ApiError('unreachable', 'no answer')] });
    expect(code).toMatchObject({ message: 'no answer' });
    expect(told.at(-1)).toMatch(
      /^etl is not followed any more, but its run goes on\. .*kubectl patch dpje etl -n team /,
    );
  });

  test('follows the JobExecution in the namespace that its file names', async () => {
    const { calls } = await run({ statuses: [succeeded], text: `${etl}  namespace: other\n` });
    expect(calls.slice(1).map((call) => call.replace(/.*namespaces/, ''))).toEqual(
      Array(2).fill('/other/jobexecutions/etl'),
    );
  });

  test('what the API server refuses is no mistake of the command line', async () => {
    const refuse = () => {
      throw new ApiError('invalid', 'no such field', { status: 400 });
    };
    const { code, told } = await run({ statuses: [], onPatch: refuse });
    expect(code).not.toBeInstanceOf(UsageError);
    expect([code, told]).toMatchObject([{ message: 'no such field' }, []]);
    expect(runHelp).toContain(
      '1 if it does not or could not be applied, and with 2 if the\ncommand line or a file is wrong',
    );
  });

  test.each([
    ['metadata: null', etl.replace(/metadata:[^]*/, 'metadata: null\n'), 'give metadata.name to the JobExecution'],
    ['an alias without an anchor', `${etl}spec: *none\n`, 'run.yaml is not valid'],
    ['a namespace that is no text', `${etl}  namespace: 7\n`, 'metadata.namespace of the JobExecution must be text'],
  ])('refuses %s as a wrong file', async (_what, text, why) => {
    const { code, calls } = await run({ statuses: [], text });
    expect(code).toBeInstanceOf(UsageError);
    expect([String(code), calls]).toEqual([expect.stringContaining(why), []]);
  });
});
