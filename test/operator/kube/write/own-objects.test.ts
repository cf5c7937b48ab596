// Objects that the operator creates and deletes itself.
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/kube/api-error.ts';
import { createOwnObjects } from '../../../../src/operator/kube/write/own-objects.ts';
import { FakeTransport } from '../support/fake-transport.ts';
import { widgets } from '../support/objects.ts';

const path = '/apis/test.dataprocessing.dev/v1/namespaces/team-a/widgets';
const one = { namespace: 'team-a', name: 'one', uid: 'u-1' };
const object = { metadata: { namespace: 'team-a', name: 'one' }, spec: { size: 1 } };
const exists = new ApiError('conflict', 'it exists', { status: 409 });
const gone = new ApiError('gone', 'it is gone', { status: 404 });
/** What a replica that lost the Lease gets. */
const unled = new ApiError('conflict', 'another replica may lead');

function own(...answers: readonly (object | Error)[]) {
  const transport = new FakeTransport();
  transport.answers.push(...answers);
  return { transport, objects: createOwnObjects(transport, [widgets]) };
}

describe('create', () => {
  it('posts the object with its kind', async () => {
    const { transport, objects } = own({});
    expect(await objects.create('Widget', object)).toBe('created');
    const body = { apiVersion: widgets.apiVersion, kind: 'Widget', ...object };
    expect(transport.calls).toEqual([{ method: 'POST', path, body }]);
  });

  it('reports an object that exists', async () => {
    expect(await own(exists).objects.create('Widget', object)).toBe('exists');
  });

  it('does not take lost leadership for an existing object', async () => {
    await expect(own(unled).objects.create('Widget', object)).rejects.toBe(unled);
  });

  it('refuses a kind that is not registered', async () => {
    await expect(own().objects.create('Gadget', object)).rejects.toThrow('objects of kind Gadget');
  });
});

describe('remove', () => {
  it('deletes exactly this object', async () => {
    const { transport, objects } = own({});
    expect(await objects.remove('Widget', one)).toBe(true);
    const body = { preconditions: { uid: 'u-1' }, propagationPolicy: 'Background' };
    expect(transport.calls).toEqual([{ method: 'DELETE', path: `${path}/one`, body }]);
  });

  it.each([
    ['it is gone', gone],
    ['another object has its name', exists],
  ])('changes nothing if %s', async (_, answer) => {
    expect(await own(answer).objects.remove('Widget', one)).toBe(false);
  });

  it('fails without leadership', async () => {
    await expect(own(unled).objects.remove('Widget', one)).rejects.toBe(unled);
  });
});
