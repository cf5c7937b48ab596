// Whether clocks agree with that of this computer.
import { duration } from '../output/page.ts';
import type { Finding } from './finding.ts';

/** What a token, a certificate or a load can bear. */
const mostSkewMs = 60_000;

interface Moments {
  readonly sent: number;
  readonly got: number;
}

/** Times in Unix ms. A Date header has whole seconds, so that the last one is lost. */
export function skewFinding(what: string, date: number | undefined, { sent, got }: Moments): readonly Finding[] {
  if (date === undefined) return [];
  const ahead = date > got ? date - got : 0;
  const behind = date + 1_000 < sent ? sent - date - 1_000 : 0;
  const skew = Math.max(ahead, behind);
  if (skew <= mostSkewMs)
    return [{ area: 'Clocks', level: 'ok', text: `the clock of ${what} agrees with that of this computer` }];
  return [
    {
      area: 'Clocks',
      level: 'wrong',
      text: `the clock of ${what} is ${duration(skew)} ${ahead > 0 ? 'ahead of' : 'behind'} that of this computer`,
      todo: 'synchronize both: tokens, certificates and autoscaling depend on the time',
    },
  ];
}
