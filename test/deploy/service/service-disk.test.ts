// The volume of the bundled service, and what the runs of one tenant may keep there: the limit follows from the size of the volume.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../../dev/demo/manifests.ts';
import { parseFlags } from '../../../src/service/program/flags/flags.ts';
import { podOf, repository } from '../../e2e/support/installation.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';

const gibibyte = 1024 ** 3;

type Quota = 'quota-run-bytes' | 'quota-bytes';

function quotaOf(manifests: readonly Manifest[], quota: Quota): number | undefined {
  const deployment = manifests.filter((each) => titleOf(each) === 'Deployment dataprocessing-service');
  const args = podOf(deployment).pod.containers[0]['args'] as readonly string[];
  const named = args.some((each) => each.startsWith(`--${quota}=`));
  return named ? parseFlags(args)[quota] : undefined;
}

function sizeOf(manifests: readonly Manifest[]): string {
  const claim = manifests.find((each) => titleOf(each) === 'PersistentVolumeClaim dataprocessing-service');
  const spec = claim?.['spec'] as
    | { readonly resources: { readonly requests: { readonly storage: unknown } } }
    | undefined;
  return String(spec?.resources.requests.storage);
}

test.each(['deploy/bundled-service', 'deploy/quickstart'])(
  '%s leaves runs half of its volume, and binaries a quarter',
  async (folder) => {
    const manifests = await renderKustomization(join(repository, folder));
    const [, gibibytes] = /^(\d+)Gi$/.exec(sizeOf(manifests)) ?? [];
    const size = Number(gibibytes) * gibibyte;
    expect(quotaOf(manifests, 'quota-run-bytes')).toBe(size / 2);
    expect(quotaOf(manifests, 'quota-bytes')).toBe(size / 4);
  },
);

describe.skipIf(helm === undefined)('the chart', () => {
  const rendering = async (persistence: Readonly<Record<string, unknown>>, more = {}) =>
    await render({ 'service.enabled': true, 'service.persistence': persistence, ...more });

  test.each([
    ['1Gi', gibibyte / 2],
    ['20Gi', 10 * gibibyte],
    ['1.5Gi', (3 * gibibyte) / 4],
    ['500M', 250_000_000],
    ['750Mi', 375 * 1024 ** 2],
    ['3k', 1500],
    ['2000', 1000],
    ['3', 1, 0],
    ['16Ti', 8 * 1024 ** 4],
    ['1Ei', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('leaves runs half of a volume of %s, and binaries a quarter', async (size, half, quarter = half / 2) => {
    const rendered = await render({ 'service.enabled': true, 'service.persistence.size': size });
    expect(sizeOf(rendered)).toBe(size);
    expect(quotaOf(rendered, 'quota-run-bytes')).toBe(half);
    expect(quotaOf(rendered, 'quota-bytes')).toBe(quarter);
  });

  test.each(['quota-run-bytes', 'quota-bytes'] as const)('says no --%s if it does not know the size', async (quota) => {
    expect(quotaOf(await rendering({ existingClaim: 'mine' }), quota)).toBeUndefined();
    expect(quotaOf(await rendering({ enabled: false }), quota)).toBeUndefined();
  });

  test.each(['quota-run-bytes', 'quota-bytes'] as const)('lets extraArgs decide about --%s', async (quota) => {
    expect(quotaOf(await rendering({}, { 'service.extraArgs': [`--${quota}=7`] }), quota)).toBe(7);
  });
});
