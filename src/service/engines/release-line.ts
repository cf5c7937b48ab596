// Release lines of engines: `4.1` stands for 4.1.0, 4.1.1 and so on, which are run in the same way. PURE.

export const lineOf = (version: string): string => version.split('.', 2).join('.');

export const isOfLine = (version: string, line: string): boolean => version === line || version.startsWith(`${line}.`);
