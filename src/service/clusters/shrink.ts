// Drains machines that are about to be removed.
import type { Log } from '../../lib/ports.ts';
import type { Machine } from '../records/records.ts';
import { Transient } from '../stages/transient.ts';
import type { CallTarget, ProvisionerCalls } from './provisioner-calls.ts';

/** After a failure the machines stay in use, which the others have to know. */
export async function drain(
  calls: ProvisionerCalls,
  at: CallTarget,
  machines: readonly Machine[],
  log: Log,
): Promise<void> {
  try {
    await calls.drain(at, machines);
  } catch (cause) {
    if (at.signal.aborted || cause instanceof Transient) throw cause;
    await calls.configure(at, { added: [], removed: [] }).catch((err: unknown) => {
      log.warn({ kind: 'Cluster', externalId: at.record.id, err }, 'cannot configure machines that stay');
    });
    throw cause;
  }
}
