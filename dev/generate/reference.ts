// The generated pages of docs/reference, and their index.
import { definitions } from '../../src/operator/kinds/index.ts';
import { annotationsPage } from './annotations-page.ts';
import { conditionsPage } from './conditions-page.ts';
import { flagsPage } from './flags-page.ts';
import { kindPage } from './kind-page.ts';
import { generatedFrom, list, page, pageOf } from './markdown.ts';
import { metricsPage } from './metrics-page.ts';
import { pluginPage } from './plugin-page.ts';

const folder = 'docs/reference';

/** `alerts`: the text of the shipped rules. */
export function referencePages(alerts: string): readonly (readonly [path: string, text: string])[] {
  const pages = [
    ...definitions.map((definition) => [pageOf(definition.kind), kindPage(definition)] as const),
    ['conditions-and-events.md', conditionsPage()],
    ['metrics-and-alerts.md', metricsPage(alerts)],
    ['flags.md', flagsPage()],
    ['annotations.md', annotationsPage()],
    ['kubectl-plugin.md', pluginPage()],
    ['README.md', index()],
  ] as const;
  return pages.map(([name, text]) => [`${folder}/${name}`, text] as const);
}

function index(): string {
  return page(
    generatedFrom('dev/generate/reference.ts'),
    '# Reference',
    'These pages are generated from the code, except for the reasons. A test compares them with the code.',
    '## Kinds',
    list(definitions.map(({ kind, description }) => `[${kind}](${pageOf(kind)}): ${description}`)),
    '## Everything else',
    list([
      '[Conditions and events](conditions-and-events.md): every condition type, reason and event.',
      '[Reasons](reasons.md): what each reason means and what to do about it.',
      '[Annotations and finalizers](annotations.md): what the operator sets on objects, and what users can set.',
      '[Metrics and alerts](metrics-and-alerts.md): every metric with its labels, and every alert with its remedy.',
      '[Flags](flags.md): flags and environment variables of the operator and of the bundled service.',
      '[The plugin of kubectl](kubectl-plugin.md): its commands with their flags and exit codes.',
    ]),
  );
}
