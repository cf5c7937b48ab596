// Which objects an answer has: those of the question that the user may list, the most urgent first, and a limited number.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { overviewOf } from '../../../../src/operator/web/view/overview.ts';
import { readQuestion } from '../../../../src/operator/web/view/question.ts';
import { allowing, blocker, conditionOf, objectOf } from '../support.ts';

const sourcesOf = (objects: readonly RawResource[]) => ({
  definitions,
  list: (kind: string) => objects.filter((one) => one.kind === kind),
  replica: () => ({ name: 'one', leading: true }),
  notes: () => [],
});
const ready = (at?: string) => ({ status: { conditions: [conditionOf('Ready', 'True', 'Available', '', at)] } });
const stalled = { status: { conditions: [conditionOf('Stalled', 'True', 'InvalidSpec', 'no such plugin')] } };
const waiting = { status: { blockedOn: [blocker('Connection', 'default')] } };

const objects = [
  objectOf('Connection', 'team-a/default', ready()),
  objectOf('Cluster', 'team-a/old', ready('2026-01-02T00:00:00Z')),
  objectOf('Cluster', 'team-a/new', ready('2026-01-03T00:00:00Z')),
  objectOf('Cluster', 'team-a/broken', stalled),
  objectOf('JobExecution', 'team-a/run', waiting),
  objectOf('Cluster', 'team-b/secret', stalled),
  objectOf('JobExecution', 'team-b/run', waiting),
];
const teamA = allowing(...definitions.map(({ plural }) => `${plural}/team-a`));
const everything = allowing(...definitions.map(({ plural }) => plural));
const namesOf = (answer: Awaited<ReturnType<typeof overviewOf>>) =>
  answer?.objects.map(({ namespace, name }) => `${namespace}/${name}`);

describe('an answer', () => {
  test('has what needs attention first, and of the same state what changed last', async () => {
    const answer = await overviewOf(sourcesOf(objects), { question: {}, permissions: everything });
    expect(namesOf(answer)).toEqual([
      'team-a/broken',
      'team-b/secret',
      'team-a/run',
      'team-b/run',
      'team-a/new',
      'team-a/old',
      'team-a/default',
    ]);
    expect(answer?.namespaces).toEqual(['team-a', 'team-b']);
  });

  test('names no namespace for what is in none', async () => {
    const shared = [...objects, objectOf('SharedConnection', '/platform', ready())];
    const answer = await overviewOf(sourcesOf(shared), { question: {}, permissions: everything });
    expect(namesOf(answer)).toContain('/platform');
    expect(answer?.namespaces).toEqual(['team-a', 'team-b']);
  });

  test('to a user of one namespace has nothing of another, neither names nor numbers', async () => {
    const answer = await overviewOf(sourcesOf(objects), { question: {}, permissions: teamA });
    expect(JSON.stringify(answer)).not.toContain('team-b');
    expect(answer?.kinds.find(({ kind }) => kind === 'Cluster')?.states).toEqual({ Ready: 2, Stalled: 1 });
  });

  test('to a user of one kind has nothing of another', async () => {
    const answer = await overviewOf(sourcesOf(objects), { question: {}, permissions: allowing('jobexecutions') });
    expect(namesOf(answer)).toEqual(['team-a/run', 'team-b/run']);
    expect(answer?.kinds.map(({ kind }) => kind)).toEqual(['JobExecution']);
  });

  test('to a user who may list nothing is empty, and there is none for a namespace that the user may not list', async () => {
    const none = allowing();
    expect(await overviewOf(sourcesOf(objects), { question: {}, permissions: none })).toMatchObject({
      objects: [],
      kinds: [],
      namespaces: [],
    });
    for (const namespace of ['team-b', 'missing'])
      expect(await overviewOf(sourcesOf(objects), { question: { namespace }, permissions: teamA })).toBeUndefined();
    const question = { resource: 'clusters', namespace: 'team-a' };
    const permissions = allowing('jobexecutions');
    expect(await overviewOf(sourcesOf(objects), { question, permissions })).toBeUndefined();
  });

  test('about one object has its conditions, and what waits for it', async () => {
    const question = { resource: 'connections', namespace: 'team-a', name: 'default' };
    const answer = await overviewOf(sourcesOf(objects), { question, permissions: everything });
    expect(answer?.objects).toMatchObject([
      {
        name: 'default',
        conditions: [{ type: 'Ready', status: 'True', reason: 'Available' }],
        blocks: [{ kind: 'JobExecution', resource: 'jobexecutions', namespace: 'team-a', name: 'run' }],
      },
    ]);
  });

  test('about one object in no namespace has what waits for it in those that the user may list', async () => {
    const waits = { status: { blockedOn: [blocker('SharedConnection', 'platform')] } };
    const users = { status: { blockedOn: [blocker('Cluster', 'team-a/etl')] } };
    const shared = [
      objectOf('SharedConnection', '/platform', users),
      ...['team-a/etl', 'team-b/etl'].map((place) => objectOf('Cluster', place, waits)),
    ];
    const question = { resource: 'sharedconnections', name: 'platform' };
    const ask = async (...allowed: readonly string[]) =>
      overviewOf(sourcesOf(shared), { question, permissions: allowing(...allowed) });
    const etl = { kind: 'Cluster', resource: 'clusters', namespace: 'team-a', name: 'etl' };
    expect((await ask('sharedconnections', 'clusters/team-a'))?.objects).toMatchObject([
      { name: 'platform', namespace: '', blocks: [etl], blockedOn: [{ name: 'team-a/etl', object: etl }] },
    ]);
    expect(await ask('clusters/team-a')).toBeUndefined();
  });

  test('about one object in a namespace has what waits for it in none, if the user may list that', async () => {
    const users = { status: { blockedOn: [blocker('Cluster', 'team-a/etl')] } };
    const shared = [
      objectOf('SharedConnection', '/platform', users),
      ...['team-a/etl', 'team-b/etl', 'team-a/other'].map((place) => objectOf('Cluster', place)),
      objectOf('JobExecution', 'team-b/run', { status: { blockedOn: [blocker('Cluster', 'etl')] } }),
    ];
    const ask = async (place: string, ...allowed: readonly string[]) => {
      const [namespace = '', name = ''] = place.split('/');
      const question = { resource: 'clusters', namespace, name };
      return overviewOf(sourcesOf(shared), {
        question,
        permissions: allowing('clusters', 'jobexecutions', ...allowed),
      });
    };
    const platform = { kind: 'SharedConnection', resource: 'sharedconnections', namespace: '', name: 'platform' };
    const answer = await ask('team-a/etl', 'sharedconnections');
    expect(answer?.objects).toMatchObject([{ name: 'etl', blocks: [platform] }]);
    // It is no answer to the question itself.
    expect(answer?.kinds.find(({ kind }) => kind === 'SharedConnection')?.states).toEqual({});
    expect((await ask('team-b/etl', 'sharedconnections'))?.objects).toMatchObject([{ blocks: [{ name: 'run' }] }]);
    expect((await ask('team-a/other', 'sharedconnections'))?.objects).toMatchObject([{ blocks: [] }]);
    for (const allowed of [[], ['sharedconnections/team-a']])
      expect((await ask('team-a/etl', ...allowed))?.objects, allowed.join()).toMatchObject([{ blocks: [] }]);
  });

  test('is limited in objects and in bytes, and counts the rest', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      objectOf('Cluster', `team-a/c${index}`, index % 10 ? ready() : stalled),
    );
    const ask = async (objects: number, bytes: number) =>
      overviewOf(sourcesOf(many), { question: {}, permissions: everything, bounds: { objects, bytes, names: 10 } });
    const few = await ask(50, 1_000_000);
    expect(few?.objects).toHaveLength(50);
    expect(few?.objects.every(({ state }) => state === 'Stalled')).toBe(true);
    expect(few?.more).toBe(950);
    const short = await ask(50, 2_000);
    expect(Buffer.byteLength(JSON.stringify(short?.objects))).toBeLessThan(2_500);
    expect((short?.objects.length ?? 0) + (short?.more ?? 0)).toBe(1_000);
  });
});

describe('a question', () => {
  const read = (query: string) => readQuestion(new URLSearchParams(query), definitions);
  test.each([
    ['', {}],
    ['resource=clusters&namespace=team-a&name=etl', { resource: 'clusters', namespace: 'team-a', name: 'etl' }],
    ['resource=sharedconnections&name=platform', { resource: 'sharedconnections', name: 'platform' }],
    ['state=Failed', { state: 'Failed' }],
  ])('such as %j is understood', (query, question) => {
    expect(read(query)).toEqual(question);
  });

  test.each([
    ['resource=secrets', /^resource: must be one of connections, /],
    ['namespace=../x', /^namespace: must be the name of a namespace$/],
    ['namespace=a&resource=clusters&name=%3Cimg%3E', /^name: must be the name of an object$/],
    ['name=etl', /^name: needs resource and namespace$/],
    ['state=ready', /^state: must be one of Stalled, /],
    ['token=abc', /^the query has an unknown field: use resource, namespace, name, state$/],
    ['__proto__=x', /^the query has an unknown field/],
  ])('such as %j is refused, without a word of it', (query, why) => {
    const said = read(query);
    expect(said).toMatch(why);
    expect(said).not.toMatch(/abc|\.\.|img/);
  });
});
