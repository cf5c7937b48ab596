// The volume of the bundled service, and what the runs of one tenant may keep there: the limit follows from the size of the volume.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../../dev/demo/manifests.ts';
import { parseFlags } from '../../../src/service/program/flags/flags.ts';
import { podOf, repository } from '../../e2e/support/installation.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';

const gibibyte = 1024 ** 3;

function runByteQuotaOf(manifests: readonly Manifest[]): number | undefined {
  const deployment = manifests.filter((each) => titleOf(each) === 'Deployment dataprocessing-service');
  const args = podOf(deployment).pod.containers[0]['args'] as readonly string[];
  const named = args.some((each) => each.startsWith('--quota-run-bytes='));
  return named ? parseFlags(args)['quota-run-bytes'] : undefined;
}

function sizeOf(manifests: readonly Manifest[]): string {
  const claim = manifests.find((each) => titleOf(each) === 'PersistentVolumeClaim dataprocessing-service');
  const spec = claim?.['spec'] as
    | { readonly resources: { readonly requests: { readonly storage: unknown } } }
    | undefined;
  return String(spec?.resources.requests.storage);
}

test.each(['deploy/bundled-service', 'deploy/quickstart'])('%s leaves runs half of its volume', async (folder) => {
  const manifests = await renderKustomization(join(repository, folder));
  const [, gibibytes] = /^(\d+)Gi$/.exec(sizeOf(manifests)) ?? [];
  expect(runByteQuotaOf(manifests)).toBe((Number(gibibytes) * gibibyte) / 2);
});

describe.skipIf(helm === undefined)('the chart', () => {
  const quotaWith = async (persistence: Readonly<Record<string, unknown>>, more = {}) =>
    runByteQuotaOf(await render({ 'service.enabled': true, 'service.persistence': persistence, ...more }));

  test.each([
    ['1Gi', gibibyte / 2],
    ['20Gi', 10 * gibibyte],
    ['1.5Gi', (3 * gibibyte) / 4],
    ['500M', 250_000_000],
    ['750Mi', 375 * 1024 ** 2],
    ['3k', 1500],
    ['2000', 1000],
    ['3', 1],
    ['16Ti', 8 * 1024 ** 4],
    ['1Ei', Number.MAX_SAFE_INTEGER],
  ])('leaves runs half of a volume of %s', async (size, quota) => {
    const rendered = await render({ 'service.enabled': true, 'service.persistence.size': size });
    expect([sizeOf(rendered), runByteQuotaOf(rendered)]).toEqual([size, quota]);
  });

  test('says nothing about a volume whose size it does not know', async () => {
    expect(await quotaWith({ existingClaim: 'mine' })).toBeUndefined();
    expect(await quotaWith({ enabled: false })).toBeUndefined();
  });

  test('lets extraArgs decide', async () => {
    expect(await quotaWith({}, { 'service.extraArgs': ['--quota-run-bytes=7'] })).toBe(7);
  });
});
