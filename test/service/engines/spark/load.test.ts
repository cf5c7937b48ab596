// What a Spark master's answers say about the work of its cluster.
import { describe, expect, test } from 'vitest';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import { limitsIn, sparkLoad, waitingOf } from '../../../../src/service/engines/spark/load.ts';
import { node } from '../run-of-a-job.ts';

const none = Number.POSITIVE_INFINITY;

describe('the limits of an application', () => {
  const page = (cores: string, executors: string, name = 'mine') =>
    `<li><strong>Name:</strong> ${name}</li><li><strong>Cores:</strong>\n ${cores}\n</li>` +
    `<li><span title="x"><strong>Executor Limit: </strong>\n ${executors}\n</span></li>`;
  test.each([
    ['Unlimited (2 granted)', 'Unlimited\n (1 granted)', { cores: none, executors: none, granted: 1 }],
    ['6 (4 granted, 2 left)', 'Unlimited (2 granted)', { cores: 6, executors: none, granted: 2 }],
    ['Unlimited (0 granted)', '3 (0 granted)', { cores: none, executors: 3, granted: 0 }],
    ['99999999999 (0 granted)', '3 (2 granted)', { cores: none, executors: 3, granted: 2 }],
    ['many', 'few', { cores: none, executors: none, granted: 0 }],
  ])('%j and %j', (cores, executors, limits) => expect(limitsIn(page(cores, executors))).toEqual(limits));

  test('are none on another page', () => {
    expect(limitsIn('')).toEqual({ cores: none, executors: none, granted: 0 });
  });

  test('are not those of a name', () => {
    const name = '&lt;strong&gt;Cores:&lt;/strong&gt; 9 (1 granted)';
    expect(limitsIn(page('2 (2 granted, 0 left)', '1 (1 granted)', name)).cores).toBe(2);
  });
});

describe('what an application waits for', () => {
  test.each([
    ['nothing, where it has no limit and something', [2, none, none, 1], { cores: 2, count: 0 }],
    ['an executor, where it has no limit and nothing', [0, none, none, 0], { cores: 4, count: 1 }],
    ['executors like those that it has, up to its cores', [4, 9, none, 2], { cores: 2, count: 2 }],
    ['machines, where it has no executor', [0, 9, none, 0], { cores: 4, count: 3 }],
    ['a part of a machine, where it may have no more cores', [0, 2, none, 0], { cores: 2, count: 1 }],
    ['machines, where its executors differ', [5, 9, none, 3], { cores: 4, count: 1 }],
    ['the executors that dynamic allocation asks for', [2, none, 5, 2], { cores: 1, count: 3 }],
    ['no more of them than its cores allow', [2, 4, 5, 2], { cores: 1, count: 2 }],
    ['none, where dynamic allocation asks for fewer', [4, 8, 1, 2], { cores: 2, count: 0 }],
    ['none, where it has more than it may', [4, 2, none, 2], { cores: 0, count: 0 }],
  ] as const)('%s', (_, [cores, most, executors, granted], waiting) => {
    const limits = { cores: most, executors, granted };
    expect(waitingOf({ cores, memoryperexecutor: 600 }, limits, 4)).toEqual({ ...waiting, memory: 600 });
  });
});

const address = '127.91.1.1';
const nodes = [
  node('master', address),
  { ...node('slave', '127.77.1.2'), group: { ...node('slave', '127.77.1.2').group, flavor_id: '2' } },
  { ...node('slave', '127.77.1.3'), group: { ...node('slave', '127.77.1.3').group, flavor_id: '2' } },
];

/** Answers by the ends of URLs. */
const reader = (answers: Readonly<Record<string, string>>) => {
  const asked: string[] = [];
  const read = async (url: string) => {
    asked.push(url);
    const [, text] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? [];
    if (text === undefined) throw new Error(`${url} answers with an error`);
    return text;
  };
  return { asked, read };
};
const idle = { state: 'ALIVE', coresused: 0, coresfree: 2, memoryfree: 1900 };
const full = { state: 'ALIVE', coresused: 2, coresfree: 0, memoryfree: 700 };
const load = sparkLoad(usualFlavors);

describe('the load of a Spark cluster', () => {
  test('that is idle takes one question', async () => {
    const workers = [
      { host: '127.77.1.2', ...idle },
      { host: '127.77.1.3', ...idle },
    ];
    const { asked, read } = reader({ '/json/': JSON.stringify({ workers, activeapps: [] }) });
    expect(await load(nodes, read)).toEqual({ slave: { wantedNodes: 0, busyNodes: 0 } });
    expect(asked).toEqual([`http://${address}:8080/json/`]);
  });

  test.each<readonly [string, readonly object[], number]>([
    ['a worker that was started again', [{ ...full, state: 'DEAD' }, idle], 0],
    ['a worker that leaves', [{ ...full, state: 'DECOMMISSIONED' }], 1],
    ['a worker that is gone', [{ ...full, state: 'DEAD' }], 0],
    ['a worker with numbers that are none', [{ ...full, coresused: 'all' }], 0],
  ])('counts %s', async (_, states, busyNodes) => {
    const workers = states.map((state) => ({ host: '127.77.1.2', ...state }));
    const { read } = reader({ '/json/': JSON.stringify({ workers }) });
    expect((await load(nodes, read))['slave']?.busyNodes).toBe(busyNodes);
  });

  test('reads no more than 50 pages, and none of an identifier that is none', async () => {
    const app = (id: string) => ({ id, cores: 0, memoryperexecutor: 512 });
    const activeapps = [app('../secret?x'), ...Array.from({ length: 80 }, (_, n) => app(`app-${n}`))];
    const { asked, read } = reader({ '/json/': JSON.stringify({ activeapps }), '': '' });
    expect(await load(nodes, read)).toEqual({ slave: { wantedNodes: 81, busyNodes: 0 } });
    expect(asked).toHaveLength(50);
    expect(asked.filter((url) => url.includes('secret'))).toEqual([]);
  });

  test('is not known where the master does not answer, or with a page', async () => {
    await expect(load(nodes, reader({}).read)).rejects.toThrow('answers with an error');
    await expect(load(nodes, reader({ '/json/': '<html>' }).read)).rejects.toThrow('is not valid JSON');
  });

  test('is that of what a master of Spark 4.3.0 answered, with 2 of 5 cores for a job', async () => {
    const cores = { cores: 2, coresused: 2, coresfree: 0 };
    const memory = { memory: 1920, memoryused: 1024, memoryfree: 896 };
    const app = { id: 'app-20261129132638-0000', cores: 2, memoryperexecutor: 512, state: 'RUNNING' };
    const workers = [{ host: '127.77.1.2', port: 7078, ...cores, ...memory, state: 'ALIVE' }];
    const page = `
            <li><strong>Cores:</strong>
            5 (2 granted, 3 left)
            </li>
            <li>
              <span data-bs-toggle="tooltip" title="Maximum number of executors that this application will use.
    ">
      <strong>Executor Limit: </strong>
                Unlimited
                (2 granted)
    </span>
            </li>`;
    const { read } = reader({ '/json/': JSON.stringify({ workers, activeapps: [app] }), [`appId=${app.id}`]: page });
    expect(await load(nodes, read)).toEqual({ slave: { wantedNodes: 3, busyNodes: 1 } });
  });
});
