// The command line: what it means, what is refused, and that the help text tells of every flag.

import { describe, expect, test } from 'vitest';
import { scrapersOf } from '../../../../src/service/backends/pods/flags.ts';
import { help, parseClean, parseFlags } from '../../../../src/service/program/flags/flags.ts';
import { bundledImages } from '../../../../src/service/resources/images/images.ts';

describe('flags', () => {
  test('without any, the service is neutral, local, open and forgets', () => {
    const flags = parseFlags([]);
    expect(flags).toMatchObject({
      port: 8386,
      host: '127.0.0.1',
      dialect: 'neutral',
      token: [],
      'log-level': 'info',
      help: false,
    });
    expect([flags.data, flags.seed, flags.flavors, flags.images, flags.plugins]).toEqual(Array(5).fill(undefined));
    expect(flags.stageMs('Waiting')).toBe(1000);
  });

  test('all of them', () => {
    const text =
      '--port 0 --host ::1 --dialect sahara --data x.db --flavors 1,m1.huge --images a,b:unregistered --quota 3 --quota-rows 4 --quota-row-bytes 6 --quota-bytes 5 --quota-run-bytes 8 --latency-ms 7 --seed 9 --log-level silent';
    expect(parseFlags(text.split(' '))).toMatchObject({
      port: 0,
      host: '::1',
      dialect: 'sahara',
      data: 'x.db',
      flavors: ['1', 'm1.huge'],
      images: [
        { id: 'a', name: 'a', registered: true },
        { id: 'b', name: 'b', registered: false },
      ],
      quota: 3,
      'quota-rows': 4,
      'quota-row-bytes': 6,
      'quota-bytes': 5,
      'quota-run-bytes': 8,
      'latency-ms': 7,
      seed: 9,
      'log-level': 'silent',
    });
  });

  const inPods = ['--provisioner', 'kubernetes', '--runner-url', 'http://service.data.svc:8387'];

  test('Secrets for registries may be repeated, and are used once', () => {
    const names = ['registry', 'mirror.example', 'registry'].flatMap((name) => ['--image-pull-secret', name]);
    expect(parseFlags([...inPods, ...names])['image-pull-secret']).toEqual(['mirror.example', 'registry']);
    expect(parseFlags(inPods)['image-pull-secret']).toEqual([]);
    expect(() => parseFlags(['--image-pull-secret', 'registry'])).toThrow(
      'cannot read flags: --image-pull-secret needs --provisioner kubernetes',
    );
  });

  test('pods need an address of the service', () => {
    for (const args of [inPods.slice(0, 2), [...inPods, '--runner-url=']])
      expect(() => parseFlags(args)).toThrow('--provisioner kubernetes needs --runner-url: name the address');
    expect(() => parseFlags([...inPods, '--runner-url', 'http://user:secret@service:8387'])).toThrow(
      /--runner-url: must be an address such as http:\/\/service.data.svc:8387$/,
    );
  });

  test('names are resolved by the usual DNS service, or where flags say', () => {
    const dns = (...places: readonly string[]) =>
      parseFlags([...inPods, ...places.flatMap((place) => ['--dns', place])]).dns;
    expect(dns()).toEqual([{ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }]);
    const openShift = 'openshift-dns/dns.operator.openshift.io/daemonset-dns=default';
    expect(dns(openShift, '169.254.20.10/32')).toEqual([
      { namespace: 'openshift-dns', labels: { 'dns.operator.openshift.io/daemonset-dns': 'default' } },
      '169.254.20.10/32',
    ]);
    for (const wrong of ['kube-system', 'kube-system/k8s-app', '10.0.0.10', ''])
      expect(() => dns(wrong)).toThrow(
        'cannot read flags: --dns: must be NAMESPACE/LABEL=VALUE or a network such as 10.0.0.0/8, not "',
      );
  });

  test('files of jobs are fetched from where flags say', () => {
    const flags = ['--allow-fetch-from', '10.0.0.7/32', '--deny-fetch-from', '10.96.0.0/12'];
    const rules = { 'allow-fetch-from': ['10.0.0.7/32'], 'deny-fetch-from': ['10.96.0.0/12'] };
    expect(parseFlags(['--provisioner', 'processes', ...flags])).toMatchObject(rules);
    expect(parseFlags([...inPods, ...flags])).toMatchObject(rules);
    expect(() => parseFlags(flags)).toThrow(
      'cannot read flags: --allow-fetch-from needs --provisioner processes or kubernetes; --deny-fetch-from needs',
    );
    for (const wrong of ['10.0.0.7', '10.0.0.0/33'])
      expect(() => parseFlags([...inPods, '--deny-fetch-from', wrong])).toThrow(
        `cannot read flags: --deny-fetch-from: must be a network such as 10.0.0.0/8, not "${wrong}"`,
      );
  });

  test('what machines and jobs can reach outside is a network, at all ports or at some', () => {
    const egress = (...networks: readonly string[]) =>
      parseFlags([...inPods, ...networks.flatMap((network) => ['--egress', network])]).egress;
    expect(egress()).toEqual([]);
    expect(egress('10.0.0.0/8', 'fd00::/8', '10.0.0.7/32:443', 'fd00::7/128:8000-8999', '10.0.0.0/8:1-1')).toEqual([
      { network: '10.0.0.0/8', ports: undefined },
      { network: 'fd00::/8', ports: undefined },
      { network: '10.0.0.7/32', ports: [443] },
      { network: 'fd00::7/128', ports: [8000, 8999] },
      { network: '10.0.0.0/8', ports: [1] },
    ]);
    const ports = [':0', ':65536', ':9-8', ':', ':443-', ':443/UDP', ':1-65536', ':-1', ':443:444'];
    for (const wrong of [
      '10.0.0.7',
      '10.0.0.0/33',
      '10.0.0.7:443',
      'fd00::7:443',
      ...ports.map((each) => `10.0.0.0/8${each}`),
    ])
      expect(() => egress(wrong)).toThrow(
        `cannot read flags: --egress: must be a network such as 10.0.0.0/8, or one with TCP ports such as 10.0.0.0/8:443, not "${wrong}"`,
      );
  });

  test('what is exposed is allowed explicitly', () => {
    const publishing = (...flags: readonly string[]) => parseFlags([...inPods, ...flags]);
    expect(publishing()['allow-exposure']).toEqual([]);
    const allowed = ['NodePort', 'Ingress'].flatMap((word) => ['--allow-exposure', word]);
    expect(publishing(...allowed, '--ingress-domain', 'data.example.com')).toMatchObject({
      'allow-exposure': ['NodePort', 'Ingress'],
      'ingress-domain': 'data.example.com',
    });
    expect(() => publishing(...allowed)).toThrow('cannot read flags: --allow-exposure Ingress needs --ingress-domain');
    for (const flag of ['--ingress-domain', '--ingress-class'])
      expect(() => publishing(flag, 'example')).toThrow(`cannot read flags: ${flag} needs --allow-exposure Ingress`);
    expect(() => publishing('--allow-exposure', 'public')).toThrow(
      'cannot read flags: --allow-exposure: must be one of NodePort, LoadBalancer, Ingress',
    );
    expect(() => parseFlags(['--allow-exposure', 'NodePort'])).toThrow(
      '--allow-exposure needs --provisioner kubernetes',
    );
  });

  test('who reads metrics is the usual Prometheus, or who is named, and nobody without metrics', () => {
    const read = (...more: readonly string[]) =>
      parseFlags(['--provisioner', 'kubernetes', '--runner-url', 'http://service:8387', '--token', 'a', ...more]);
    const usual = { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } };
    expect(scrapersOf(read())).toEqual([]);
    expect(scrapersOf(read('--engine-metrics'))).toEqual([usual]);
    expect(scrapersOf(read('--engine-metrics', '--metrics-from', '10.0.0.0/8'))).toEqual(['10.0.0.0/8']);
    expect(() => read('--metrics-from', '10.0.0.0/8')).toThrow('--metrics-from needs --engine-metrics');
    expect(() => read('--engine-metrics', '--metrics-from', 'prometheus')).toThrow('--metrics-from: must be');
  });

  test.each([
    ['--maven-repository', 'a Maven repository such as https://maven.example/central'],
    ['--python-index', 'a package index such as https://python.example/simple'],
    ['--history-url', 'a page such as https://history.example'],
  ])('the address of %s has no user and no other secret, and a message repeats none', (flag, wanted) => {
    const read = (url: string) => parseFlags(['--provisioner', 'processes', '--token', 'a', flag, url]);
    expect(read('https://host.example/a')).toMatchObject({ [flag.slice(2)]: 'https://host.example/a' });
    const inPods = ['--provisioner', 'kubernetes', '--runner-url', 'http://service:8387', '--token', 'a'];
    expect(parseFlags([...inPods, flag, 'https://host.example/a'])).toMatchObject({ provisioner: 'kubernetes' });
    for (const wrong of ['https://user:secret@host/', 'https://host/?key=secret', 'ftp://secret/', 'secret'])
      expect(() => read(wrong)).toThrow(
        new Error(`cannot read flags: ${flag}: must be the URL of ${wanted}, without a user`),
      );
  });

  test.each(['', 'Registry', 'data/registry', 'registry.', 'a,b', 'a'.repeat(254)])(
    'a Secret for a registry is not called %j',
    (name) => {
      expect(() => parseFlags([...inPods, `--image-pull-secret=${name}`])).toThrow(
        'cannot read flags: --image-pull-secret: must be the name of a Secret such as registry',
      );
    },
  );

  test('tokens may be repeated, each for a tenant or for all', () => {
    const { token } = parseFlags(['--token', 'one', '--token', 'two=t', '--token=three=u=v']);
    expect(token).toEqual([{ token: 'one' }, { token: 'two', tenant: 't' }, { token: 'three', tenant: 'u=v' }]);
  });

  test.each([
    [['--auth', 'none'], { auth: 'none' }],
    [['--auth', 'token', '--token', 'one'], { auth: 'token' }],
    [
      ['--auth', 'keystone', '--auth-url', 'https://keystone.example.com/v3', '--auth-cache-ms', '0'],
      { 'auth-url': 'https://keystone.example.com/v3', 'auth-cache-ms': 0 },
    ],
    [['--auth', 'keystone', '--auth-url', 'http://x/v3'], { auth: 'keystone', 'auth-cache-ms': 300_000 }],
  ])('who may log in, and where: %j', (argv, expected) => {
    expect(parseFlags(argv)).toMatchObject(expected);
  });

  test('durations: one for all, and one for a status', () => {
    const { stageMs } = parseFlags(['--stage-ms', '50', '--stage-ms', 'Configuring=5000', '--stage-ms', 'Waiting=0']);
    expect(['Validating', 'Configuring', 'Waiting', 'Scaling'].map(stageMs)).toEqual([50, 5000, 0, 50]);
    expect(parseFlags(['--stage-ms', 'RUNNING=9']).stageMs('RUNNING')).toBe(9);
  });

  test.each([
    [['--port', 'x'], '--port: must be a whole number from 0 to 65535, not "x"'],
    [['--port', '70000'], '--port'],
    [['--dialect', 'klingon'], '--dialect'],
    [['--token', '=t'], '--token: has no token; write TOKEN or TOKEN=TENANT'],
    [['--auth', 'basic'], '--auth'],
    [['--auth', 'token'], '--auth token needs a --token or a --token-file'],
    [['--auth', 'none', '--token', 'x'], '--auth none takes no --token'],
    [['--auth', 'keystone', '--token', 'x'], '--auth keystone takes no --token'],
    [['--auth', 'keystone', '--auth-url', 'ftp://x'], '--auth-url: must be a URL at http or https'],
    [['--auth-url', 'http://x/v3'], '--auth-url needs --auth keystone'],
    [['--auth-cache-ms', '5'], '--auth-cache-ms needs --auth keystone'],
    [['--allowed-host', 'https://x'], '--allowed-host: must be a name or an address; leave out scheme and port'],
    [['--request-timeout-ms', '0'], '--request-timeout-ms: must be a whole number from 1 to 3600000'],
    [['--machines', 'm'], '--machines needs --provisioner processes'],
    [['--java', 'j'], '--java needs --provisioner processes'],
    [['--job-files', 'f'], '--job-files needs --provisioner processes'],
    [['--stop-clusters'], '--stop-clusters needs --provisioner processes'],
    [['--machine-memory', '1'], '--machine-memory needs --provisioner processes'],
    [
      ['--provisioner', 'processes', '--machines', 'm', '--spark', 's', '--flavors', '1'],
      '--flavors needs --provisioner simulated: describe real flavors with --flavors-file',
    ],
    [
      ['--provisioner', 'processes', '--plugins', 'p.yaml'],
      '--plugins needs --provisioner simulated: the plugins of real clusters are those of their engines',
    ],
    [['--log-bytes', '10'], '--log-bytes: must be a whole number from 1000 to'],
    [['--provisioner', 'processes', '--host', '0.0.0.0'], 'leave --host out, or add --i-trust-all-users'],
    [['--max-concurrent', '0'], '--max-concurrent: must be a whole number from 1 to 100000'],
    [['--max-connections', 'many'], '--max-connections: must be a whole number from 1'],
    [['--stage-ms', 'fast'], '--stage-ms: must be N or STATUS=N'],
    [['--stage-ms', 'Wating=5'], '--stage-ms has no status Wating; there are Waiting, '],
    [['--stage-ms', 'Spawning=5'], 'no status Spawning'],
    [['--latency-ms', '1s'], '--latency-ms: must be a whole number'],
    [['--stage-ms', 'Wating=5'], ', PENDING, PREP, RUNNING, TOBEKILLED'],
    [['--stuck', 'Waiting'], 'stuck'],
    [['--images', 'a:unregistred'], '--images: must consist of ID and ID:unregistered'],
    [['--seed', '-1'], 'seed'],
    [['--speed', '1'], 'speed'],
    [['word'], 'word'],
    [['--port', 'x', '--quota', 'y'], '--quota: must be a whole number'],
  ])('%j is refused', (argv, text) => {
    expect(() => parseFlags(argv)).toThrow('cannot read flags: ');
    expect(() => parseFlags(argv)).toThrow(text);
  });

  test('allowed hosts are compared in small letters', () => {
    const { 'allowed-host': allowed } = parseFlags(['--allowed-host', 'Service.Example', '--allowed-host', '::1']);
    expect([allowed, parseFlags([])['allowed-host']]).toEqual([['service.example', '::1'], []]);
  });

  test('the help text names the images that are not registered from the start', () => {
    const ids = help.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g);
    expect(ids).toEqual(bundledImages.filter(({ registered }) => !registered).map(({ id }) => id));
  });

  test('the help text shows the default of a flag, and under which provisioner it can be given', () => {
    expect(help).toMatch(/^ {2}--port N +port to listen on, 0 for a free one \(default 8386\)$/m);
    const [, pods = ''] = help.split('With --provisioner kubernetes:\n');
    expect(pods).toMatch(/^ {2}--runner-port N .* \(default 8387\)$/m);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  test('clean takes the flags that say where machines are', () => {
    expect(parseClean(['--machines', 'm', '--data=d'])).toEqual({ machines: 'm', data: 'd', help: false });
    expect(() => parseClean(['--port', '1'])).toThrow('cannot read flags: there is no option --port');
  });
});
