// What a LIST leaves open: an entry of it that cannot be read may be anything that it does not deny to be. PURE.

import { cleanText, cutText } from '../../../wire/errors/shapes.ts';
import type { UnreadableRow, View } from '../../client/list/view.ts';
import type { ObjectKind, RemoteObject } from '../kind.ts';
import type { Claim } from '../ledger/ledger.ts';

const nameLimit = 80;
const problemLimit = 200;

/** The entry that may be the object of the claim. One that shows another id and another name is somebody else's, whatever else is wrong with it. */
export function unreadableRowOf(
  { identity }: Pick<ObjectKind, 'identity'>,
  { unreadable }: View<RemoteObject>,
  claim: Pick<Claim, 'id' | 'name'>,
): UnreadableRow | undefined {
  if (identity === 'given') return unreadable.find(({ id }) => !id || id === claim.name);
  return unreadable.find(({ id, name }) => !id || !name || id === claim.id || name === claim.name);
}

/** Names the entry, so that somebody can mend it. */
export function unreadableRowText({ id, name, problem }: UnreadableRow): string {
  const short = (text: string, limit: number) => cutText(cleanText(text, []), limit);
  const entry = [name && `"${short(name, nameLimit)}"`, id && short(id, nameLimit), short(problem, problemLimit)];
  return `the service has entries in its list that cannot be read (${entry.filter(Boolean).join(', ')})`;
}
