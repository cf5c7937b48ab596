// How long processes of this computer may take to end after SIGTERM, until they get SIGKILL, in ms.

/** The processes of a run that is killed, and what a program that has ended has left behind. */
export const runGraceMs = 3000;

/** The processes of machines, wherever these are stopped, replaced or deleted. */
export const machineGraceMs = 10_000;

/** The processes of runs where all that is in a folder of machines is stopped: by the command `clean`, or with `--stop-clusters`. */
export const stopGraceMs = 10_000;
