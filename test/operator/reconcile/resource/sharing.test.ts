// Which namespaces a SharedConnection selects, and what they may do through it.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { kinds } from '../../../../src/operator/kinds/index.ts';
import type { Key } from '../../../../src/operator/reconcile/pass-ports.ts';
import { leavingProblem, sharingProblem, sharingTextOf } from '../../../../src/operator/reconcile/resource/sharing.ts';
import { clusterSpec, resourceOf } from '../support.ts';

const reference = { connectionRef: { kind: 'SharedConnection', name: 'platform' } };
const resource = (spec: object = {}) => resourceOf({ spec: { ...clusterSpec, ...reference, ...spec } });
const { namespace } = resource().metadata;

interface Options {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  /** The spec of Job pi. */
  readonly job?: object;
}

/** A store with this SharedConnection, and a namespace with these labels. */
function problemOf(shared: unknown, options: Options = {}) {
  const found: Readonly<Record<string, Partial<RawResource>>> = {
    'SharedConnection//platform': { spec: shared },
    ...(options.labels && {
      [`Namespace//${namespace}`]: { metadata: { ...resource().metadata, labels: options.labels } },
    }),
    ...(options.job && { [`Job/${namespace}/pi`]: { spec: options.job } }),
  };
  const read = ({ kind, namespace: of, name }: Key) => found[`${kind}/${of}/${name}`] as RawResource | undefined;
  return sharingProblem({ read }, resource(options.spec));
}

const labels = { team: 'a', stage: 'test' };
const by = (key: string, operator: string, values?: readonly string[]) => ({
  namespaceSelector: { matchExpressions: [{ key, operator, ...(values && { values }) }] },
});

describe('a namespace is selected', () => {
  test.each<readonly [string, unknown, boolean]>([
    ['by its name', { namespaces: ['other', namespace] }, true],
    ['by nothing', {}, false],
    ['by no name', { namespaces: ['other'] }, false],
    ['by an empty selector', { namespaceSelector: {} }, true],
    ['by labels', { namespaceSelector: { matchLabels: labels } }, true],
    ['by labels of which one differs', { namespaceSelector: { matchLabels: { ...labels, team: 'b' } } }, false],
    [
      'by its name, although its labels differ',
      { namespaces: [namespace], namespaceSelector: { matchLabels: { a: 'b' } } },
      true,
    ],
    ['In', by('team', 'In', ['a', 'b']), true],
    ['In, without the label', by('absent', 'In', ['a']), false],
    ['NotIn', by('team', 'NotIn', ['b']), true],
    ['NotIn, without the label', by('absent', 'NotIn', ['a']), true],
    ['NotIn, and it is', by('team', 'NotIn', ['a']), false],
    ['Exists', by('team', 'Exists'), true],
    ['Exists, and it does not', by('absent', 'Exists'), false],
    ['DoesNotExist', by('absent', 'DoesNotExist'), true],
    ['DoesNotExist, and it does', by('team', 'DoesNotExist'), false],
    ['by an operator that is none', by('team', 'Gt', ['1']), false],
    ['by a spec that is none', null, false],
  ])('%s', (_name, shared, isSelected) => {
    expect(problemOf(shared, { labels }) === undefined).toBe(isSelected);
  });

  test('and by no label while it is not known', () => {
    expect(problemOf({ namespaceSelector: {} })).toContain(`does not select namespace ${namespace}`);
  });

  test('or its objects have a Connection of their own', () => {
    const read = () => undefined;
    expect(sharingProblem({ read }, resourceOf())).toBeUndefined();
    expect(sharingTextOf(resourceOf())).toBeUndefined();
    expect(sharingTextOf(resource())).toBe(`SharedConnection/${namespace}/platform`);
  });
});

describe('what was made may be left in the service', () => {
  const leaving = (spec: unknown) =>
    leavingProblem({ read: () => (spec === undefined ? undefined : ({ spec } as RawResource)) }, resource());

  test.each<readonly [string, unknown]>([
    ['without limits', { namespaceSelector: {} }],
    ['with none in them', { limits: {} }],
    ['once the SharedConnection is gone', undefined],
  ])('%s', (_name, shared) => {
    expect(leaving(shared)).toBeUndefined();
  });

  test.each(['maxClusters', 'maxNodes'])('but not with limits.%s', (field) => {
    expect(leaving({ limits: { [field]: 3 } })).toContain(`limits what namespace ${namespace} may have (spec.limits)`);
  });
});

describe('what takes something that exists needs allowAdopt', () => {
  const all = { namespaceSelector: {} };
  const taking: readonly (readonly [string, object])[] = [
    ['spec.adopt', { adopt: { name: 'x' } }],
    ['spec.clusterTemplateID', { clusterTemplateID: 'x' }],
    ['spec.imageID', { imageID: 'x' }],
    ['spec.nodeGroups[].nodeGroupTemplateID', { nodeGroups: [{ name: 'a' }, { name: 'b', nodeGroupTemplateID: 'x' }] }],
    ['spec.mains[].jobBinaryID', { mains: [{ jobBinaryID: 'x' }] }],
    ['spec.job.mains[].jobBinaryID', { job: { mains: [{ jobBinaryID: 'x' }] } }],
    ['spec.cluster.clusterTemplateID', { cluster: { clusterTemplateID: 'x' } }],
  ];

  test.each(taking)('%s', (field, spec) => {
    expect(problemOf(all, { labels, spec })).toContain(`${field}: SharedConnection platform does not let`);
    expect(problemOf({ ...all, allowAdopt: true }, { labels, spec })).toBeUndefined();
  });

  test('what is of the cloud, or only looks so, needs none', () => {
    const spec = { defaultImageID: 'x', networkManagementNetwork: 'x', clusterConfigs: { jobID: { imageID: 'x' } } };
    expect(problemOf(all, { labels, spec })).toBeUndefined();
  });

  test('each identifier in a spec is of the service or of the cloud', () => {
    const ofCloud = ['defaultImageID', 'userKeypairID', 'flavorID'];
    const fields = kinds.flatMap(({ definition }) => Object.keys(definition.spec.shape));
    const entries = ['jobBinaryID', 'nodeGroupTemplateID', 'flavorID'];
    const named = [...new Set([...fields, ...entries])].filter((field) => field.endsWith('ID'));
    const taken = named.filter((field) => problemOf(all, { labels, spec: { [field]: 'x' } }) !== undefined);
    expect(taken.toSorted()).toEqual(named.filter((field) => !ofCloud.includes(field)).toSorted());
  });
});

describe('words by which the service looks up what exists need allowAdopt', () => {
  const all = { namespaceSelector: {} };
  const id = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
  const [byId, byName] = ['edp.substitute_data_source_for_uuid', 'edp.substitute_data_source_for_name'];
  const source = { name: 'text', mappingType: 'args', location: '0', required: true, valueType: 'data_source' };
  const option = { ...source, name: 'in', mappingType: 'configs', location: 'my.in' };
  const toggle = { ...option, name: 'on', location: byId, valueType: 'string' };
  const job = { type: 'Spark', interface: [toggle, option, source] };
  const jobRef = { name: 'pi' };
  const elsewhere = 'hdfs://namenode:8020/books';
  const ofJob = 'spec.jobRef: Job pi: spec.interface';

  test.each<readonly [string, Options]>([
    ['spec.url', { spec: { url: `internal-db://${id}` } }],
    [`spec.configs[${byId}]`, { spec: { jobRef, configs: { [byId]: 'true' }, args: [id] } }],
    [`spec.configs[${byName}]`, { spec: { jobRef, configs: { [byName]: 'True' }, args: ['datasource://books'] } }],
    ['spec.interface[text].default', { spec: { type: 'Spark', interface: [{ ...source, default: id }] } }],
    ['spec.interface[on].default', { spec: { type: 'Spark', interface: [{ ...toggle, default: 'true' }] } }],
    ['spec.interface[text]', { spec: { jobRef, interface: { text: id } }, job }],
    ['spec.interface[text]', { spec: { jobRef, interface: { text: id.replaceAll('-', '').toUpperCase() } }, job }],
    ['spec.interface[text]', { spec: { jobRef, interface: { text: 'datasource://books' } }, job }],
    ['spec.interface[text]', { spec: { job, interface: { text: id } } }],
    ['spec.args[0]', { spec: { jobRef, args: [id] }, job }],
    ['spec.configs[my.in]', { spec: { jobRef, configs: { 'my.in': id } }, job }],
    ['spec.interface[on]', { spec: { jobRef, interface: { on: 'TRUE' }, args: [id] }, job }],
    ['spec.job.interface[text].default', { spec: { job: { interface: [{ ...source, default: id }] } } }],
    [`${ofJob}[text].default`, { spec: { jobRef }, job: { interface: [{ ...source, default: id }] } }],
  ])('%s', (field, given) => {
    const options = { labels, ...given };
    const problem = problemOf(all, options);
    expect(problem).toContain(`${field}: SharedConnection platform does not let namespaces take what exists`);
    expect(problem).toMatch(/ Give the .*, or ask the administrator of the cluster to set/);
    expect(problemOf({ ...all, allowAdopt: true }, options)).toBeUndefined();
  });

  test.each<readonly [string, Options]>([
    ['a file elsewhere', { spec: { url: `https://files.example.com/${id}.py` } }],
    ['a share, which is of the cloud', { spec: { url: `manila://${id}/wordcount.py` } }],
    ['the bytes of a file', { spec: { content: { inline: `internal-db://${id}`, fileName: 'a.txt' } } }],
    [
      'DataSources of the namespace',
      { spec: { jobRef, inputRef: { name: 'books' }, outputRef: { name: 'counts' } }, job },
    ],
    ['a switch that is off', { spec: { jobRef, configs: { [byId]: 'false', [byName]: '' }, args: [id] } }],
    ['an identifier elsewhere', { spec: { jobRef, configs: { run: id }, params: { id }, args: ['10', id] }, job }],
    ['an identifier as a text of the interface', { spec: { jobRef, interface: { on: id, text: elsewhere } }, job }],
    ['the URL of data', { spec: { jobRef, interface: { text: elsewhere }, configs: { 'my.in': elsewhere } }, job }],
    ['an interface without values', { spec: job }],
    ['an interface with a URL', { spec: { interface: [{ ...source, default: elsewhere }] } }],
    ['a Job that does not exist yet', { spec: { jobRef, interface: { text: id } } }],
    [
      'what is no spec of a Job',
      { spec: { jobRef: null, interface: [null, { name: { toString: 1 } }], configs: 'x' } },
    ],
  ])('but not %s', (_name, given) => {
    expect(problemOf(all, { labels, ...given })).toBeUndefined();
  });
});
