// Who is asked, what is approved, and how long the plugin waits for it.
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ApproveWish } from '../../../src/cli/arguments/commands.ts';
import { UsageError } from '../../../src/cli/arguments/usage-error.ts';
import { customKind } from '../../../src/cli/kind-names.ts';
import { Objects } from '../../../src/cli/objects.ts';
import type { Observed } from '../../../src/cli/observed.ts';
import { asking } from '../../../src/cli/output/asking.ts';
import type { Printer } from '../../../src/cli/output/run-output.ts';
import { approvePlan } from '../../../src/cli/plan/approve-command.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../src/kube/http/transport.ts';
import { scaling, withPlan } from './objects.ts';

const kind = customKind('Cluster') ?? expect.fail();
const object = { kind, name: 'etl' };
const unsaid: ApproveWish = { object, format: 'text', yes: true, hash: undefined, wait: true, timeoutMs: 5_000 };
const approves = scaling.hash;
const waiting = withPlan({ plan: scaling });
const approved = withPlan({ plan: scaling, approves, carriedOut: 0 });
const done = withPlan({ approves, carriedOut: 1 });
const conflict = new ApiError('conflict', 'the object has been modified', { status: 409 });

interface Trial {
  /** Each time that it is read; the last one again. */
  readonly reads: readonly (Observed | Error)[];
  /** The answers to each try of the approval. */
  readonly patches?: readonly (Observed | Error)[];
  readonly wish?: Partial<ApproveWish>;
  readonly printer?: Partial<Printer>;
}

async function trial({ reads, patches = [approved], wish = {}, printer: own = {} }: Trial) {
  const left = { GET: [...reads], PATCH: [...patches] };
  const sent: unknown[] = [];
  const request = async ({ method, body }: ApiCall) => {
    if (method === 'PATCH') sent.push(body);
    const all = left[method as keyof typeof left];
    const next = all.length > 1 ? all.shift() : all[0];
    if (next instanceof Error) throw next;
    return next;
  };
  const transport = { request } as unknown as PodTransport;
  let [printed, now] = ['', 0];
  const told: string[] = [];
  const later = (ms: number, go: () => void) => {
    now += ms;
    setImmediate(go);
    return () => {};
  };
  const printer = {
    clock: { wall: () => now, monotonic: () => now, after: later },
    signal: new AbortController().signal,
    print: async (bytes: Uint8Array) => void (printed += Buffer.from(bytes).toString()),
    tell: (line: string) => void told.push(line),
    isTerminal: true,
    isColoured: false,
    ...own,
  };
  const reach = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster: false };
  const code = await approvePlan(reach, { ...unsaid, ...wish }, printer).catch((error: Error) => error);
  return { code, printed, told, sent };
}

describe('approve', () => {
  test('shows the plan, approves this version of the object, and waits until it is carried out', async () => {
    const { code, printed, sent } = await trial({ reads: [waiting, approved, done] });
    expect([code, sent]).toEqual([
      0,
      [
        {
          metadata: {
            uid: 'uid-etl',
            resourceVersion: '7',
            annotations: { 'dataprocessing.dev/approve-plan': approves },
          },
        },
      ],
    ]);
    expect(printed).toMatch(
      /^Plan for Cluster team\/etl\n[^]*\nCluster team\/etl: the plan was carried out\. Now: Avail/,
    );
  });

  test('prints for programs what came of it, and nothing else', async () => {
    const { printed } = await trial({ reads: [waiting, done], wish: { format: 'json' } });
    const { plan, ...rest } = JSON.parse(printed);
    expect(plan).toEqual(scaling);
    expect(rest).toMatchObject({ kind: 'Cluster', namespace: 'team', name: 'etl', outcome: 'carriedOut' });
  });

  test.each([
    ['yes', 0, 1],
    ['y', 1, 0],
    ['', 1, 0],
  ])('asks, and does as %j says', async (answer, code, patches) => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const seen = await trial({ reads: [waiting, done], wish: { yes: false }, printer: { ask } });
    expect([seen.code, seen.sent.length, asked]).toEqual([code, patches, ['Type yes to approve it: ']]);
  });

  test.each<[string, Partial<Printer>]>([
    ['nobody can be asked', {}],
    ['the plan is not seen where the answer is typed', { ask: async () => 'yes', isTerminal: false }],
  ])('refuses as a wrong command line if %s', async (_why, printer) => {
    const { code, sent } = await trial({ reads: [waiting], wish: { yes: false }, printer });
    expect([code, sent]).toEqual([expect.any(UsageError), []]);
    expect(String(code)).toContain('give --yes');
  });

  test('approves a newer version only if its plan is the one that was shown', async () => {
    const newer = withPlan({ plan: scaling, metadata: { resourceVersion: '8' } });
    const same = await trial({ reads: [waiting, newer, done], patches: [conflict, approved] });
    expect(same).toMatchObject({ code: 0, sent: [{}, { metadata: { resourceVersion: '8' } }] });
    const more = { ...scaling, changes: [{ path: 'spec.nodeGroups[worker].count', from: '5', to: '0' }] };
    for (const changed of [
      { plan: { ...scaling, hash: 'another' } },
      { plan: more },
      { plan: undefined },
      { plan: scaling, metadata: { generation: 2 } },
      { plan: scaling, metadata: { uid: 'other' } },
    ]) {
      const seen = await trial({ reads: [waiting, withPlan(changed)], patches: [conflict] });
      expect([seen.code, seen.sent.length], JSON.stringify(changed)).toEqual([1, 1]);
      expect(seen.printed).toContain('nothing was approved: the object has changed since its plan was shown');
    }
  });

  test('gives up on an object that changes all the time', async () => {
    const { code, sent } = await trial({ reads: [waiting], patches: [conflict] });
    expect([String(code), sent.length]).toEqual([expect.stringContaining('changes all the time'), 5]);
  });

  test('approves only the plan that --hash names', async () => {
    const other = await trial({ reads: [waiting], wish: { hash: 'other' } });
    expect([other.code, other.sent]).toEqual([1, []]);
    expect(other.printed).toContain(`the plan that waits has the hash ${approves}, and not other`);
    expect((await trial({ reads: [waiting, done], wish: { hash: approves } })).code).toBe(0);
  });

  test('does not wait with --no-wait, and not longer than --timeout', async () => {
    const hasty = await trial({ reads: [waiting], wish: { wait: false } });
    expect([hasty.code, hasty.printed]).toEqual([0, expect.stringContaining(`the plan ${approves} is approved`)]);
    const busy = withPlan({ approves, carriedOut: 0, reason: 'Scaling', message: 'scaling', status: 'False' });
    const late = await trial({ reads: [waiting, busy] });
    expect(late.code).toBe(1);
    expect(late.printed).toContain('The operator goes on. Now: Scaling: scaling');
    expect(late.told).toEqual(['etl is not finished: Scaling: scaling']);
  });

  test('waits for the plan of a spec that was just written', async () => {
    const behind = withPlan({ plan: { ...scaling, hash: 'former' }, observedGeneration: 0 });
    const patient = await trial({ reads: [behind, behind, waiting, done] });
    expect([patient.code, patient.told]).toEqual([0, ['waiting for the operator to plan for the current spec']]);
    const hasty = await trial({ reads: [behind], wish: { wait: false } });
    expect([hasty.code, hasty.sent]).toEqual([1, []]);
    expect(hasty.printed).toContain('has not planned for the current spec yet');
  });

  test.each([
    [
      'cannot patch clusters: 403 clusters.dataprocessing.dev "etl" is forbidden: User "jane" cannot patch',
      /^(?!.*"approve").*the verb "patch" on clusters\.dataprocessing\.dev, or for the approval/,
    ],
    [
      `cannot patch clusters: 403 clusters.dataprocessing.dev "etl" is forbidden: ValidatingAdmissionPolicy 'dataprocessing-operator-approvals' with binding 'dataprocessing-operator-approvals' denied request: only those`,
      /^(?!.*"patch").*the verb "approve" on clusters\.dataprocessing\.dev, .*\(the ClusterRole dataprocessing-operator-approve has it\), or for the approval/,
    ],
  ])('tells which right is missing: %s', async (message, told) => {
    const forbidden = new ApiError('forbidden', message, { status: 403 });
    expect(String((await trial({ reads: [waiting], patches: [forbidden] })).code)).toMatch(told);
  });

  test('tells that an approved plan is carried out although nobody follows it', async () => {
    const lost = await trial({ reads: [waiting, new ApiError('unreachable', 'no answer')] });
    expect([String(lost.code), lost.told]).toEqual([
      expect.stringContaining('no answer'),
      ['etl is not followed any more, but its plan is approved, so the operator carries it out'],
    ]);
  });
});

describe('a question on a terminal', () => {
  const put = (signal = new AbortController().signal) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    return { input, output, answer: asking(input, output, signal)('Sure? ') };
  };

  test('is answered by a line, or by the end of the input', async () => {
    const { input, output, answer } = put();
    input.write('yes\nno\n');
    expect([await answer, String(output.read())]).toEqual(['yes', 'Sure? ']);
    const silent = put();
    silent.input.end();
    expect(await silent.answer).toBe('');
  });

  test('ends with Ctrl-C', async () => {
    const stop = new AbortController();
    const { answer } = put(stop.signal);
    stop.abort();
    await expect(answer).rejects.toThrow('aborted');
  });
});
