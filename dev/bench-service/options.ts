// The command line of the service's benchmark.
import { z } from 'zod';
import { type FlagValues, flagsHelp, helpFlag, integer } from '../../src/lib/flags.ts';
import { path, readOptionsOf } from '../options.ts';

const numbers = z
  .string()
  .regex(/^\d{1,3}(,\d{1,3})*$/, { error: 'must be numbers such as 5,50' })
  .transform((text) => text.split(',').map(Number));

const table = {
  clusters: { schema: integer(1, 100_000), value: '<n>', default: '10000', help: 'clusters in the list' },
  creates: {
    schema: integer(10, 1_000_000),
    value: '<n>',
    default: '10000',
    help: 'node group templates in memory; a tenth of them persistent',
  },
  reads: { schema: integer(1, 10_000_000), value: '<n>', default: '30000', help: 'reads of one cluster' },
  lists: {
    schema: integer(1, 1000),
    value: '<n>',
    default: '5',
    help: 'lists of all clusters; the first one after the clusters have changed',
  },
  noisy: {
    schema: numbers,
    value: '<list>',
    default: '5,50',
    help: 'numbers of runs in pods that print without end, separated by commas: how fast /healthz and a read answer',
  },
  'noisy-seconds': { schema: integer(1, 600), value: '<n>', default: '10', help: 'how long each of them is measured' },
  parallel: { schema: integer(1, 1000), value: '<n>', default: '16', help: 'requests that are under way at a time' },
  'pod-runs': {
    schema: integer(0, 10_000),
    value: '<n>',
    default: '0',
    help: 'executions that run in pods of a real API server; 0: not measured',
  },
  'pod-clusters': {
    schema: integer(0, 1000),
    value: '<n>',
    default: '20',
    help: 'clusters that wait for their pods meanwhile',
  },
  'pod-seconds': {
    schema: integer(1, 3600),
    value: '<n>',
    default: '30',
    help: 'how long the requests of the service to the API server are counted',
  },
  'limit-mib': {
    schema: integer(0, 65_536),
    value: '<n>',
    default: '512',
    help: 'memory limit of the service while hostile tenants attack it; 0: not measured',
  },
  base: {
    schema: path,
    value: '<folder>',
    help: 'another version of this repository, with node_modules: both kinds of runs in pods are measured with it, too',
  },
  out: { schema: path, value: '<file>', help: 'write the document there as well' },
  ...helpFlag,
} as const;

export const help = `Usage: npm run bench:service [-- OPTIONS]

Starts the bundled service as a process of its own and measures how fast it answers: creates of node group templates in
memory and persistent, reads of one cluster, a list of many clusters, and answers while runs print without end. Prints one JSON document; progress goes to
standard error. Its section "targets" says which of the promised figures were met; the exit code does not. Needs Linux (/proc).

npm prints lines of its own before the document. A file that holds the document alone:
  npm run --silent bench:service -- [OPTIONS] > figures.json      or: --out figures.json

Options:
${flagsHelp(table)}`;

export type Options = FlagValues<typeof table>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(table, args);
