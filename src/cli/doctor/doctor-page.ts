// The findings as text. PURE.
import { counted, labelled, type Paint, type Style } from '../output/page.ts';
import type { Finding, Level } from './finding.ts';

const styles: Readonly<Record<Level, Style>> = { ok: 'green', note: 'yellow', wrong: 'red' };

export function doctorPage(findings: readonly Finding[], paint: Paint): string {
  const areas = [...new Set(findings.map(({ area }) => area))];
  const lines = areas.flatMap((area) => [
    paint('bold', area),
    ...findings.filter((one) => one.area === area).flatMap((one) => findingLines(one, paint)),
  ]);
  const wrong = findings.filter(({ level }) => level === 'wrong').length;
  const end =
    wrong === 0 ? paint('green', 'Nothing is wrong.') : paint('red', `${counted(wrong, 'thing')} to correct.`);
  return `${[...lines, '', end].join('\n')}\n`;
}

function findingLines({ level, text, todo }: Finding, paint: Paint): readonly string[] {
  const [first = '', ...rest] = labelled(`  ${level}`, text);
  return [
    first.replace(level, paint(styles[level], level)),
    ...rest,
    ...(todo === undefined ? [] : labelled('', `Remedy: ${todo}`)),
  ];
}
