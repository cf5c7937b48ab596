// The command line: what it means, what is refused, and that the help text tells of every flag.
import { describe, expect, test } from 'vitest';
import { help, parseFlags } from '../../src/server/flags.ts';
import { bundledImages } from '../../src/server/images.ts';

describe('flags', () => {
  test('without any, the service is neutral, local, open and forgets', () => {
    const flags = parseFlags([]);
    expect(flags).toMatchObject({
      port: 8386,
      host: '127.0.0.1',
      dialect: 'neutral',
      grants: [],
      logLevel: 'info',
      help: false,
    });
    expect([flags.data, flags.seed, flags.flavors, flags.images]).toEqual([undefined, undefined, undefined, undefined]);
    expect(flags.stageMs('Waiting')).toBe(1000);
  });

  test('all of them', () => {
    const text =
      '--port 0 --host ::1 --dialect sahara --data x.db --flavors 1,m1.huge --images a,b:unregistered --quota 3 --latency-ms 7 --seed 9 --log-level silent';
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
      latencyMs: 7,
      seed: 9,
      logLevel: 'silent',
    });
  });

  test('tokens may be repeated, each for a tenant or for all', () => {
    const { grants } = parseFlags(['--token', 'one', '--token', 'two=t', '--token=three=u=v']);
    expect(grants).toEqual([{ token: 'one' }, { token: 'two', tenant: 't' }, { token: 'three', tenant: 'u=v' }]);
  });

  test('durations: one for all, and one for a status', () => {
    const { stageMs } = parseFlags(['--stage-ms', '50', '--stage-ms', 'Configuring=5000', '--stage-ms', 'Waiting=0']);
    expect(['Validating', 'Configuring', 'Waiting', 'Scaling'].map(stageMs)).toEqual([50, 5000, 0, 50]);
  });

  test.each([
    [['--port', 'x'], '--port is not a whole number'],
    [['--port', '70000'], '--port'],
    [['--dialect', 'klingon'], '--dialect'],
    [['--token', '=t'], '--token has no token'],
    [['--stage-ms', 'fast'], '--stage-ms is neither N nor STATUS=N'],
    [['--stage-ms', 'Wating=5'], '--stage-ms has no status Wating; there are Waiting, '],
    [['--stage-ms', 'Spawning=5'], 'no status Spawning'],
    [['--latency-ms', '1s'], '--latency-ms is not a whole number'],
    [['--images', 'a:unregistred'], '--images has an item that is neither ID nor ID:unregistered'],
    [['--seed', '-1'], 'seed'],
    [['--speed', '1'], 'speed'],
    [['word'], 'word'],
    [['--port', 'x', '--quota', 'y'], '--quota is not a whole number'],
  ])('%j is refused', (argv, text) => {
    expect(() => parseFlags(argv)).toThrow('cannot read flags: ');
    expect(() => parseFlags(argv)).toThrow(text);
  });

  test('the help text names the images that are not registered from the start', () => {
    const ids = help.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g);
    expect(ids).toEqual(bundledImages.filter(({ registered }) => !registered).map(({ id }) => id));
  });

  test('the help text has a line for each flag, and only for those', () => {
    const told = [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    const flags = [
      'port',
      'host',
      'dialect',
      'data',
      'token',
      'flavors',
      'images',
      'quota',
      'stage-ms',
      'latency-ms',
      'seed',
      'log-level',
      'help',
    ];
    expect(told).toEqual(flags);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});
