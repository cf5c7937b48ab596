// Job binaries whose bytes are in the spec, in a ConfigMap or in a Secret: stored in the service, revised when they change, and nothing of them left.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, type Resource, World } from '../support/world.ts';

const patience = { timeout: limitMs, interval: 50 };
const fromConfigMap = { content: { configMapKeyRef: { name: 'programs', key: 'words.py' } } };
const fromSecret = { content: { secretKeyRef: { name: 'programs', key: 'words.py' } } };
const configMap = (text: string) => ({ data: { 'words.py': text, other: 'x' } });
const secret = (text: string) => ({ type: 'dataprocessing.dev/credentials', stringData: { 'words.py': text } });

/** The bytes of each job binary that the service has, by way of its URL, and how many internal binaries there are. */
function stored(world: World): { readonly texts: readonly string[]; readonly internals: number } {
  const texts = world.records.list('jobBinaries', 'demo').map(({ url }) => {
    const bytes = world.records.bytes('demo', url.replace('internal-db://', ''));
    return Buffer.from(bytes ?? []).toString();
  });
  return { texts, internals: world.records.list('jobBinaryInternals', 'demo').length };
}

async function begin(): Promise<World> {
  const world = await World.create();
  await world.connectService({ pollSeconds: 1 });
  await world.operate(fastClock(30));
  return world;
}

const messageOf = (one: Resource): string => conditionOf(one, 'Ready')?.message ?? '';

describe.skipIf(inject('kubeconfig') === '')('a JobBinary with content', () => {
  test.each([
    ['ConfigMap', fromConfigMap, configMap],
    ['Secret', fromSecret, secret],
  ] as const)('waits for its %s, follows it, and leaves nothing', async (kind, spec, holder) => {
    await using world = await begin();
    await world.apply('JobBinary', 'words', spec);
    const waiting = await world.until('JobBinary', 'words', (one) => messageOf(one).includes(`${kind} programs`));
    expect(conditionOf(waiting, 'Ready')?.reason).toBe('DependencyNotReady');
    expect(messageOf(waiting)).toContain(
      `spec.content.${kind === 'Secret' ? 'secret' : 'configMap'}KeyRef: ${kind} programs does not exist`,
    );

    await world.apply(kind, 'programs', holder('print(1)'));
    const first = await world.ready('JobBinary', 'words');
    expect(first.status?.externalName).toMatch(/^words-[a-z2-7]{20}\.py$/);
    expect(stored(world)).toEqual({ texts: ['print(1)'], internals: 1 });

    await world.apply(kind, 'programs', holder('print(2)'));
    await world.until('JobBinary', 'words', (one) => one.status?.revision !== first.status?.revision);
    await expect.poll(() => stored(world), patience).toEqual({ texts: ['print(2)'], internals: 1 });
    const second = await world.ready('JobBinary', 'words');

    await world.delete(kind, 'programs');
    await world.apply('JobBinary', 'words', { ...spec, description: 'counts words' });
    expect((await world.until('JobBinary', 'words', (one) => one.status?.observedGeneration === 2)).status?.id).toBe(
      second.status?.id,
    );
    await world.delete('JobBinary', 'words');
    await world.gone('JobBinary', 'words');
    expect(stored(world)).toEqual({ texts: [], internals: 0 });
    const removed = world.external.filter((line) => line.startsWith('DELETE ')).map((line) => line.split('/')[3]);
    expect(removed).toEqual(['job-binaries', 'job-binary-internals', 'job-binaries', 'job-binary-internals']);
    expect(world.failures.filter((category) => category !== 'notFound')).toEqual([]);
  });

  test('takes its Jobs along, and the former bytes go with the last Job of them', async () => {
    await using world = await begin();
    await world.apply('ConfigMap', 'programs', configMap('print(1)'));
    await world.apply('JobBinary', 'words', fromConfigMap);
    await world.apply('Job', 'words', { type: 'Shell', mains: [{ jobBinaryRef: { name: 'words' } }] });
    const job = await world.ready('Job', 'words');
    // A job of somebody else with the same file.
    const [first] = world.records.list('jobBinaries', 'demo');
    const stranger = {
      ...world.records.list('jobs', 'demo')[0],
      id: '5f3c2a10-98ab-4a5f-9d3e-0123456789ab',
      name: 'x',
    };
    world.records.put('jobs', 'demo', stranger as never);
    await world.apply('ConfigMap', 'programs', configMap('print(2)'));
    await world.until('Job', 'words', (one) => one.status?.revision !== job.status?.revision);
    await expect.poll(() => world.records.list('jobs', 'demo').length, patience).toBe(2);
    await expect.poll(() => stored(world).texts.toSorted(), patience).toEqual(['print(1)', 'print(2)']);
    expect(world.records.list('jobBinaries', 'demo')).toContainEqual(first);
    world.records.remove('jobs', 'demo', stranger.id);
    await expect.poll(() => stored(world), patience).toEqual({ texts: ['print(2)'], internals: 1 });
  });

  test('stays as it is over a restart of the operator, and what changed meanwhile is noticed', async () => {
    await using world = await begin();
    await world.apply('ConfigMap', 'programs', configMap('print(1)'));
    await world.apply('JobBinary', 'words', fromConfigMap);
    const before = await world.ready('JobBinary', 'words');
    await world.halt();
    world.forget();
    await world.operate(fastClock(30));
    const watches = () => world.kubernetes.filter(({ verb, resource }) => verb === 'get' && resource === 'configmaps');
    await expect.poll(() => watches().length, patience).toBeGreaterThan(0);
    await expect.poll(() => world.external.length, patience).toBeGreaterThan(3);
    expect(world.writes().filter((one) => !one.includes('connections'))).toEqual([]);
    expect((await world.get('JobBinary', 'words'))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await world.halt();
    await world.apply('ConfigMap', 'programs', configMap('print(2)'));
    await world.operate(fastClock(30));
    await expect.poll(() => stored(world), patience).toEqual({ texts: ['print(2)'], internals: 1 });
    // Nobody watches what nobody names.
    await world.delete('JobBinary', 'words');
    await world.gone('JobBinary', 'words');
    expect(stored(world)).toEqual({ texts: [], internals: 0 });
  });

  test('has its bytes in the spec, and moves between all places', async () => {
    await using world = await begin();
    await world.apply('ConfigMap', 'programs', {
      binaryData: { 'words.py': Buffer.from('print(3)').toString('base64') },
    });
    const inline = { content: { inline: 'print(3)', fileName: 'words.py' } };
    await world.apply('JobBinary', 'words', inline);
    const { status } = await world.ready('JobBinary', 'words');
    expect(stored(world)).toEqual({ texts: ['print(3)'], internals: 1 });
    // The same bytes and ending are the same content.
    await world.apply('JobBinary', 'words', fromConfigMap);
    expect((await world.ready('JobBinary', 'words')).status?.id).toBe(status?.id);
    await world.apply('JobBinary', 'words', { url: 'manila://5f3c2a10-98ab-4a5f-9d3e-0123456789ab/run.sh' });
    await world.until('JobBinary', 'words', (one) => one.status?.id !== status?.id);
    await expect.poll(() => stored(world).internals, patience).toBe(0);
    expect(world.failures.filter((category) => category !== 'notFound')).toEqual([]);
  });
});
