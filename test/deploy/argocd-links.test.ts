// The link that Argo CD shows at each object: the form that Argo CD asks for, and an address that the page understands.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { group } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/definitions.ts';
import { readAddress } from '../../src/operator/web/page/address.ts';
import { repository } from '../e2e/support/installation.ts';

const settings = parse(await readFile(join(repository, 'deploy', 'argocd', 'links.yaml'), 'utf8')) as {
  readonly metadata: object;
  readonly data: Readonly<Record<string, string>>;
};
const links = parse(settings.data['resource.links'] ?? '') as readonly Readonly<Record<string, string>>[];
const [{ url = '' } = {}] = links;

/** What Argo CD makes of the actions of the template, each as the packages text/template and Sprig define it. */
function rendered(kind: string, namespace: string | undefined): string {
  const actions: readonly (readonly [action: string, value: string])[] = [
    ['{{regexReplaceAll "y$" (lower .resource.kind) "ie"}}', kind.toLowerCase().replace(/y$/, 'ie')],
    ['{{with .resource.metadata.namespace}}{{.}}{{end}}', namespace ?? ''],
    ['{{.resource.metadata.name}}', 'analytics'],
  ];
  const address = actions.reduce((text, [action, value]) => text.replace(action, value), url);
  expect(address).not.toMatch(/[{}]/);
  return address;
}

test('it is a patch of the ConfigMap that Argo CD reads, with one key, whose value is a list of links', () => {
  expect(settings).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: { 'resource.links': expect.any(String) },
  });
  expect(links).toEqual([
    {
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
      'icon.class': expect.stringMatching(/^fa-/),
      url: expect.stringMatching(/^https:\/\/dataprocessing\.example\.com\/#\//),
      if: `resource.apiVersion startsWith "${group}/"`,
    },
  ]);
});

test.each(definitions)('the page understands the address of a $kind', ({ kind, plural, scope }) => {
  const namespace = scope === 'Cluster' ? undefined : 'team-a';
  expect(readAddress(new URL(rendered(kind, namespace)).hash)).toEqual({
    resource: plural,
    ...(namespace && { namespace }),
    name: 'analytics',
  });
});
