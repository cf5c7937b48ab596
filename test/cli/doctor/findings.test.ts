// What `doctor` concludes from what it has read.
import { describe, expect, test } from 'vitest';
import { skewFinding } from '../../../src/cli/doctor/clocks.ts';
import { stateFinding } from '../../../src/cli/doctor/connections.ts';
import { doctorPage } from '../../../src/cli/doctor/doctor-page.ts';
import { mistakesIn } from '../../../src/cli/doctor/mistakes.ts';
import { networkFindings } from '../../../src/cli/doctor/network.ts';
import { operatorFindings } from '../../../src/cli/doctor/operator-findings.ts';
import { checkPermissions } from '../../../src/cli/doctor/permissions.ts';
import { servedKinds } from '../../../src/cli/doctor/served-kinds.ts';
import type { SharedSecret } from '../../../src/cli/doctor/shared-connections.ts';
import type { OperatorState } from '../../../src/cli/operator-state.ts';
import { painter } from '../../../src/cli/output/page.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../src/kube/http/transport.ts';
import { definitions } from '../../../src/operator/kinds/definitions.ts';
import { now, object, ready } from '../why/objects.ts';

const fieldsOf = (shape: object) => ({ properties: Object.fromEntries(Object.keys(shape).map((name) => [name, {}])) });
const schemas = Object.fromEntries(
  definitions.map(({ kind, spec, status }) => [
    `dev.dataprocessing.v1alpha1.${kind}`,
    { properties: { spec: fieldsOf(spec.shape), status: fieldsOf(status.shape) } },
  ]),
);
const served = (changed: object) => servedKinds({ components: { schemas: { ...schemas, ...changed } } });

describe('the CRDs', () => {
  test('have the fields of this version', () => {
    expect(served({})).toEqual([{ area: 'CRDs', level: 'ok', text: 'all 12 have the fields of this version' }]);
  });

  test.each([
    ['none', undefined, /serves none of the kinds/],
    ['an answer that is something else', { components: 5 }, /serves none of the kinds/],
  ])('%s', (_what, openApi, text) => {
    expect(servedKinds(openApi)).toMatchObject([
      { level: 'wrong', text: expect.stringMatching(text), todo: expect.stringContaining('-k crds') },
    ]);
  });

  test('one that is missing, older or newer', () => {
    const job = 'dev.dataprocessing.v1alpha1.Job';
    expect(served({ [job]: undefined })).toMatchObject([{ level: 'wrong', text: 'the API server does not serve Job' }]);
    const parts = (schemas[job] ?? {}) as { readonly properties: { readonly spec: { readonly properties: object } } };
    const { type: _type, ...older } = parts.properties.spec.properties as Record<string, object>;
    const withSpec = (properties: object) => ({ [job]: { properties: { ...parts.properties, spec: { properties } } } });
    expect(served(withSpec(older))).toMatchObject([
      { level: 'wrong', text: expect.stringContaining('lack Job.spec.type') },
    ]);
    expect(served(withSpec({ ...parts.properties.spec.properties, more: {} }))).toMatchObject([
      { level: 'note', text: expect.stringContaining('Job.spec.more') },
    ]);
  });
});

describe('the operator', () => {
  const state = (more: Partial<OperatorState> = {}): OperatorState => ({
    state: 'running',
    namespace: 'dataprocessing-system',
    holder: 'operator-1',
    renewedAt: now - 3_000,
    now,
    ...more,
  });
  const context = { namespace: 'team', version: '0.2.0', unseen: 0 };

  test.each<[string, Partial<OperatorState>, number, string, RegExp]>([
    ['runs', {}, 0, 'ok', /operator-1 renewed Lease .* 3 seconds ago/],
    [
      'has stopped',
      { state: 'stopped', renewedAt: now - 600_000 },
      0,
      'wrong',
      /no operator is running: .* 10 minutes ago/,
    ],
    ['has released its Lease', { state: 'stopped', holder: '' }, 0, 'wrong', /was released/],
    ['has no Lease', { state: 'absent' }, 0, 'note', /one without leader election has none/],
    ['has no Lease, and objects wait', { state: 'absent' }, 2, 'wrong', /nobody has looked at 2 of the objects/],
    ['has a Lease that you may not read', { state: 'unknown' }, 0, 'note', /you may not read/],
  ])('%s', (_what, more, unseen, level, text) => {
    expect(operatorFindings(state(more), { ...context, unseen })[0]).toMatchObject({
      level,
      text: expect.stringMatching(text),
    });
  });

  test.each<[string, Partial<OperatorState>, string, RegExp]>([
    ['no replica is ready', { replicas: { ready: 0, wanted: 2 } }, 'wrong', /0 of 2/],
    ['one replica is not ready', { replicas: { ready: 1, wanted: 2 } }, 'note', /1 of 2/],
    ['the namespace is not watched', { watched: ['a', 'b'] }, 'wrong', /does not watch namespace team, but only a, b/],
    ['the same version', { image: 'registry:5000/x:0.2.0' }, 'ok', /operator and plugin are 0.2.0/],
    ['another version', { image: 'x:v0.3.1' }, 'note', /the operator is 0.3.1/],
  ])('%s', (_what, more, level, text) => {
    expect(operatorFindings(state(more), context)[1]).toMatchObject({ level, text: expect.stringMatching(text) });
  });

  test('whose image has a tag of its own is not compared, and all is well', () => {
    const well = { image: 'x:main', watched: [], replicas: { ready: 2, wanted: 2 } };
    expect(operatorFindings(state(well), context)).toHaveLength(1);
  });
});

describe('permissions', () => {
  const asking = (
    allows: (attributes: Readonly<Record<string, string>>) => boolean | Error,
    sharedSecrets: readonly SharedSecret[] = [],
  ) => {
    const request = async ({ body }: ApiCall) => {
      const { spec } = body as { readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> } };
      const allowed = allows(spec.resourceAttributes);
      if (allowed instanceof Error) throw allowed;
      return { kind: 'SelfSubjectAccessReview', status: { allowed } };
    };
    const at = { namespace: 'team', operatorNamespace: 'system', sharedSecrets };
    return checkPermissions({ request } as unknown as PodTransport, at);
  };

  test('of an administrator', async () => {
    expect((await asking(() => true)).map(({ level }) => level)).toEqual(Array.from({ length: 7 }, () => 'ok'));
  });

  test('of a viewer, who may change nothing and read no Secret', async () => {
    const found = await asking(
      ({ verb, resource }) => !['create', 'patch', 'delete', 'approve'].includes(verb ?? '') && resource !== 'secrets',
    );
    expect(found.map(({ level }) => level)).toEqual(['ok', 'note', 'note', 'ok', 'note', 'ok', 'ok']);
    expect(found[2]?.text).toBe('you may not approve plans where the admission policy asks for it');
    // A Connection, a NodeGroup and a JobSchedule have no plan.
    expect(found[2]?.todo).toMatch(
      /^ask for the verb "approve" on (?=.*\bclusters\b)(?!.*(connections|nodegroups|schedules)).* in namespace team$/,
    );
    expect(found[4]?.todo).toBe('ask for the verb "get" on secrets in namespace team');
  });

  test('of nobody', async () => {
    const found = await asking(() => false);
    expect(found[0]).toMatchObject({ level: 'wrong', text: 'you may not read the objects' });
    expect(found[0]?.todo).toMatch(
      /^ask for the verb "get" on connections, .*, and "list" on connections, .* in namespace team$/,
    );
    expect(found[6]?.todo).toContain('in namespace system');
  });

  test.each([
    [true, { level: 'ok' }],
    [false, { level: 'note', todo: 'give a token with --token-file, or ask who shares it' }],
  ])('of the Secret of a SharedConnection, in the namespace that keeps it: %s', async (isAllowed, expected) => {
    const secret = { connection: 'platform', namespace: 'data-platform', name: 'token' };
    const of = `read Secret token of SharedConnection platform in namespace data-platform, for logs, orphans and import through it without --token-file`;
    const allows = ({ resource, namespace, name }: Readonly<Record<string, string>>) =>
      resource !== 'secrets' || namespace === 'team' || (isAllowed && name === 'token');
    const found = await asking(allows, [secret]);
    expect(found).toHaveLength(8);
    expect(found).toContainEqual({ area: 'Permissions', text: `you may ${isAllowed ? '' : 'not '}${of}`, ...expected });
  });

  test('that nobody tells', async () => {
    const found = await asking(() => new Error('no'));
    expect(found.map(({ level }) => level)).toEqual(Array.from({ length: 7 }, () => 'note'));
  });
});

describe('Connections', () => {
  test('that do not work', () => {
    expect(stateFinding(ready('Connection', 'default'))).toMatchObject({ level: 'ok' });
    const wrong = object('Connection', 'default', { reason: 'Unauthorized', message: '401', stalled: true });
    expect(stateFinding(wrong)).toEqual({
      area: 'Connections',
      level: 'wrong',
      text: 'Connection default is not ready (Unauthorized): 401',
      todo: 'kubectl dataprocessing why connection/default -n team',
    });
  });

  test.each([
    [0, 'ok', /agrees/],
    [-30_000, 'ok', /agrees/],
    [120_500, 'wrong', /2 minutes ahead of/],
    [-3_600_000, 'wrong', /59 minutes behind/],
  ])('whose clock differs by %i ms', (by, level, text) => {
    const [found] = skewFinding('the service', now + by, { sent: now - 100, got: now });
    expect(found).toMatchObject({ level, text: expect.stringMatching(text) });
  });

  test('whose service tells no time', () => {
    expect(skewFinding('the service', undefined, { sent: now, got: now })).toEqual([]);
  });
});

describe('the network policy', () => {
  const connection = (endpoint: string) => ready('Connection', 'default', { spec: { endpoint } });
  const policy = (...egress: readonly object[]) => ({ spec: { policyTypes: ['Egress'], egress } });
  test.each<[string, object, string | undefined]>([
    ['http://x:8386', policy({ ports: [{ port: 8386 }] }), 'ok'],
    ['http://x:8080', policy({ ports: [{ port: 8386 }] }), 'wrong'],
    ['https://x', policy({ ports: [{ port: 443 }] }), 'ok'],
    ['http://x', policy({ ports: [{ port: 443 }] }), 'wrong'],
    ['http://x:8080', policy({ ports: [{ port: 8000, endPort: 9000 }] }), 'ok'],
    ['http://x:8080', policy({}), 'ok'],
    ['http://x:8080', policy({ ports: [{ port: 'http' }] }), 'ok'],
    ['http://x:8080', { spec: { policyTypes: ['Ingress'] } }, 'ok'],
    ['http://x:8080', {}, 'ok'],
  ])('for %s: %j', (endpoint, of, level) => {
    expect(networkFindings(of, [connection(endpoint)])[0]?.level).toBe(level);
  });

  test('is not judged if it cannot be read', () => {
    expect(networkFindings(undefined, [connection('http://x:1')])).toEqual([]);
  });
});

describe('mistakes', () => {
  const plugins = [{ name: 'vanilla', versions: ['3.10', '3.2'] }];
  const connection = (name: string, spec: object = {}) =>
    ready('Connection', name, { spec: { endpoint: 'https://service.example.com', ...spec }, more: { plugins } });
  const cluster = (spec: object) => ready('Cluster', 'etl', { spec });

  test.each<[string, readonly ReturnType<typeof ready>[], string, RegExp]>([
    [
      'no Connection of the usual name',
      [connection('defalt'), cluster({})],
      'wrong',
      /Connection default does not exist.*Cluster etl.*perhaps defalt/,
    ],
    [
      'an endpoint that is the pod itself',
      [connection('default', { endpoint: 'http://127.0.0.1:8386' })],
      'note',
      /names this computer/,
    ],
    [
      'an endpoint with a version',
      [connection('default', { endpoint: 'http://x:8386/v1.1/demo' })],
      'wrong',
      /ends with a version.*remove/,
    ],
    [
      'a plugin that is not there',
      [connection('default'), cluster({ pluginName: 'vanila' })],
      'wrong',
      /no plugin vanila/,
    ],
    [
      'a version without quotes',
      [connection('default'), cluster({ pluginName: 'vanilla', bigdataVersion: '3.1' })],
      'wrong',
      /no version 3.1, but 3.10, 3.2.*quotes/,
    ],
    [
      'certificates that nobody checks',
      [connection('default', { tls: { insecureSkipVerify: true } })],
      'note',
      /intercepted.*caSecretRef/,
    ],
  ])('%s', (_what, objects, level, text) => {
    const found = mistakesIn(objects);
    expect(found).toMatchObject([{ level }]);
    expect(`${found[0]?.text} ${found[0]?.todo}`).toMatch(text);
  });

  test('none', () => {
    const objects = [connection('default'), cluster({ pluginName: 'vanilla', bigdataVersion: '3.10' })];
    expect(mistakesIn(objects)).toMatchObject([{ level: 'ok' }]);
  });
});

test('the page groups findings by area, and counts what is wrong', () => {
  const finding = {
    area: 'CRDs',
    level: 'wrong',
    text: 'the API server does not serve Job',
    todo: 'install it',
  } as const;
  const other = { area: 'Operator', level: 'ok', text: `long ${'word '.repeat(40)}` } as const;
  const text = doctorPage([finding, other], painter(false));
  expect(text).toMatch(
    /^CRDs\n {2}wrong {4}the API server does not serve Job\n {11}Remedy: install it\nOperator\n {2}ok/,
  );
  expect(text).toMatch(/\n\n1 thing to correct\.\n$/);
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(doctorPage([other], painter(false))).toMatch(/Nothing is wrong\.\n$/);
});
