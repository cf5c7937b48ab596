// Requests at random, around what the document of the service says: right routes with good bodies, and everything but that.
import fc from 'fast-check';
import { type Document, type Operation, resolve } from '../support/service/openapi.ts';
import type { Shot } from './exchange.ts';
import { mutated, type Pool, valid, written } from './values.ts';

export interface Ground {
  readonly document: Document;
  readonly tenant: string;
  /** Good values, by name of field or of part of a path. */
  readonly pool: Pool;
  /** When absent, none is wanted. */
  readonly token?: string | undefined;
}

const sometimes = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>, share = 0.2): fc.Arbitrary<Value> =>
  fc.oneof({ arbitrary: usual, weight: 100 - share * 100 }, { arbitrary: odd, weight: share * 100 });

const oddPart = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%00',
    '%2e%2e',
    'a%2Fb',
    '%zz',
    '%',
    '%E0%A4%A',
    '%F0%9F%98%80',
    '__proto__',
    'constructor',
    '*',
    ':id',
    '00000000-0000-4000-8000-000000000000',
    'x'.repeat(101),
    'x'.repeat(9000),
    'A.json',
    '.json',
    '%20',
    'name;v=1',
    '{id}',
    '\u00e9',
  ),
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
);

function pathOf({ pool, tenant }: Ground, template: string): fc.Arbitrary<string> {
  const parts = template.split('/').map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return sometimes(fc.constant(part), oddPart, 0.01);
    const known = name === 'tenant_id' ? [tenant] : (pool[name] ?? ['any']);
    return sometimes(fc.constantFrom(...known.map(String)), oddPart, name === 'tenant_id' ? 0.03 : 0.15);
  });
  const ending = sometimes(fc.constant(''), fc.constantFrom('.json', '/', '.json.json', '//'), 0.08);
  return fc.tuple(...parts, ending).map((all) => all.slice(0, -1).join('/') + (all.at(-1) ?? ''));
}

function queryOf({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const name = fc.oneof(
    fc.constantFrom('limit', 'marker', 'sort_by', 'tags', 'x', '', '__proto__', ...names),
    fc.string({ maxLength: 6 }),
  );
  const value = fc.oneof(
    fc.constantFrom('', '1', '0', '-1', 'name', '-id', 'NaN', '%00', '%zz', '[]'),
    fc.string({ maxLength: 9 }),
  );
  const pair = fc
    .tuple(name, value)
    .map(([key, of]) => `${encodeURIComponent(key)}=${of.startsWith('%') ? of : encodeURIComponent(of)}`);
  const odd = fc.constantFrom(
    '?',
    '?&&',
    '?=',
    '?a',
    '?a[]=1&a[b]=2',
    `?${'a=1&'.repeat(500)}`,
    `?x=${'y'.repeat(5000)}`,
  );
  return sometimes(
    fc.constant(''),
    fc.oneof(
      fc.array(pair, { maxLength: 3 }).map((all) => `?${all.join('&')}`),
      odd,
    ),
    0.3,
  );
}

type Header = readonly [string, string];
const types = [
  'text/plain',
  'APPLICATION/JSON',
  'application/json; charset=utf-16',
  'application/json;',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  ';;;',
  'json',
  'application/',
  '*/*',
  '',
  'text/html, application/json',
  '\u00ff/\u00fe',
];
const oddHeader: fc.Arbitrary<readonly Header[]> = fc.constantFrom<readonly Header[]>(
  [['accept', 'text/html']],
  [['accept', '*/*;q=0']],
  [['accept', ';;,,;q=x']],
  [['accept', 'a/b,'.repeat(1500)]],
  [
    ['accept', 'application/json'],
    ['accept', 'image/png'],
  ],
  [['x-auth-token', 'bad']],
  [
    ['x-auth-token', 'one'],
    ['x-auth-token', 'two'],
  ],
  [['x-auth-token', '']],
  [['x-huge', 'y'.repeat(12_000)]],
  [['x-too-huge', 'y'.repeat(20_000)]],
  [['host', 'elsewhere:99999']],
  [['origin', 'http://elsewhere']],
  [['sec-fetch-site', 'cross-site']],
  [
    ['cookie', 'a=b'],
    ['cookie', 'c'],
  ],
  [['connection', 'close']],
  [
    ['connection', 'upgrade'],
    ['upgrade', 'websocket'],
  ],
  [['x-http-method-override', 'DELETE']],
  [
    ['if-none-match', '*'],
    ['range', 'bytes=0-1'],
  ],
  [
    ['content-type', 'application/json'],
    ['content-type', 'text/plain'],
  ],
  [['x-forwarded-for', '\u00e9\u00ff']],
  [
    ['date', 'never'],
    ['te', 'trailers'],
    ['via', '1.1 x'],
  ],
);

function headersOf({ token }: Ground): fc.Arbitrary<readonly Header[]> {
  const good: readonly Header[] = token === undefined ? [] : [['x-auth-token', token]];
  return fc
    .tuple(
      sometimes(fc.constant(good), fc.constant([]), 0.03),
      sometimes(fc.constant<readonly Header[]>([]), oddHeader),
    )
    .map((both) => both.flat());
}

interface Target {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

type Carried = Pick<Shot, 'headers' | 'body'>;

function bodyOf(ground: Ground, { method, operation }: Target): fc.Arbitrary<Carried> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const value = schema === undefined ? fc.jsonValue() : valid(resolve(ground.document, schema), ground.pool);
  const type = sometimes(fc.constant('application/json'), fc.constantFrom(...types), 0.1);
  const sent = fc.tuple(written(sometimes(value, mutated(value), 0.7)), type).map(([{ body, encoding }, label]) => ({
    headers: [
      ...(label === '' ? [] : [['content-type', label] as const]),
      ...(encoding === undefined ? [] : [['content-encoding', encoding] as const]),
    ],
    body,
  }));
  const none = fc.constant<Carried>({ headers: [] });
  return operation.requestBody === undefined && method !== 'post'
    ? sometimes<Carried>(none, sent, 0.05)
    : sometimes<Carried>(sent, none, 0.02);
}

const otherMethods = ['HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE', 'POST', 'GET', 'TRACE', 'PROPFIND', 'SEARCH'];

function shotAt(ground: Ground, target: Target): fc.Arbitrary<Shot> {
  const method = sometimes(fc.constant(target.method.toUpperCase()), fc.constantFrom(...otherMethods), 0.06);
  return fc
    .tuple(
      method,
      pathOf(ground, target.template),
      queryOf(target.operation),
      headersOf(ground),
      bodyOf(ground, target),
    )
    .map(([verb, path, query, headers, { headers: more, body }]) => ({
      method: verb,
      // What a client of HTTP refuses to send is sent elsewhere.
      path: (path + query).replaceAll(/[^\u0021-\u00ff]/g, '_'),
      headers: [...headers, ...more],
      body,
    }));
}

/** Every route as often as every other; those with bodies twice as often. */
export function shots(ground: Ground): fc.Arbitrary<Shot> {
  const targets = Object.entries(ground.document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, template, operation })),
  );
  return fc.oneof(
    ...targets.map((target) => ({
      arbitrary: shotAt(ground, target),
      weight: target.operation.requestBody === undefined ? 1 : 3,
    })),
  );
}
