// What the operator can be told by flags and environment, and that what is wrong is named.
import { describe, expect, test } from 'vitest';
import { help, readConfig } from '../../src/operator/config.ts';

const second = 1_000;
const minute = 60 * second;
type Environment = Readonly<Record<string, string | undefined>>;
const read = (args: readonly string[] = [], environment: Environment = {}) => readConfig(args, environment);

describe('what is read', () => {
  test('nothing: the defaults', () => {
    expect(read()).toEqual({
      namespaces: [],
      quarantine: 15 * minute,
      'health-address': { port: 8081 },
      'leader-elect': false,
      'lease-duration': 15 * second,
      'lease-renew-deadline': 10 * second,
      'lease-retry-period': 2 * second,
      'shutdown-timeout': 20 * second,
      'log-level': 'info',
      help: false,
      environment: {},
      proxies: { none: [] },
    });
  });

  test.each<readonly [string, readonly string[], Environment, object]>([
    ['a flag', ['--log-level', 'debug'], {}, { 'log-level': 'debug' }],
    ['a flag with an equals sign', ['--log-level=warn'], {}, { 'log-level': 'warn' }],
    ['the environment', [], { DATAPROCESSING_LOG_LEVEL: 'error' }, { 'log-level': 'error' }],
    [
      'a flag goes before the environment',
      ['--log-level', 'debug'],
      { DATAPROCESSING_LOG_LEVEL: 'error' },
      { 'log-level': 'debug' },
    ],
    ['the last of two flags counts', ['--log-level', 'debug', '--log-level', 'warn'], {}, { 'log-level': 'warn' }],
    [
      'each option has its variable',
      [],
      { DATAPROCESSING_SHUTDOWN_TIMEOUT: '5s', DATAPROCESSING_INSTALLATION: 'blue' },
      { 'shutdown-timeout': 5 * second, installation: 'blue' },
    ],
    ['a kubeconfig and its context', ['--kubeconfig', '/k', '--context', 'c'], {}, { kubeconfig: '/k', context: 'c' }],
    ['standing for election', ['--leader-elect'], {}, { 'leader-elect': true }],
    ['the same by the environment', [], { DATAPROCESSING_LEADER_ELECT: 'true' }, { 'leader-elect': true }],
    ['that, switched off', [], { DATAPROCESSING_LEADER_ELECT: 'false' }, { 'leader-elect': false }],
    [
      'the times of the lease',
      ['--lease-duration', '30s', '--lease-renew-deadline', '20s', '--lease-retry-period=5s', '--lease-namespace', 'x'],
      {},
      {
        'lease-duration': 30 * second,
        'lease-renew-deadline': 20 * second,
        'lease-retry-period': 5 * second,
        'lease-namespace': 'x',
      },
    ],
    ['help', ['--help'], {}, { help: true }],
    ['help is no variable', [], { DATAPROCESSING_HELP: 'yes' }, { help: false }],
    [
      'variables of others are handed on, not read',
      [],
      { LOG_LEVEL: 'debug' },
      { 'log-level': 'info', environment: { LOG_LEVEL: 'debug' } },
    ],
  ])('%s', (_name, args, environment, expected) => {
    expect(read(args, environment)).toMatchObject(expected);
  });

  test.each<readonly [string, readonly string[]]>([
    ['team-a', ['team-a']],
    ['team-a,team-b', ['team-a', 'team-b']],
    [' team-a , team-b ,', ['team-a', 'team-b']],
    ['', []],
    [',', []],
  ])('namespaces %j', (text, expected) => {
    expect(read(['--namespaces', text]).namespaces).toEqual(expected);
  });

  test.each<readonly [string, number]>([
    ['250ms', 250],
    ['90s', 90 * second],
    ['15m', 15 * minute],
    ['2h', 120 * minute],
    ['0s', 0],
    ['007s', 7 * second],
  ])('duration %j', (text, expected) => {
    expect(read(['--quarantine', text]).quarantine).toBe(expected);
  });

  test.each<readonly [string, object]>([
    ['127.0.0.1:9090', { host: '127.0.0.1', port: 9090 }],
    [':0', { port: 0 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('address %j', (text, expected) => {
    expect(read(['--health-address', text])['health-address']).toEqual(expected);
  });
});

describe('the proxies on the way to services', () => {
  test.each<readonly [string, Environment, object]>([
    [
      'by scheme',
      { HTTP_PROXY: 'http://a.test:1', HTTPS_PROXY: 'https://b.test' },
      { http: 'http://a.test:1/', https: 'https://b.test/' },
    ],
    [
      'small letters go first',
      { HTTPS_PROXY: 'http://a.test', https_proxy: 'http://b.test' },
      { https: 'http://b.test/' },
    ],
    ['empty is unset', { HTTPS_PROXY: 'http://a.test', https_proxy: '' }, { https: 'http://a.test/' }],
    ['without a scheme', { HTTP_PROXY: 'proxy.test:3128' }, { http: 'http://proxy.test:3128/' }],
    ['with credentials', { http_proxy: 'http://u:p%40@a.test' }, { http: 'http://u:p%40@a.test/' }],
    ['exceptions', { NO_PROXY: ' .svc, 10.0.0.0/8 a.test:80,' }, { none: ['.svc', '10.0.0.0/8', 'a.test:80'] }],
  ])('%s', (_name, environment, expected) => {
    expect(read([], environment).proxies).toMatchObject(expected);
  });

  test.each(['socks5://user:hidden@proxy.test', 'http://user:hidden@:99', 'http://user:hidden%zz@proxy.test'])(
    'that cannot be used are refused, and never repeated: %s',
    (url) => {
      const refused = () => read([], { HTTPS_PROXY: url });
      expect(refused).toThrow(
        'cannot start: HTTPS_PROXY is not the URL of a proxy, such as http://proxy.example.com:3128',
      );
      expect(refused).not.toThrow('hidden');
    },
  );
});

describe('what is wrong', () => {
  test.each<readonly [string, readonly string[], Environment, RegExp]>([
    [
      'a duration without a unit',
      ['--quarantine', '90'],
      {},
      /^cannot start: --quarantine: must be a duration such as 90s, 15m or 1h, not "90"/,
    ],
    ['a duration in days', ['--quarantine', '1d'], {}, /--quarantine: /],
    ['a negative duration', ['--quarantine=-5s'], {}, /--quarantine: /],
    ['a broken number', ['--shutdown-timeout', '1.5s'], {}, /--shutdown-timeout: /],
    ['two units', ['--shutdown-timeout', '1m30s'], {}, /--shutdown-timeout: /],
    ['an empty duration', ['--quarantine', ''], {}, /--quarantine: /],
    [
      'an address without a port',
      ['--health-address', 'localhost'],
      {},
      /--health-address: must be an address such as :8081 or .*, not "localhost"/,
    ],
    ['a port beyond all ports', ['--health-address', ':65536'], {}, /--health-address: /],
    ['a port of letters', ['--health-address', ':http'], {}, /--health-address: /],
    ['a level that is none', ['--log-level', 'loud'], {}, /--log-level: must be one of debug, info, warn, error/],
    ['neither true nor false', [], { DATAPROCESSING_LEADER_ELECT: 'yes' }, /--leader-elect: must be true or false/],
    ['no namespace for the lease', ['--lease-namespace', ''], {}, /--lease-namespace: must not be empty/],
    ['a lease of broken seconds', ['--lease-duration', '15500ms'], {}, /--lease-duration: must be whole seconds/],
    [
      'a leader that goes on when others take over',
      ['--lease-renew-deadline', '15s'],
      {},
      /--lease-renew-deadline: must be shorter than --lease-duration/,
    ],
    [
      'a leader that has one try only',
      ['--lease-retry-period', '6s'],
      {},
      /--lease-retry-period: .* at most half of --lease-renew-deadline/,
    ],
    ['no pause at all', ['--lease-retry-period', '0s'], {}, /--lease-retry-period: must be greater than 0/],
    ['an empty installation', ['--installation', ''], {}, /--installation: /],
    ['an installation too long for a label', ['--installation', 'a'.repeat(64)], {}, /--installation: /],
    ['a bad variable is named as its option', [], { DATAPROCESSING_QUARANTINE: 'soon' }, /--quarantine: must .*"soon"/],
    [
      'several at once',
      ['--log-level', 'loud', '--quarantine', '9'],
      {},
      /--quarantine: .*--log-level: .*\(see --help\)$/,
    ],
    ['an unknown option', ['--quarentine', '5m'], {}, /--quarentine/],
    ['an option without its value', ['--quarantine'], {}, /--quarantine/],
    ['a word that is no option', ['start'], {}, /start/],
  ])('%s', (_name, args, environment, expected) => {
    expect(() => read(args, environment)).toThrow(expected);
  });
});

test('help names the variables of proxies', () => {
  for (const variable of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) expect(help).toContain(`  ${variable} `);
});

test('help names each option, and what it is by default', () => {
  const options = [
    'kubeconfig',
    'context',
    'namespaces',
    'installation',
    'quarantine',
    'health-address',
    'leader-elect',
    'lease-namespace',
    'lease-duration',
    'lease-renew-deadline',
    'lease-retry-period',
    'shutdown-timeout',
    'log-level',
    'help',
  ];
  for (const option of options) expect(help).toContain(`--${option}`);
  for (const usual of ['15m', ':8081', '15s', '2s', '20s', 'info']) expect(help).toContain(`(default ${usual})`);
});
