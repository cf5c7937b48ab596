// The schema of a personality, which describes faults as data: which requests they affect, and how clusters, executions, names, lists and tokens
// misbehave. PURE.
import { z } from 'zod';
import { origins } from '../../src/service/model/causes.ts';

const count = z.int().min(1);
const milliseconds = z.int().min(0).max(86_400_000);

/** The condition under which a rule applies to a match. Without any of these it always applies. Counts start when the personality is set. */
const condition = {
  /** The name of the rule in the counts. Without it, its position is used: `faults[0]`. */
  name: z.string().min(1).max(100).optional(),
  nth: count.optional(),
  every: count.optional(),
  /** The share of the matches. The seed decides which of them. */
  rate: z.number().min(0).max(1).optional(),
  times: count.optional(),
};

const answers = [
  z.strictObject({
    is: z.literal('refusal'),
    status: z.int().min(400).max(599),
    /** The component that seems to answer. When absent: `service`. */
    shape: z.enum(origins).optional(),
    /** When absent, both are derived from the status. */
    errorName: z.string().optional(),
    message: z.string().optional(),
    /** The value of the Retry-After header, in seconds. */
    retryAfter: z.int().min(0).optional(),
  }),
  /** 200 with a string in place of an object. When absent: the string of upstream. */
  z.strictObject({ is: z.literal('text'), text: z.string().optional() }),
  /** The connection is closed without an answer. */
  z.strictObject({ is: z.literal('cut') }),
  /** The connection is closed in the middle of the true answer. */
  z.strictObject({ is: z.literal('truncated') }),
] as const;

/** done: as usual. skipped: nothing happens. late: it happens after `lateMs`. error-row: leaves a cluster in Error without machines. */
const works = ['done', 'skipped', 'late', 'error-row'] as const;

/** The methods and paths of routes, and the states of clusters and job executions. */
export interface PersonalityWords {
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly statuses: readonly string[];
  readonly executionStatuses: readonly string[];
}

const faultFields = ({ methods, paths }: PersonalityWords) =>
  z.strictObject({
    ...condition,
    method: z.enum(methods).optional(),
    path: z.enum(paths).optional(),
    /** When absent: skipped if the answer is a refusal, otherwise done. */
    work: z.enum(works).optional(),
    lateMs: milliseconds.optional(),
    /** When absent: the true answer. */
    answer: z.discriminatedUnion('is', answers, { error: 'must be refusal, text, cut or truncated' }).optional(),
    delayMs: milliseconds.optional(),
  });

const clusterFields = ({ statuses }: PersonalityWords) =>
  z.strictObject({
    ...condition,
    /** The state at whose end the rule applies. */
    status: z.enum(statuses),
    operation: z.enum(['start', 'scale', 'delete']).optional(),
    /** stuck: the cluster stays until another personality is set or another operation takes over. fail: the operation fails there. */
    does: z.enum(['stuck', 'fail']),
    message: z.string().optional(),
  });

const executionFields = ({ executionStatuses }: PersonalityWords) =>
  z.strictObject({
    ...condition,
    /** The state at whose end the rule applies. */
    status: z.enum(executionStatuses),
    /** The name of the job. When absent: any. */
    job: z.string().optional(),
    /** stuck: as for clusters. fail: the run is FAILED, and one that is to be killed stays as it is. done-with-error: the run is DONEWITHERROR. */
    does: z.enum(['stuck', 'fail', 'done-with-error']),
    /** How the program of a run ended that fails, as an engine reports it. When absent: it is not known. */
    termination: z
      .strictObject({
        returnCode: z.int().min(0).max(255).optional(),
        cause: z.enum(['OOMKilled', 'Evicted', 'Lost']).optional(),
      })
      .optional(),
    message: z.string().optional(),
  });

const nodes = z.int().min(0).max(10_000);

/** What the engine of a cluster seems to report. The first entry that fits a node group counts. */
const loadFields = z.strictObject({
  /** The name of the cluster. When absent: any. */
  cluster: z.string().optional(),
  /** The name of the node group. Clusters without it have no such load. */
  group: z.string().min(1),
  wantedNodes: nodes,
  busyNodes: nodes,
  /** When the engine was asked. When absent: now. */
  observedAt: z.iso.datetime().optional(),
});

export type LoadEntry = z.infer<typeof loadFields>;
export type Fault = z.infer<ReturnType<typeof faultFields>>;
export type ClusterRule = z.infer<ReturnType<typeof clusterFields>>;
export type ExecutionRule = z.infer<ReturnType<typeof executionFields>>;
export type RuleCondition = Pick<Fault, keyof typeof condition>;
type Problem = readonly [field: string, message: string];

const conditionProblems = (rule: RuleCondition): readonly Problem[] => {
  const given = (['nth', 'every', 'rate'] as const).filter((field) => rule[field] !== undefined);
  return given.slice(1).map((field) => [field, `goes not together with ${given[0]}`]);
};

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
  return [...conditionProblems(fault), ...checks.filter(([wrong]) => wrong).map(([, ...problem]) => problem)];
}

const checked = <Schema extends z.ZodType>(schema: Schema, problems: (rule: z.output<Schema>) => readonly Problem[]) =>
  schema.superRefine((rule, context) => {
    for (const [field, message] of problems(rule)) context.addIssue({ code: 'custom', path: [field], message });
  });

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** As a service of upstream writes them whose host is not in UTC. The other times of executions stay in UTC. */
const executionTimes = z.strictObject({
  /** Start and end are in the local time of this zone, without naming it. */
  timeZone: z.string().refine(isZone, { error: 'is not the name of a time zone, such as Asia/Tokyo' }).optional(),
  /** No execution gets an end. */
  withoutEnd: z.boolean().optional(),
});

/** What answers have that is not true. */
const shownFields = { executionTimes: executionTimes.optional(), loads: z.array(loadFields).optional() };

/** The schema of a personality. An empty one injects no faults. */
export const personalitySchema = (vocabulary: PersonalityWords) =>
  checked(
    z.strictObject({
      /** Decides which matches a rate selects. When absent: 1. */
      seed: z
        .int()
        .min(0)
        .max(2 ** 32 - 1)
        .optional(),
      /** The first rule that applies to a request is used. */
      faults: z.array(checked(faultFields(vocabulary), faultProblems)).optional(),
      clusters: z.array(checked(clusterFields(vocabulary), conditionProblems)).optional(),
      executions: z.array(checked(executionFields(vocabulary), conditionProblems)).optional(),
      /** The words that are shown for states. */
      statusWords: z
        .partialRecord(z.enum([...vocabulary.statuses, ...vocabulary.executionStatuses]), z.string().min(1))
        .optional(),
      /** When the name of a deleted object can be used again: as soon as a cluster is Deleting, or some time after it is gone. */
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
      ...shownFields,
      /** How old the lists of templates and clusters are. */
      listLagMs: milliseconds.optional(),
      /** How long after their first use tokens are refused. */
      tokenLifetimeMs: milliseconds.optional(),
    }),
    ({ faults = [], clusters = [], executions = [] }) => {
      const names = [...faults, ...clusters, ...executions].flatMap(({ name }) => name ?? []);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return twice === undefined ? [] : [['name', `${twice} is given to two rules`]];
    },
  );

export type Personality = z.infer<ReturnType<typeof personalitySchema>>;

/** Combines two personalities. The rules and settings of the first take precedence. */
export const combine = (one: Personality, other: Personality): Personality => ({
  ...other,
  ...one,
  ...both('faults', one, other),
  ...both('clusters', one, other),
  ...both('executions', one, other),
  ...both('loads', one, other),
});

const both = <Field extends 'faults' | 'clusters' | 'executions' | 'loads'>(
  field: Field,
  one: Personality,
  other: Personality,
) => {
  const rules = [...(one[field] ?? []), ...(other[field] ?? [])];
  return rules.length === 0 ? {} : { [field]: rules };
};
