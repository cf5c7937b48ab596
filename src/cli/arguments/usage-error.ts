// What is wrong with a command line.

/** The message is one line that names the argument and the remedy. */
export class UsageError extends Error {}
