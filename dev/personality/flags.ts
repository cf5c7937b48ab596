// The flags for faults and their control port, and the personality that they stand for. PURE.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../src/lib/errors.ts';
import { executionStages } from '../../src/service/model/stages/executions.ts';
import { checkStatuses, optionOf } from '../../src/service/program/flags/flags.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Personality } from './personality.ts';

export const faultHelp = `
npm run service also has faults, for tests of clients. The image does not have them:

  --personality FILE   faults, as YAML or JSON; see
                       docs/how-to/bundled-service/faults.md
  --control-port N     port to read and replace the personality while the service runs, 0 for a
                       free one. It is in the second line of the output
  --control-host ADDRESS  address of that port                        (127.0.0.1)
  --control-token-file FILE  file with the token of that port, for X-Auth-Token. It is created if it
                       is missing. Default: a new file, which is in the third line of the output
  --error-rate R       share of requests that are answered 500 and not done, from 0 to 1
  --throttle-rate R    share of requests that are answered 429 and not done
  --lost-answer-rate R share of requests that are done, but whose connection is closed unanswered
  --stuck STATUS       clusters and job executions never leave this status. Can be repeated
  --execution-end HOW  how job executions end: fail, done-with-error, or stuck if they never end.
                       JOB=HOW: only for jobs of this name. Can be repeated    (they succeed)
  --failing-scales N   the first N scales fail, and do not change the cluster
  --name-freed WHEN    when a name can be used again: early (while the object is being deleted),
                       or N ms after it is gone
  --list-lag-ms N      lists of templates and clusters are N ms old
  --token-lifetime-ms N  a token is refused N ms after its first use

With --control-port there are two more lines on standard output: control on http://HOST:PORT
                                                                 control token in FILE
  GET /personality     the personality in force, as JSON
  PUT /personality     replaces it by the one in the body, YAML or JSON, and resets the counts
  DELETE /personality  removes all faults
  GET /counts          how often each rule was met and applied
`;

const rate = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, { error: 'is not a number from 0 to 1' })
  .transform(Number)
  .optional();
const number = z
  .string()
  .regex(/^\d{1,8}$/, { error: 'is not a whole number' })
  .transform(Number)
  .optional();

const faultSchema = z.object({
  personality: z.string().min(1).optional(),
  'control-port': z
    .string()
    .regex(/^\d{1,5}$/, { error: 'is not a whole number' })
    .transform(Number)
    .pipe(z.int().max(65_535))
    .optional(),
  'control-host': z.string().min(1).default('127.0.0.1'),
  'control-token-file': z.string().min(1).optional(),
  'error-rate': rate,
  'throttle-rate': rate,
  'lost-answer-rate': rate,
  stuck: z.array(z.string()).default([]),
  'execution-end': z
    .array(
      z.string().regex(/^(.+=)?(fail|done-with-error|stuck)$/, {
        error: 'is neither fail, done-with-error or stuck, nor one of these after JOB=',
      }),
    )
    .default([]),
  'failing-scales': number,
  'name-freed': z
    .string()
    .regex(/^(early|\d{1,8})$/, { error: 'is neither early nor a whole number' })
    .optional(),
  'list-lag-ms': number,
  'token-lifetime-ms': number,
});

type FaultFlags = z.output<typeof faultSchema>;
type Faults = NonNullable<Personality['faults']>;
type ClusterRules = NonNullable<Personality['clusters']>;
type ExecutionRules = NonNullable<Personality['executions']>;

const faultsOf = (flags: FaultFlags): Faults =>
  (
    [
      ['error-rate', { answer: { is: 'refusal', status: 500 } }],
      ['throttle-rate', { answer: { is: 'refusal', status: 429, retryAfter: 1 } }],
      ['lost-answer-rate', { answer: { is: 'cut' } }],
    ] as const
  ).flatMap(([flag, fault]) => (flags[flag] === undefined ? [] : [{ name: `--${flag}`, rate: flags[flag], ...fault }]));

const stuckIn = (statuses: readonly string[]) =>
  statuses.map((status) => ({ name: `--stuck ${status}`, status, does: 'stuck' as const }));

const clusterRulesOf = ({ stuck, 'failing-scales': scales = 0 }: FaultFlags, dialect: Dialect): ClusterRules => [
  ...stuckIn(stuck.filter((status) => !executionStages.statuses(dialect).includes(status))),
  // The first stage of a scale in every dialect.
  ...(scales === 0
    ? []
    : [{ name: '--failing-scales', status: 'Validating', operation: 'scale', does: 'fail', times: scales } as const]),
];

/** The status in which runs end in every dialect. */
const running = 'RUNNING';

const executionRulesOf = ({ stuck, 'execution-end': ends }: FaultFlags, dialect: Dialect): ExecutionRules => {
  const rules = ends.map((text): ExecutionRules[number] => {
    const at = text.lastIndexOf('=');
    const job = at < 0 ? {} : { job: text.slice(0, at) };
    // The pattern of the flag guarantees the type.
    const does = text.slice(at + 1) as ExecutionRules[number]['does'];
    return { name: `--execution-end ${text}`, status: running, does, ...job };
  });
  // Rules for one job take precedence over rules for all.
  return [
    ...stuckIn(stuck.filter((status) => executionStages.statuses(dialect).includes(status))),
    ...rules.filter(({ job }) => job !== undefined),
    ...rules.filter(({ job }) => job === undefined),
  ];
};

/** Empty if no such flag is given. */
function flaggedPersonality(flags: FaultFlags, dialect: Dialect): Personality {
  const { 'name-freed': freed, 'list-lag-ms': listLagMs, 'token-lifetime-ms': tokenLifetimeMs } = flags;
  const [faults, clusters] = [faultsOf(flags), clusterRulesOf(flags, dialect)];
  const executions = executionRulesOf(flags, dialect);
  return {
    ...(faults.length > 0 && { faults }),
    ...(clusters.length > 0 && { clusters }),
    ...(executions.length > 0 && { executions }),
    ...(freed !== undefined && { names: freed === 'early' ? { freed } : { freed: 'late', ms: Number(freed) } }),
    ...(listLagMs !== undefined && { listLagMs }),
    ...(tokenLifetimeMs !== undefined && { tokenLifetimeMs }),
  };
}

const options = Object.fromEntries(Object.entries(faultSchema.shape).map(([name, schema]) => [name, optionOf(schema)]));

type Values = ReturnType<typeof readArguments>;

/** The values of the flags of this page, and all other arguments, which are for the program of the service. Throws `cannot read flags: ...`. */
export function splitFlags(args: readonly string[]): { readonly own: Values; readonly rest: readonly string[] } {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const places = new Set(
    tokens.flatMap((token) => {
      if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) return [];
      return token.value === undefined || token.inlineValue ? [token.index] : [token.index, token.index + 1];
    }),
  );
  const pick = (isOwn: boolean) => args.filter((_, index) => places.has(index) === isOwn);
  return { own: readArguments(pick(true)), rest: pick(false) };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (cause) {
    throw new Error(`cannot read flags: ${messageOf(cause)}`, { cause });
  }
}

/** What the flags of faults say. Throws `cannot read flags: ...` with every wrong flag. */
export function parseFaultFlags(values: Values, dialect: Dialect) {
  const result = faultSchema.safeParse(values);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `--${String(issue.path[0])} ${issue.message}`);
    throw new Error(`cannot read flags: ${problems.join('; ')}`);
  }
  const flags = result.data;
  checkStatuses('--stuck', flags.stuck, dialect);
  const { 'control-port': port, 'control-host': host, 'control-token-file': tokenFile } = flags;
  const control = port === undefined ? undefined : { port, host, tokenFile };
  return { personality: flags.personality, control, faults: flaggedPersonality(flags, dialect) };
}
