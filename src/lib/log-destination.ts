// Where both programs write their log: standard error, which may be a file on a disk that is full.
import pino from 'pino';

/** Lines that cannot be written are buffered up to this size, in bytes, and then dropped. */
const maxUnwrittenBytes = 1024 ** 2;

/** Never throws and never ends the process: where a line cannot be written, the next one tries again. */
export function logDestination() {
  // Synchronous, because the final flush of asynchronous writes would never end on a full disk.
  const destination = pino.destination({ dest: 2, sync: true, minLength: 0, maxLength: maxUnwrittenBytes });
  destination.on('error', () => undefined);
  return destination;
}
