// The memory of the bundled service: Node's limit of the heap follows the limit of the container, and leaves room for what is outside of the heap.
import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../../dev/demo/manifests.ts';
import { allAnswerBytes, allBodyBytes } from '../../../src/service/api/http/memory-budget.ts';
import { podOf, repository } from '../../e2e/support/installation.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';

const mebibyte = 1024 ** 2;
/** Of a new service with nothing in it: the code of Node and of the service, stacks and small buffers. */
const baseBytes = 96 * mebibyte;

interface Container {
  readonly command: readonly string[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

function containerOf(manifests: readonly Manifest[]): Container {
  const deployment = manifests.filter((each) => titleOf(each) === 'Deployment dataprocessing-service');
  return podOf(deployment).pod.containers[0] as unknown as Container;
}

const limitOf = ({ resources }: Container): number => Number(/^(\d+)Mi$/.exec(resources.limits.memory)?.[1]) * mebibyte;
const nodeFlagsOf = ({ command }: Container): readonly string[] => command.slice(1, -1);

/** The part of the container's memory that the heap may take. Throws if no flag of Node limits it. */
function shareOf(container: Container): number {
  const [, percentage] = /^--max-old-space-size-percentage=(\d+)$/.exec(nodeFlagsOf(container).join(' ')) ?? [];
  if (percentage === undefined) throw new Error(`no flag limits the heap: ${container.command.join(' ')}`);
  return Number(percentage) / 100;
}

const manifestsOf = (folder: string) => renderKustomization(join(repository, folder));

describe.each(['deploy/bundled-service', 'deploy/quickstart'])('%s', (folder) => {
  test('has room for the heap, for the bodies and answers of requests with their copies, and for the program', async () => {
    const container = containerOf(await manifestsOf(folder));
    const limit = limitOf(container);
    expect(limit * shareOf(container) + 2 * (allBodyBytes + allAnswerBytes) + baseBytes).toBeLessThanOrEqual(limit);
  });
});

test('Node takes the limit of the heap from the memory that there is', async () => {
  const container = containerOf(await manifestsOf('deploy/bundled-service'));
  const script = 'console.log(v8.getHeapStatistics().heap_size_limit, process.constrainedMemory())';
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeFlagsOf(container), '-e', script]);
  const [heap = 0, constrained = 0] = stdout.split(' ').map(Number);
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  // The limit includes the young generation, which is small beside the old one.
  expect(heap / memory).toBeGreaterThan(shareOf(container) - 0.02);
  expect(heap / memory).toBeLessThan(shareOf(container) + 0.05);
});

describe.skipIf(helm === undefined)('the chart', () => {
  test('has the same share, whatever the limit is', async () => {
    const wanted = shareOf(containerOf(await manifestsOf('deploy/bundled-service')));
    const resources = { limits: { memory: '2048Mi' } };
    const container = containerOf(await render({ 'service.enabled': true, 'service.resources': resources }));
    expect([limitOf(container), shareOf(container)]).toEqual([2048 * mebibyte, wanted]);
  });
});
