// The verification of clusters, as late upstream releases have it.
import { messageOf } from '../../../lib/errors.ts';
import type { Check } from '../../backends/provisioner.ts';
import { derivedId } from '../../model/records/identifiers.ts';
import type { ClusterRecord, Verification } from '../../model/records/records.ts';
import { Interruption } from '../../model/stages/interruption.ts';
import type { CallTarget } from './provisioner-calls.ts';

/** A verification that begins now. */
export function beginVerification({ id: cluster_id, verification: before }: ClusterRecord, now: string): Verification {
  const id = derivedId(`${before?.id ?? cluster_id} verification ${now}`);
  return { id, cluster_id, status: 'CHECKING', checks: [], created_at: now, updated_at: now };
}

function endVerification(verification: Verification, now: string, results: readonly Check[]): Verification {
  const { id } = verification;
  const health = (healthy: boolean): 'GREEN' | 'RED' => (healthy ? 'GREEN' : 'RED');
  const checks = results.map(({ name, healthy, description }, index) => ({
    id: derivedId(`${id} check${index === 0 ? '' : ` ${index}`}`),
    verification_id: id,
    name,
    status: health(healthy),
    description,
    created_at: now,
    updated_at: now,
  }));
  const status = health(results.every(({ healthy }) => healthy));
  return { ...verification, status, checks, updated_at: now };
}

interface VerifierOptions {
  readonly check: (at: CallTarget) => Promise<readonly Check[]>;
  /** Stores the change, if the cluster still exists. Never throws. */
  readonly update: (tenant: string, id: string, change: (cluster: ClusterRecord) => ClusterRecord) => void;
  readonly now: () => string;
}

export class Verifier {
  readonly #options: VerifierOptions;
  readonly #closing = new AbortController();
  /** By the identifier of the verification. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Ends the verification of the cluster, if there is one. Its result is stored in its place. */
  continue(tenant: string, cluster: ClusterRecord): void {
    const { verification } = cluster;
    if (verification?.status !== 'CHECKING' || this.#underWay.has(verification.id)) return;
    const done = this.#verify(tenant, cluster, verification).finally(() => this.#underWay.delete(verification.id));
    this.#underWay.set(verification.id, done);
  }

  /** What is under way is made again after a restart. */
  async close(): Promise<void> {
    this.#closing.abort(new Interruption('closing', 'the service is closing'));
    await Promise.all(this.#underWay.values());
  }

  async #verify(tenant: string, record: ClusterRecord, verification: Verification): Promise<void> {
    const { check, update, now } = this.#options;
    const { signal } = this.#closing;
    const results = await check({ tenant, record, signal }).catch((cause: unknown): readonly Check[] => [
      { name: 'Check of cluster', healthy: false, description: messageOf(cause) },
    ]);
    if (signal.aborted) return;
    update(tenant, record.id, (latest) => {
      if (latest.verification?.id !== verification.id) return latest;
      return { ...latest, verification: endVerification(verification, now(), results), updated_at: now() };
    });
  }
}
