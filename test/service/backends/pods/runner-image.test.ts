// The image that runs jobs: the one that is named, or that of the pod of the service.
import { describe, expect, test } from 'vitest';
import type { KubeApi } from '../../../../src/service/backends/pods/api/api.ts';
import { runnerImageOf } from '../../../../src/service/backends/pods/runner-image.ts';

const image = 'registry.example/dataprocessing-operator@sha256:0';

/** An API server with one pod. */
function inside(pod: string | undefined, spec: object = { containers: [{ name: 'service', image }] }) {
  const asked: string[] = [];
  const get = (async ({ plural }, namespace, name) => {
    asked.push(`${plural} ${namespace}/${name}`);
    return name === 'service-0' ? { spec } : undefined;
  }) as KubeApi['get'];
  return { asked, place: { api: { get }, namespace: 'data', pod } };
}

test('the one that is named', async () => {
  const { asked, place } = inside('service-0');
  expect(await runnerImageOf('ours:1', place)).toBe('ours:1');
  expect(await runnerImageOf('ours:1', undefined)).toBe('ours:1');
  expect(asked).toEqual([]);
});

test('that of the pod of the service', async () => {
  const { asked, place } = inside('service-0');
  expect(await runnerImageOf(undefined, place)).toBe(image);
  expect(asked).toEqual(['pods data/service-0']);
});

describe('there is none', () => {
  const remedy = 'name the image of this service with --runner-image';
  test.each([
    ['outside of a pod', undefined, `cannot run jobs in pods: ${remedy}`],
    ['without a host name', inside(undefined).place, `cannot run jobs in pods: ${remedy}`],
    [
      'if the host name is not that of the pod',
      inside('other').place,
      `cannot find pod data/other of this service: ${remedy}`,
    ],
    [
      'if the pod has no image',
      inside('service-0', {}).place,
      `cannot find pod data/service-0 of this service: ${remedy}`,
    ],
  ])('%s', async (_, place, message) => {
    await expect(runnerImageOf(undefined, place)).rejects.toThrow(message);
  });
});
