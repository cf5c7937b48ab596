// Places for work of many tenants. How waiting work is served is in test/service/resources/executions/preparations.test.ts.
import { expect, test } from 'vitest';
import { TenantPlaces } from '../../../src/lib/timing/places.ts';
import { settle } from '../../support/clock.ts';

test('one tenant gets half of the places, and the next ones half of what is left', async () => {
  const places = new TenantPlaces(4);
  const begun: string[] = [];
  const silence = Promise.withResolvers<never>();
  const { signal } = new AbortController();
  for (const tenant of ['a', 'a', 'a', 'b', 'b', 'c', 'd'])
    void places.run(tenant, signal, async () => {
      begun.push(tenant);
      await silence.promise;
    });
  await settle();
  expect(begun).toEqual(['a', 'a', 'b', 'c']);
});
