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

/** A store with this SharedConnection, and a namespace with these labels. */
function problemOf(shared: unknown, options: { labels?: Readonly<Record<string, string>>; spec?: object } = {}) {
  const found: Readonly<Record<string, Partial<RawResource>>> = {
    'SharedConnection//platform': { spec: shared },
    ...(options.labels && {
      [`Namespace//${namespace}`]: { metadata: { ...resource().metadata, labels: options.labels } },
    }),
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
