// Rows of a LIST that cannot be read: such a row may be any object that its readable fields do not rule out. PURE.
import { cleanText, cutText } from '../../../wire/errors/shapes.ts';
import type { UnreadableRow, View } from '../../client/list/list-view.ts';
import type { ObjectKind, RemoteObject } from '../kind/kind.ts';
import type { Claim } from '../ledger/ledger.ts';

const nameLimit = 80;
const problemLimit = 200;

/** The row that may be the object of the claim. A row with another id and another name belongs to somebody else, whatever else is wrong with it. */
export function unreadableRowOf(
  { identity }: Pick<ObjectKind, 'identity'>,
  { unreadable }: View<RemoteObject>,
  claim: Pick<Claim, 'id' | 'name'>,
): UnreadableRow | undefined {
  if (identity === 'given') return unreadable.find(({ id }) => !id || id === claim.name);
  return unreadable.find(({ id, name }) => !id || !name || id === claim.id || name === claim.name);
}

/** Names the row, so that somebody can repair it. */
export function unreadableRowText({ id, name, problem }: UnreadableRow): string {
  const short = (text: string, limit: number) => cutText(cleanText(text, []), limit);
  const entry = [name && `"${short(name, nameLimit)}"`, id && short(id, nameLimit), short(problem, problemLimit)];
  return `the service has entries in its list that cannot be read (${entry.filter(Boolean).join(', ')})`;
}
