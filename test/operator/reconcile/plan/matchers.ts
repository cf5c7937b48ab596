// Plans of one write, as `toMatchObject` compares them.
import { expect } from 'vitest';

export const adopts = (id: string, claim: object = {}, ledger: object = {}) => ({
  action: 'write-ledger',
  write: 'record',
  ledger: { ...ledger, claims: expect.arrayContaining([expect.objectContaining({ ...claim, id })]) },
  report: { event: { reason: 'Adopted', note: expect.stringContaining(`(${id})`) } },
});
export const deletesObject = (id: string) => ({ action: 'delete-object', id });
export const releases = (reason: string, note: unknown = expect.anything()) => ({
  action: 'release',
  event: { reason, note },
});
