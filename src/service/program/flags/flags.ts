// The command line of the bundled service. PURE.
import { z } from 'zod';
import {
  commaSeparated,
  type FlagTable,
  type FlagValues,
  flagsHelp,
  helpFlag,
  numberFlag,
  oneOf,
  readFlags,
  textLike,
} from '../../../lib/flags.ts';
import { type Dialect, dialects } from '../../../wire/dialect.ts';
import { isLoopback } from '../../api/http/sites.ts';
import { realFlags } from '../../backends/flags.ts';
import { ingressFlags, podFlags } from '../../backends/pods/flags.ts';
import { processFlags } from '../../backends/processes/flags.ts';
import { type CloudImage, usualQuotas } from '../../model/catalog/catalog.ts';
import { clusterStages } from '../../model/stages/cluster-stages.ts';
import { executionStages } from '../../model/stages/execution-stages.ts';
import { authFlags, exposureFlags } from './access-flags.ts';

const image = z
  .string()
  .regex(/^[^:]+(:unregistered)?$/, { error: 'must consist of ID and ID:unregistered, separated by commas' })
  .transform((text): CloudImage => {
    const [id = '', state] = text.split(':');
    return { id, name: id, registered: state === undefined };
  });

const generalFlags = {
  port: numberFlag(0, 65_535, 'port to listen on, 0 for a free one', 8386),
  host: { value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
  dialect: {
    schema: oneOf(dialects),
    value: 'WORD',
    default: 'neutral',
    help: 'vocabulary and behavior: neutral, sahara, savanna',
  },
  data: {
    value: 'FILE',
    help: 'store everything in this file. Every change is on the disk before it is answered. Without it all data is lost at the end',
  },
  load: {
    value: 'FILE',
    help: 'objects that exist from the start, YAML or JSON: see docs/how-to/bundled-service/fixtures.md',
  },
  provisioner: {
    schema: oneOf(['simulated', 'processes', 'kubernetes']),
    value: 'WORD',
    default: 'simulated',
    help: 'what makes clusters: simulated, processes, which runs them here as your user, or kubernetes, which runs them in pods',
  },
  'max-concurrent': numberFlag(
    1,
    100_000,
    'maximum number of clusters that are created or scaled at a time, and of jobs that run at a time. Deletions never wait; default: no maximum',
  ),
  'latency-ms': numberFlag(0, 60_000, 'additional delay of each answer in ms', 0),
  'stage-ms': {
    schema: textLike('N or STATUS=N', /^([A-Za-z: ]+=)?\d{1,9}$/),
    value: 'N',
    repeatable: true,
    help: 'milliseconds that clusters and job executions stay in each status; default: 1000, or 0 if clusters are real. STATUS=N sets it for one status',
  },
  seed: numberFlag(0, 2 ** 32 - 1, 'makes the same identifiers and addresses in each run; default: random'),
  'log-level': {
    schema: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    value: 'LEVEL',
    default: 'info',
    help: 'least severe level that is logged: debug, info, warn, error or silent',
  },
  ...helpFlag,
} as const;

const catalogFlags = {
  flavors: {
    schema: commaSeparated,
    value: 'LIST',
    needs: { flag: 'provisioner', values: ['simulated'], remedy: 'describe real flavors with --flavors-file' },
    help: 'existing flavors, separated by commas. sahara and savanna accept only digits and UUIDs; default: 1 to 5, and any UUID',
  },
  images: {
    schema: commaSeparated.pipe(z.array(image)),
    value: 'LIST',
    help: 'existing images, separated by commas. ID: registered, with the tags of all plugins. ID:unregistered: not registered yet; default: any UUID is a registered image, except for 2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58 and 91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13, which are unregistered',
  },
  plugins: {
    value: 'FILE',
    needs: {
      flag: 'provisioner',
      values: ['simulated'],
      remedy: 'the plugins of real clusters are those of their engines',
    },
    help: 'plugins instead of the bundled ones, YAML or JSON: see docs/how-to/bundled-service/plugins.md',
  },
  quota: numberFlag(0, 1_000_000, 'maximum number of machines of a tenant', usualQuotas.quota),
  'quota-rows': numberFlag(0, 1_000_000_000, 'maximum number of resources of a tenant', usualQuotas.rowQuota),
  'quota-row-bytes': numberFlag(
    0,
    Number.MAX_SAFE_INTEGER,
    'memory that these resources take, in bytes',
    usualQuotas.rowByteQuota,
  ),
  'quota-bytes': numberFlag(
    0,
    Number.MAX_SAFE_INTEGER,
    'maximum size of the internal job binaries of a tenant',
    usualQuotas.byteQuota,
  ),
  'quota-run-bytes': numberFlag(
    0,
    Number.MAX_SAFE_INTEGER,
    'maximum size of what the runs of a tenant keep on the disk: their files until they start, and their outputs until they are deleted',
    usualQuotas.runByteQuota,
  ),
} as const;

const flags = {
  ...generalFlags,
  ...authFlags,
  ...exposureFlags,
  ...catalogFlags,
  ...realFlags,
  ...processFlags,
  ...podFlags,
  ...ingressFlags,
} as const;

/** The tables by their headings. */
export const flagGroups: Readonly<Record<string, FlagTable>> = {
  General: generalFlags,
  'Who may call': { ...authFlags, ...exposureFlags },
  'What there is, and how much of it': catalogFlags,
  'Real clusters and jobs': realFlags,
  'With --provisioner processes': processFlags,
  'With --provisioner kubernetes': { ...podFlags, ...ingressFlags },
};

const groupsHelp = Object.entries(flagGroups).map(([title, table]) => `${title}:\n${flagsHelp(table)}`);

export const help = `Usage: npm run service -- [flags]

Serves the API of the data-processing service without a cloud: plugins, images, templates, clusters
and jobs. Clusters and job executions are simulated, and pass through the states of real ones. With
--provisioner processes or kubernetes, clusters and jobs are real.

${groupsHelp.join('\n')}
A configuration file for convert-config is the JSON body of a request for a cluster template;
plugin and version come from the path, the name from the path or the file.

The first line on standard output is: listening on http://HOST:PORT
The service ends at SIGINT or SIGTERM, after it has answered the requests under way.
`;

/** Throws at a word that is no status of the dialect. */
export function checkStatuses(flag: string, statuses: readonly string[], dialect: Dialect): void {
  const words = [...clusterStages.statuses(dialect), ...executionStages.statuses(dialect)];
  const unknown = statuses.find((status) => !words.includes(status));
  if (unknown !== undefined) throw refuse(`${flag} has no status ${unknown}; there are ${words.join(', ')}`);
}

/** The duration by status from `N` and `STATUS=N`. The last value wins. Unknown statuses are refused, because they are typos. */
function parseStages(values: readonly string[], usual: number, dialect: Dialect): (status: string) => number {
  const pairs = values.map((value) => {
    const at = value.lastIndexOf('=');
    return [value.slice(0, Math.max(at, 0)), Number(value.slice(at + 1))] as const;
  });
  const named = pairs.map(([status]) => status).filter((status) => status !== '');
  checkStatuses('--stage-ms', named, dialect);
  const byStatus = new Map([['', usual], ...pairs]);
  return (status) => byStatus.get(status) ?? byStatus.get('') ?? 0;
}

type Values = FlagValues<typeof flags>;

function authContradiction({ auth, token, 'token-file': file }: Values): string | undefined {
  const tokenFlag = file === undefined ? token.length > 0 && '--token' : '--token-file';
  if (auth === 'token' && tokenFlag === false) return '--auth token needs a --token or a --token-file';
  if (auth !== undefined && auth !== 'token' && tokenFlag !== false) return `--auth ${auth} takes no ${tokenFlag}`;
  return undefined;
}

function contradiction(values: Values): string | undefined {
  const { provisioner, host } = values;
  if (provisioner === 'processes' && !isLoopback(host) && !values['i-trust-all-users'])
    return `--provisioner processes runs programs of everybody who can reach ${host} as your user; leave --host out, or add --i-trust-all-users`;
  if (provisioner === 'kubernetes' && values['runner-url'] === '')
    return '--provisioner kubernetes needs --runner-url: name the address of this service for pods';
  if (values['allow-exposure'].includes('Ingress') && values['ingress-domain'] === undefined)
    return '--allow-exposure Ingress needs --ingress-domain';
  if (values['metrics-from'].length > 0 && !values['engine-metrics'])
    return '--metrics-from needs --engine-metrics: without it, nothing serves metrics';
  return authContradiction(values);
}

const refuse = (why: string): Error => new Error(`cannot read flags: ${why}`);

/** Throws `cannot read flags: ...` with every wrong flag. `more`: the flags of a wrapper. */
export function parseFlags<More extends FlagTable = Readonly<Record<never, never>>>(
  args: readonly string[],
  more?: More,
) {
  const { values, problems } = readFlags<typeof flags & FlagTable>({ ...flags, ...more }, args);
  if (values === undefined) throw refuse(problems.join('; '));
  const contradicted = contradiction(values);
  if (contradicted !== undefined) throw refuse(contradicted);
  return {
    ...(values as Values & FlagValues<More>),
    limits: { requestMs: values['request-timeout-ms'], connections: values['max-connections'] },
    // Real clusters and jobs take their own time.
    stageMs: parseStages(values['stage-ms'], values.provisioner === 'simulated' ? 1000 : 0, values.dialect),
  };
}

export type Flags = ReturnType<typeof parseFlags>;

/** Throws `cannot read flags: ...` if tokens have to be validated and nothing can do that. `local`: whether a wrapper brings an identity service. */
export function checkKeystone({ auth, 'auth-url': url }: Flags, local: boolean): void {
  if (auth !== 'keystone' || url !== undefined || local) return;
  throw refuse(
    '--auth keystone needs --auth-url: name the Keystone that validates tokens, or use --token-file instead',
  );
}

const cleanFlags = { machines: processFlags.machines, data: generalFlags.data, ...helpFlag } as const;

export const cleanHelp = `\
Usage: npm run service -- clean [--machines FOLDER] [--data FILE]

Ends the processes of all clusters and jobs that a killed service has left, and removes their files. Give it the flags of
that service: they say where its machines are.
`;

/** Throws `cannot read flags: ...`. */
export function parseClean(args: readonly string[]): FlagValues<typeof cleanFlags> {
  const { values, problems } = readFlags(cleanFlags, args);
  if (values === undefined) throw refuse(problems.join('; '));
  return values;
}
