// The page of the commands of the plugin of kubectl, from its help texts. PURE.
import { commandHelp, help } from '../../src/cli/arguments/help.ts';
import { generatedFrom, page } from './markdown.ts';

export function pluginPage(): string {
  return page(
    generatedFrom('src/cli/arguments/help.ts'),
    '# The plugin of kubectl',
    'These are the help texts of `kubectl dataprocessing`. [Explain objects with kubectl](../how-to/explain-with-kubectl.md) and [Run jobs with kubectl](../how-to/run-jobs-with-kubectl.md) show how to use it.',
    fenced(help),
    ...Object.entries(commandHelp).flatMap(([command, text]) => [`## ${command}`, fenced(text)]),
  );
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
