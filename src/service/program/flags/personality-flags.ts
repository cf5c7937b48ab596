// The flags for common faults, and the personality that they stand for. PURE.
import { z } from 'zod';
import type { Dialect } from '../../../wire/dialect.ts';
import type { Personality } from '../../faults/personality.ts';
import { executionStages } from '../../model/stages/executions.ts';

export const faultHelp = `\
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

export const faultFields = {
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
};

type FaultFlags = z.output<z.ZodObject<typeof faultFields>>;
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
export function flaggedPersonality(flags: FaultFlags, dialect: Dialect): Personality {
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
