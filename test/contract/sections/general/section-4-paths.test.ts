// Sections 4 and 9: the tenant in every path, the suffix `.json`, versions, unknown paths and wrong methods.
import { describe, expect, test } from 'vitest';
import {
  createActive,
  createWorkers,
  errorBody,
  expectWords,
  onlyIn,
  oursOnly,
  serve,
  spoken,
  startBody,
  unknownId,
  workers,
} from '../../support.ts';

describe('section 4 rule 1: the tenant in the path', () => {
  test('what one tenant made, another neither sees nor touches', async () => {
    const peer = await serve();
    const cluster = await createActive(peer);
    const template = cluster.node_groups[0].node_group_template_id;
    for (const path of ['node-group-templates', 'cluster-templates', 'clusters']) {
      expect(Object.values((await peer.get(`/v1.0/other/${path}`)).body)).toEqual([[]]);
    }
    const foreign = [`clusters/${cluster.id}`, `node-group-templates/${template}`];
    for (const path of foreign) {
      expect((await peer.get(`/v1.0/other/${path}`)).status).toBe(404);
      expect((await peer.remove(`/v1.0/other/${path}`)).status).toBe(404);
    }
    expect((await peer.put(`/v1.0/other/clusters/${cluster.id}`, {})).status).toBe(404);
    expect((await peer.get('/v1.0/t/clusters')).body.clusters).toEqual([cluster]);
  });

  test('names are unique in a tenant only', async () => {
    const peer = await serve();
    expect((await peer.post('/v1.0/t/node-group-templates', workers)).status).toBe(202);
    expect((await peer.post('/v1.0/other/node-group-templates', workers)).status).toBe(202);
  });

  test('a template of another tenant cannot be referred to', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const node_groups = [{ name: 'g', count: 1, node_group_template_id: id }];
    const { status, body } = await peer.post('/v1.0/other/clusters', { ...startBody, node_groups });
    expect([status, body.error_name]).toEqual([400, 'NOT_FOUND']);
  });

  test.each(['a b', 'ü', '__proto__', 'constructor', 'a%2Fb'])('any word is a tenant: %s', async (tenant) => {
    const peer = await serve();
    const path = `/v1.0/${tenant.includes('%') ? tenant : encodeURIComponent(tenant)}/node-group-templates`;
    expect((await peer.get(path)).body).toEqual({ node_group_templates: [] });
    expect((await peer.post(path, workers)).status).toBe(202);
    expect((await peer.get(path)).body.node_group_templates).toHaveLength(1);
  });
});

describe('section 4 rule 2: the suffix .json', () => {
  test('may be appended for every method', async () => {
    const peer = await serve();
    const created = await peer.post('/v1.0/t/node-group-templates.json', workers);
    expect(created.status).toBe(202);
    const path = `/v1.0/t/node-group-templates/${created.body.node_group_template.id}.json`;
    const list = `/v1.0/t/node-group-templates.json?plugin_name=${created.body.node_group_template.plugin_name}`;
    expect((await peer.get(list)).body.node_group_templates).toHaveLength(1);
    expect((await peer.get(path)).body).toEqual(created.body);
    expect((await peer.put(`/v1.0/t/clusters/${unknownId}.json`, {})).status).toBe(404);
    expect((await peer.remove(path)).status).toBe(204);
  });

  test('is understood once', async () => {
    oursOnly('that the suffix counts only once');
    const peer = await serve();
    expect((await peer.get('/v1.0/t/clusters.json.json')).status).toBe(404);
  });
});

describe('section 9 rule 1: versions', () => {
  test('v1.1 serves the same resources', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const one = await peer.get(`/v1.0/t/node-group-templates/${id}`);
    expect((await peer.get(`/v1.1/t/node-group-templates/${id}`)).body).toEqual(one.body);
  });

  test('the root lists them', async () => {
    oursOnly('what is at the root');
    const peer = await serve();
    const { status, body } = await peer.get('/');
    expect(status).toBe(300);
    expect(body.versions.map(({ id }: { id: string }) => id)).toEqual(['v1.0', 'v1.1']);
  });
});

describe('section 7 rule 5: unknown paths and methods', () => {
  // Upstream refuses these before it looks for a route, as text.
  const withoutTenant = ['/v1.0', '/v1.0/t', '/t/clusters', '/v1.0//clusters'];

  test.each([
    '/v1.0',
    '/v1.0/t',
    '/v1.2/t/clusters',
    '/t/clusters',
    '/v1.0/t/cluster',
    '/v1.0/t/clusters/',
    '/v1.0//clusters',
    `/v1.0/t/clusters/${unknownId}/x`,
    '/v1.0/t/Clusters',
  ])('%s: 404', async (path) => {
    if (withoutTenant.includes(path)) {
      onlyIn('neutral');
      oursOnly('paths without a tenant');
    }
    if (path === '/v1.0/t/clusters/') oursOnly('that a slash at the end matters');
    const peer = await serve();
    const { status, body } = await peer.get(path);
    expect(status).toBe(404);
    expect(body).toEqual(errorBody(404, 'NOT_FOUND', 'framework'));
  });

  test.each([
    ['PUT', '/v1.0/t/clusters', 'GET, POST'],
    ['DELETE', '/v1.0/t/clusters', 'GET, POST'],
    ['PATCH', `/v1.0/t/clusters/${unknownId}`, 'GET, PUT, DELETE'],
    ['PUT', `/v1.0/t/node-group-templates/${unknownId}`, 'GET, DELETE'],
    ['PUT', `/v1.0/t/cluster-templates/${unknownId}`, 'GET, DELETE'],
    ['POST', `/v1.1/t/clusters/${unknownId}`, 'GET, PUT, DELETE'],
  ])('%s %s: 405, telling the methods', async (method, path, methods) => {
    // Late releases let more of an object be changed.
    if (path.includes(unknownId) && method !== 'POST') onlyIn('neutral', 'savanna');
    // Early ones know that they cannot.
    if (method === 'PUT' && path.includes(unknownId)) onlyIn('neutral');
    const peer = await serve();
    const { status, body } = await peer.send(method, path, {});
    expect(status).toBe(405);
    expect(body).toEqual(errorBody(405, 'METHOD_NOT_ALLOWED', 'framework'));
    expectWords(body, methods);
  });

  test.each(['/v1.0/t/clusters/%zz', `/v1.0/t/clusters/${'x'.repeat(5000)}`])('%s is refused', async (path) => {
    oursOnly('what becomes of malformed paths');
    const peer = await serve();
    const { status, body } = await peer.get(path);
    expect([400, 404, 414]).toContain(status);
    expect(body[spoken === 'neutral' ? 'error_code' : 'error']).toBe(status);
  });
});
