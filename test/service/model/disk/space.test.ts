// Which failures mean that there is no room. Work that meets one is repeated, whoever met it, and whatever it says.
import { expect, test } from 'vitest';
import { isNoSpace } from '../../../../src/service/model/disk/space.ts';
import { mayPass, Transient } from '../../../../src/service/model/disk/transient.ts';
import { admitOn, anyRoom, fullMessage, noRoom } from '../../../../src/service/model/disk/volume.ts';

const withFields = (fields: object, cause?: unknown) => Object.assign(new Error('failed', { cause }), fields);

test.each([
  ['a full disk', withFields({ code: 'ENOSPC' }), true],
  ['a quota of the user', withFields({ code: 'EDQUOT' }), true],
  ['SQLite on a full disk', withFields({ code: 'ERR_SQLITE_ERROR', errcode: 13 }), true],
  ['what a full disk has caused', withFields({}, withFields({}, withFields({ code: 'ENOSPC' }))), true],
  ['what the service says itself', noRoom(), true],
  ['another failure of the disk', withFields({ code: 'EIO' }), false],
  ['another failure of SQLite', withFields({ errcode: 11 }), false],
  ['no error', 'ENOSPC', false],
])('%s: %s means %s', (_what, error, expected) => {
  expect(isNoSpace(error)).toBe(expected);
  expect(mayPass(error)).toBe(expected);
});

test('nothing is admitted on a full volume, neither before nor while it is written', async () => {
  expect(() => admitOn({ ...anyRoom, isFull: true }, {})).toThrow(new Transient(fullMessage));
  const room = { ...anyRoom, isFull: false };
  const admit = admitOn(room, {});
  await admit(1);
  room.isFull = true;
  await expect(admit(1)).rejects.toThrow(new Transient(fullMessage));
});
