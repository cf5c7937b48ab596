// The routes of v1.1: section 4.6 of the interface.
import { routes } from '../wire/routes.ts';
import { showConfigHints } from './config-hints.ts';
import { createDataSource } from './data-sources.ts';
import { type Call, type Endpoint, ok } from './endpoint.ts';
import { createInternal, createJobBinary, readInternal, readJobBinary } from './job-binaries.ts';
import { cancelExecution, deleteExecution, executeJob, refreshExecution } from './job-executions.ts';
import { createJob } from './jobs.ts';
import { answerCreated, answerShown, resourceEndpoints } from './resource-routes.ts';
import type { Service } from './service.ts';
import { removing } from './usage.ts';

const only = { version: 'v1.1' } as const;
const { jobBinaries, jobBinaryInternals, jobs, jobExecutions } = routes;

/** Upstream labels bytes as a page. */
const download =
  (read: (service: Service, call: Call) => Uint8Array): Endpoint['handle'] =>
  (service, call) => ({
    ...ok(''),
    file: {
      bytes: read(service, call),
      type: service.dialect === 'neutral' ? 'application/octet-stream' : 'text/html; charset=utf-8',
    },
  });

export const jobEndpoints: readonly Endpoint[] = [
  ...resourceEndpoints('dataSources', { create: createDataSource, remove: removing('dataSources') }),
  ...resourceEndpoints('jobBinaries', { create: createJobBinary, remove: removing('jobBinaries') }),
  { ...only, method: 'GET', path: `${jobBinaries.path}/:id/data`, answers: 'bytes', handle: download(readJobBinary) },
  ...resourceEndpoints('jobBinaryInternals', { remove: removing('jobBinaryInternals') }),
  {
    ...only,
    method: 'PUT',
    path: `${jobBinaryInternals.path}/:name`,
    reads: 'bytes',
    handle: answerCreated('jobBinaryInternals', createInternal),
  },
  {
    ...only,
    method: 'GET',
    path: `${jobBinaryInternals.path}/:id/data`,
    answers: 'bytes',
    handle: download(readInternal),
  },
  ...resourceEndpoints('jobExecutions', { remove: deleteExecution }),
  {
    ...only,
    method: 'GET',
    path: `${jobExecutions.path}/:id/cancel`,
    handle: answerShown('jobExecutions', cancelExecution),
  },
  {
    ...only,
    method: 'GET',
    path: `${jobExecutions.path}/:id/refresh-status`,
    handle: answerShown('jobExecutions', refreshExecution),
  },
  ...resourceEndpoints('jobs', { create: createJob, remove: removing('jobs') }),
  {
    ...only,
    method: 'POST',
    path: `${jobs.path}/:id/execute`,
    handle: answerCreated('jobExecutions', executeJob),
  },
  { ...only, method: 'GET', path: `${jobs.path}/config-hints/:id`, handle: showConfigHints },
];
