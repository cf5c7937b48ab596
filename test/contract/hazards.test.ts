// What no other service is sent, because it may store it and not survive.
import { expect, test } from 'vitest';
import { hazardOf } from './foreign/visit/hazards.ts';

test.each([
  [
    'clusters',
    { name: 'one', cluster_configs: null },
    'a service that stores null for the configurations of a cluster',
  ],
  ['jobs', { job_configs: null }, 'a service that stores null for the configurations of a run'],
  ['clusters', { cluster_configs: {} }, undefined],
  ['cluster-templates', { cluster_configs: null }, undefined],
  ['clusters', 'no JSON', undefined],
])('%s, %j: %s', (collection, sent, why) => {
  const found = hazardOf(collection, sent);
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});
