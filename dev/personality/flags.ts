// The flags for faults and their control port, and the personality that they stand for. PURE.
import { type FlagValues, flagsHelp, numberFlag, readAs, textLike } from '../../src/lib/flags.ts';
import { executionStages } from '../../src/service/model/stages/execution-stages.ts';
import { checkStatuses } from '../../src/service/program/flags/flags.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Personality } from './personality.ts';

const rate = readAs('a number from 0 to 1', (text) => (/^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : undefined));
const most = 99_999_999;

export const faultFlags = {
  personality: { value: 'FILE', help: 'faults, as YAML or JSON; see docs/how-to/bundled-service/faults.md' },
  'control-port': numberFlag(
    0,
    65_535,
    'port to read and replace the personality while the service runs, 0 for a free one. It is in the second line of the output',
  ),
  'control-host': { value: 'ADDRESS', default: '127.0.0.1', help: 'address of that port' },
  'control-token-file': {
    value: 'FILE',
    help: 'file with the token of that port, for X-Auth-Token. It is created if it is missing; default: a new file, which is in the third line of the output',
  },
  'error-rate': {
    schema: rate,
    value: 'R',
    help: 'share of requests that are answered 500 and not done, from 0 to 1',
  },
  'throttle-rate': { schema: rate, value: 'R', help: 'share of requests that are answered 429 and not done' },
  'lost-answer-rate': {
    schema: rate,
    value: 'R',
    help: 'share of requests that are done, but whose connection is closed unanswered',
  },
  stuck: { value: 'STATUS', repeatable: true, help: 'clusters and job executions never leave this status' },
  'execution-end': {
    schema: textLike(
      'fail, done-with-error or stuck, or one of these after JOB=',
      /^(.+=)?(fail|done-with-error|stuck)$/,
    ),
    value: 'HOW',
    repeatable: true,
    help: 'how job executions end: fail, done-with-error, or stuck if they never end; default: they succeed. JOB=HOW: only for jobs of this name',
  },
  'failing-scales': numberFlag(0, most, 'the first N scales fail, and do not change the cluster'),
  'name-freed': {
    schema: textLike('early or a number of ms', /^(early|\d{1,8})$/),
    value: 'WHEN',
    help: 'when a name can be used again: early (while the object is being deleted), or N ms after it is gone',
  },
  'list-lag-ms': numberFlag(0, most, 'lists of templates and clusters are N ms old'),
  'token-lifetime-ms': numberFlag(0, most, 'a token is refused N ms after its first use'),
} as const;

export const faultHelp = `
npm run service also has faults, for tests of clients. The image does not have them:
${flagsHelp(faultFlags)}
With --control-port there are two more lines on standard output: control on http://HOST:PORT
                                                                 control token in FILE
  GET /personality     the personality in force, as JSON
  PUT /personality     replaces it by the one in the body, YAML or JSON, and resets the counts
  DELETE /personality  removes all faults
  GET /counts          how often each rule was met and applied
`;

type FaultFlags = FlagValues<typeof faultFlags>;
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

/** What the flags of faults say. Throws `cannot read flags: ...` at a word that is no status. */
export function readFaults(flags: FaultFlags, dialect: Dialect) {
  checkStatuses('--stuck', flags.stuck, dialect);
  const { 'control-port': port, 'control-host': host, 'control-token-file': tokenFile } = flags;
  const control = port === undefined ? undefined : { port, host, tokenFile };
  return { personality: flags.personality, control, faults: flaggedPersonality(flags, dialect) };
}
