// Objects that the operator creates and deletes itself.
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/kube/api-error.ts';
import { createObject, removeObject } from '../../../../src/operator/kube/write/own-objects.ts';
import { FakeTransport } from '../support/fake-transport.ts';
import { widgets } from '../support/objects.ts';

const path = '/apis/test.dataprocessing.dev/v1/namespaces/team-a/widgets';
const one = { namespace: 'team-a', name: 'one', uid: 'u-1' };
const object = { kind: 'Widget', metadata: { namespace: 'team-a', name: 'one' }, spec: { size: 1 } };
const exists = new ApiError('conflict', 'it exists', { status: 409, reason: 'AlreadyExists' });
/** Of a quota that another write has changed at the same time, for example, or of an object with another uid. */
const conflict = new ApiError('conflict', 'two writes have met', { status: 409, reason: 'Conflict' });
const gone = new ApiError('gone', 'it is gone', { status: 404 });
/** What a replica that lost the Lease gets. */
const unled = new ApiError('conflict', 'another replica may lead');

function own(...answers: readonly (object | Error)[]) {
  const transport = new FakeTransport();
  transport.answers.push(...answers);
  return {
    transport,
    create: () => createObject(transport, widgets, object),
    remove: () => removeObject(transport, widgets, one),
  };
}

describe('create', () => {
  it('posts the object with its kind', async () => {
    const { transport, create } = own({});
    expect(await create()).toBe('created');
    const body = { apiVersion: widgets.apiVersion, ...object };
    expect(transport.calls).toEqual([{ method: 'POST', path, body }]);
  });

  it('reports an object that exists', async () => {
    expect(await own(exists).create()).toBe('exists');
  });

  it.each([
    ['another conflict', conflict],
    ['lost leadership', unled],
  ])('does not take %s for an existing object', async (_, answer) => {
    await expect(own(answer).create()).rejects.toBe(answer);
  });
});

describe('remove', () => {
  it('deletes exactly this object', async () => {
    const { transport, remove } = own({});
    await remove();
    const body = { preconditions: { uid: 'u-1' }, propagationPolicy: 'Background' };
    expect(transport.calls).toEqual([{ method: 'DELETE', path: `${path}/one`, body }]);
  });

  it('has nothing to do if the object is gone', async () => {
    await own(gone).remove();
  });

  it.each([
    ['if another object has its name', conflict],
    ['without leadership', unled],
  ])('fails %s', async (_, answer) => {
    await expect(own(answer).remove()).rejects.toBe(answer);
  });
});
