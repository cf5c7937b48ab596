// Output without what log4j writes at INFO and below, as the engines have it set up. PURE.

/** `26/11/28 13:37:46 INFO Utils: …` of Spark, `2026-11-28 13:37:46,123 INFO mapreduce.Job: …` of Hadoop, `… [main] INFO  …` of Pig. */
const info = /^\d\d(\d\d)?[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d([.,]\d+)? +(\[[^\]\n]*\] +)?(INFO|DEBUG|TRACE)\b/;

/** Enough to recognize a line, even if its thread has a long name. */
const longestBeginning = 1_000;

/** Lines are bytes, so that an output in any encoding stays as it is. Only the beginning of a long line is held back. */
export async function* withoutInfo(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = '';
  /** Whether what follows belongs to a line that is shown or hidden already. */
  let begun: 'shown' | 'hidden' | undefined;
  const isShown = (line: string): boolean => (begun === undefined ? !info.test(line) : begun === 'shown');
  for await (const part of parts) {
    const lines = `${held}${Buffer.from(part).toString('latin1')}`.split('\n');
    held = lines.pop() ?? '';
    let shown = '';
    for (const line of lines) {
      if (isShown(line)) shown += `${line}\n`;
      begun = undefined;
    }
    if (held.length > longestBeginning) {
      begun = isShown(held) ? 'shown' : 'hidden';
      if (begun === 'shown') shown += held;
      held = '';
    }
    if (shown !== '') yield Buffer.from(shown, 'latin1');
  }
  if (held !== '' && isShown(held)) yield Buffer.from(held, 'latin1');
}
