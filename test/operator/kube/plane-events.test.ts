// Events on a real API server: they are accepted, counted, and silent where they cannot be recorded.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { EventSender } from '../../../src/operator/kube/events/events.ts';
import { readClusterUid } from '../../../src/operator/kube/read-object.ts';
import { noPlane, PlaneBench } from './support/plane-bench.ts';
import { type RecordingLog, recordingLog } from './support/ports.ts';

interface Recorded {
  readonly metadata: { readonly name: string };
  readonly series?: { readonly count: number };
  readonly note: string;
  readonly reason: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: { readonly kind: string; readonly uid: string };
}

describe.skipIf(noPlane)('on a real API server', () => {
  let bench: PlaneBench;
  let regarding: RawResource;
  let sink: EventSender;
  let log: RecordingLog;

  beforeAll(async () => {
    bench = await PlaneBench.open('kube-events');
    regarding = await bench.apply('one', { size: 1 });
    log = recordingLog();
    sink = new EventSender({
      transport: bench.transport,
      clock: systemClock,
      log,
      component: 'dataprocessing-operator',
      instance: 'pod-1',
      ratePerSecond: 1000,
      burst: 1000,
    });
  });
  afterAll(() => bench?.close());

  async function recorded(reason: string, namespace = bench.namespace): Promise<readonly Recorded[]> {
    const { body } = await bench.server.send({ path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events` });
    return (body as { items: readonly Recorded[] }).items.filter((event) => event.reason === reason);
  }

  it('an event is recorded', async () => {
    sink.emit({ regarding, type: 'Normal', reason: 'Created', action: 'Create', note: 'made cluster etl' });
    await sink.flush(10_000);
    expect(await recorded('Created')).toMatchObject([
      {
        note: 'made cluster etl',
        reportingController: 'dataprocessing-operator',
        reportingInstance: 'pod-1',
        regarding: { kind: 'Widget', uid: regarding.metadata.uid },
      },
    ]);
  });

  it('a repeated event is a series', async () => {
    for (let round = 0; round < 5; round += 1) {
      sink.emit({ regarding, type: 'Warning', reason: 'Repeated', action: 'Observe', note: 'again' });
      await sink.flush(10_000);
    }
    expect(await recorded('Repeated')).toMatchObject([{ series: { count: 5 } }]);
  });

  it('a burst of one event is one event', async () => {
    for (let round = 0; round < 50; round += 1) {
      sink.emit({ regarding, type: 'Warning', reason: 'Burst', action: 'Observe', note: 'again' });
    }
    await sink.flush(10_000);
    expect(await recorded('Burst')).toMatchObject([{ series: { count: 50 } }]);
  });

  it.each([
    ['ascii', 'x'],
    ['wide', '😀'],
  ])('a note that is too long is cut: %s', async (name, letter) => {
    const reason = `Long${name}${'R'.repeat(200)}`;
    sink.emit({ regarding, type: 'Normal', reason, action: 'A'.repeat(300), note: letter.repeat(3000) });
    await sink.flush(10_000);
    const all = await recorded(`${reason.slice(0, 125)}…`);
    expect(all).toHaveLength(1);
    expect(all[0]?.note.endsWith('…')).toBe(true);
  });

  it('an object with a very long name has events, too', async () => {
    const name = `${'long-name-with-dots.'.repeat(12)}end`;
    const long = { ...regarding, metadata: { ...regarding.metadata, name } };
    sink.emit({ regarding: long, type: 'Normal', reason: 'LongName', action: 'Create', note: 'made' });
    await sink.flush(10_000);
    expect(await recorded('LongName')).toHaveLength(1);
  });

  it('in a namespace that is going or gone it fails quietly', async () => {
    const before = sink.counts().failed;
    const elsewhere = { ...regarding, metadata: { ...regarding.metadata, namespace: 'kube-events-nowhere' } };
    sink.emit({ regarding: elsewhere, type: 'Normal', reason: 'Lost', action: 'Create', note: 'made' });
    await sink.flush(10_000);
    expect(sink.counts().failed).toBe(before + 1);
    expect(log.lines.map(({ level }) => level)).toEqual(['debug']);
  });

  it('the cluster has an identity', async () => {
    expect(await readClusterUid(bench.transport)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
