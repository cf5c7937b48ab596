// The page of flags and environment variables of both programs. PURE.

import { describeFlag, type FlagDefinition, type FlagTable, usageOf } from '../../src/lib/flags.ts';
import { variableOf } from '../../src/operator/config.ts';
import { flags, variables } from '../../src/operator/operator-flags.ts';
import { flagGroups } from '../../src/service/program/flags/flags.ts';
import { identityFlags } from '../identity/flags.ts';
import { faultFlags } from '../personality/flags.ts';
import { capitalised, code, generatedFrom, page, table } from './markdown.ts';

const serviceSources =
  'src/service/program/flags, src/service/backends/flags.ts, src/service/backends/processes/flags.ts, src/service/backends/pods/flags.ts';

export function flagsPage(): string {
  return page(
    generatedFrom(
      `src/operator/operator-flags.ts, ${serviceSources}, dev/identity/flags.ts and dev/personality/flags.ts`,
    ),
    '# Flags and environment variables',
    '## Operator',
    'A flag takes precedence over its environment variable. A duration is a number with a unit: `500ms`, `90s`, `15m` or `1h`.',
    table(
      ['Flag', 'Environment variable', 'Description'],
      Object.entries<FlagDefinition>(flags).map(([name, flag]) => {
        const [usage = '', text = ''] = flagRow([name, flag]);
        return [usage, name === 'help' ? '' : code(variableOf(name)), text];
      }),
    ),
    'The operator also reads these environment variables:',
    table(
      ['Environment variable', 'Description'],
      Object.entries(variables).map(([name, text]) => [code(name), `${capitalised(text)}.`]),
    ),
    '## Bundled service',
    'These are flags of `npm run service --`, and of `node dist/service/main.js` in the image.',
    ...Object.entries(flagGroups).flatMap(([title, group]) => [`### ${title}`, flagTable(group)]),
    '## Keystone of the bundled service',
    '`npm run service` also has a small Keystone, for tests of clients. The image does not have it. [Authentication](../how-to/bundled-service/authentication.md) describes it.',
    flagTable(identityFlags),
    '## Faults of the bundled service',
    '`npm run service` also has faults, for tests of clients. The image does not have them. [Faults](../how-to/bundled-service/faults.md) describes them.',
    flagTable(faultFlags),
  );
}

const flagTable = (group: FlagTable): string => table(['Flag', 'Description'], Object.entries(group).map(flagRow));

const flagRow = ([name, flag]: [string, FlagDefinition]): readonly string[] => [
  code(usageOf(name, flag)),
  `${capitalised(describeFlag(flag))}.`,
];
