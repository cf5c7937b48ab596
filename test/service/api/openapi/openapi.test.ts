// The OpenAPI document: well-formed, complete in every dialect, and served. That it is true is checked in every contract test.
import { describe, expect, test } from 'vitest';
import { urlsOf } from '../../../../src/service/api/http/paths.ts';
import { createDocument } from '../../../../src/service/api/openapi/document.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { endpoints } from '../../../../src/service/resources/all-routes.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import { serve, workers } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';
import { type Document, findOperation, judge, type Operation, resolve } from '../../../support/service/openapi.ts';

const documentOf = (dialect: (typeof dialects)[number], logIn: 'none' | 'tokens' | 'keystone' = 'none') =>
  createDocument({ dialect, logIn }) as Document;

const operationsOf = ({ paths }: Document): readonly (readonly [string, string, Operation])[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [method, path, operation] as const),
  );

/** Every object in a value, the value itself included. */
function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsOf);
  return Array.isArray(value) ? inner : [value as Readonly<Record<string, unknown>>, ...inner];
}

describe.each(dialects)('the document of %s', (dialect) => {
  const document = documentOf(dialect);
  const operations = operationsOf(document);

  test('is OpenAPI 3.1, and says which dialect it describes', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(document.info.summary).toContain(`Dialect ${dialect},`);
  });

  test('refers to nothing that is not there, and has nothing that nobody refers to', () => {
    const used = objectsOf(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    const there = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(new Set(used)).toEqual(new Set(there));
  });

  test('gives each operation an identifier of its own, a tag that is declared, and a summary', () => {
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([]);
    const tags = document.tags.map(({ name }) => name);
    for (const [, , operation] of operations) {
      expect(operation.summary).toMatch(/^[A-Z][\w -]+$/);
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
    }
  });

  test('declares each variable part of a path once, and no other', () => {
    for (const [, path, { parameters = [] }] of operations) {
      const declared = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const keys = parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('has no two paths that differ in nothing but the names of their parts', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  test('describes every parameter, every answer and every field', () => {
    for (const [, , { parameters = [], responses }] of operations) {
      expect([...parameters, ...Object.values(responses)].filter((each) => !each.description)).toEqual([]);
      expect(Object.keys(responses).filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([]);
    }
    const fields = objectsOf([document.components, ...operations.map(([, , { requestBody }]) => requestBody)]);
    const bare = fields
      .flatMap(({ properties, type }) => (type === 'object' ? Object.entries(properties ?? {}) : []))
      .filter(([, field]) => !(field as { readonly description?: string }).description)
      .map(([name]) => name);
    expect([...new Set(bare)]).toEqual([]);
  });

  test('marks the output of runs, which the interface does not have, as an extension', () => {
    const extensions = operations.filter(([, , operation]) => Object.hasOwn(operation, 'x-extension'));
    expect(extensions.length).toBeGreaterThan(0);
    for (const [, path, operation] of extensions) {
      expect(path).toMatch(/\/job-executions\/\{\w+\}\/logs$/);
      expect(operation).toMatchObject({ 'x-extension': true, description: expect.stringMatching(/^An extension: /) });
    }
  });

  test('requires no field that it does not have', () => {
    for (const schema of objectsOf(document)) {
      if (!Array.isArray(schema['required'])) continue;
      expect(Object.keys(schema['properties'] ?? {})).toEqual(expect.arrayContaining(schema['required']));
    }
  });

  test('has the routes of the router, and no others', async () => {
    const server = createServer({ clock: new ManualClock(), random: createSeededRandom(1), dialect });
    const apart = ['GET /', 'GET /openapi.json'];
    const served = endpoints.flatMap((endpoint) => urlsOf(dialect, endpoint).map((url) => `${endpoint.method} ${url}`));
    const found = served.map((line) => {
      const [method = '', path = ''] = line.split(' ');
      return findOperation(document, method, path.replaceAll(/:(\w+)/g, 'any'));
    });
    expect(served.filter((_line, index) => found[index] === undefined)).toEqual([]);
    expect(operations).toHaveLength(served.length + apart.length);
    const shapes = new Set(served.map((line) => line.replaceAll(/:\w+/g, '{}')));
    const strays = operations.map(([method, path]) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(strays.filter((line) => !shapes.has(line))).toEqual(apart);
    await server.app.ready();
    const routed = server.app.printRoutes({ commonPrefix: false });
    for (const [, path] of operations.slice(2)) expect(routed).toContain(path.split('/').at(-1)?.replace(/\{.*/, ':'));
  });
});

describe('the words of the dialect', () => {
  const fieldsOf = (dialect: (typeof dialects)[number], operationId: string) => {
    const document = documentOf(dialect);
    const [, , operation] = operationsOf(document).find(([, , each]) => each.operationId === operationId) ?? [];
    const schema = operation?.requestBody?.content['application/json']?.schema ?? {};
    return Object.keys(resolve(document, schema).properties ?? {});
  };

  test('fields are called what they are called there, and are there where they are', () => {
    expect(fieldsOf('neutral', 'createNodeGroupTemplate')).toContain('bigdata_version');
    expect(fieldsOf('neutral', 'createNodeGroupTemplate')).not.toContain('image_id');
    expect(fieldsOf('sahara', 'createNodeGroupTemplate')).toEqual(
      expect.arrayContaining(['hadoop_version', 'image_id']),
    );
    expect(fieldsOf('savanna', 'createJob')).not.toContain('interface');
    expect(fieldsOf('sahara', 'createJob')).toContain('interface');
  });

  test('the types of jobs and of data sources are those of the release', () => {
    const text = (dialect: (typeof dialects)[number]) => JSON.stringify(documentOf(dialect));
    expect(text('savanna')).toContain('"enum":["Pig","Hive","Jar"]');
    expect(text('savanna')).toContain('"enum":["swift"]');
    expect(text('sahara')).not.toContain('Jar');
  });

  test('identifiers may be written in either case', () => {
    const document = documentOf('neutral');
    const body = { ...workers, image_id: undefined };
    const exchange = {
      method: 'POST',
      path: '/v1.0/t/cluster-templates',
      status: 202,
      type: 'application/json',
      text: '{}',
    };
    const node_groups = [{ name: 'a', count: 1, node_group_template_id: 'D720A0612A384A70B45A0B70A1C4F3A4' }];
    const sent = { name: 'x', plugin_name: body.plugin_name, bigdata_version: '1', node_groups };
    expect(judge(document, { ...exchange, sent }).filter((line) => line.includes('although'))).toEqual([]);
  });
});

describe('served', () => {
  test.each(dialects)('in %s, without a token, under the one address', async (dialect) => {
    const peer = await serve({ dialect, grants: [{ token: 'good' }] });
    for (const path of ['/openapi.json', '/openapi', '/openapi.json?pretty=1']) {
      const { status, headers, body } = await peer.get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
      expect(body).toEqual(documentOf(dialect, 'tokens'));
    }
    expect((await peer.get('/openapi.json/more')).status).toBe(401);
  });

  test('tells whether a token is wanted, and what comes of none', () => {
    const common = (logIn: 'none' | 'tokens' | 'keystone') => {
      const { security, paths } = documentOf('sahara', logIn);
      return [security, Object.keys(paths['/v1.1/{tenant_id}/plugins']?.['get']?.responses ?? {})];
    };
    expect(common('none')).toEqual([[{}], ['200', '400', '403', '408', '414', '431', '503']]);
    expect(common('tokens')).toEqual([[{ token: [] }], ['200', '400', '401', '403', '408', '414', '431', '503']]);
    expect(common('keystone')).toEqual([[{ token: [] }], ['200', '400', '401', '403', '408', '414', '431', '503']]);
  });

  test('is made once', async () => {
    const peer = await serve();
    const [one, other] = [await peer.get('/openapi.json'), await peer.get('/openapi.json')];
    expect(one.text).toBe(other.text);
  });
});

describe('what is not as documented is noticed', () => {
  const document = documentOf('neutral');
  const good = {
    method: 'GET',
    path: '/v1.0/t/plugins/x',
    status: 200,
    type: 'application/json',
    text: '{"plugin":{"name":"x"}}',
  };

  test.each([
    [{}, []],
    [{ status: 202 }, [/status 202 is not in the document/]],
    [{ type: 'text/plain' }, [/type text\/plain is not in the document/]],
    [{ text: '{"plugin":{}}' }, [/body\.plugin\.name/]],
    [{ text: '{"plugin":{"name":"x","colour":"red"}}' }, [/body\.plugin\.colour is not in the document/]],
    [{ text: 'no' }, [/body\./]],
    [{ status: 404, text: '{"error_code":404,"error_name":"GONE","error_message":"m"}' }, [/error_name/]],
    [{ path: '/v1.0/t/colours' }, [/is not in the document/]],
  ])('%j', (change, expected) => {
    expect(judge(document, { ...good, ...change })).toEqual(expected.map((line) => expect.stringMatching(line)));
  });
});
