// Section 4.1: reading plugins.
import { describe, expect, test } from 'vitest';
import { serve } from './support.ts';

describe('section 4.1', () => {
  test('GET plugins: 200, all in short form', async () => {
    const peer = await serve();
    const { status, body } = await peer.get('/v1.0/t/plugins');
    expect(status).toBe(200);
    expect(body.plugins.map((plugin: { name: string }) => plugin.name)).toEqual(['vanilla', 'spark', 'fake']);
    for (const plugin of body.plugins)
      expect(Object.keys(plugin)).toEqual(['name', 'title', 'description', 'versions']);
  });

  test('every version of every plugin has a detailed form', async () => {
    const peer = await serve();
    const { plugins } = (await peer.get('/v1.0/t/plugins')).body;
    for (const { name, versions } of plugins) {
      for (const version of versions) {
        const { status, body } = await peer.get(`/v1.0/t/plugins/${name}/${version}`);
        expect(status).toBe(200);
        expect(body.plugin).toMatchObject({ name, versions, required_image_tags: [name, version] });
      }
    }
  });

  test('a suffix is no part of the version', async () => {
    const peer = await serve();
    const { body } = await peer.get('/v1.0/t/plugins/vanilla/1.2.1.json');
    expect(body.plugin.required_image_tags).toEqual(['vanilla', '1.2.1']);
  });

  test.each(['/v1.0/t/plugins/none', '/v1.0/t/plugins/none/1', '/v1.0/t/plugins/vanilla/0.0'])(
    '%s: 404',
    async (path) => {
      const peer = await serve();
      const { status, body } = await peer.get(path);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error_code: 404, error_name: 'NOT_FOUND' });
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s plugins: 405', async (method) => {
    const peer = await serve();
    expect((await peer.send(method, '/v1.0/t/plugins')).status).toBe(405);
  });
});
