// With a controller manager the plane collects garbage and deletes namespaces.
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startPlane } from '../../dev/plane/plane.ts';
import { limitMs } from '../support/patience.ts';
import { connect } from './support.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe.skipIf(inject('kubeconfig') === '')('a plane with a controller manager', () => {
  it('removes what belongs to an object that is gone, after a restart too', async (context) => {
    const notes: string[] = [];
    const plane = await startPlane({ controllerManager: true, onProgress: (line) => notes.push(line) });
    onTestFinished(async () => plane.stop());
    context.skip(plane.pids.controllerManager === undefined, notes.join('\n'));
    // At once, which is when the controller manager minds most.
    await plane.restartApiServer();
    const call = await connect(plane.kubeconfig);
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'd3b07384-d9a0-4c4a-8a5e-0e0a0c1f2b3d' },
    ];
    expect(await call('POST', maps, { metadata: { name: 'owned', ownerReferences } })).toMatchObject({ status: 201 });
    await vi.waitFor(async () => expect(await call('GET', `${maps}/owned`)).toMatchObject({ status: 404 }), limitMs);
  });
});
