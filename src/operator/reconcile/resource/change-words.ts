// What is told of a change that the service is at work on: what was asked for, what is wanted since and waits, and what the service says. PURE.

interface UnderWay {
  /** What was asked for. */
  readonly doing: string;
  /** The counts that wait until the change has ended, by part. */
  readonly waiting: readonly (readonly [name: string, count: number])[];
  /** The service's own text, such as what it waits for. */
  readonly reported: string | undefined;
}

export function changeWords({ doing, waiting, reported }: UnderWay): string {
  return `${doing}${waitingText(waiting)}${reported ? `. The service reports: ${reported}` : ''}`;
}

function waitingText(waiting: UnderWay['waiting']): string {
  const counts = waiting.map(([name, count]) => `${count} of ${name}`).join(', ');
  if (waiting.length === 0) return '';
  return waiting.length === 1
    ? `; count ${counts} waits until this has ended`
    : `; counts ${counts} wait until this has ended`;
}

const more = /(?:; counts? [^;]+ waits? until this has ended)?(?:\. The service reports: .*)?$/s;

/** The first part of such a message. */
export function doingIn(message: string): string {
  return message.replace(more, '');
}

/** There is more in it than what was asked for. */
export function tellsMore(message: string): boolean {
  return doingIn(message) !== message;
}
