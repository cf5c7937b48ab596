// How the operator reports each status word of the service for a cluster.
import { expect } from 'vitest';
import type { ClusterRecord } from '../../../../src/service/model/records/records.ts';
import { clusterSample } from '../support/samples.ts';
import type { Subject } from '../support/subject.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

function put(subject: Subject, fields: Partial<ClusterRecord>): void {
  subject.world.backend.put('clusters', { ...(subject.row as ClusterRecord), ...fields });
}

const recreate = 'dataprocessing.dev/recreate';

const known: readonly SpecialCase[] = [
  {
    name: 'what keeps a cluster from being used is told as long as it does',
    async run({ createReady }) {
      const subject = await createReady();
      const quota = 'words-worker gets no more pods: exceeded quota: small';
      for (const text of [quota, 'pod words-worker-0 cannot be scheduled', undefined]) {
        put(subject, { status: 'Waiting', status_description: text });
        await subject.until('it is told', () => subject.status.statusMessage === text && !subject.isReady);
        const { message, ...ready } = subject.condition('Ready') ?? {};
        expect(ready).toMatchObject({ status: 'False', reason: 'Provisioning' });
        expect(message).toMatch(
          text === undefined ? /^the service is working on Cluster [^:]*$/ : new RegExp(`: ${text}$`),
        );
      }
      put(subject, { status: 'Active' });
      await subject.ready();
    },
  },
  ...(['Error', 'Active'] as const).map(
    (status): SpecialCase => ({
      name: `${status} is another one at the word of the user, once, and only when the first is gone`,
      async run({ createReady, world }) {
        const subject = await createReady();
        const { id } = subject.row;
        put(subject, { status });
        await subject.patch({ metadata: { annotations: { [recreate]: id } } });
        await subject.until(
          'there is another one',
          () => subject.rows[0]?.id !== undefined && subject.rows[0].id !== id,
        );
        await subject.ready();
        expect(subject.claim).toMatchObject({ id: subject.row.id });
        expect(subject.sent('DELETE').map((one) => one.id)).toEqual([id]);
        await world.restart();
        world.clock.leap(120_000);
        await subject.passes(3);
        expect(subject.sent('POST')).toHaveLength(2);
        expect(subject.isReady).toBe(true);
      },
    }),
  ),
  {
    name: 'is outdated when its template is edited, and not any more when it is another one at the word of the user',
    async run({ createReady, world, need, names }) {
      const template = await need('small');
      template.most = 2;
      await template.ready();
      const subject = await createReady();
      const { templateRevision: first } = subject.status;
      expect([first, subject.condition('TemplateOutdated')]).toEqual([template.status['revision'], undefined]);
      await template.edit({ clusterConfigs: { HDFS: { 'dfs.replication': '7' } } });
      await template.ready();
      await subject.passes(2);
      const { id } = subject.row;
      const words = `set the annotation ${recreate}: ${id}`;
      expect(subject.condition('TemplateOutdated')).toMatchObject({ message: expect.stringContaining(words) });
      expect(subject.status['templateRevision']).toBe(first);
      const mark = world.trace.length;
      world.clock.leap(120_000);
      await subject.passes(3);
      expect(world.trace.slice(mark).filter((line) => !line.startsWith('GET'))).toEqual([]);
      await subject.patch({ metadata: { annotations: { [recreate]: id } } });
      await subject.until('there is another one', () => subject.rows[0] !== undefined && subject.row.id !== id);
      await subject.ready();
      expect(subject.status['templateRevision']).toBe(template.status['revision']);
      expect(subject.condition('TemplateOutdated')).toBeUndefined();
      expect(names['small']).toBe(template.key.name);
    },
  },
];

runTable({
  title: 'the state of a Cluster',
  namespace: 'cluster-state',
  sample: clusterSample,
  cases: known,
});
