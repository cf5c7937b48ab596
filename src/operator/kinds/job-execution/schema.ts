// The spec and status of a JobExecution.
import { z } from 'zod';
import { longestAddress, mostLinks } from '../../../wire/cluster-info.ts';
import { terminationReasons } from '../../../wire/jobs.ts';
import { age, id, message, reason } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { immutable, mapOf, notBoth, type Rule, ruled, totalLength } from '../../api/keywords.ts';
import { optionalBoolean, optionalInteger, reportedText } from '../../api/optional-fields.ts';
import {
  commonSpec,
  externalStatus,
  fixedConnection,
  freeFields,
  optionalID,
  reference,
} from '../../api/shared-api.ts';
import { clusterContent } from '../cluster/schema.ts';
import { jobContent } from '../job/schema.ts';

/** Real programs need some kilobytes at most, and an object of Kubernetes is limited to 1.5 MiB. */
const longestValue = 4_096;
const mostValues = 100;
const value = z.string().max(longestValue);
const remedy = 'put long values into a file that the job reads';
/** The values of one field, with their names. */
export const longestField = 65_536;
const values = () => totalLength(mapOf(value, mostValues), longestField, remedy).optional();

const identifier = (what: string, instead: string) =>
  optionalID(
    `Identifier of a ${what} in the service that has no object in this namespace. Alternative to ${instead}. Immutable.`,
  );

/** All that can be changed of a run. */
const edits = {
  policy: z
    .enum(['Manage', 'Plan'])
    .optional()
    .describe(
      'What the operator may do in the service. Manage: whatever spec asks for. Plan: nothing but what was approved. Each run, also one that follows a failed one, and each cancellation waits in status.plan until the annotation dataprocessing.dev/approve-plan has its hash. The Job and the Cluster of this execution alone get the same policy when they are created. Deleting this object needs no approval. Defaults to Manage. It may be changed at any time.',
    )
    .meta({ example: 'Plan' }),
  cancel: optionalBoolean
    .describe(
      'Cancels the run, or prevents it from starting. The execution then ends with the condition Failed and the reason Cancelled. Defaults to false. It may be changed at any time.',
    )
    .meta({ example: true }),
  suspend: optionalBoolean
    .describe(
      'Before the start: the run waits until suspend is false. During a run: the run is cancelled, and another one is started when suspend is false again. Queues such as Kueue set it. Defaults to false. It may be changed at any time.',
    )
    .meta({ example: true }),
  ttlSecondsAfterFinished: optionalInteger(0)
    .describe(
      'Seconds after its end until the operator deletes the execution, and its run in the service unless spec.deletionPolicy is Orphan. Without it, the execution stays. An execution whose outcome is unknown stays as well. Do not set it for objects that Argo CD, Flux or another tool applies again and again: the tool creates a deleted execution again, and it runs again. It may be changed at any time.',
    )
    .meta({ example: 86400 }),
  onUnknown: z
    .enum(['Report', 'Retry'])
    .optional()
    .describe(
      'What happens if the service did not say whether it started the run, and the run cannot be found when it can no longer appear. Report starts nothing: the reason is OutcomeUnknown, and the annotation dataprocessing.dev/run-again starts another run. Retry starts another run, at most 20 times. Set it only for jobs that may run twice. Defaults to Report. It may be changed at any time.',
    )
    .meta({ example: 'Retry' }),
};

const keepOnFailureSeconds = optionalInteger(0, 30 * 24 * 3600)
  .describe(
    'Seconds that the cluster is kept after the run has failed or exceeded its deadline, so that somebody can look at it. Defaults to 0.',
  )
  .meta({ example: 1800 });

/** The template of a JobSchedule has the same fields. */
export const executionFields = {
  ...commonSpec,
  jobRef: reference('Job')
    .optional()
    .describe('Job to run, in the same namespace. Immutable.')
    .meta({ example: { name: 'word-count' } }),
  jobID: identifier('job', 'jobRef'),
  job: ruled(z.object(jobContent.shape), jobContent.rules)
    .optional()
    .describe(
      'A job of this execution alone. The operator creates a Job with the name of the execution, which is deleted with it. Alternative to jobRef. Immutable.',
    )
    .meta({ example: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'word-count' } }] } }),
  clusterRef: reference('Cluster')
    .optional()
    .describe('Cluster to run on, in the same namespace. The run is started when it is Ready. Immutable.')
    .meta({ example: { name: 'spark' } }),
  clusterID: identifier('cluster', 'clusterRef'),
  cluster: ruled(z.object({ ...clusterContent.shape, keepOnFailureSeconds }), clusterContent.rules)
    .optional()
    .describe(
      'A cluster of this execution alone. The operator creates a Cluster with the name of the execution, starts the run when it is Ready, and deletes it when the run is over. All attempts use the same one. While the execution is suspended, there is none. Alternative to clusterRef. Immutable.',
    )
    .meta({ example: { clusterTemplateRef: { name: 'spark' } } }),
  inputRef: reference('DataSource')
    .optional()
    .describe('DataSource that the job reads, in the same namespace. Needed for Pig, Hive and MapReduce. Immutable.')
    .meta({ example: { name: 'books' } }),
  inputID: identifier('data source', 'inputRef'),
  outputRef: reference('DataSource')
    .optional()
    .describe(
      'DataSource that the job writes to, in the same namespace. Needed for Pig, Hive and MapReduce. Immutable.',
    )
    .meta({ example: { name: 'word-counts' } }),
  outputID: identifier('data source', 'outputRef'),
  configs: values()
    .describe(
      'Options of the engine, by name, as text. For Java and for Spark with a jar, edp.java.main_class names the class to run. For MapReduce.Streaming, edp.streaming.mapper and edp.streaming.reducer name the programs. The bundled service also reads edp.flavor, the flavor that bounds the program; edp.queue, the queue of Kueue in which the run waits; and for Spark edp.python.requirements, the file name of the lib with the Python packages, spark.jars.packages, packages of the Maven repository of the administrator, and spark.driver.extraJavaOptions and spark.executor.extraJavaOptions, options of Java such as -Dlog4j2.configurationFile with the file name of a lib. Do not put secrets here: the service returns them to everybody who may read its executions. Immutable.',
    )
    .meta({ example: { 'edp.java.main_class': 'org.example.WordCount' } }),
  params: values()
    .describe('Parameters of a script of Pig or Hive, or environment variables of a Shell job, as text. Immutable.')
    .meta({ example: { LANGUAGE: 'en' } }),
  args: totalLength(z.array(value).max(mostValues), longestField, remedy)
    .optional()
    .describe('Arguments of the program, in order. Connections of the dialect Savanna have none. Immutable.')
    .meta({ example: ['hdfs://namenode:8020/books', '10'] }),
  interface: values()
    .describe("Values for the arguments that the job's interface names, as text. Immutable.")
    .meta({ example: { text: 'hdfs://namenode:8020/books' } }),
  ...edits,
  activeDeadlineSeconds: optionalInteger(1)
    .describe(
      'Seconds that each run may take, counted from status.startTime by the clock of the operator. After that it is cancelled, and the execution ends with the reason DeadlineExceeded. Without it, a run may take any time. Immutable.',
    )
    .meta({ example: 3600 }),
  retries: optionalInteger(0, 20)
    .describe(
      'How many failed runs are followed by another one. A run that was cancelled, or that ended with its cluster, is never repeated, and one whose outcome is unknown only if onUnknown is Retry. Defaults to 0. Immutable.',
    )
    .meta({ example: 2 }),
};

const given = (fields: readonly string[]): string => fields.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ');

/** Exactly one of three. */
const oneOf = (first: string, second: string, third: string): readonly Rule[] => {
  const number = given([first, second, third]);
  return [
    {
      rule: `${number} > 0`,
      message: `give ${first}, ${second} or ${third}`,
      fieldPath: `.${first}`,
      reason: 'FieldValueRequired',
    },
    {
      rule: `${number} < 2`,
      message: `set only one of ${first}, ${second} and ${third}`,
      fieldPath: `.${third}`,
      reason: 'FieldValueForbidden',
    },
  ];
};

/** The rules that hold at all times, also for a template. */
export const executionRules: readonly Rule[] = [
  ...oneOf('jobRef', 'jobID', 'job'),
  ...oneOf('clusterRef', 'clusterID', 'cluster'),
  notBoth('inputRef', 'inputID'),
  notBoth('outputRef', 'outputID'),
];

const spec = ruled(z.object(executionFields), [
  fixedConnection,
  ...executionRules,
  ...immutable(executionFields, {
    but: ['connectionRef', ...Object.keys(edits), ...freeFields],
    remedy: '; create another JobExecution',
  }),
]);

const time = (text: string) => reportedText(32, text);

const part = (kind: string, what: string) =>
  z
    .object({
      name: reportedText(253, `Name of the ${kind}, unless spec gives only its identifier.`),
      id: reportedText(255, `Identifier of the ${what} in the service.`),
    })
    .optional();

const reported = {
  state: z
    .enum(['Pending', 'Suspended', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Unknown'])
    .optional()
    .describe(
      'State of the run in one word. Unknown means that the service did not say whether it started the run, or that the run vanished from it.',
    ),
  externalStatus: reportedText(255, 'State of the run in the words of the service.'),
  statusMessage: reportedText(
    1024,
    'Explanation by the service. For a program that failed, it can be a line of its output, which is not always the cause; see termination.',
  ),
  termination: z
    .object({
      reason: z
        .enum(terminationReasons)
        .optional()
        .describe(
          'What ended the program. Completed: it ended with exit code 0. Error: with another one. Signal: a signal ended it. OOMKilled: it took more memory than it has. Evicted: its pod was evicted, preempted or deleted. Lost: nobody knows, because its process, pod or Job went away. Cancelled: it was cancelled, or its cluster went away.',
        ),
      exitCode: z
        .int32()
        .optional()
        .describe(
          'Exit code of the program. That of a program which a signal ended is 128 and the number of the signal.',
        ),
      signal: reportedText(32, 'Name of the signal that ended the program, such as SIGKILL.'),
    })
    .optional()
    .describe(
      'How the program of the run ended, as far as the service reports it. Of a Sahara service only reason: Cancelled.',
    )
    .meta({ example: { reason: 'Signal', exitCode: 137, signal: 'SIGKILL' } }),
  exitCode: z
    .int32()
    .optional()
    .describe('Exit code of the program, as in termination, once the run is over and if the service reports it.')
    .meta({ example: 0 }),
  progress: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe('Progress of the run in percent, in steps of ten, if the service reports it.'),
  attempts: z
    .int()
    .optional()
    .describe('Number of runs so far, the current one included. Requests that the service refused do not count.'),
  startTime: time(
    'Time when the operator first saw the run under way, by its own clock: services write times in unknown zones. If it never did, completionTime less the time that the run took according to the service.',
  ),
  completionTime: time('Time when the operator first saw that the run was over, by its own clock.'),
  duration: reportedText(
    32,
    'Time from startTime to completionTime, such as 1m30s. Missing if nobody knows when the run began.',
  ),
  job: part('Job', 'job').describe('Job of the run.'),
  cluster: part('Cluster', 'cluster').describe('Cluster of the run.'),
  urls: mapOf(z.string().max(longestAddress), mostLinks)
    .optional()
    .describe(
      'Links of the run, by name, if the service reports some: its output, which needs a token of the service, and pages of the cluster, which go with it. Only http and https URLs, without user information, query and fragment. They stay as they were when the run ended.',
    )
    .meta({
      example: {
        Logs: 'http://dataprocessing.example.com:8386/v1.1/demo/job-executions/7d5f0c3a-1f0b-4a51-9d3c-2f6f1f5c9b1e/logs',
      },
    }),
};

export const jobExecution = {
  kind: 'JobExecution',
  plural: 'jobexecutions',
  shortName: 'dpje',
  description:
    'One run of a Job on a Cluster. The operator starts it once: after a lost answer it looks for the run instead of starting another one. The conditions Complete and Failed tell how it ended, as those of a Job of Kubernetes do.',
  spec,
  status: z.object({ ...externalStatus, ...reported }),
  columns: [
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    reason,
    { name: 'Job', type: 'string', jsonPath: '.status.job.name' },
    { name: 'Cluster', type: 'string', jsonPath: '.status.cluster.name' },
    { name: 'Duration', type: 'string', jsonPath: '.status.duration' },
    {
      name: 'Exit',
      type: 'integer',
      jsonPath: '.status.termination.exitCode',
      wide: true,
      description: 'Exit code of the program.',
    },
    id,
    message,
    age,
  ],
} as const satisfies Definition;
