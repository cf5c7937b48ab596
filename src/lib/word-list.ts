// Words as a text for messages. PURE.

/** Such as `4.1, 4.0 or 3.5`. */
export const wordList = (words: readonly string[], last: 'and' | 'or'): string =>
  words.join(', ').replace(/, ([^,]*)$/, ` ${last} $1`);
