// The plugin of Headlamp, run as Headlamp runs it: which objects have the button, and where it leads.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitions } from '../../src/operator/kinds/definitions.ts';
import { readAddress } from '../../src/operator/web/page/address.ts';
import { repository } from '../e2e/support/installation.ts';

const folder = join(repository, 'deploy', 'headlamp');
const source = await readFile(join(folder, 'main.js'), 'utf8');
const link = 'link.argocd.argoproj.io/external-link';
const example = 'https://dataprocessing.example.com';

type Action = (props: { readonly item: unknown }) => Element | null;
interface Element {
  readonly type: string;
  readonly props: { readonly description: string; readonly iconButtonProps: Readonly<Record<string, string>> };
}

/** What a page of details shows for the object. Headlamp hides these global names from a plugin. */
function buttonOf(object: object | null, page = ''): Element | null {
  const actions: Action[] = [];
  const pluginLib = {
    React: { createElement: (type: string, props: Element['props']): Element => ({ type, props }) },
    CommonComponents: { ActionButton: 'ActionButton' },
    registerDetailsViewHeaderAction: (action: Action) => actions.push(action),
  };
  const text = source.replace("const page = '';", `const page = '${page}';`);
  const hidden = ['window', 'globalThis', 'self', 'document'];
  // oxlint-disable-next-line typescript/no-implied-eval -- So does Headlamp.
  new Function('pluginLib', ...hidden, `'use strict';\n${text}`)(pluginLib);
  const [action] = actions;
  if (action === undefined) throw new Error('cannot show the button: the plugin has registered none');
  return action({ item: object && { jsonData: object } });
}

const addressOf = (object: object | null, page?: string): string | undefined =>
  buttonOf(object, page)?.props.iconButtonProps['href'];

const object = (changes: object = {}, metadata: object = {}) => ({
  apiVersion: 'dataprocessing.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { namespace: 'team-a', name: 'analytics', ...metadata },
  ...changes,
});
const annotated = (value: string) => object({}, { annotations: { [link]: value } });

test('the button has a text, and opens another tab that does not know Headlamp', () => {
  expect(buttonOf(annotated(`${example}/#/clusters/team-a/analytics`))).toEqual({
    type: 'ActionButton',
    props: {
      description: 'Open in dataprocessing',
      icon: 'mdi:open-in-new',
      iconButtonProps: {
        href: `${example}/#/clusters/team-a/analytics`,
        target: '_blank',
        rel: 'noopener noreferrer',
      },
    },
  });
});

test.for<readonly [string, object | null, string | undefined, string?]>([
  ['with the annotation', annotated(`${example}/#/a`), `${example}/#/a`],
  ['with a title in it', annotated(`The page|${example}/#/a`), `${example}/#/a`],
  ['with the annotation, whatever the page is', annotated(`${example}/#/a`), `${example}/#/a`, 'https://other'],
  ['with nothing', object(), undefined],
  ['that runs a program', annotated('javascript:alert(1)//https://a'), undefined],
  ['that runs a program after a title', annotated('a|javascript:alert(1)'), undefined],
  ['by the page', object(), `${example}/#/clusters/team-a/analytics`, example],
  ['by a page below a path', object(), `${example}/ops/#/clusters/team-a/analytics`, `${example}/ops/`],
  ['in no namespace', object({}, { namespace: undefined }), undefined, example],
  ['of another group', object({ apiVersion: 'apps/v1' }), undefined, example],
  ['of a group with a similar name', object({ apiVersion: 'dataprocessing.dev.example.com/v1' }), undefined, example],
  ['of no group', object({ apiVersion: 'v1' }), undefined, example],
  ['of another group, with the annotation', { ...annotated(example), apiVersion: 'v1' }, undefined, example],
  ['that is not known yet', null, undefined, example],
])('an object %s', ([, given, expected, page]) => {
  expect(addressOf(given, page)).toBe(expected);
});

test.each(definitions)('the page understands the address of a $kind', ({ kind, plural, scope }) => {
  const namespace = scope === 'Cluster' ? undefined : 'team-a';
  const address = addressOf(object({ kind }, { namespace }), example) ?? '';
  expect(readAddress(new URL(address).hash)).toEqual({
    resource: plural,
    ...(namespace && { namespace }),
    name: 'analytics',
  });
});

test('Headlamp accepts the package: it has a name, a version, and the version of the API', async () => {
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: expect.stringMatching(/./),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    devDependencies: { '@kinvolk/headlamp-plugin': expect.stringMatching(/^\^0\.(8|9|1\d)\./) },
  });
});
