// `doctor` looks at the SharedConnections that objects of the namespace name, as at the Connections in it.
import { describe, expect, test } from 'vitest';
import { printDoctor } from '../../../src/cli/doctor/doctor-command.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { Objects } from '../../../src/cli/objects.ts';
import type { Printer } from '../../../src/cli/output/run-output.ts';
import type { Reach } from '../../../src/cli/reach.ts';
import { object, type Plane, planeOf, ready } from '../why/objects.ts';

const wish = { format: 'json', operatorNamespace: undefined } as const;
const user = (name: string) => ready('Cluster', 'etl', { spec: { connectionRef: { kind: 'SharedConnection', name } } });
const secret = { auth: { type: 'Token', secretRef: { name: 'token' } }, credentialsNamespace: 'data-platform' };
const platform = (spec: object = {}) =>
  object('SharedConnection', 'platform', {
    reason: 'Unauthorized',
    message: '401',
    stalled: true,
    metadata: { namespace: undefined },
    spec: { endpoint: 'http://service.system.svc:8386', tenantID: 'demo', ...spec },
  });

async function findings(plane: Plane): Promise<readonly Finding[]> {
  let printed = '';
  const { transport } = planeOf({ renewed: 3, ...plane });
  const reach = { objects: new Objects(transport, 'team'), transport, isInCluster: false } as Reach;
  const print = async (bytes: Uint8Array) => void (printed += Buffer.from(bytes).toString());
  const { signal } = new AbortController();
  const printer = { print, tell: () => {}, isColoured: false, signal } as unknown as Printer;
  expect(await printDoctor(reach, { wish, version: '0.2.0' }, printer)).toBe(1);
  return (JSON.parse(printed) as { readonly findings: readonly Finding[] }).findings;
}

/** Which Secrets it asked the API server about, each by name. */
const secretsIn = (found: readonly Finding[]): readonly string[] =>
  found.flatMap(({ area, text }) => (area === 'Permissions' && /Secret .* in namespace \S+(?=,)/.exec(text)) || []);

describe('a SharedConnection that an object of the namespace names', () => {
  test('does not work', async () => {
    const found = await findings({ objects: [user('platform'), platform()] });
    expect(found.filter(({ area }) => area === 'Connections')).toEqual([
      {
        area: 'Connections',
        level: 'wrong',
        text: 'SharedConnection platform is not ready (Unauthorized): 401',
        todo: 'kubectl dataprocessing why sharedconnection/platform',
      },
      {
        area: 'Connections',
        level: 'note',
        text: expect.stringMatching(/^SharedConnection platform: the service answers you with 404$/),
      },
    ]);
  });

  test('has its Secret in a namespace of its own', async () => {
    const found = await findings({ objects: [user('platform'), platform(secret)] });
    expect(found.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^SharedConnection platform: you cannot ask .* Secret "token" in namespace "data-platform"/,
      ),
    );
    expect(secretsIn(found)).toEqual(['Secret token of SharedConnection platform in namespace data-platform']);
  });

  test.each<readonly [string, object]>([
    ['no token', { auth: { type: 'None' }, credentialsNamespace: 'data-platform' }],
    ['Keystone', { ...secret, auth: { ...secret.auth, type: 'Keystone' } }],
  ])('with %s has no Secret that the user would need', async (_auth, spec) => {
    expect(secretsIn(await findings({ objects: [user('platform'), platform(spec)] }))).toEqual([]);
  });

  test('uses a port that the network policy does not allow', async () => {
    const policy = { spec: { policyTypes: ['Egress'], egress: [{ ports: [{ port: 443 }] }] } };
    const found = await findings({ objects: [user('platform'), platform()], policy });
    expect(found).toContainEqual(
      expect.objectContaining({
        area: 'Network',
        level: 'wrong',
        text: expect.stringContaining('port 8386 of SharedConnection platform'),
      }),
    );
  });

  test('has the mistakes of a Connection', async () => {
    const plugins = [{ name: 'vanilla', versions: ['3.10'] }];
    const cluster = user('platform');
    const found = await findings({
      objects: [
        { ...cluster, spec: { ...cluster.spec, pluginName: 'vanila' } },
        { ...platform({ tls: { insecureSkipVerify: true } }), status: { plugins } },
      ],
    });
    const mistakes = found.filter(({ area }) => area === 'Mistakes').map(({ text }) => text);
    expect(mistakes).toEqual([
      'Cluster etl: the service has no plugin vanila',
      expect.stringContaining('certificates are not checked for SharedConnection platform'),
    ]);
  });

  test('may not be read', async () => {
    const found = await findings({
      objects: [user('platform'), platform()],
      refused: { 'sharedconnections/platform': 'forbidden' },
    });
    expect(found.filter(({ area }) => area === 'Connections')).toEqual([
      {
        area: 'Connections',
        level: 'note',
        text: 'you may not read SharedConnection platform, so that it is not looked at',
        todo: expect.stringMatching(/^ask for the verb "get" on sharedconnections\.dataprocessing\.dev/),
      },
    ]);
  });

  test('does not exist', async () => {
    const found = await findings({ objects: [user('platfrom'), platform()] });
    expect(found).toContainEqual(
      expect.objectContaining({
        area: 'Mistakes',
        level: 'wrong',
        text: 'SharedConnection platfrom does not exist, which Cluster etl would use',
      }),
    );
    expect(found.filter(({ area }) => area === 'Connections')).toEqual([]);
  });
});

describe('a JobSchedule, whose executions alone use a SharedConnection,', () => {
  const schedule = (name: string) =>
    ready('JobSchedule', 'nightly', {
      spec: { template: { spec: { connectionRef: { kind: 'SharedConnection', name } } } },
    });

  test('has it looked at', async () => {
    const found = await findings({ objects: [schedule('platform'), platform()] });
    expect(found).toContainEqual(
      expect.objectContaining({ text: 'SharedConnection platform is not ready (Unauthorized): 401' }),
    );
    expect(found.filter(({ area }) => area === 'Mistakes')).toMatchObject([{ level: 'ok' }]);
  });

  test('is told where to correct a name', async () => {
    const found = await findings({ objects: [schedule('platfrom'), user('platfrom')] });
    expect(found).toContainEqual({
      area: 'Mistakes',
      level: 'wrong',
      text: expect.stringMatching(/^SharedConnection platfrom does not exist, .*JobSchedule nightly/),
      todo: expect.stringMatching(/ write it in spec\.connectionRef or spec\.template\.spec\.connectionRef$/),
    });
  });
});

test('those that nothing here names are not read', async () => {
  const { transport, reads } = planeOf({ renewed: 3, objects: [ready('Connection', 'default'), platform()] });
  const reach = { objects: new Objects(transport, 'team'), transport, isInCluster: false } as Reach;
  const { signal } = new AbortController();
  const printer = { print: async () => {}, tell: () => {}, isColoured: false, signal } as unknown as Printer;
  await printDoctor(reach, { wish, version: '0.2.0' }, printer);
  expect(reads.filter((path) => path.includes('sharedconnections'))).toEqual([]);
});

test('a namespace that names many is not looked at completely', async () => {
  const users = Array.from({ length: 22 }, (_, one) => {
    const of = user(`c${one}`);
    return { ...of, metadata: { ...of.metadata, name: `etl-${one}` } };
  });
  const found = await findings({ objects: users });
  expect(found.map(({ text }) => text)).toContain('2 more SharedConnections that objects here name are not looked at');
});
