// When `run` stops following a JobExecution, and with which exit code.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHelp } from '../../src/cli/arguments/help.ts';
import { UsageError } from '../../src/cli/arguments/usage-error.ts';
import { runFiles } from '../../src/cli/run/run-command.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { reasonOf } from '../../src/lib/errors.ts';
import { failed, running, type SceneOptions, scene, stalled, succeeded } from './scene.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'run-'))));
afterAll(() => rm(folder, { recursive: true }));

const etl = 'apiVersion: dataprocessing.dev/v1alpha1\nkind: JobExecution\nmetadata:\n  name: etl\n';

interface RunOptions extends SceneOptions {
  readonly text?: string | Buffer;
  readonly hideInfo?: boolean;
}

async function run({ text = etl, hideInfo = false, ...options }: RunOptions) {
  const file = join(folder, 'run.yaml');
  await writeFile(file, text);
  const { access, printer, ...seen } = scene(options);
  const ended = runFiles(access, { files: [file], hideInfo }, printer).catch((error: Error) => error);
  return { ended: await ended, ...seen, printed: seen.printed() };
}

describe('run', () => {
  test.each(['ProgressDeadlineExceeded', 'Unauthorized', 'ExternalRejected', 'UpstreamError', 'CredentialsMissing'])(
    'goes on while the operator retries after %s, and says so once',
    async (reason) => {
      const statuses = [stalled(reason, 'try 1'), stalled(reason, 'try 2'), succeeded];
      const { ended, told } = await run({ statuses });
      expect(ended).toBe(0);
      expect(told).toEqual([
        'JobExecution etl was applied',
        `etl is Pending: ${reason}: try 1`,
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
  ])('is no success at %s, which only the user can end, and says what may still happen', async (reason, fate) => {
    const { ended, told } = await run({ statuses: [stalled(reason)] });
    expect(ended).toBe(1);
    expect(told.at(-1)).toBe(`etl needs a change by you: ${reason}: why. ${fate}`);
  });

  test('tells each state once, and how the run ended once', async () => {
    const started = { ...running, id: 'one' };
    const { ended, told, printed } = await run({
      statuses: [started, started, { ...failed, id: 'one' }],
      outputs: { one: 'lines\n' },
    });
    expect([ended, printed]).toEqual([1, 'lines\n']);
    expect(told).toEqual(['JobExecution etl was applied', 'etl is Running: it runs', 'etl ended as Failed: why']);
  });

  test.each([
    [succeeded, 0, 'etl ended as Succeeded: why'],
    [failed, 1, 'etl ended as Failed: why'],
  ])('says that nothing runs if the JobExecution has ended before', async (status, code, outcome) => {
    // An edit of what can be edited, such as its labels, starts nothing either.
    const onPatch = () => ({ metadata: { generation: 2 }, status: { observedGeneration: 1, ...status } });
    const { ended, told } = await run({ statuses: [status], onPatch });
    expect(ended).toBe(code);
    expect(told).toEqual([
      'JobExecution etl was applied',
      'etl had ended before, so nothing runs now, and this is how it ended. To run the job again, give the JobExecution another name',
      outcome,
    ]);
  });

  test('leaves out what log4j writes below WARN, if asked', async () => {
    const ended = { ...succeeded, id: 'one' };
    const outputs = { one: '26/11/28 13:37:46 INFO SparkContext: Running\n42\n' };
    expect((await run({ statuses: [ended, ended], outputs })).printed).toBe(outputs.one);
    expect((await run({ statuses: [ended, ended], outputs, hideInfo: true })).printed).toBe('42\n');
  });

  test('says that the run goes on if it cannot be followed', async () => {
    const { ended, told } = await run({ statuses: [new ApiError('unreachable', 'no answer')] });
    expect(ended).toMatchObject({ message: 'no answer' });
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
    const { ended, told } = await run({ statuses: [], onPatch: refuse });
    expect(ended).not.toBeInstanceOf(UsageError);
    expect([ended, told]).toMatchObject([{ message: 'no such field' }, []]);
    expect(runHelp).toContain('with 2 if the command line or a file is\nwrong');
  });

  test('reads YAML as kubectl does: merge keys, octal numbers and words for booleans, and lists of objects', async () => {
    const text = `base: &base {mode: 0600, on: yes}\n${etl}spec:\n  <<: *base\n`;
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`;
    const bodies: unknown[] = [];
    const onPatch = (object: unknown) => ({ sent: bodies.push(object) });
    for (const each of [text, list]) await run({ statuses: [succeeded], text: each, onPatch });
    expect(bodies).toMatchObject(Array(2).fill({ kind: 'JobExecution', spec: { mode: 384, true: true } }));
  });

  test.each(['utf16le', 'utf16be', 'utf8'])('reads a file of Windows in %s', async (encoding) => {
    const bytes = Buffer.from(`\ufeff${etl}`, encoding === 'utf8' ? 'utf8' : 'utf16le');
    const text = encoding === 'utf16be' ? bytes.swap16() : bytes;
    expect((await run({ statuses: [succeeded], text })).ended).toBe(0);
  });

  test.each([
    ['metadata: null', etl.replace(/metadata:[^]*/, 'metadata: null\n'), 'give metadata.name to the JobExecution'],
    ['two executions', `${etl}---\n${etl}`, 'give exactly one JobExecution: the files have 2'],
    [
      'a name that is made up',
      etl.replace('name: etl', 'generateName: etl-'),
      'generateName is not supported: give metadata.name to the JobExecution',
    ],
    ['no YAML', 'a: [', 'run.yaml is not valid: Flow sequence'],
    ['an alias without an anchor', `${etl}spec: *none\n`, 'run.yaml is not valid'],
    ['a namespace that is no text', `${etl}  namespace: 7\n`, 'metadata.namespace of the JobExecution must be text'],
  ])('refuses %s as a wrong file', async (_what, text, why) => {
    const { ended, calls } = await run({ statuses: [], text });
    expect(ended).toBeInstanceOf(UsageError);
    expect([reasonOf(ended), calls]).toEqual([expect.stringContaining(why), []]);
  });
});
