// Release lines of engines: `4.1` stands for 4.1.0, 4.1.1 and so on, which are run in the same way. PURE.

export const isOfLine = (version: string, line: string): boolean => version === line || version.startsWith(`${line}.`);

/** Words as a text, such as `4.1, 4.0 or 3.5`. */
export const orOf = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1');
