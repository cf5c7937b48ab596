// A personality: how the service misbehaves, as data. Which faults meet which requests, and what clusters, executions, names, lists and tokens do. PURE.
import { z } from 'zod';
import { origins } from '../http/refusal.ts';

const count = z.int().min(1);
const milliseconds = z.int().min(0).max(86_400_000);

/** When a rule applies to what it matches. Without any of these: always. Counted from when the personality was set. */
const occasion = {
  /** Names the rule in the counts; without it, its place does: `faults[0]`. */
  name: z.string().min(1).max(100).optional(),
  nth: count.optional(),
  every: count.optional(),
  /** The share of the matches; which of them is decided by the seed. */
  rate: z.number().min(0).max(1).optional(),
  /** How often at most. */
  times: count.optional(),
};

const answers = [
  z.strictObject({
    is: z.literal('refusal'),
    status: z.int().min(400).max(599),
    /** Who seems to answer; `service` when absent. */
    shape: z.enum(origins).optional(),
    /** Both from the status when absent. */
    errorName: z.string().optional(),
    message: z.string().optional(),
    /** Seconds, for the header Retry-After. */
    retryAfter: z.int().min(0).optional(),
  }),
  /** 200 with a string where an object is due; upstream's own when absent. */
  z.strictObject({ is: z.literal('text'), text: z.string().optional() }),
  /** The connection ends without a word. */
  z.strictObject({ is: z.literal('cut') }),
  /** The connection ends in the middle of the true answer. */
  z.strictObject({ is: z.literal('truncated') }),
] as const;

/** done: as always. skipped: nothing happens. late: it happens after `lateMs`. error-row: a cluster in Error without machines stays. */
const works = ['done', 'skipped', 'late', 'error-row'] as const;

/** Methods and paths of routes, and states that clusters and job executions pass through, as the service has them. */
export interface PersonalityWords {
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly statuses: readonly string[];
  readonly executionStatuses: readonly string[];
}

const faultFields = ({ methods, paths }: PersonalityWords) =>
  z.strictObject({
    ...occasion,
    method: z.enum(methods).optional(),
    path: z.enum(paths).optional(),
    /** When absent: skipped if a refusal is answered, else done. */
    work: z.enum(works).optional(),
    lateMs: milliseconds.optional(),
    /** When absent: the true one. */
    answer: z.discriminatedUnion('is', answers, { error: 'is none of refusal, text, cut and truncated' }).optional(),
    /** How much longer the answer takes. */
    delayMs: milliseconds.optional(),
  });

const clusterFields = ({ statuses }: PersonalityWords) =>
  z.strictObject({
    ...occasion,
    /** The state that the rule keeps clusters from leaving well. */
    status: z.enum(statuses),
    operation: z.enum(['start', 'scale', 'delete']).optional(),
    /** stuck: it stays, until another personality is set or another operation takes over. fail: the operation fails there. */
    does: z.enum(['stuck', 'fail']),
    message: z.string().optional(),
  });

const executionFields = ({ executionStatuses }: PersonalityWords) =>
  z.strictObject({
    ...occasion,
    /** The state that the rule keeps executions from leaving well. */
    status: z.enum(executionStatuses),
    /** The name of the job; any when absent. */
    job: z.string().optional(),
    /** stuck: as for clusters. fail: the run is FAILED; one that is to be killed stays. done-with-error: the run is DONEWITHERROR. */
    does: z.enum(['stuck', 'fail', 'done-with-error']),
    message: z.string().optional(),
  });

export type Fault = z.infer<ReturnType<typeof faultFields>>;
export type ClusterRule = z.infer<ReturnType<typeof clusterFields>>;
export type ExecutionRule = z.infer<ReturnType<typeof executionFields>>;
export type Occasion = Pick<Fault, keyof typeof occasion>;
type Problem = readonly [field: string, message: string];

const occasionProblems = (rule: Occasion): readonly Problem[] => {
  const given = (['nth', 'every', 'rate'] as const).filter((field) => rule[field] !== undefined);
  return given.slice(1).map((field) => [field, `goes not together with ${given[0]}`]);
};

/** What becomes of the work of a request. */
export const workOf = ({ work, answer }: Fault): (typeof works)[number] =>
  work ?? (answer?.is === 'refusal' ? 'skipped' : 'done');

function faultProblems(fault: Fault): readonly Problem[] {
  const { answer, lateMs, method, path, delayMs } = fault;
  const work = workOf(fault);
  const untrue = answer !== undefined && answer.is !== 'truncated';
  const creates = method === 'POST' && path === 'clusters';
  const checks: readonly (readonly [boolean, ...Problem])[] = [
    [work === 'late' && lateMs === undefined, 'lateMs', 'is required where the work is late'],
    [work !== 'late' && lateMs !== undefined, 'lateMs', 'is only for work that is late'],
    [work !== 'done' && !untrue, 'answer', `has to be a refusal, a text or cut where the work is ${work}`],
    [work === 'error-row' && !creates, 'work', 'can be error-row only with the method POST and the path clusters'],
    [
      fault.work === undefined && answer === undefined && delayMs === undefined,
      'answer',
      'or work or delayMs is required',
    ],
  ];
  return [...occasionProblems(fault), ...checks.filter(([wrong]) => wrong).map(([, ...problem]) => problem)];
}

const checked = <Schema extends z.ZodType>(schema: Schema, problems: (rule: z.output<Schema>) => readonly Problem[]) =>
  schema.superRefine((rule, context) => {
    for (const [field, message] of problems(rule)) context.addIssue({ code: 'custom', path: [field], message });
  });

/** The schema of a personality. An empty one is the service as it is. */
export const personalitySchema = (vocabulary: PersonalityWords) =>
  checked(
    z.strictObject({
      /** Decides what a rate hits; 1 when absent. */
      seed: z
        .int()
        .min(0)
        .max(2 ** 32 - 1)
        .optional(),
      /** The first that applies to a request counts. */
      faults: z.array(checked(faultFields(vocabulary), faultProblems)).optional(),
      clusters: z.array(checked(clusterFields(vocabulary), occasionProblems)).optional(),
      executions: z.array(checked(executionFields(vocabulary), occasionProblems)).optional(),
      /** Words that are shown for states. */
      statusWords: z
        .partialRecord(z.enum([...vocabulary.statuses, ...vocabulary.executionStatuses]), z.string().min(1))
        .optional(),
      /** When the name of a deleted object can be used again: as soon as a cluster is Deleting, or only some time after it is gone. */
      names: z
        .discriminatedUnion(
          'freed',
          [
            z.strictObject({ freed: z.literal('early') }),
            z.strictObject({ freed: z.literal('late'), ms: milliseconds }),
          ],
          { error: 'is neither early nor late' },
        )
        .optional(),
      /** Lists of templates and clusters are as old as that. */
      listLagMs: milliseconds.optional(),
      /** Tokens are refused once that much time has passed since their first use. */
      tokenLifetimeMs: milliseconds.optional(),
    }),
    ({ faults = [], clusters = [], executions = [] }) => {
      const names = [...faults, ...clusters, ...executions].flatMap(({ name }) => name ?? []);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return twice === undefined ? [] : [['name', `${twice} is given to two rules`]];
    },
  );

export type Personality = z.infer<ReturnType<typeof personalitySchema>>;

/** Both at once: the rules of the first stand before those of the second, and its settings win. */
export const combine = (one: Personality, other: Personality): Personality => ({
  ...other,
  ...one,
  ...both('faults', one, other),
  ...both('clusters', one, other),
  ...both('executions', one, other),
});

const both = <Field extends 'faults' | 'clusters' | 'executions'>(
  field: Field,
  one: Personality,
  other: Personality,
) => {
  const rules = [...(one[field] ?? []), ...(other[field] ?? [])];
  return rules.length === 0 ? {} : { [field]: rules };
};
