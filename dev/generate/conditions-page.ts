// The page of conditions and events: every type, status and reason from the closed lists. PURE.
import { blockerMeanings, conditionMeanings, eventMeanings } from '../../src/operator/api/meanings.ts';
import { conditionReasons } from '../../src/operator/api/shared-api.ts';
import { code, generatedFrom, page, table } from './markdown.ts';

type Type = keyof typeof conditionReasons;

const always: readonly Type[] = ['Ready', 'Synced'];
const statuses: Partial<Record<Type, string>> = {
  Ready: 'True, False, Unknown',
  Synced: 'True, False, Unknown',
  DependenciesReady: 'False',
  ScalingActive: 'True, False',
};

export function conditionsPage(): string {
  const types = Object.keys(conditionReasons) as readonly Type[];
  return page(
    generatedFrom('src/operator/api/shared-api.ts and src/operator/api/meanings.ts'),
    '# Conditions and events',
    'The lists on this page are closed: the operator uses no other type and no other reason. [Reasons](reasons.md) explains what to do about each reason. [The status contract](../concepts/status.md) explains how kubectl, Flux and Argo CD read the conditions.',
    '## Condition types',
    table(['Type', 'Meaning', 'Status', 'Present'], types.map(typeRow)),
    '## Reasons by condition type',
    table(
      ['Type', 'Reasons'],
      types.map((type) => [code(type), reasonsOf(type)]),
    ),
    '## Events',
    'An event with one of these reasons reports an action of the operator. When Ready changes for the worse, a Warning event carries the reason of Ready; `Available` reports that the object became ready, and `Succeeded` that a run did what it was for.',
    table(
      ['Reason', 'Meaning'],
      Object.entries(eventMeanings).map(([reason, meaning]) => [code(reason), meaning]),
    ),
    '## status.blockedOn',
    'Each entry names an object that this one is waiting for, with one of these reasons.',
    table(
      ['Reason', 'Meaning'],
      Object.entries(blockerMeanings).map(([reason, meaning]) => [code(reason), meaning]),
    ),
  );
}

const typeRow = (type: Type): readonly string[] => [
  code(type),
  conditionMeanings[type],
  statuses[type] ?? 'True',
  always.includes(type) ? 'always' : 'only while it applies',
];

function reasonsOf(type: Type): string {
  if (type === 'Stalled') return 'The reason of `Ready`.';
  return conditionReasons[type].map(code).join(', ');
}
