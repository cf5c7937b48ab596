// The page of flags and environment variables of both programs. PURE.

import { describeFlag, type FlagDefinition, usageOf } from '../../src/lib/flags.ts';
import { variableOf } from '../../src/operator/config.ts';
import { flags, variables } from '../../src/operator/flags.ts';
import { help as serviceHelp } from '../../src/service/program/flags/flags.ts';
import { faultHelp } from '../personality/flags.ts';
import { capitalised, code, generatedFrom, page, table } from './markdown.ts';

export function flagsPage(): string {
  return page(
    generatedFrom('src/operator/flags.ts, src/service/program/flags and dev/personality/flags.ts'),
    '# Flags and environment variables',
    '## Operator',
    'A flag takes precedence over its environment variable. A duration is a number with a unit: `500ms`, `90s`, `15m` or `1h`.',
    table(['Flag', 'Environment variable', 'Description'], Object.entries<FlagDefinition>(flags).map(flagRow)),
    'The operator also reads these environment variables:',
    table(
      ['Environment variable', 'Description'],
      Object.entries(variables).map(([name, text]) => [code(name), `${capitalised(text)}.`]),
    ),
    '## Bundled service',
    `\`\`\`text\n${serviceHelp.trimEnd()}\n\`\`\``,
    '## Faults of the bundled service',
    `\`\`\`text\n${faultHelp.trim()}\n\`\`\``,
  );
}

const flagRow = ([name, flag]: [string, FlagDefinition]): readonly string[] => [
  code(usageOf(name, flag)),
  name === 'help' ? '' : code(variableOf(name)),
  `${capitalised(describeFlag(flag))}.`,
];
