// Of what plugins keep in `info` only addresses are read: real ones put the password of their manager next to its address.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cluster, cluster } from '../../src/wire/cluster.ts';
import { publicAddress, readInfo } from '../../src/wire/cluster-info.ts';

describe('what is no address to publish', () => {
  test.each([
    'admin',
    'hunter2',
    '',
    '/web',
    '//host/web',
    'host:8080',
    '10.0.0.1:8080',
    'http:host',
    'http:/host',
    'http://',
    'http:///path',
    'http://admin:hunter2@host',
    'http://admin@host',
    'http://:hunter2@host',
    'http://@host',
    'http:\\\\admin:hunter2@host',
    'http://host\\@other',
    'hdfs://admin:hunter2@host',
    'hdfs://admin%3Ahunter2%40host',
    'http://admin%3Ahunter2%40host',
    'ftp://host',
    'file:///etc/passwd',
    'javascript://host/%0aalert(1)',
    'data:text/html,hello',
    'mysql://host/db',
    'jdbc:mysql://host/db',
    'jdbc:hive2://admin:hunter2@host',
    'jdbc:hive2:host',
    'jdbc:jdbc:hive2://host',
    'sc://admin:hunter2@host',
    ' http://host',
    'http://host\n',
    'http://ho\tst',
    'http://host/\u202Egnp',
    'http://höst',
    `http://host/${'x'.repeat(2048)}`,
  ])('%j', (text) => {
    expect(publicAddress(text)).toBeUndefined();
  });
});

describe('what is one', () => {
  test.each([
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
    ['https://[fe80::1]:8443/ui/', 'https://[fe80::1]:8443/ui/'],
    ['HTTP://Host/', 'HTTP://Host/'],
    ['hdfs://etl-master-001:8020', 'hdfs://etl-master-001:8020'],
    ['spark://etl_master.local:7077', 'spark://etl_master.local:7077'],
    ['thrift://host:9083', 'thrift://host:9083'],
    ['http://host/users/@me', 'http://host/users/@me'],
    ['sc://host:15002', 'sc://host:15002'],
    ['sc://host:15002/;token=hunter2', 'sc://host:15002/'],
    ['sc://host:15002;token=hunter2', 'sc://host:15002'],
    ['jdbc:hive2://host:10000', 'jdbc:hive2://host:10000'],
    ['jdbc:hive2://host;password=hunter2@host', 'jdbc:hive2://host'],
    ['jdbc:hive2://host:10000/default;user=ann;password=hunter2', 'jdbc:hive2://host:10000/default'],
    ['http://host:8888/tree?token=hunter2', 'http://host:8888/tree'],
    ['http://host?password=hunter2', 'http://host'],
    ['http://host/#access_token=hunter2', 'http://host/'],
  ])('%j', (text, shown) => {
    expect(publicAddress(text)).toBe(shown);
  });
});

const managers = {
  'Cloudera Manager': {
    'Web UI': 'http://10.0.0.1:7180',
    Username: 'admin',
    Password: 'hunter2',
    'Admin page': 'http://admin:hunter2@10.0.0.1:7180',
  },
  Password: 'hunter2',
  Nested: { more: { Password: 'hunter2' }, list: ['hunter2'], number: 7 },
};

test('of the info of a cluster, only addresses are kept, without passwords', () => {
  expect(readInfo(managers)).toEqual({ 'Cloudera Manager': { 'Web UI': 'http://10.0.0.1:7180' } });
});

test('nothing else is kept of the row either', () => {
  const row = cluster.parse({ id: 'id-1', name: 'etl', status: 'Active', info: managers }) as Cluster;
  expect(JSON.stringify(row)).not.toContain('hunter2');
});

test('labels have bounds, and so has their number', () => {
  const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`l${n}`, 'http://h']));
  const info = { a: labels, b: labels, ['x'.repeat(129)]: labels, c: { ['y'.repeat(129)]: 'http://h' } };
  expect(Object.values(readInfo(info)).flatMap((one) => Object.keys(one))).toHaveLength(200);
  expect(readInfo({ 'a\u0007': labels, b: { 'c\n': 'http://h', d: 'http://h' } })).toEqual({ b: { d: 'http://h' } });
  expect(readInfo(JSON.parse('{"__proto__":{"__proto__":"http://h"},"b":{"d":"http://h"}}'))).toMatchObject({
    b: { d: 'http://h' },
  });
});

const secret = 'S3cr3tS3cr3t';
const piece = fc.oneof(
  fc.constantFrom(
    'http',
    'https',
    'hdfs',
    'x',
    ':',
    '/',
    '//',
    '@',
    '\\',
    '?',
    '#',
    '%40',
    '%3A',
    '.',
    'host',
    '\t',
    '[',
  ),
  fc.string({ maxLength: 3 }),
);

test('user information, query and fragment are never shown, however they are written', () => {
  const text = fc
    .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom('@', ':@', '%40'), fc.array(piece, { maxLength: 6 }))
    .map(([before, at, after]) => `${before.join('')}${secret}${at}${after.join('')}`);
  fc.assert(
    fc.property(text, (one) => {
      const shown = publicAddress(`http://${one}`) ?? publicAddress(one) ?? '';
      const url = URL.parse(shown);
      expect(url?.username ?? '').toBe('');
      expect(url?.password ?? '').toBe('');
      expect(url?.search ?? '').toBe('');
      expect(url?.hash ?? '').toBe('');
      // In a path it is a name like any other.
      if (url) expect(url.host.toLowerCase()).not.toContain(`${secret.toLowerCase()}@`);
    }),
  );
});
