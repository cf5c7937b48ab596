// What the machines of a cluster share: a cluster that is being deleted does not get it again.
import { expect, test } from 'vitest';
import type { KubeObject, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { sparkCluster } from './scene.ts';
import { openService, StandIn } from './stand-in.ts';

class StandInWithSecrets extends StandIn {
  override async list(kind: ObjectKind): Promise<readonly KubeObject[]> {
    const found = [...this.objects.values()].filter((object) => object.kind === kind.kind);
    return kind.kind === 'Secret' ? found : await super.list(kind);
  }

  get secrets(): readonly string[] {
    return [...this.objects.keys()].filter((name) => name.startsWith('Secret '));
  }
}

const deleted: ClusterRecord = { ...sparkCluster(1), work: { operation: 'delete', stage: 'Deleting' } };

test('a cluster that is being deleted keeps its secret, and gets no new one when its objects are gone', async () => {
  const api = new StandInWithSecrets();
  const first = openService(api);
  expect((await first.provisioner.placeOf('t', sparkCluster(1))).secret).toBe('secret');
  expect(api.secrets).toHaveLength(1);
  // Another life of the service, which has to read it.
  const { provisioner } = openService(api, { createSecret: () => 'another' });
  expect((await provisioner.placeOf('t', deleted)).secret).toBe('secret');
  api.objects.clear();
  expect((await provisioner.placeOf('t', deleted)).secret).toBe('');
  expect(api.secrets).toEqual([]);
});
