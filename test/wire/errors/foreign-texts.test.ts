// What a service says in its own words may hold credentials that the operator does not know.
import { describe, expect, test } from 'vitest';
import { cleanText, cleanWord } from '../../../src/wire/errors/shapes.ts';

describe('credentials in the text of a service', () => {
  test.each([
    [
      'cannot reach http://admin:hunter2@10.0.0.1:7180/api: refused',
      'cannot reach http://***@10.0.0.1:7180/api: refused',
    ],
    ['mysql://root:hunter2@db/hive failed', 'mysql://***@db/hive failed'],
    ['ran: init --admin-password=hunter2 --now', 'ran: init --admin-password=*** --now'],
    ['{"username": "admin", "password": "hunter2 and more"}', '{"username": "admin", "password": ***}'],
    ["Password: 'hunter2', host: a", 'Password: ***, host: a'],
    ['fs.swift.service.secret_key=hunter2;x=1', 'fs.swift.service.secret_key=***;x=1'],
    ['x-auth-token: hunter2', 'x-auth-token: ***'],
    ['s3a://admin:hunter2@bucket/in is not there', 's3a://***@bucket/in is not there'],
    ['apikey=hunter2', 'apikey=***'],
    ['password = hunter2', 'password = ***'],
    ['password="hunter2 and what was cut', 'password=***'],
    ["password='hunter2 and what was cut", 'password=***'],
  ])('%s', (text, shown) => {
    expect(cleanText(text, [])).toBe(shown);
    expect(cleanWord(text)).toBe(shown);
  });

  test.each([
    'the password has expired',
    'no such token',
    'see https://host/a@b',
    'mail admin@host',
    'secret agents: none',
  ])('stays as it is without them: %s', (text) => {
    expect(cleanText(text, [])).toBe(text);
  });
});

test('a word has no control characters and at most 255 letters', () => {
  expect(cleanWord('Active\u001b[31m\r\nReady\u202e')).toBe('Active [31m Ready ');
  expect(cleanWord('x'.repeat(1_000_000))).toHaveLength(255);
  expect(cleanWord(`${'\u0007'.repeat(8_192)}late`)).toBe(' ');
  expect(cleanWord(undefined)).toBeUndefined();
});
