// Long lists are read in pages, and not without end.
import { expect, test } from 'vitest';
import { customKinds } from '../../src/cli/kind-names.ts';
import { Objects } from '../../src/cli/objects.ts';
import { readAll } from '../../src/cli/read-all.ts';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { PodTransport } from '../../src/kube/http/transport.ts';

const [kind] = customKinds;

async function read(pages: number, everywhere = false) {
  const calls: ApiCall[] = [];
  const request = async (call: ApiCall) => {
    calls.push(call);
    const next = calls.length < pages ? `page-${calls.length}` : '';
    return { kind: 'List', metadata: { continue: next }, items: [{ metadata: { name: `c${calls.length}` } }] };
  };
  const objects = new Objects({ request } as unknown as PodTransport, 'team');
  if (kind === undefined) throw new Error('no kinds');
  return { list: await readAll(objects, kind, everywhere), calls };
}

test('each page continues the one before', async () => {
  const { list, calls } = await read(3);
  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['c1', 'c2', 'c3']);
  expect(list.isPartial).toBe(false);
  expect(calls.map(({ query }) => query?.['continue'])).toEqual([undefined, 'page-1', 'page-2']);
  expect(calls[0]?.path).toContain('/namespaces/team/');
});

test('a list without end is cut, and told', async () => {
  const { list, calls } = await read(1_000, true);
  expect([list.isPartial, calls.length]).toEqual([true, 40]);
  expect(calls[0]?.path).not.toContain('/namespaces/');
});
