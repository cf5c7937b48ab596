// By this identifier, which a file beside the runs keeps, the service knows the objects of its runs in all of its lives.
import { basename, join } from 'node:path';
import { readOrMake } from '../../model/disk/atomic-files.ts';
import type { Room } from '../../model/disk/volume.ts';

interface IdentityPlace {
  /** The folder of the runs. Services with other data can have theirs in it, too. */
  readonly folder: string;
  /** The file of the data. */
  readonly data: string;
  readonly room: Room;
}

/**
 * Returns what gets the identifier. It is made when it is asked for first, because a service starts on a full volume, too; that throws the error of the system
 * as long as it cannot be stored.
 */
export function serviceIdentity({ folder, data, room }: IdentityPlace, create: () => string): () => string {
  const file = join(folder, `.service-${basename(data)}`);
  let known: string | undefined;
  return () => (known ??= room.insist(() => readOrMake(file, create)));
}
