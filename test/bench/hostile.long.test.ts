// Hostile tenants and pods under the memory limit of the deployment: the service goes on, and answers others.
import { expect, test } from 'vitest';
import type { HostileReport } from '../../dev/bench-service/hostile/phase.ts';
import { runCommand } from '../support/command.ts';

const few = '--clusters 1 --creates 10 --reads 1 --lists 1 --noisy 1 --noisy-seconds 1';

test('neither ends the process, nor takes more memory than there is, nor keeps another tenant from its answers', async () => {
  const { code, output } = await runCommand(process.execPath, ['dev/bench-service.ts', ...few.split(' ')]).ended;
  expect(code).toBe(0);
  const { hostile } = (JSON.parse(output) as { readonly phases: { readonly hostile: HostileReport } }).phases;
  expect([hostile.limitMiB, hostile.ended]).toEqual([512, undefined]);
  const names = ['uploads', 'objects', 'rows', 'listsUnread', 'listsRead', 'rowsUnread', 'smallUnread'];
  expect(Object.keys(hostile.attacks)).toEqual(names);
  for (const [name, { statuses, get, peakRssMiB }] of Object.entries(hostile.attacks)) {
    // Nothing was cut off, and each attack reached what it is about.
    expect([name, Object.keys(statuses).filter((status) => !/^(200|202|400|503)$/.test(status))]).toEqual([name, []]);
    // In JSON, an infinite time is null.
    expect([name, get.max]).toEqual([name, expect.any(Number)]);
    expect(peakRssMiB).toBeLessThanOrEqual(512);
  }
  const refused = (name: string) =>
    hostile.attacks[name]?.statuses['503'] ?? hostile.attacks[name]?.statuses['400'] ?? 0;
  for (const name of ['uploads', 'rows', 'listsUnread']) expect([name, refused(name) > 0]).toEqual([name, true]);
});
