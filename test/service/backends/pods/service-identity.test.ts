// How a service knows its runs again, also after a start on a full volume.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceIdentity } from '../../../../src/service/backends/pods/service-identity.ts';
import { Volume } from '../../../../src/service/model/disk/volume.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';

const problem = findVolumeProblem();
const log = { debug() {}, info() {}, warn() {}, error() {} };

test.skipIf(problem !== undefined)(
  'it is made with the room of the reserve, or when there is room, and is the same in all lives',
  () => {
    const { folder, fill, empty } = smallVolume('16m');
    fill();
    let made = 0;
    const open = () => {
      const room = new Volume({ reserve: join(folder, 'service.db-reserve'), log });
      return serviceIdentity({ folder, data: '/data/service.db', room }, () => `service-${(made += 1)}`);
    };
    const identity = open();
    expect(identity).toThrow('ENOSPC');
    empty();
    const known = identity();
    fill();
    expect([identity(), open()()]).toEqual([known, known]);
  },
);

test.skipIf(problem !== undefined)('it has the room of the reserve', () => {
  const { folder, fill } = smallVolume('16m');
  const room = new Volume({ reserve: join(folder, 'service.db-reserve'), log });
  fill();
  const open = () => serviceIdentity({ folder, data: '/data/service.db', room }, () => 'service-1');
  expect([open()(), open()()]).toEqual(['service-1', 'service-1']);
});
