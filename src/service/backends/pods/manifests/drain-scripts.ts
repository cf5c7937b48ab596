// How processes in containers are told to hand over their work. PURE.
import type { Drain } from '../../../engines/engine.ts';

/** That of a container. */
export const firstProcess = '1';

/** The name of a signal, as a shell knows it. */
export const signalName = (signal: NodeJS.Signals): string => signal.replace(/^SIG/, '');

/** Sends the signal `$1` to what the process `$2` has started itself. `$left` is empty if that is nothing. */
export const toChildren = `
left=
for file in /proc/[0-9]*/stat; do
  { read -r line < "$file"; } 2> /dev/null || continue
  rest=\${line##*) }
  rest=\${rest#* }
  if [ "\${rest%% *}" = "$2" ]; then left=yes; kill -s "$1" "\${line%% *}" 2> /dev/null; fi
done
true`;

/** The time when the process `$2` was started, as `$began`. */
const findStart = `
read -r line < "/proc/$2/stat"
rest=\${line##*) }
began=$(set -- $rest; echo "\${20}")`;

/** Sends the signal `$1` to the process `$2`, and notes in the file `$3` which process that was. */
export const toDrain = `${findStart}
printf %s "$began" > "$3" && kill -s "$1" "$2"`;

/** Sends the signal `$1` to the process `$2` if it is the one that the file `$3` is about. */
export const toDrained = `${findStart}
[ "$began" != "$(cat "$3" 2> /dev/null)" ] || kill -s "$1" "$2"`;

/** How long a container that is being stopped may take to hand over its work, and to end after that, in seconds. */
const graces = { handOver: 60, end: 10 } as const;

const handingOver = `
kill -s "$1" "$2"
second=0
while [ "$second" -lt "$3" ]; do
  second=$((second + 1))
  sleep 1
  ${toChildren}
  [ -n "$left" ] || exit 0
done`;

/**
 * The hook of a container before SIGTERM, which would make what its children do fail: it hands that over first. Undefined if the process has nothing that
 * a signal makes it hand over.
 */
export function handOverHook(drain: Drain | undefined) {
  if (drain?.signal === undefined || drain.signalsChildren !== true) return undefined;
  const command = ['/bin/sh', '-c', handingOver, 'sh', signalName(drain.signal), firstProcess, `${graces.handOver}`];
  return { preStop: { exec: { command } } };
}

/** How long a pod with these processes may take to end, in seconds. */
export const graceOf = (drains: readonly (Drain | undefined)[]): number =>
  graces.end + (drains.some((drain) => handOverHook(drain) !== undefined) ? graces.handOver : 0);
