// What a service says at length is cut to what the API server takes; all else stays as it is.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { text } from '../../../../src/operator/api/keywords.ts';
import { cluster } from '../../../../src/operator/kinds/cluster/schema.ts';
import { connection } from '../../../../src/operator/kinds/connection/schema.ts';
import { truncated } from '../../../../src/operator/reconcile/status/truncate.ts';

const ofCluster = (status: Record<string, unknown>) => truncated(cluster.status, status);
const group = (changes: object) => ({ name: 'worker', desired: 1, ready: 1, ...changes });

describe('a status', () => {
  test('within the bounds stays as it is', () => {
    const status = {
      id: 'a',
      externalStatus: 'x'.repeat(1024),
      observedGeneration: 2 ** 40,
      nodeGroups: [group({ desired: 2 ** 31 - 1 })],
      blockedOn: [],
      statusMessage: '🦀',
    };
    expect(ofCluster(status)).toEqual(status);
  });

  test('long words are cut, with a mark, and never within a character', () => {
    expect(ofCluster({ externalStatus: 'x'.repeat(1025) })).toEqual({ externalStatus: `${'x'.repeat(1023)}…` });
    expect(ofCluster({ externalStatus: `${'x'.repeat(1022)}🦀🦀` })).toEqual({
      externalStatus: `${'x'.repeat(1022)}…`,
    });
  });

  test('half a surrogate pair becomes the mark for what cannot be shown', () => {
    expect(ofCluster({ externalStatus: 'a\uD83Eb' })).toEqual({ externalStatus: 'a\uFFFDb' });
  });

  test('counts beyond 32 bits stop at the bound', () => {
    const nodeGroups = [group({ desired: 2 ** 31, ready: -(2 ** 40) })];
    expect(ofCluster({ nodeGroups })).toEqual({ nodeGroups: [group({ desired: 2 ** 31 - 1, ready: -(2 ** 31) })] });
  });

  test('lists are cut, and what is in them', () => {
    const instances = Array.from({ length: 60 }, () => ({ nodeGroup: 'worker', name: 'y'.repeat(2000) }));
    const cut = ofCluster({ instances })['instances'] as readonly { readonly name: string }[];
    expect([cut.length, cut[0]?.name.length]).toEqual([50, 1024]);
  });

  test('of a Connection is cut by its own bounds', () => {
    const plugins = [{ name: 'p'.repeat(300), versions: ['v'.repeat(300)] }];
    const [plugin] = truncated(connection.status, { plugins }).plugins;
    expect([plugin?.name.length, plugin?.versions[0]?.length]).toEqual([255, 255]);
  });

  test('is also cut by bounds that only the API server counts in characters', () => {
    expect(truncated(z.object({ note: text(5) }), { note: 'longer' })).toEqual({ note: 'long…' });
  });
});
