// Paths without their identifiers.
import { expect, test } from 'vitest';
import { templateOf } from '../../../../src/operator/client/http/address.ts';

test.each<readonly [readonly string[], string]>([
  [['clusters'], '/clusters'],
  [['clusters', '4f1c'], '/clusters/{id}'],
  [['clusters', 'clusters'], '/clusters/{id}'],
  [['plugins', 'vanilla'], 'other'],
  [['images', 'i', 'tag'], '/images/{id}/tag'],
  [['images', 'i', 'untag'], '/images/{id}/untag'],
  [['images', 'i', 'burn'], 'other'],
  [['clusters', 'i', 'j'], 'other'],
  [['secrets'], 'other'],
  [[], 'other'],
])('%j', (segments, expected) => {
  expect(templateOf(segments)).toBe(expected);
});
