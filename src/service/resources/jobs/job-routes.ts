// The routes of v1.1: section 4.6 of the interface.
import { routes } from '../../../wire/routes.ts';
import { removing } from '../../model/checks/referrers.ts';
import { jobSchemas } from '../bodies/job-bodies.ts';
import type { About } from '../endpoints/about.ts';
import { type Call, type Endpoint, ok } from '../endpoints/endpoint.ts';
import { answerCreated, answerShown, named, resourceEndpoints } from '../endpoints/resource-routes.ts';
import { mostTailLines, showLogs } from '../executions/logs.ts';
import { cancelExecution, deleteExecution, executeJob, refreshExecution } from '../executions/run-requests.ts';
import type { Service } from '../service.ts';
import { showConfigHints } from './config-hints.ts';
import { createDataSource } from './create-data-source.ts';
import { createJob } from './create-job.ts';
import { createInternal, createJobBinary, readInternal, readJobBinary } from './job-binaries.ts';

const only = { version: 'v1.1' } as const;
const { jobBinaries, jobBinaryInternals, jobs, jobExecutions } = routes;

/** Upstream declares bytes as HTML. */
const download =
  (read: (service: Service, call: Call) => Uint8Array): Endpoint['handle'] =>
  (service, call) => ({
    ...ok(''),
    file: {
      bytes: read(service, call),
      type: service.dialect === 'neutral' ? 'application/octet-stream' : 'text/html; charset=utf-8',
    },
  });

/**
 * What ended runs keep on the disk is measured before, so that requests of others are served meanwhile. Reading `text` measures it at once: a file of fixtures
 * is loaded before there are requests.
 */
const answerExecuted: Endpoint['handle'] = (service, call) => {
  const answer = () => answerCreated('jobExecutions', executeJob)(service, call);
  const measured = service.executions.usage.measured(call.tenant);
  if (measured === undefined) return answer();
  return {
    status: 202,
    get text() {
      return answer().text;
    },
    later: () => measured.then(answer),
  };
};

const aboutExecution = (described: Pick<About, 'summary' | 'description' | 'causes'>): About => ({
  ...described,
  ...named('jobExecutions'),
  success: { status: 200, one: 'jobExecutions' },
});

const binaryEndpoints: readonly Endpoint[] = [
  ...resourceEndpoints('jobBinaries', {
    create: {
      action: createJobBinary,
      body: { schema: (dialect) => jobSchemas(dialect).jobBinaryCreate },
      causes: ['duplicate', 'badLocation', 'noInternal', 'noSwiftUser', 'unusable', 'tooManyRows'],
    },
    remove: { action: removing('jobBinaries'), causes: ['undeletable'] },
  }),
  {
    ...only,
    method: 'GET',
    path: `${jobBinaries.path}/:id/data`,
    about: {
      summary: 'Download job binary',
      ...named('jobBinaries'),
      success: { status: 200, file: true },
      causes: ['bytesElsewhere', 'bytesLost', 'bytesLostUpstream'],
    },
    handle: download(readJobBinary),
  },
  ...resourceEndpoints('jobBinaryInternals', {
    remove: { action: removing('jobBinaryInternals') },
  }),
  {
    ...only,
    method: 'PUT',
    path: `${jobBinaryInternals.path}/:name`,
    reads: 'bytes',
    about: {
      summary: 'Upload job binary internal',
      description:
        'Stores the bytes of the body, of any media type except forms. Here, the last part of the path is the name of the new binary. An existing binary is not replaced.',
      names: { name: { name: 'job_binary_internal_id', description: 'The name of the binary' } },
      success: { status: 202, one: 'jobBinaryInternals' },
      causes: ['duplicate', 'tooManyRows', 'tooManyBytes'],
    },
    handle: answerCreated('jobBinaryInternals', createInternal),
  },
  {
    ...only,
    method: 'GET',
    path: `${jobBinaryInternals.path}/:id/data`,
    about: {
      summary: 'Download job binary internal',
      ...named('jobBinaryInternals'),
      success: { status: 200, file: true },
    },
    handle: download(readInternal),
  },
];

const executionEndpoints: readonly Endpoint[] = [
  ...resourceEndpoints('jobExecutions', {
    remove: {
      action: deleteExecution,
      description: 'A run under way is canceled first, and removed a while later.',
    },
  }),
  {
    ...only,
    method: 'GET',
    path: `${jobExecutions.path}/:id/cancel`,
    about: aboutExecution({
      summary: 'Cancel job execution',
      description: 'Has an effect, although it is a GET.',
    }),
    handle: answerShown('jobExecutions', cancelExecution),
  },
  {
    ...only,
    method: 'GET',
    path: `${jobExecutions.path}/:id/refresh-status`,
    about: aboutExecution({ summary: 'Refresh job execution', description: 'The same as showing it.' }),
    handle: answerShown('jobExecutions', refreshExecution),
  },
];

const logsEndpoint: Endpoint = {
  ...only,
  method: 'GET',
  path: `${jobExecutions.path}/:id/logs`,
  about: {
    summary: 'Show job execution logs',
    description:
      'An extension: other services do not serve this route. What the program writes, output and errors in one stream. `X-Log-Bytes` is its size. Simulated runs have none.',
    extension: true,
    ...named('jobExecutions'),
    query: () => [
      { name: 'tailLines', description: `Only so many lines at the end, at most ${mostTailLines}, of its last MiB` },
      { name: 'offset', description: 'Only what follows so many bytes' },
      { name: 'limit', description: 'At most so many bytes' },
      { name: 'follow', description: 'Goes on until the run ends', choice: ['true', 'false'] },
    ],
    success: { status: 200, file: true, text: true },
    causes: ['badLogRange', 'noLogs'],
  },
  handle: showLogs,
};

export const jobEndpoints: readonly Endpoint[] = [
  ...resourceEndpoints('dataSources', {
    create: {
      action: createDataSource,
      body: { schema: (dialect) => jobSchemas(dialect).dataSourceCreate },
      causes: ['nameTaken', 'badSource', 'noCredentials', 'unusable', 'tooManyRows'],
    },
    remove: { action: removing('dataSources'), causes: ['undeletable'] },
  }),
  ...binaryEndpoints,
  ...executionEndpoints,
  logsEndpoint,
  ...resourceEndpoints('jobs', {
    create: {
      action: createJob,
      body: { schema: (dialect) => jobSchemas(dialect).jobCreate },
      causes: [
        'duplicate',
        'badBinaries',
        'unknownBinary',
        'tooLongParts',
        'badInterface',
        'unknownDefault',
        'unusable',
        'tooManyRows',
      ],
    },
    remove: { action: removing('jobs'), causes: ['undeletable'] },
  }),
  {
    ...only,
    method: 'POST',
    path: `${jobs.path}/:id/execute`,
    about: {
      summary: 'Execute job',
      description: 'Every request starts a new run, which waits until the cluster is Active.',
      ...named('jobs'),
      body: { schema: (dialect) => jobSchemas(dialect).jobExecute },
      success: { status: 202, one: 'jobExecutions' },
      causes: [
        'unknownCluster',
        'otherPlugin',
        'badInterface',
        'unknownSource',
        'unknownDefault',
        'badRun',
        'unusable',
        'tooManyRows',
        'tooManyRunBytes',
      ],
    },
    handle: answerExecuted,
  },
  {
    ...only,
    method: 'GET',
    path: `${jobs.path}/config-hints/:id`,
    about: {
      summary: 'Show job configuration hints',
      names: { id: { name: 'job_type', description: 'Type of jobs' } },
      success: { status: 200, one: 'jobConfig' },
    },
    handle: showConfigHints,
  },
];
