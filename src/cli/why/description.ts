// What an object asks for, and what there is, in one line each. PURE.
import { shownUrl } from '../../wire/jobs.ts';
import type { Fields } from '../fields.ts';
import type { Observed } from '../observed.ts';

export interface Description {
  readonly wanted: string;
  readonly actual: string;
}

export function describe(object: Observed): Description {
  const [spec, status] = [object.spec ?? {}, object.status ?? {}];
  const words = ofKind[object.kind];
  const wanted = joined(words?.wanted(spec) ?? []);
  const actual = joined(words?.actual(status, spec) ?? []);
  const { deletionTimestamp, name } = object.metadata;
  const policy = text(spec['deletionPolicy']);
  return {
    wanted:
      deletionTimestamp === undefined ? wanted || name : `its deletion${policy ? ` (deletionPolicy ${policy})` : ''}`,
    actual: actual || nothing(status),
  };
}

type Parts = readonly (string | undefined)[];

interface Words {
  readonly wanted: (spec: Fields) => Parts;
  readonly actual: (status: Fields, spec: Fields) => Parts;
}

const template: Words = {
  wanted: (spec) => [pluginOf(spec), text(spec['flavorID'], 'flavor '), groupsOf(spec['nodeGroups'])],
  actual: (status) => [made(status), text(status['revision'], 'revision ')],
};

const located: Words = {
  wanted: ({ type, url, content }) => [
    text(type),
    typeof url === 'string' ? shownUrl(url) : undefined,
    content === undefined ? undefined : 'a file with bytes in Kubernetes',
  ],
  actual: template.actual,
};

const connection: Words = {
  wanted: ({ endpoint, tenantID, auth }) => [
    `the service at ${text(endpoint) ?? 'the address that Keystone names'}`,
    text(tenantID, 'tenant '),
    `authentication ${text(field(auth, 'type')) ?? 'None'}`,
  ],
  actual: ({ accepted, plugins, managedCount }) => [
    accepted === undefined ? 'no service has accepted it yet' : `accepted by ${text(field(accepted, 'endpoint'))}`,
    Array.isArray(plugins) ? `${plugins.length} plugins` : undefined,
    typeof managedCount === 'number' ? `${managedCount} objects of this Kubernetes` : undefined,
  ],
};

const ofKind: Readonly<Record<string, Words>> = {
  Connection: connection,
  SharedConnection: connection,
  Cluster: {
    wanted: (spec) => [
      pluginOf(spec),
      reference(spec, 'clusterTemplate', 'from ClusterTemplate'),
      groupsOf(spec['nodeGroups']),
    ],
    actual: (status) => [
      made(status),
      text(status['externalStatus'], 'status '),
      text(status['nodes'], 'nodes '),
      text(status['statusMessage']),
    ],
  },
  ClusterTemplate: template,
  NodeGroupTemplate: template,
  DataSource: located,
  JobBinary: located,
  Job: located,
  ImageRegistration: {
    wanted: ({ imageID, username, tags }) => [
      text(imageID, 'image '),
      text(username, 'user '),
      Array.isArray(tags) ? `tags ${tags.join(', ')}` : undefined,
    ],
    actual: (status) => [text(status['imageName'], 'image '), text(status['imageStatus']), text(status['username'])],
  },
  JobExecution: {
    wanted: (spec) => [
      `a run of ${reference(spec, 'job', 'Job') ?? 'a job of its own'}`,
      reference(spec, 'cluster', 'on Cluster') ?? 'on a cluster of its own',
      spec['cancel'] === true ? 'cancelled' : undefined,
    ],
    actual: ({ state, externalStatus, attempts, id, statusMessage, termination }) => [
      text(state) ?? 'not started',
      text(externalStatus, 'in the service '),
      typeof attempts === 'number' ? `run ${attempts}` : undefined,
      text(id, 'id '),
      exitOf(termination),
      text(statusMessage),
    ],
  },
  JobSchedule: {
    wanted: ({ schedule, timeZone, suspend }) => [
      text(schedule, 'runs at '),
      text(timeZone),
      suspend === true ? 'suspended' : undefined,
    ],
    actual: (status) => [
      text(status['lastScheduleTime'], 'last ') ?? 'no run yet',
      text(status['lastSuccessfulTime'], 'last success '),
      text(status['nextScheduleTime'], 'next '),
      typeof status['activeCount'] === 'number' ? `${status['activeCount']} active` : undefined,
    ],
  },
  NodeGroup: {
    wanted: (spec) => [
      `${numberText(spec['count'])} nodes in group ${text(spec['nodeGroup'])}`,
      reference(spec, 'cluster', 'of Cluster'),
      spec['autoscaling'] === undefined ? undefined : 'autoscaled',
    ],
    actual: ({ count, wanted }) => [
      typeof count === 'number' ? `${count} nodes` : undefined,
      typeof wanted === 'number' ? `${wanted} wanted` : undefined,
    ],
  },
};

function nothing({ id }: Fields): string {
  return id === undefined ? 'nothing in the service yet' : `id ${text(id)}`;
}

function made({ externalName, id }: Fields): string | undefined {
  if (id === undefined) return 'nothing in the service yet';
  return `${text(externalName) ?? 'object'} (${text(id)})`;
}

function pluginOf({ pluginName, bigdataVersion }: Fields): string | undefined {
  return joined([text(pluginName), text(bigdataVersion)], ' ') || undefined;
}

function reference(spec: Fields, name: string, words: string): string | undefined {
  const given = text(field(spec[`${name}Ref`], 'name')) ?? text(spec[`${name}ID`]);
  return given === undefined ? undefined : `${words} ${given}`;
}

const mostGroups = 6;

function groupsOf(groups: unknown): string | undefined {
  if (!Array.isArray(groups) || groups.length === 0) return undefined;
  const shown = groups
    .slice(0, mostGroups)
    .map((one: unknown) => `${text(field(one, 'name'))} ${numberText(field(one, 'count'))}`);
  return `nodes: ${shown.join(', ')}${groups.length > mostGroups ? ', …' : ''}`;
}

function exitOf(termination: unknown): string | undefined {
  const [reason, code] = [text(field(termination, 'reason')), field(termination, 'exitCode')];
  if (reason === undefined && code === undefined) return undefined;
  return joined([reason, typeof code === 'number' ? `exit code ${code}` : undefined], ', ');
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown, before = ''): string | undefined {
  return typeof value === 'string' && value !== '' ? `${before}${value}` : undefined;
}

function joined(parts: Parts, by = ', '): string {
  return parts.filter((part) => part !== undefined && part !== '').join(by);
}

function numberText(value: unknown): string {
  return typeof value === 'number' ? `${value}` : '?';
}
