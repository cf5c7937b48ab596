// Section 7: the shape of errors, and what becomes of bodies that are none.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createActive,
  errorBody,
  expectWords,
  ours,
  oursOnly,
  serve,
  smallGroup,
  spoken,
  startBody,
  unknownId,
  workers,
} from '../../support.ts';

const path = '/v1.0/t/node-group-templates';

describe('section 7 rule 4', () => {
  test('section 7 rule 2: CLUSTER_NAME_ALREADY_EXISTS, 400, for a cluster whose name is already used', async () => {
    const peer = await serve();
    const cluster = await createActive(peer);
    const node_groups = [smallGroup];
    const reply = await peer.post('/v1.0/t/clusters', { ...startBody, node_groups });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual(
      errorBody(400, spoken === 'neutral' ? 'CLUSTER_NAME_ALREADY_EXISTS' : 'NAME_ALREADY_EXISTS'),
    );
    expect((await peer.get('/v1.0/t/clusters')).body.clusters).toEqual([cluster]);
  });

  test.each(['{', '', '[1', 'name: workers', '{"name": NaN}'])('a body that is no JSON: %j', async (text) => {
    const peer = await serve();
    const { status, body } = await peer.post(path, text);
    expect(status).toBe(400);
    // Some parsers read NaN as a number, which is no name.
    const isRead = text === '' || (text.includes('NaN') && body.error_name === 'VALIDATION_ERROR' && !ours);
    expect(body).toEqual(errorBody(400, isRead ? 'VALIDATION_ERROR' : 'MALFORMED_REQUEST_BODY'));
  });

  test.each(['null', '[]', '"text"', '7', 'true', '{}'])('a body that is no resource: %s', async (text) => {
    const peer = await serve();
    const { status, body } = await peer.post(path, text);
    expect([status, body]).toEqual([400, errorBody(400, 'VALIDATION_ERROR')]);
  });

  test('no body at all: what is missing is told', async () => {
    const peer = await serve();
    const { status, body } = await peer.send('POST', path);
    expect([status, body]).toEqual([400, errorBody(400, 'VALIDATION_ERROR')]);
    expectWords(body, 'name: is required');
  });

  test('a body that is too large: 413', async () => {
    oursOnly('how large a body may be');
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...workers, description: 'x'.repeat(2_000_000) });
    expect([status, body]).toEqual([413, errorBody(413, 'REQUEST_ENTITY_TOO_LARGE')]);
  });

  test('a hostile key is a key like any other', async () => {
    const peer = await serve();
    const hostile = JSON.stringify(workers).replace('{', '{"__proto__": {"flavor_id": "9"}, ');
    const { status, body } = await peer.post(path, hostile);
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('section 7 rule 1: generic types carry no names: those are in the message', async () => {
    const peer = await serve();
    const { body } = await peer.get(`${path}/${unknownId}`);
    expect(body).toEqual(errorBody(404, 'NOT_FOUND'));
    expectWords(body, unknownId);
  });
});

describe('section 7 rule 4: whatever is sent, the answer is documented', () => {
  const value = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('', '{', JSON.stringify(workers), JSON.stringify(startBody)),
  );
  const target = fc.constantFrom('node-group-templates', 'cluster-templates', 'clusters');

  test('bodies at random are refused with 400 or taken with 202', async () => {
    const peer = await serve();
    const property = fc.asyncProperty(target, value, async (collection, text) => {
      const { status, body } = await peer.post(`/v1.0/t/${collection}`, text);
      if (status !== 202) expect([status, body]).toEqual([400, errorBody(400, body.error_name)]);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test('good bodies with one field replaced are refused with 400 or taken with 202', async () => {
    const peer = await serve();
    const field = fc.constantFrom(
      ...Object.keys(workers),
      'node_configs',
      'volumes_per_node',
      'volumes_size',
      'description',
    );
    const property = fc.asyncProperty(field, fc.jsonValue(), async (key, replacement) => {
      const { status, body } = await peer.post(path, { ...workers, [key]: replacement });
      if (status !== 202) expect([status, body]).toEqual([400, errorBody(400, body.error_name)]);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
